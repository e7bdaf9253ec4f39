#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What others do to the bucket and to the cluster is seen: a marker deleted with curl, a shard gone, a pod deleted. And what
# somebody chose to use is not made again.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1 --speed 250
base=$CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE
object() { # object METHOD NAME
	curl -fsS -X "$1" -H "Authorization: Bearer $(gcloud auth print-access-token)" -o /dev/null \
		"${base}b/$GCS_BUCKET/o/$(printf '%s' "$2" | sed 's,/,%2F,g')" || fail "$1 of $2"
}
tree() { # tree NAME FIELD
	python3 -c '
import json, sys
t = [t for t in json.load(open(sys.argv[1])) if t["tree"] == sys.argv[2]]
print(t[0].get(sys.argv[3]) if t else "absent")
' "$dir/out" "$1" "$2"
}

run "$rlpilot" run --from tools --to cluster --set num_batches=200
want_rc 0 "up to the cluster"

# the conversion was done by somebody else
for f in _CHECKPOINT_METADATA items/_METADATA items/array_metadatas/process_0 items/params.params.decoder.norm.scale/0.0 \
	items/commit_success.txt commit_success.txt; do
	put_object "$MODEL_NAME/max-text-format/0/$f"
done
run "$rlpilot" checkpoints --json
want_rc 0 "checkpoints"
equal complete "$(tree max-text-format state)" "a foreign conversion"
object DELETE "$MODEL_NAME/max-text-format/0/items/commit_success.txt"
run "$rlpilot" checkpoints --json
case $(tree max-text-format state) in
writing | abandoned) ;;
*) fail "the tree without its marker is $(tree max-text-format state)" ;;
esac
put_object "$MODEL_NAME/max-text-format/0/items/commit_success.txt"

# a tree of four bytes is not that model: it is not offered, but may be used all the same
folder=$XDG_STATE_HOME/rlpilot/runs/run-1
mkdir -p "$folder/inbox"
intent() { # intent NAME JSON
	echo "$2" >"$dir/intent"
	mv "$dir/intent" "$folder/inbox/$1.json"
}
"$rlpilot" engine --run-dir "$folder" >"$dir/engine.out" 2>&1 </dev/null &
engine=$!
intent 1 '{"v":1,"intent":"start-stage","stage":"convert"}'
"$waitfor" -t 30 -p "$engine" line "$folder/journal.jsonl" \
	'.*"stage":"convert".*"state":"blocked".*size: 4 B there, about 47.0 GiB here.*"cause_id":"other-result".*' ||
	die "a result of something else is not told: $(tail -n 2 "$folder/journal.jsonl")"
intent 2 '{"v":1,"intent":"skip","stage":"convert","text":"used"}'
"$waitfor" -t 30 -p "$engine" line "$folder/journal.jsonl" '"ev":"stage-skip".*"stage":"convert".*"note":"used"' ||
	die "the stage is not skipped"
intent 3 '{"v":1,"intent":"stop"}'
wait "$engine"
equal 0 "$(made jobset/default/gemma4-hf-to-mt)" "conversions although the result was there"

# a pod of the slice is deleted, then the head
"$rlpilot" run --stage train >"$dir/life" 2>&1 </dev/null &
engine=$!
"$waitfor" -t 60 -p "$engine" line "$dir/life" '^  step 2/200' || die "no training: $(tail -n 3 "$dir/life")"
export KUBECONFIG="$XDG_STATE_HOME/rlpilot/runs/run-1/kubeconfig"
jobset=jobset.sigs.k8s.io/jobset-name=gemma4-training
# Its node is cordoned, so that its place stays empty until somebody has looked.
worker=$jobset,jobset.sigs.k8s.io/replicatedjob-name=worker,batch.kubernetes.io/job-completion-index=3
kubectl get pods -l $worker -o json >"$dir/pod" || fail "no worker"
pod=$(json "$dir/pod" items.0.metadata.name)
node=$(json "$dir/pod" items.0.spec.nodeName)
server=$(sed -n 's/^ *server: //p' "$KUBECONFIG")
cordon() { # cordon true|false
	curl -fsS --cacert "$RLPILOT_SIM_CA" -X PATCH -H "Authorization: Bearer $(gcloud auth print-access-token)" \
		-H 'Content-Type: application/merge-patch+json' --data "{\"spec\":{\"unschedulable\":$1}}" -o /dev/null \
		"$server/api/v1/nodes/$node" || fail "the node cannot be cordoned"
}
cordon true
kubectl delete pod "$pod" --grace-period=0 --force >"$dir/out" || fail "the pod cannot be deleted"
want out "^pod \"$pod\" deleted$" "kubectl delete"
run "$rlpilot" status --json
equal 7/8 "$(json "$dir/out" pods.worker.ready)/$(json "$dir/out" pods.worker.want)" "workers after a deletion"
cordon false
step=$(sed -En 's/^  step ([0-9]+)\/200.*/\1/p' "$dir/life" | tail -n 1)
"$waitfor" -t 60 -p "$engine" line "$dir/life" "^  step $((step + 3))/200" || fail "training does not go on after a worker's end"
run "$rlpilot" status --json
equal 8 "$(json "$dir/out" pods.worker.ready)" "workers after the replacement"
equal running "$(json "$dir/out" jobset.phase)" "phase after the replacement"

pod=$(kubectl get pods -l $jobset,jobset.sigs.k8s.io/replicatedjob-name=pathways-head -o name)
kubectl delete "$pod" >/dev/null || fail "the head cannot be deleted"
rc=0
wait "$engine" || rc=$?
want_rc 1 "the run whose head was deleted"
grep -Eq '^\[7/9\] train +failed ' "$dir/life" || fail "no failed train: $(tail -n 3 "$dir/life")"
run "$rlpilot" status --json
want_rc 2 "status of a failed training"
equal failed "$(json "$dir/out" verdict)" "verdict"
equal failed "$(json "$dir/out" jobset.phase)" "phase"
equal 1 "$(made jobset/default/gemma4-training)" "trainings"
equal 1 "$(made "cluster/$CLUSTER_NAME")" "clusters"
