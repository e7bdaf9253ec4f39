#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# terraform that cannot save its state leaves a newer one in errored.tfstate. It is copied aside, and neither a further
# deploy, nor an undo, nor a clean-up goes on without it.
set -u
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/e2e/intents.sh
. "$srcdir/tests/e2e/intents.sh"
echo 'cluster deploy:*gke-tpu-v6e-pool*node_pool* stockout 1' >"$dir/plan"
sim_start --seed 1 --faults "$dir/plan"
on_run
primary=$run/toolkit/cluster-toolkit/$CLUSTER_NAME/primary
said='terraform could not save its state and has left it in errored.tfstate'
worked() { # how often gcluster has begun to deploy or destroy
	grep -cE '"argv":\["gcluster","(deploy|destroy)"' "$dir/ledger.jsonl"
}

run "$rlpilot" run --from tools --to cluster
want_rc 1 "no free machines"
cp "$primary/terraform.tfstate" "$primary/errored.tfstate"
echo ' ' >>"$primary/errored.tfstate"
run "$rlpilot" run --stage cluster
want_rc 2 "a further deploy"
want out "^\\[5/9\\] cluster +blocked .*$said" "a further deploy"
want out "^  cure: cd $primary && terraform state push errored.tfstate && rm errored.tfstate; then try again" "a further deploy"
run "$rlpilot" run --stage cleanup --confirm "$CLUSTER_NAME"
want_rc 2 "a clean-up"
want out "^\\[9/9\\] cleanup +blocked .*$said" "a clean-up"
"$rlpilot" engine --run-dir "$run" >"$dir/lines" 2>&1 </dev/null &
engine=$!
post '{"v":1,"intent":"undo","stage":"cluster","text":"'"$CLUSTER_NAME"'"}'
says '"ev":"stage-failed","stage":"cluster",.*'"$said"'.*"cause_id":"state-errored"'
post '{"v":1,"intent":"stop"}'
wait "$engine"
equal 1 "$(worked)" "deploys and destroys"
newest=$(find "$run/tfstate" -name errored.tfstate)
cmp "$primary/errored.tfstate" "$newest" || fail "no copy of the state that could not be saved"

mv "$primary/errored.tfstate" "$primary/terraform.tfstate" # as terraform state push does
run "$rlpilot" run --stage cluster
want_rc 0 "a deploy with the whole state"

# A copy that an earlier life had no room for is made by the next one.
rm -r "$run/tfstate"
run "$rlpilot" run --stage bucket
want_rc 0 "the next engine"
cmp "$primary/terraform.tfstate" "$run/tfstate/1/terraform.tfstate" || fail "the copy is not made by the next engine"
