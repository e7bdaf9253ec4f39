#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Output that goes nowhere: a reader that leaves, a full device, streams that were closed by whoever started us. The work
# is done all the same, nothing of it lands in a file of the run, and the exit code tells.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
folder=$XDG_STATE_HOME/rlpilot/runs/run-1

# --- who reads leaves after the first line: the stages are done, 128 + SIGPIPE
mkfifo "$dir/pipe"
"$rlpilot" run --from tools --to bucket >"$dir/pipe" 2>"$dir/err" </dev/null &
engine=$!
head -n 1 "$dir/pipe" >"$dir/first"
rc=0
wait "$engine" || rc=$?
want_rc 141 "a run whose reader has left"
want first '^run run-1' "a run whose reader has left"
run "$rlpilot" status
want out '^  bucket +done ' "a run whose reader has left"

# --- streams that are closed: their numbers are taken by no file of ours
rc=0
"$rlpilot" run --stage tools >&- 2>&- <&- || rc=$?
want_rc 0 "a run without streams"
cp "$folder/lock" "$dir/lock"
want_not lock 'run run-1|tools' "the lock of a run without streams"
run "$rlpilot" run --stage tools
want_rc 0 "the run after it"
want_not err 'at work on the machine' "the run after it"
bad=$(grep -Ev '^\{"v":1,' "$folder/journal.jsonl")
equal '' "$bad" "lines in the journal that are none of it"

# --- a full device
if [ -w /dev/full ]; then
	for verb in "run --stage tools" "run --stage tools --json" status "status --json" runs "check --only hf" env plan \
		"checkpoints --json" doctor --help; do
		rc=0
		# shellcheck disable=SC2086
		"$rlpilot" $verb >/dev/full 2>"$dir/err" </dev/null || rc=$?
		want_rc 73 "$verb on a full device"
		want err '^rlpilot: cannot write the .*\(check where the output goes\)$' "$verb on a full device"
		equal 1 "$(wc -l <"$dir/err" | tr -d ' ')" "lines of $verb on a full device"
	done
	# what was found stays the exit code
	rc=0
	env -u HF_TOKEN "$rlpilot" check --only hf.token >/dev/full 2>"$dir/err" </dev/null || rc=$?
	want_rc 1 "a check that blocks on a full device"
	want err '^rlpilot: cannot write the output: ' "a check that blocks on a full device"
fi

# --- logs that are followed end with their reader, not with the engine
"$rlpilot" run --from cluster --to convert >"$dir/life" 2>&1 </dev/null &
engine=$!
"$waitfor" -t 60 -p "$engine" line "$dir/life" '^  tensors [0-9]+/' || die "no conversion: $(tail -n 3 "$dir/life")"
"$rlpilot" logs --follow >"$dir/pipe" 2>"$dir/err" </dev/null &
reader=$!
head -n 1 "$dir/pipe" >"$dir/first"
rc=0
wait "$reader" || rc=$?
want_rc 141 "logs whose reader has left"
kill -0 "$engine" 2>/dev/null || fail "the reader stayed until the engine ended"
wait "$engine" || fail "the run was disturbed"

# --- a cloud that does not answer: what it holds is not known, and is not told as none
kill "$sim_pid"
wait "$sim_pid" 2>/dev/null
sim_pid=
run "$rlpilot" status
want out '^safe checkpoint: not known$' "no answer"
