#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stopping and undoing by intents: a deploy is stopped by the typed name alone, after second thoughts were possible,
# with one SIGINT to terraform; what it left is gone on with and then destroyed by its undo. A job's JobSet and its
# tree go. Nothing is made twice.
set -u
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/e2e/intents.sh
. "$srcdir/tests/e2e/intents.sh"
sim_start --seed 1 --speed 100
on_run

begin --from tools --to cluster
shows '^  resources [1-9][0-9]*/44$'
post '{"v":1,"intent":"cancel","stage":"cluster","text":"gemma"}'
says '"ev":"cancel","stage":"cluster","attempt":1,"state":"refused"'
grep -q '"state":"asked"' "$run/journal.jsonl" && fail "a wrong name stops the deploy"
# Both at once, while the engine stands still: the moment for second thoughts may be over on a busy machine.
kill -STOP "$engine"
put '{"v":1,"intent":"cancel","stage":"cluster","text":"'"$CLUSTER_NAME"'"}'
put '{"v":1,"intent":"withdraw-cancel","stage":"cluster"}'
kill -CONT "$engine"
says '"ev":"cancel","stage":"cluster","attempt":1,"state":"asked"'
says '"state":"withdrawn"'
post '{"v":1,"intent":"cancel","stage":"cluster","text":"'"$CLUSTER_NAME"'"}'
says '"state":"sent"'
put '{"v":1,"intent":"withdraw-cancel","stage":"cluster"}'
put '{"v":1,"intent":"cancel","stage":"cluster","text":"'"$CLUSTER_NAME"'"}'
ended 5 "a deploy that was stopped"
cancelled cluster 1 'stopped half-way'
interrupted "$run/stages/cluster/1" 1

begin --from cluster --to convert
says '"ev":"stage-done","stage":"cluster"'
shows '^  tensors .*$'
post '{"v":1,"intent":"cancel","stage":"convert"}'
ended 5 "a conversion that was stopped"
kubectl get jobset gemma4-hf-to-mt >/dev/null 2>&1 && fail "the JobSet is still there"

"$rlpilot" engine --run-dir "$run" >"$dir/engine" 2>&1 &
engine=$!
"$waitfor" -t 10 -p "$engine" file "$run/engine" || die "no engine"
post '{"v":1,"intent":"undo","stage":"convert","text":"no"}'
grep -q '"state":"undo"' "$run/journal.jsonl" && fail "an undo without its name"
post '{"v":1,"intent":"undo","stage":"toolkit"}'
grep -q '"state":"undo"' "$run/journal.jsonl" && fail "the folder of a deployment is removed"
post '{"v":1,"intent":"undo","stage":"convert","text":"max-text-format"}'
says '"ev":"stage-done","stage":"convert",.*"state":"undone"'
post '{"v":1,"intent":"undo","stage":"cluster","text":"'"$CLUSTER_NAME"'"}'
says '"ev":"stage-start","stage":"cluster","state":"undo","undo":1'
says '"ev":"stage-done","stage":"cluster",.*"state":"undone"'
gcloud container clusters describe "$CLUSTER_NAME" --location="$REGION" >/dev/null 2>&1 && fail "the cluster is still there"
post '{"v":1,"intent":"undo","stage":"bucket","text":"'"$GCS_BUCKET"'"}'
says '"ev":"stage-done","stage":"bucket",.*"state":"undone"'
post '{"v":1,"intent":"undo","stage":"toolkit"}'
says '"ev":"stage-done","stage":"toolkit",.*"state":"undone"'
[ -e "$run/toolkit/cluster-toolkit" ] && fail "the folder of the toolkit is still there"
post '{"v":1,"intent":"stop"}'
wait "$engine"
equal "" "$(left_over "$dir/ledger.jsonl" | grep -v '^event/')" "left over"
