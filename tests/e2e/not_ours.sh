#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Nothing is ended or deleted that is not this run's own: not a job of its name that works with another bucket, neither by
# an undo nor by a stop nor with the cluster, and no folder to which a value leads that somebody wrote into run.yaml.
set -u
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/e2e/intents.sh
. "$srcdir/tests/e2e/intents.sh"
sim_start --seed 1
on_run

run_engine() {
	rm -f "$run/engine"
	"$rlpilot" engine --run-dir "$run" >"$dir/lines" 2>&1 </dev/null &
	engine=$!
	"$waitfor" -t 20 -p "$engine" filled "$run/engine" || die "no engine: $(cat "$dir/lines")"
}

journal() { # journal SEQ REST: a line as if an engine had written it
	printf '{"v":1,"seq":%s,"t":"2026-09-10T08:00:00Z",%s}\n' "$1" "$2" >>"$run/journal.jsonl"
}

others_stay() { # others_stay NAME WHAT
	KUBECONFIG=$run/kubeconfig kubectl get jobset "$1" >/dev/null 2>&1 || fail "$2: the JobSet $1 of others is gone"
}

run "$rlpilot" run --from tools --to cluster
want_rc 0 "up to the cluster"
mkdir "$dir/toolkit"
cp "$run/toolkit/cluster-toolkit/gcluster" "$dir/toolkit/"

# Whoever destroys the cluster takes this job with it: its bucket is called nearly as ours.
KUBECONFIG=$run/kubeconfig submit gemma4-training --command "sleep 100000 gs://$GCS_BUCKET-2/x gs://my-$GCS_BUCKET/x"
run_engine
post '{"v":1,"intent":"undo","stage":"cluster","text":"'"$CLUSTER_NAME"'"}'
says '"stage":"cluster",.*"state":"undo-refused".*"cause":"the JobSet gemma4-training in default is not of this run'
others_stay gemma4-training "the undo of the cluster"
killed

# The training of this run is long gone; the one of its name is another's.
journal 9000 '"ev":"stage-start","stage":"train","attempt":1'
journal 9001 '"ev":"stage-done","stage":"train","attempt":1'
run_engine
post '{"v":1,"intent":"undo","stage":"train"}'
says '"stage":"train",.*"state":"undo-refused".*"cause":"the JobSet gemma4-training there is not of this run.*"cause_id":"jobset-ours"'
others_stay gemma4-training "the undo of a training"
killed

# A training that was left at work, and is found as another's.
journal 9100 '"ev":"stage-start","stage":"train","attempt":2'
mkdir -p "$run/stages/train/2/claim"
ln -s ../pid "$run/stages/train/2/claim/go"
echo 0 >"$run/stages/train/2/exit"
run_engine
post "$(cancel train 2)"
says '"ev":"cancel","stage":"train","attempt":2,"cause":"stopped; the JobSet of its name is not this run'
others_stay gemma4-training "a stop"
killed
KUBECONFIG=$run/kubeconfig kubectl delete jobset gemma4-training >/dev/null || fail "the job of others cannot be deleted"

# A value that leads out of the run's folder comes from no page, but a file can be edited.
sed "s/value: *\"*$CLUSTER_NAME\"*\$/value: ..\/../" "$run/run.yaml" >"$dir/edited"
cmp -s "$dir/edited" "$run/run.yaml" && die "run.yaml is not as it was: $(grep -A 2 CLUSTER_NAME "$run/run.yaml")"
cp "$dir/edited" "$run/run.yaml"
run_engine
post '{"v":1,"intent":"start-stage","stage":"cluster"}'
says '"ev":"stage-gate","stage":"cluster",.*"state":"blocked".*"cause":"CLUSTER_NAME '
post '{"v":1,"intent":"undo","stage":"toolkit"}'
post '{"v":1,"intent":"undo","stage":"cluster","text":"../.."}'
says '"stage":"cluster",.*"state":"undo-refused".*"cause":"CLUSTER_NAME '
[ -x "$run/toolkit/cluster-toolkit/gcluster" ] || fail "the toolkit is gone"
[ -s "$run/run.yaml" ] || fail "the run's folder is gone"
post '{"v":1,"intent":"stop"}'
wait "$engine"
grep -q '"argv":\["gcluster","destroy"' "$dir/ledger.jsonl" && fail "a destroy was begun"
exit 0
