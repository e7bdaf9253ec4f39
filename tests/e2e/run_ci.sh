#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# rlpilot without a terminal, as a pipeline uses it: every exit code of run, check and status, one line a change in
# words and in JSON, waiting for the end. (bad_input.sh has 64, 65, 73 and the confirmations of a clean-up.)
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cat >"$dir/faults" <<F
cluster deploy:*gke-tpu-v6e-pool*node_pool* stockout 1
train queue:gemma4-training quota-taken 900000m
F
sim_start --seed 1 --faults "$dir/faults"
folder=$XDG_STATE_HOME/rlpilot/runs/run-1

# --- run: 0 and the lines, in words and in JSON
run "$rlpilot" run --from tools --to bucket
want_rc 0 "run to the bucket"
lines_good out "run to the bucket"
equal "tools toolkit login bucket" "$(sed -n 's/^\[.*\] \([a-z]*\) *\(done\|skipped\) .*/\1/p' "$dir/out" | tr '\n' ' ' | sed 's/ $//')" \
	"stages that ended"
run "$rlpilot" status
want_rc 0 "status between two stages"
run "$rlpilot" status --until done
want_rc 0 "waiting for a run that nobody moves"
want err '^rlpilot: not done, and no engine is at work on it: it stays as it is$' "waiting for a run that nobody moves"

# --- 1: a stage fails; what terraform made is kept aside all the same
run "$rlpilot" run --stage cluster --json
want_rc 1 "a deploy that fails"
json_good out 1 "a deploy that fails"
want out '"event":"stage-end","stage":"cluster","attempt":1,"state":"failed".*"exit":1,"cause":"stockout"' "a deploy that fails"
want out '"event":"progress","stage":"cluster".*"unit":"resource"' "progress of the deploy"
[ -s "$folder/tfstate/1/terraform.tfstate" ] || fail "the state of a deploy that failed is not kept"
run "$rlpilot" status --json
want_rc 2 "status of a stage that failed"
equal failed "$(json "$dir/out" verdict)" "verdict"
run "$rlpilot" status --until done
want_rc 2 "waiting for what has failed already"

# --- 2: a gate does not hold, nothing is started
run "$rlpilot" run --stage convert
want_rc 2 "a conversion without its cluster"
want out '^\[6/9\] convert  blocked ' "a conversion without its cluster"
want out '^  cure: ' "a conversion without its cluster"
[ ! -e "$folder/stages/convert" ] || fail "an attempt of the conversion was made"

# --- 3: a person is needed, and the message names for what
run env HOME="$dir/nobody" XDG_STATE_HOME="$dir/nobody" CLOUDSDK_CONFIG="$dir/nobody/gcloud" "$rlpilot" --run nobody run --stage login
want_rc 3 "a login without a terminal"
want err '^rlpilot: stage login: .*gcloud auth login' "a login without a terminal"

# --- once more: 0, and the state as it is now
run "$rlpilot" run --stage cluster
want_rc 0 "the deploy again"
[ -s "$folder/tfstate/2/terraform.tfstate" ] || fail "the state of the second deploy is not kept"
[ ! -e "$folder/tfstate/3" ] || fail "the state is kept twice"

run "$rlpilot" run --stage convert --json
want_rc 0 "the conversion"
json_good out 0 "the conversion"

# --- while it works: run 4, a wait that is too short. The job stands in its queue: the state does not pass by.
"$rlpilot" run --stage train >"$dir/life" 2>&1 </dev/null &
engine=$!
"$waitfor" -t 60 -p "$engine" line "$folder/journal.jsonl" '"ev":"alert".*"queue-waits"' || die "the training does not wait in its queue"
run "$rlpilot" run --stage train
want_rc 4 "a second engine"
run "$rlpilot" status --until done --timeout 0
[ "$rc" -le 1 ] || fail "a wait of no time: exit code $rc"
want err '^rlpilot: not done after 0 s' "a wait of no time"

# --- the engine is killed: 1; it is stopped: 128 + n; nothing is lost and nothing runs twice
kill -KILL "$engine"
wait "$engine" 2>/dev/null
run "$rlpilot" status
want_rc 1 "status without its engine"
want out 'engine of the run has vanished' "status without its engine"
# again OPTION…: an engine of the training; returns once it works
again() {
	lives=$(grep -c '"ev":"run-open"' "$folder/journal.jsonl")
	"$rlpilot" run --stage train "$@" >"$dir/life" 2>"$dir/err" </dev/null &
	engine=$!
	"$waitfor" -t 60 -p "$engine" lines "$folder/journal.jsonl" '"ev":"run-open"' $((lives + 1)) ||
		die "no engine begins: $(cat "$dir/err")"
}
for s in INT TERM; do
	again
	kill -"$s" "$engine"
	rc=0
	wait "$engine" || rc=$?
	want_rc "$([ $s = INT ] && echo 130 || echo 143)" "SIG$s"
	want err '^rlpilot: the engine was stopped; what runs detached goes on' "SIG$s"
done

# --- 5: cancelled by somebody; who waits for the end is told
again --json
"$rlpilot" status --until done >"$dir/until" 2>&1 </dev/null &
waiter=$!
mkdir -p "$folder/inbox"
echo '{"v":1,"intent":"cancel","stage":"train"}' >"$dir/intent"
mv "$dir/intent" "$folder/inbox/9-cancel.json"
rc=0
wait "$engine" || rc=$?
want_rc 5 "a training that somebody cancels"
json_good life 5 "a training that somebody cancels"
rc=0
wait "$waiter" || rc=$?
want_rc 1 "a wait that a cancellation ends"
want until ': degraded .*cancelled' "a wait that a cancellation ends"
equal 1 "$(made jobset/default/gemma4-training)" "JobSets of the training"

# --- check: 0 and 1 are in verbs.sh; 2 and 69 when the cloud is away
away() {
	for api in COMPUTE CONTAINER STORAGE SERVICEUSAGE CLOUDRESOURCEMANAGER IAM CLOUDBILLING; do
		set -- "CLOUDSDK_API_ENDPOINT_OVERRIDES_$api=http://127.0.0.1:1/" "$@"
	done
	run env "$@"
}
away "$rlpilot" check --only place --json
want_rc 2 "check when the cloud does not answer"
away "$rlpilot" checkpoints --json
want_rc 69 "checkpoints when the cloud does not answer"
away "$rlpilot" status
want_rc 3 "status when the cloud does not answer"
