#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A run that goes on alone, stopped for today: what was destroyed is not made again by the next engine, whenever the one
# before has died.
set -u
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/e2e/intents.sh
. "$srcdir/tests/e2e/intents.sh"
sim_start --seed 1 --speed 250
on_run

run_engine() {
	rm -f "$run/engine"
	"$rlpilot" engine --run-dir "$run" >"$dir/lines" 2>&1 </dev/null &
	engine=$!
	"$waitfor" -t 20 -p "$engine" filled "$run/engine" || die "no engine: $(cat "$dir/lines")"
}

run "$rlpilot" run --from tools --to cluster
want_rc 0 "up to the cluster"
run_engine
post '{"v":1,"intent":"go-on-alone"}'
says '"ev":"stage-start","stage":"convert"'
post '{"v":1,"intent":"cancel","stage":"convert"}'
says '"stage":"convert","attempt":1,"cause":"stopped'
post '{"v":1,"intent":"undo","stage":"cluster","text":"'"$CLUSTER_NAME"'"}'
says '"ev":"stage-start","stage":"cluster","state":"undo"'
"$waitfor" -t 20 -p "$engine" filled "$run/stages/cluster/undo-1/pid" || die "nothing is destroyed"
killed
name=$(basename "$run")
for what in "delete $name --confirm $name" "name $name other"; do
	# shellcheck disable=SC2086
	run "$rlpilot" runs $what
	want_rc 4 "runs $what, while an undo without an engine is at work"
	want err 'the stage cluster of this run is at work without an engine' "runs $what"
done
run_engine
says '"ev":"stage-done","stage":"cluster",.*"state":"undone"'
killed
run_engine
# What begins by itself has begun before an engine takes what is posted now.
post '{"v":1,"intent":"rerun-check","name":"tool"}'
journal=$(sed -n '/"state":"undone"/,$p' "$run/journal.jsonl" | grep -E '"ev":"stage-(gate|start)"')
equal "" "$journal" "what began by itself after the undo"
post '{"v":1,"intent":"stop"}'
wait "$engine"
equal 1 "$(made "cluster/$CLUSTER_NAME")" "clusters"
exit 0
