#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The real kubectl against the simulator's cluster, by the environment file alone.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --speed 150
kubectl=$(real kubectl)
[ -n "$kubectl" ] || skip "no kubectl on this machine"
cluster_up
submit gemma4-hf-to-mt --command="$(convert_command)"
select=job-name=gemma4-hf-to-mt-main-job-0

run "$kubectl" get jobsets,jobs,nodes
want_rc 0 "get"
want out '^jobset\.jobset\.x-k8s\.io/gemma4-hf-to-mt ' "get jobsets"
want out '^job\.batch/gemma4-hf-to-mt-main-job-0 ' "get jobs"
equal 10 "$(grep -c '^node/.* Ready ' "$dir/out")" "nodes that are ready"
run "$kubectl" wait --for=create pod -l $select --timeout=60s
run "$kubectl" get pods -l $select
want_rc 0 "get pods"
want out '^NAME +READY +STATUS +RESTARTS +AGE' "get pods"
equal 8 "$(grep -c '^gemma4-hf-to-mt-main-job-0-[0-7]-' "$dir/out")" "pods of the conversion"
! grep -q '<invalid>' "$dir/out" || fail "an age from the future"
pod=$("$kubectl" get pods -l $select,batch.kubernetes.io/job-completion-index=0 -o name)
run "$kubectl" wait --for=condition=Ready "$pod" --timeout=120s
want_rc 0 "wait"
want out "^$pod condition met$" "wait"
run "$kubectl" describe "$pod"
want_rc 0 "describe pod"
want out '^Node: +gke-gemma-rl-' "describe pod"
want out '^  Normal +Scheduled ' "describe pod shows events"
run "$kubectl" get events --field-selector involvedObject.name="${pod#pod/}"
want_rc 0 "get events"
want out 'Created container' "get events"

# the followed log ends with the container, and is whole
run "$kubectl" logs -f "$pod" -c workload-container
want_rc 0 "logs -f"
want out '687/687' "logs -f holds the last tensor"
run "$kubectl" wait --for=condition=Completed jobset/gemma4-hf-to-mt --timeout=120s
want_rc 0 "wait for the JobSet"

# what others create and delete is taken; kubectl makes several names of one with a comma in it
cd "$dir" || exit 1
sed -e 's/gemma4-hf-to-mt/second/g' "$HOME/.gcluster/generated/gemma4-hf-to-mt.yaml" >second.yaml
run "$kubectl" apply -f second.yaml
want_rc 0 "apply"
want out '^jobset\.jobset\.x-k8s\.io/second created$' "apply"
run "$kubectl" apply -f second.yaml
want out '^jobset\.jobset\.x-k8s\.io/second (unchanged|configured)$' "apply again"
run "$kubectl" wait --for=create pod -l jobset.sigs.k8s.io/jobset-name=second --timeout=60s
pod=$("$kubectl" get pods -l jobset.sigs.k8s.io/jobset-name=second,batch.kubernetes.io/job-completion-index=0 -o name)
run "$kubectl" delete "$pod" --wait=false
want_rc 0 "delete pod"
want out "^pod \"${pod#pod/}\".* deleted" "delete pod"
run "$kubectl" wait --for=delete "$pod" --timeout=60s
want_rc 0 "the pod goes"
run "$kubectl" delete jobset second
want_rc 0 "delete jobset"
for what in jobset/default/gemma4-hf-to-mt jobset/default/second; do
	equal 1 "$(grep -c "\"kind\":\"create\",\"what\":\"$what\"" "$dir/ledger.jsonl")" "creations of $what"
done
