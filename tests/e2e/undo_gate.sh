#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Before a deployment is destroyed by its undo ("stop for today") it is asked, as before the clean-up: is it this run's own,
# and does nobody else work on it? A refused undo leaves all as it was and says why; one that an earlier engine had begun
# and not got on with is asked about anew.
set -u
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/e2e/intents.sh
. "$srcdir/tests/e2e/intents.sh"
echo 'convert+5m load:*-main-job-0-0-* hang=40h 1' >"$dir/plan"
sim_start --seed 1 --faults "$dir/plan"
on_run
undo='{"v":1,"intent":"undo","stage":"cluster","text":"'"$CLUSTER_NAME"'"}'

run_engine() {
	rm -f "$run/engine"
	"$rlpilot" engine --run-dir "$run" >"$dir/lines" 2>&1 </dev/null &
	engine=$!
	"$waitfor" -t 20 -p "$engine" filled "$run/engine" || die "no engine: $(cat "$dir/lines")"
}

says_times() { # says_times N ERE: the N-th such line of the journal has come
	"$waitfor" -t 60 -p "$engine" lines "$run/journal.jsonl" ".*$2.*" "$1" ||
		die "the journal does not say $1 times: $2 ($(tail -n 2 "$run/journal.jsonl"))"
}

untouched() { # the cluster stays, and so does the stage
	gcloud container clusters describe "$CLUSTER_NAME" --location="$REGION" >/dev/null 2>&1 || fail "$1: the cluster is gone"
	grep -q '"argv":\["gcluster","destroy"' "$dir/ledger.jsonl" && fail "$1: a destroy was begun"
}

run "$rlpilot" run --from tools --to cluster
want_rc 0 "up to the cluster"
mkdir "$dir/toolkit"
cp "$run/toolkit/cluster-toolkit/gcluster" "$dir/toolkit/"
KUBECONFIG=$run/kubeconfig submit others-job --command "sleep 100000"

# A job of somebody else: an engine that has just begun has not looked at the cluster yet.
run_engine
post "$undo"
said='"ev":"stage-gate","stage":"cluster",.*"state":"undo-refused".*"cause":"the JobSet others-job in default is not of this run'
says_times 1 "$said.*\"cause_id\":\"cluster-unused\".*kubectl -n default delete jobset others-job"
says_times 1 '"ev":"alert",.*"undo-refused".*the undo of cluster was not begun: the JobSet others-job '
untouched "a job of others"
grep -q '"stage":"cluster","state":"undo"' "$run/journal.jsonl" && fail "the undo was begun"
run "$rlpilot" status --json
equal '"done"' "\"$(json "$dir/out" stages.4.state)\"" "the stage after a refused undo"

# An engine that has journalled the undo died before it did anything of it; days later somebody works there.
killed
printf '%s\n' '{"v":1,"seq":9000,"t":"2026-09-10T08:00:00Z","ev":"stage-start","stage":"cluster","state":"undo","undo":1}' \
	>>"$run/journal.jsonl"
run_engine
says_times 1 '"ev":"stage-failed","stage":"cluster",.*"cause":"the JobSet others-job in default'
untouched "an undo gone on with"
KUBECONFIG=$run/kubeconfig kubectl delete jobset others-job >/dev/null || fail "the job of others cannot be deleted"

# Work of somebody else that is in no JobSet.
api() { # api METHOD PATH [BODY]
	server=$(sed -n 's/^ *server: //p' "$run/kubeconfig")
	curl -fsS --cacert "$RLPILOT_SIM_CA" -X "$1" -H "Authorization: Bearer $(gcloud auth print-access-token)" \
		-H 'Content-Type: application/json' ${3:+--data "$3"} -o /dev/null "$server$2" || fail "$1 $2"
}
spec='"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"busybox","command":["sleep","100000"]}]}'
api POST /apis/batch/v1/namespaces/default/jobs \
	'{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"others-batch"},"spec":{"template":{'"$spec"'}}}'
post "$undo"
says_times 1 '"state":"undo-refused".*"cause":"the Job others-batch in default is not .*kubectl -n default delete job others-batch'
untouched "a plain Job of others"
api DELETE /apis/batch/v1/namespaces/default/jobs/others-batch
api POST /api/v1/namespaces/default/pods '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"others-pod"},'"$spec"'}'
post "$undo"
says_times 1 '"state":"undo-refused".*"cause":"the pod others-pod in default is not .*kubectl -n default delete pod others-pod'
untouched "a pod of others"
api DELETE '/api/v1/namespaces/default/pods/others-pod?gracePeriodSeconds=0'

# Another run at work on this cluster.
"$rlpilot" --run second run --from tools --to convert >"$dir/second" 2>&1 </dev/null &
second=$!
"$waitfor" -t 60 -p "$second" line "$dir/second" '^\[6/9\] convert +started .*' || die "no conversion: $(tail -n 3 "$dir/second")"
post "$undo"
says_times 1 '"state":"undo-refused".*"cause":"the run second works on this cluster: stage convert'
untouched "another run at work"
kill "$second"
wait "$second" 2>/dev/null
KUBECONFIG=$run/kubeconfig kubectl delete jobset gemma4-hf-to-mt >/dev/null 2>&1

# The other way round: a run that has only used the cluster cannot destroy it.
post '{"v":1,"intent":"stop"}'
wait "$engine"
run "$rlpilot" --run third run --from tools --to cluster
want_rc 0 "a third run on the same cluster"
run=$XDG_STATE_HOME/rlpilot/runs/third
printf '%s\n' '{"v":1,"seq":9000,"t":"2026-09-10T08:00:00Z","ev":"stage-start","stage":"cluster","attempt":1}' \
	'{"v":1,"seq":9001,"t":"2026-09-10T08:01:00Z","ev":"stage-done","stage":"cluster","attempt":1}' >>"$run/journal.jsonl"
run_engine
post "$undo"
says_times 1 '"state":"undo-refused".*"cause":"the cluster '"$CLUSTER_NAME"' was deployed by the run run-1, not by this one'
untouched "the cluster of another run"
post '{"v":1,"intent":"stop"}'
wait "$engine"

# Nobody is left.
on_run
run_engine
post "$undo"
says_times 1 '"ev":"stage-done","stage":"cluster",.*"state":"undone"'
says_times 1 '"ev":"alert",.*"undo-refused".*"cleared"'
gcloud container clusters describe "$CLUSTER_NAME" --location="$REGION" >/dev/null 2>&1 && fail "the cluster is still there"

# Nor is a bucket deleted with what others keep in it.
bucket='{"v":1,"intent":"undo","stage":"bucket","text":"'"$GCS_BUCKET"'"}'
put_object others/notes.txt
post "$bucket"
said='"stage":"bucket",.*"state":"undo-refused".*"cause":"gs://'"$GCS_BUCKET"' is kept: it holds what this run has not made: others/'
says_times 1 "$said.*\"cause_id\":\"bucket-ours\".*this deletes the run's part alone: gcloud storage rm -r gs://"
gcloud storage rm -r "gs://$GCS_BUCKET/others" >/dev/null 2>&1 || fail "a bucket that others use was deleted"
post "$bucket"
says_times 1 '"ev":"stage-done","stage":"bucket",.*"state":"undone"'
gcloud storage buckets describe "gs://$GCS_BUCKET" >/dev/null 2>&1 && fail "the bucket is still there"
post '{"v":1,"intent":"stop"}'
wait "$engine"
equal 1 "$(grep -c '"argv":\["gcluster","destroy"' "$dir/ledger.jsonl")" "destroys"
