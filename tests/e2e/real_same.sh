#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# After a whole run the real kubectl and the real gcloud show what rlpilot shows: JobSet, pods, trees and their sizes.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
kubectl=$(real kubectl)
gcloud=$(real gcloud)
[ -n "$kubectl$gcloud" ] || skip "neither kubectl nor gcloud on this machine"
run "$rlpilot" run --all
want_rc 0 "run --all"

if [ -n "$kubectl" ]; then
	export KUBECONFIG="$XDG_STATE_HOME/rlpilot/runs/run-1/kubeconfig"
	run "$rlpilot" status --json
	want_rc 0 "status"
	cp "$dir/out" "$dir/status"
	name=$(json "$dir/status" jobset.name)
	run "$kubectl" get jobset "$name" -o json
	want_rc 0 "kubectl get jobset"
	equal Completed "$(json "$dir/out" status.terminalState)" "kubectl's state of $name"
	equal 'done' "$(json "$dir/status" jobset.phase)" "rlpilot's state of $name"
	equal "$(json "$dir/status" jobset.restarts)" "$(json "$dir/out" status.restarts)" "restarts"
	run "$kubectl" get pods -l "jobset.sigs.k8s.io/jobset-name=$name" --no-headers
	equal "$(json "$dir/status" pods.main-job.want)" "$(grep -c Completed "$dir/out")" "pods of $name"
	pod=$("$kubectl" get pods -o name -l "jobset.sigs.k8s.io/jobset-name=$name,batch.kubernetes.io/job-completion-index=0")
	"$kubectl" logs "$pod" -c workload-container >"$dir/real.log" || fail "kubectl logs"
	"$rlpilot" logs --json --pod "${pod#pod/}" >"$dir/ours" || fail "rlpilot logs"
	equal "$(wc -l <"$dir/real.log")" "$(wc -l <"$dir/ours")" "lines of the log of $pod"
fi

if [ -n "$gcloud" ]; then
	run "$rlpilot" checkpoints --json
	want_rc 0 "checkpoints"
	cp "$dir/out" "$dir/trees"
	for i in 0 1 2; do
		uri=$(json "$dir/trees" $i.uri)
		equal complete "$(json "$dir/trees" $i.state)" "state of $uri"
		"$gcloud" storage ls -l "$uri**" >"$dir/real.ls" || fail "gcloud storage ls -l $uri"
		equal "$(sed -En 's/^TOTAL: ([0-9]+) objects, ([0-9]+) bytes.*/\1 \2/p' "$dir/real.ls")" \
			"$(json "$dir/trees" $i.objects) $(json "$dir/trees" $i.bytes)" "objects and bytes of $uri"
	done
fi
