#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A JobSet that vanished while nobody looked (R88): by its time to live or by somebody. The bucket decides: a whole
# result is a result; half a one is a failure that says so, and the next try begins anew. Nothing is submitted twice.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
run=$XDG_STATE_HOME/rlpilot/runs/run-1

run "$rlpilot" run --from tools --to cluster
want_rc 0 "up to the cluster"
export KUBECONFIG="$run/kubeconfig"

# die_in_job: an engine that is killed once the conversion's JobSet is there
die_in_job() {
	"$rlpilot" run --stage convert >"$dir/life" 2>&1 </dev/null &
	engine=$!
	"$waitfor" -t 60 -p "$engine" line "$dir/life" '^  tensors .*' || die "no conversion: $(tail -n 3 "$dir/life")"
	kill -9 "$engine"
	wait "$engine" 2>/dev/null
}

die_in_job
kubectl delete jobset gemma4-hf-to-mt >/dev/null || fail "the job cannot be deleted"
run "$rlpilot" run --stage convert
want_rc 1 "half a result without its job"
want out 'convert +failed .*the JobSet disappeared before its result was complete' "half a result"
want out '^  cure: retry the stage' "half a result"
grep -q '"cause_id":"jobset-gone"' "$run/journal.jsonl" || fail "the cause has no word"

die_in_job
kubectl wait --for=condition=Completed jobset/gemma4-hf-to-mt --timeout=7200s >/dev/null || fail "the job does not end"
kubectl delete jobset gemma4-hf-to-mt >/dev/null || fail "the ended job cannot be deleted"
run "$rlpilot" run --stage convert
want_rc 0 "a whole result without its job"
want out 'convert +done .*the JobSet is gone; the bucket holds the whole result' "a whole result"
equal 2 "$(made jobset/default/gemma4-hf-to-mt)" "JobSets"

# The checkpoint of a step in the middle is no whole result; the next try goes on from it.
"$rlpilot" --run half run --from tools --to train --set checkpoint-every-10=on >"$dir/life" 2>&1 </dev/null &
engine=$!
"$waitfor" -t 60 -p "$engine" line "$dir/life" '^  tree trained step 10 complete.*' || die "no step 10: $(tail -n 3 "$dir/life")"
kubectl delete jobset gemma4-training >/dev/null || fail "the training cannot be deleted"
rc=0
wait "$engine" || rc=$?
want_rc 1 "a training in the middle without its job"
want life 'train +failed .*the JobSet disappeared before its result was complete' "a training in the middle"
run "$rlpilot" --run half run --stage train
want_rc 0 "the training gone on with"

# Its pods are gone, or all but one, and the JobSet is there: that it is done is believed, and said to be.
export_without() { # export_without PODS SAID: so many of its pods, from the last on, are gone before it is asked for
	"$rlpilot" --run half run --stage export >"$dir/life" 2>&1 </dev/null &
	engine=$!
	"$waitfor" -t 60 -p "$engine" line "$dir/life" '^\[8/9\] export +started .*' || die "no export: $(tail -n 3 "$dir/life")"
	"$waitfor" -t 60 -p "$engine" line "$dir/life" '^  shards .*|^  tensors .*|^  files .*' || die "no export: $(tail -n 3 "$dir/life")"
	kill -9 "$engine"
	wait "$engine" 2>/dev/null
	kubectl wait --for=condition=Completed jobset/gemma4-mt-to-hf --timeout=7200s >/dev/null || fail "the export does not end"
	for pod in $(kubectl get pods -l jobset.sigs.k8s.io/jobset-name=gemma4-mt-to-hf -o name | tail -n "$1"); do
		kubectl delete "$pod" >/dev/null || fail "$pod cannot be deleted"
	done
	run "$rlpilot" --run half run --stage export
	want_rc 0 "an export without $1 pods"
	want out "export +done .*$2" "an export without $1 pods"
}
export_without 8 'no pod was left to ask for its exit code'
kubectl delete jobset gemma4-mt-to-hf >/dev/null || fail "the export cannot be deleted"
gcloud storage rm -r "gs://$GCS_BUCKET/$MODEL_NAME/hf-trained/" >/dev/null 2>&1 || fail "its result cannot be deleted"
export_without 7 '1 of 8 pods were left to ask for their exit code'
equal 1 "$(made "cluster/$CLUSTER_NAME")" "clusters"
