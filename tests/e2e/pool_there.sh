#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A node pool that a try has left in ERROR is deleted before the next one by the run that has made its cluster, and by no
# other run.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
echo 'cluster deploy:*gke-tpu-v6e-pool*node_pool* stockout 1' >"$dir/plan"
sim_start --seed 1 --faults "$dir/plan"
pool=nodepool/$CLUSTER_NAME/gke-tpu-v6e-pool
deleted() {
	grep -cF "\"kind\":\"delete\",\"what\":\"$pool\"" "$dir/ledger.jsonl"
}

run "$rlpilot" --run first run --from tools --to cluster
want_rc 1 "no free machines"
run "$rlpilot" --run other run --from tools --to cluster
want_rc 1 "another run on that cluster"
run "$rlpilot" --run other run --stage cluster
want_rc 1 "its next try"
want out '^  .*the node pool gke-tpu-v6e-pool is in ERROR, but this run has not made its cluster: it is left as it is' "its next try"
want out '^\[5/9\] cluster +failed .*is there, but terraform.s state does not know it' "its next try"
equal 0 "$(deleted)" "node pools of the first run that another one has deleted"
run "$rlpilot" --run first run --stage cluster
want_rc 0 "the first run's own next try"
equal 1 "$(deleted)" "node pools that it has deleted"
