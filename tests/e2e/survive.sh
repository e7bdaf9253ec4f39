#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A run whose folder was harmed between two lives: foreign lines in the journal, files of the supervisor gone while its
# script is at work, the folder copied to another machine. The next life goes on or says what it needs; the cloud is
# asked for each thing once.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
run_dir=$XDG_STATE_HOME/rlpilot/runs/run-1

life() { # life NAME ERE: a life that is killed once it has said that
	"$rlpilot" run --all >"$dir/$1" 2>&1 </dev/null &
	engine=$!
	"$waitfor" -t 60 -p "$engine" line "$dir/$1" "$2" || die "$1 never says $2: $(tail -n 3 "$dir/$1")"
	kill -9 "$engine"
	wait "$engine" 2>/dev/null
}

# --- foreign lines, in the middle and at the end, without a last line end

life first '^\[4/9\] bucket +done '
python3 -c '
import sys
path = sys.argv[1]
lines = open(path, "rb").read().split(b"\n")
for foreign in (b"hello", b"", b"{", b"[1,2]", b"\xff\xfe\x00", b"{\"v\":2,\"ev\":\"stage-done\",\"stage\":\"train\"}",
                b"{\"v\":1,\"ev\":\"stage-done\",\"stage\":\"moon\"}", b"x" * 200000):
    lines.insert(len(lines) // 2, foreign)
open(path, "wb").write(b"\n".join(lines) + b"{\"v\":1,\"seq\":9,\"ev\":\"stage-")
' "$run_dir/journal.jsonl"
run "$rlpilot" status --json
want out '"id": ?"bucket", ?"state": ?"done"' "the bucket after foreign lines"
want out '"id": ?"train", ?"state": ?"todo"' "the training after foreign lines"

# --- files of the supervisor are gone while its script deploys

life second '^  resources [1-9][0-9]*/'
for gone in claim/pid pid started; do
	rm "$run_dir/stages/cluster/1/$gone" || fail "there is no $gone"
done
life third '^\[6/9\] convert +started '

# --- the folder is copied to another machine

engine_host=another-machine
elsewhere=$dir/elsewhere
mkdir -p "$elsewhere/rlpilot/runs"
rm -f "$run_dir"/stages/*/*/*.new
cp -a "$run_dir" "$elsewhere/rlpilot/runs/"
copy=$elsewhere/rlpilot/runs/run-1
mine=$(uname -n)
for f in "$copy/lock" "$copy/engine" "$copy"/stages/*/*/claim/pid; do
	sed -i "s/$mine/$engine_host/" "$f"
	grep -q "$engine_host" "$f" || fail "$f names no machine"
done
XDG_STATE_HOME=$elsewhere
export XDG_STATE_HOME
# Refused while the other engine's last sign of life is younger than two minutes of the run's time.
tries=0
run "$rlpilot" run --run run-1 --all
while [ "$rc" -eq 4 ] && [ $tries -lt 100 ]; do
	tries=$((tries + 1))
	want err "an engine on the machine $engine_host was at work" "the copied run, too early"
	run "$rlpilot" run --run run-1 --all
done
want_rc 0 "the copied run"
want err "at work on the machine $engine_host" "the copied run"
want out '^\[8/9\] export +done ' "the copied run"
grep -q "taken over from the machine $engine_host" "$copy/journal.jsonl" || fail "the journal does not tell"

for what in "cluster/$CLUSTER_NAME" "bucket/$GCS_BUCKET" jobset/default/gemma4-hf-to-mt jobset/default/gemma4-training \
	jobset/default/gemma4-mt-to-hf; do
	equal 1 "$(made "$what")" "creations of $what"
done
equal 1 "$(grep '"kind":"argv"' "$dir/ledger.jsonl" | grep -c '"gcluster","deploy"')" "deploys"
