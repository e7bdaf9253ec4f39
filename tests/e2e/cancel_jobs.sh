#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A stop of each job: its JobSet goes, its logs stay, the next try goes on; a wish that was posted while no engine lived is
# granted by the next one. A stop of the clean-up keeps the bucket that it was about to remove.
set -u
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/e2e/intents.sh
. "$srcdir/tests/e2e/intents.sh"
cat >"$dir/plan" <<'F'
cleanup DELETE:/storage/* delay=60000 1
F
sim_start --seed 1 --speed 150 --faults "$dir/plan"
on_run

begin --from tools --to convert --set num_batches=24
shows '^  tensors .*$'
killed
put "$(cancel convert 1)"
begin --stage convert
ended 5 "a conversion that was stopped while no engine lived"
cancelled convert 1 'stopped: its JobSet and pods are gone'
kubectl get jobset gemma4-hf-to-mt >/dev/null 2>&1 && fail "the JobSet of the conversion is still there"

begin --from convert --to train
shows '^  step [2-9]/24.*'
post "$(cancel train 1)"
ended 5 "a training that was stopped"
cancelled train 1 'stopped: its JobSet and pods are gone'
kubectl get jobset gemma4-training >/dev/null 2>&1 && fail "the JobSet of the training is still there"
ls "$run"/logs/gemma4-training-*/*.log >/dev/null 2>&1 || fail "no log of the training is kept"

begin --from train --to export
says '"ev":"stage-start","stage":"export"'
shows '^  tensors .*$'
post "$(cancel export 1)"
ended 5 "an export that was stopped"
cancelled export 1 'stopped: its JobSet and pods are gone'
begin --stage export
ended 0 "the export again"


# --- the clean-up, when only the bucket is left to be removed: that is an attempt of its own

begin --stage cleanup --confirm "$CLUSTER_NAME" --confirm-bucket "$GCS_BUCKET"
"$waitfor" -t 120 -p "$engine" line "$dir/ledger.jsonl" ".*\"storage\",\"rm\",\"-r\",\"gs://$GCS_BUCKET/?\".*" || die "the bucket is not removed"
post "$(cancel cleanup 2)" # the attempt that removes the bucket
ended 5 "a clean-up that was stopped"
cancelled cleanup 2 'stopped half-way: what is left'
gcloud storage buckets describe "gs://$GCS_BUCKET" >/dev/null 2>&1 || fail "the bucket is gone"
begin --stage cleanup --confirm "$CLUSTER_NAME" --confirm-bucket "$GCS_BUCKET"
ended 0 "the clean-up again"
equal '' "$(left_over "$dir/ledger.jsonl" | grep -Ev '^(event|pod|job|jobset|workload|node)/')" "left over"
