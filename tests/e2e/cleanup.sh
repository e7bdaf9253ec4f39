#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a careful user of the clean-up relies on: nobody else's job or cluster is destroyed, values that differ from what
# was deployed stop it, a folder removed by hand is made again, a bucket with things of others is kept, and what stops
# the bucket's deletion is named with its cure.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
echo 'convert+5m load:*-main-job-0-0-* hang=40h 1' >"$dir/plan"
sim_start --seed 1 --faults "$dir/plan"
runs=$XDG_STATE_HOME/rlpilot/runs
folder=$runs/run-1
deployment=$folder/toolkit/cluster-toolkit/$CLUSTER_NAME

clean_up() { # clean_up RUN OPTION…
	name=$1
	shift
	run "$rlpilot" --run "$name" run --stage cleanup --confirm "$CLUSTER_NAME" "$@"
}

untouched() { # the cluster and its folder are as they were
	gcloud container clusters describe "$CLUSTER_NAME" --location="$REGION" >/dev/null 2>&1 || fail "$1: the cluster is gone"
	[ -d "$deployment" ] || fail "$1: the deployment folder is gone"
	grep -q '"argv":\["gcluster","destroy"' "$dir/ledger.jsonl" && fail "$1: a destroy was begun"
}

run "$rlpilot" run --from tools --to cluster
want_rc 0 "up to the cluster"

# a job of somebody else is at work: it would be lost
mkdir "$dir/toolkit"
cp "$folder/toolkit/cluster-toolkit/gcluster" "$dir/toolkit/"
KUBECONFIG=$folder/kubeconfig submit others-job --command "sleep 100000"
clean_up run-1
want_rc 2 "with a job of others"
want err 'others-job .*not of this run.*kubectl -n default delete jobset others-job' "the job of others"
untouched "a job of others"
KUBECONFIG=$folder/kubeconfig kubectl delete jobset others-job >/dev/null || fail "the job of others cannot be deleted"

# values that are not those of the deploy
cp "$folder/run.yaml" "$dir/run.yaml"
sed -i "s/value: $CLUSTER_NAME\$/value: gemma-other/" "$folder/run.yaml"
run "$rlpilot" --run run-1 run --stage cleanup --confirm gemma-other
want_rc 2 "with another cluster in run.yaml"
want err "has deployed projects/$PROJECT/locations/$REGION/clusters/$CLUSTER_NAME, but" "what was deployed"
cp "$dir/run.yaml" "$folder/run.yaml"
untouched "other values"

# another run uses the cluster: it was recognised there, and is destroyed by the run that has deployed it
run "$rlpilot" --run second run --from tools --to cluster
want_rc 0 "a second run on the same cluster"
clean_up second
want_rc 2 "by the second run"
want err "deployed by the run run-1.*rlpilot --run run-1 run --stage cleanup --confirm $CLUSTER_NAME" "whose it is"
untouched "another run's cluster"

# that run is at work on it
"$rlpilot" --run second run --stage convert >"$dir/second" 2>&1 </dev/null &
second=$!
"$waitfor" -t 60 -p "$second" line "$dir/second" '^\[6/9\] convert +started .*' || die "no conversion: $(tail -n 3 "$dir/second")"
clean_up run-1
want_rc 2 "while another run works"
want err 'the run second works on this cluster: stage convert' "who works"
kill "$second"
wait "$second" 2>/dev/null
untouched "another run at work"

# the folder is removed by hand, state and all: it is made again from the copy; the bucket holds things of others
rm -r "$deployment"
put_object thesis/data.csv
clean_up run-1 --confirm-bucket "$GCS_BUCKET"
want_rc 1 "a bucket with things of others"
want out '^  the deployment folder is missing: it is made again' "the folder"
want out "^  gone cluster $CLUSTER_NAME\$" "the cluster"
want out "^  kept bucket gs://$GCS_BUCKET\$" "the bucket"
want err "it holds what this run has not made: thesis/ .*gcloud storage rm -r gs://$GCS_BUCKET/$MODEL_NAME" "things of others"
[ -e "$deployment" ] && fail "the deployment folder is left"
equal 1 "$(grep -c '"argv":\["gcluster","destroy"' "$dir/ledger.jsonl")" "destroys"

# everything is gone already: asked again it destroys nothing; a hold on an object is named and its cure works
gcloud storage rm "gs://$GCS_BUCKET/thesis/data.csv" 2>/dev/null
put_object "$MODEL_NAME/hf-trained/config.json"
gcloud storage objects update "gs://$GCS_BUCKET/$MODEL_NAME/hf-trained/config.json" --temporary-hold 2>/dev/null
run "$rlpilot" --run run-1 run --json --stage cleanup --confirm "$CLUSTER_NAME" --confirm-bucket "$GCS_BUCKET"
want_rc 1 "a hold"
want out '"state":"failed".*"cause":"bucket-hold"' "a hold"
want out "gcloud storage objects update gs://$GCS_BUCKET/$MODEL_NAME/hf-trained/config.json --no-temporary-hold" "the cure of a hold"
gcloud storage objects update "gs://$GCS_BUCKET/$MODEL_NAME/hf-trained/config.json" --no-temporary-hold 2>/dev/null
clean_up run-1 --confirm-bucket "$GCS_BUCKET"
want_rc 0 "the bucket at last"
want out '^\[9/9\] cleanup  done .*7 more days.*soft delete' "what soft delete keeps"
equal 1 "$(grep -c '"argv":\["gcluster","destroy"' "$dir/ledger.jsonl")" "destroys"
equal '' "$(left_over "$dir/ledger.jsonl" | grep -Ev '^(pod|job|jobset|workload|node|event)/')" "left over"
