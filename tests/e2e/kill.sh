#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kill -9 of the engine, of supervisors and of a screen at ten places and more of the tutorial: the next start goes on, the run completes,
# nothing is started or created twice.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
lives=0
places=0
supervisors=0

start() {
	lives=$((lives + 1))
	"$rlpilot" run --all >"$dir/life.$lives" 2>&1 </dev/null &
	engine=$!
}

reach() { # reach ERE: the living engine says such a line
	"$waitfor" -t 60 -p "$engine" line "$dir/life.$lives" "$1" ||
		die "life $lives never says: $1: $(tail -n 3 "$dir/life.$lives")"
	places=$((places + 1))
}

kill_engine_at() { # ERE
	start
	reach "$1"
	kill -9 "$engine"
	wait "$engine" 2>/dev/null
}

# kill_supervisor STAGE: as soon as it has claimed the stage's first attempt
kill_supervisor() {
	claim=$XDG_STATE_HOME/rlpilot/runs/run-1/stages/$1/1/claim/pid
	"$waitfor" -t 60 -p "$engine" line "$claim" '^[0-9]+' || die "the stage $1 is never begun"
	# A submit takes a moment only: its supervisor may be over.
	kill -9 "$(cut -d ' ' -f 1 "$claim")" 2>/dev/null || return 0
	places=$((places + 1))
	supervisors=$((supervisors + 1))
}

# kill_screen: a screen on a terminal of its own, killed as soon as it has drawn
kill_screen() {
	rm -f "$dir/frames" "$dir/screen"
	SHELL=/bin/sh TERM=xterm-256color script -qc "exec 8>'$dir/frames'; echo \$\$ >'$dir/screen'; RLPILOT_FRAME_FD=8 exec '$rlpilot'" \
		/dev/null >/dev/null 2>&1 </dev/null &
	terminal=$!
	"$waitfor" -t 20 -p "$terminal" filled "$dir/frames" || die "the screen draws nothing"
	kill -9 "$(cat "$dir/screen")" || fail "no screen to kill"
	wait "$terminal" 2>/dev/null
	places=$((places + 1))
}

# What a life meets first may be later than what it waits for, when the machine is busy.
kill_engine_at '^\[2/9\] toolkit +(started|done) '
kill_engine_at '^\[4/9\] bucket +(started|done) '
kill_engine_at '^\[5/9\] cluster +(started|done) '
start
kill_supervisor cluster
reach '^(  resources [1-9][0-9]*/44|\[5/9\] cluster +done)'
kill -9 "$engine"
kill_engine_at '^\[6/9\] convert +(started|done) '
start
kill_supervisor train
reach '^  step ([5-9]|[1-5][0-9])/50'
kill_screen
kill -9 "$engine"
kill_engine_at '^  step [2-5][0-9]/50'
kill_engine_at '^  step 50/50'
start
kill_supervisor export
reach '^\[8/9\] export +(started|done) '
kill -9 "$engine"
start
wait "$engine" || die "the last life ends with $?: $(tail -n 3 "$dir/life.$lives")"
[ "$places" -ge 10 ] || fail "only $places places"
[ "$supervisors" -gt 0 ] || fail "no supervisor was killed"

for what in "cluster/$CLUSTER_NAME" "bucket/$GCS_BUCKET" jobset/default/gemma4-hf-to-mt jobset/default/gemma4-training \
	jobset/default/gemma4-mt-to-hf; do
	equal 1 "$(made "$what")" "creations of $what"
done
for call in '"gcluster","deploy"' '"gcluster","job","submit",.*"--name=gemma4-hf-to-mt"' \
	'"gcluster","job","submit",.*"--name=gemma4-training"' '"gcluster","job","submit",.*"--name=gemma4-mt-to-hf"' \
	'"storage","buckets","create"'; do
	equal 1 "$(grep '"kind":"argv"' "$dir/ledger.jsonl" | grep -c "$call")" "calls of $call"
done
! grep -q '"kind":"delete","what":"\(cluster\|bucket\|object\|jobset\)/' "$dir/ledger.jsonl" || fail "something was deleted"
for tree in max-text-format/0/items/commit_success.txt trained/rl/checkpoints/actor/50/model_params/commit_success.txt \
	hf-trained/model.safetensors.index.json; do
	gcloud storage ls "gs://$GCS_BUCKET/$MODEL_NAME/$tree" >/dev/null 2>&1 || fail "no $tree"
done
