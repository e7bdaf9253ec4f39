#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `rlpilot plan --script` is a script that works: run by bash against the simulator, from the empty project to the
# exported model and the clean-up, it leaves the three trees behind in between and nothing at the end.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
"$rlpilot" plan --script >"$dir/plan.sh" </dev/null || die "plan --script failed"
! grep -q "$HF_TOKEN" "$dir/plan.sh" || fail "the script holds the token"
mkdir "$dir/bin" "$dir/work"
# Its pauses between two looks are real time; here a moment is enough.
printf '#!/bin/sh\n%s -t 0.05 file /nowhere 2>/dev/null || :\n' "$waitfor" >"$dir/bin/sleep"
chmod +x "$dir/bin/sleep"
(cd "$dir/work" && PATH=$dir/bin:$PATH bash "$dir/plan.sh" </dev/null >"$dir/out" 2>"$dir/err") ||
	die "the script failed: $(tail -n 5 "$dir/err")"
for tree in max-text-format/0/items/commit_success.txt \
	trained/rl/checkpoints/actor/50/model_params/commit_success.txt hf-trained/model.safetensors.index.json; do
	gcloud storage ls "gs://$GCS_BUCKET/$MODEL_NAME/$tree" >/dev/null 2>&1 || fail "the script leaves no $tree"
done
want err '^left out: set CONFIRM_CLEANUP to confirm$' "clean-up is left out"
! grep -q '"kind":"delete","what":"\(cluster\|bucket\)/' "$dir/ledger.jsonl" || fail "something was deleted unasked"

# the same with both names given: only the clean-up does something new
sed -n '/^# --- cleanup/,$p' "$dir/plan.sh" >"$dir/cleanup.sh"
(cd "$dir/work/cluster-toolkit" && CONFIRM_CLEANUP=$CLUSTER_NAME CONFIRM_BUCKET=$GCS_BUCKET \
	bash -euo pipefail "$dir/cleanup.sh" </dev/null >"$dir/out" 2>"$dir/err") ||
	die "the clean-up failed: $(tail -n 5 "$dir/err")"
left_over "$dir/ledger.jsonl" >"$dir/left"
equal '' "$(cat "$dir/left")" "what is left in the cloud"
[ ! -e "$dir/work/cluster-toolkit/$CLUSTER_NAME" ] || fail "the deployment folder is left"
for what in "cluster/$CLUSTER_NAME" "bucket/$GCS_BUCKET" jobset/default/gemma4-hf-to-mt jobset/default/gemma4-training \
	jobset/default/gemma4-mt-to-hf; do
	equal 1 "$(made "$what")" "creations of $what"
done
