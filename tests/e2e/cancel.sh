#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A stop of commands, of a deploy and of a destroy; the next try goes on from there. Across deaths of the engine: a wish
# that was posted while none lived is granted by the next one; one that was meant for another attempt is refused; one that
# comes when the stage has just ended keeps the next one from beginning. (Jobs are in cancel_jobs.sh.)
set -u
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/e2e/intents.sh
. "$srcdir/tests/e2e/intents.sh"
cat >"$dir/plan" <<'F'
any GET:*bundle* delay=30000 1
any POST:/storage/v1/b* delay=30000 1
cleanup destroy:*google_compute_network.network destroy-blocked 3
F
sim_start --seed 1 --speed 80 --faults "$dir/plan"
on_run

# --- commands: the download and the bucket

begin --from tools --to bucket
says '"ev":"stage-start","stage":"toolkit"'
post "$(cancel toolkit 1)"
ended 5 "a download that was stopped"
cancelled toolkit 1 'stopped half-way'
begin --from tools --to bucket
says '"ev":"stage-start","stage":"bucket"'
# Two screens at once: it is asked for once.
put "$(cancel bucket 1)"
post "$(cancel bucket 1)"
ended 5 "a bucket that was stopped"
cancelled bucket 1 'stopped half-way'
equal 1 "$(grep -c '"ev":"cancel","stage":"bucket","attempt":1,"state":"asked"' "$run/journal.jsonl")" "wishes"

# --- deploy: a wish from before it began does nothing; one that comes while no engine lives is granted

put "$(cancel cluster 1)"
begin --from bucket --to cluster
shows '^  resources [1-9][0-9]*/44$'
grep -q '"ev":"cancel","stage":"cluster"' "$run/journal.jsonl" && fail "a wish of before stops the deploy"
killed
put "$(cancel cluster 1)"
begin --stage cluster
ended 5 "a deploy that was stopped while no engine lived"
cancelled cluster 1 'stopped half-way'
interrupted "$run/stages/cluster/1" 1

begin --from cluster --to convert
says '"ev":"stage-start","stage":"cluster","attempt":2'
post "$(cancel cluster 1)"
says '"ev":"cancel","stage":"cluster","attempt":2,"state":"refused","note":"it was meant'
shows '^  stop of cluster refused: it was meant'

# The deploy ends while people may still think again: the engine stands still for so long.
post "$(cancel cluster 2)"
says '"stage":"cluster","attempt":2,"state":"asked"'
kill -STOP "$engine"
"$waitfor" -t 120 file "$run/stages/cluster/2/exit" || die "the deploy does not end"
kill -CONT "$engine"
ended 5 "a deploy that had ended before it was stopped"
grep -q '"ev":"stage-done","stage":"cluster"' "$run/journal.jsonl" || fail "the deploy is not done"
grep -q '"ev":"stage-\(gate\|start\)","stage":"convert"' "$run/journal.jsonl" && fail "the conversion was begun all the same"

# --- destroy: none of its three attempts can come to its end, however late they are told

begin --stage cleanup --confirm "$CLUSTER_NAME"
shows '^  resources [1-9][0-9]*/.*$'
post "$(cancel cleanup 1)"
ended 5 "a destroy that was stopped"
cancelled cleanup 1 'stopped half-way: what is left'
grep -c 'Interrupt received' "$run/stages/cleanup/1/log" >"$dir/told"
interrupted "$run/stages/cleanup/1" "$(cat "$dir/told")"
[ "$(cat "$dir/told")" -gt 0 ] || fail "no terraform was told"
# What is left of the plan's three fails again.
"$rlpilot" run --stage cleanup --confirm "$CLUSTER_NAME" >"$dir/lines" 2>&1 </dev/null
begin --stage cleanup --confirm "$CLUSTER_NAME"
ended 0 "the destroy again"
for what in "cluster/$CLUSTER_NAME" "bucket/$GCS_BUCKET"; do
	equal 1 "$(made "$what")" "creations of $what"
done
equal "bucket/$GCS_BUCKET" "$(left_over "$dir/ledger.jsonl" | grep -Ev '^(event|object)/')" "left over"
