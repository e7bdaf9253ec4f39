#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A node pool that a try has left in ERROR is deleted before the next one by the run that has made its cluster, and by no
# other run; and none deploys a cluster that another one is deploying.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
echo 'cluster deploy:*gke-tpu-v6e-pool*node_pool* stockout 1' >"$dir/plan"
sim_start --seed 1 --speed 250 --faults "$dir/plan"
pool=nodepool/$CLUSTER_NAME/gke-tpu-v6e-pool
deleted() {
	grep -cF "\"kind\":\"delete\",\"what\":\"$pool\"" "$dir/ledger.jsonl"
}

run "$rlpilot" --run other run --from tools --to bucket
want_rc 0 "another run up to the bucket"
"$rlpilot" --run first run --from tools --to cluster >"$dir/first" 2>&1 </dev/null &
first=$!
"$waitfor" -t 60 -p "$first" line "$dir/first" '^  resources [1-9].*' || die "no deploy: $(tail -n 3 "$dir/first")"
kill -STOP "$first" # it is at work for as long as this takes
run "$rlpilot" --run other run --stage cluster
kill -CONT "$first"
want_rc 2 "the same cluster while the first run deploys it"
want out '^\[5/9\] cluster +blocked .*the run first works on this cluster: stage cluster' "the same cluster at once"
rc=0
wait "$first" || rc=$?
[ "$rc" -eq 1 ] || fail "no free machines: exit code $rc, 1 expected: $(tail -n 3 "$dir/first")"
run "$rlpilot" --run other run --stage cluster
want_rc 1 "another run on that cluster"
run "$rlpilot" --run other run --stage cluster
want_rc 1 "its next try"
want out '^  .*the node pool gke-tpu-v6e-pool is in ERROR, but this run has not made its cluster: it is left as it is' "its next try"
want out '^\[5/9\] cluster +failed .*is there, but terraform.s state does not know it' "its next try"
equal 0 "$(deleted)" "node pools of the first run that another one has deleted"
run "$rlpilot" --run first run --stage cluster
want_rc 0 "the first run's own next try"
equal 1 "$(deleted)" "node pools that it has deleted"
