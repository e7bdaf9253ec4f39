#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Results that are there already: a run takes those for its own that are what it would make, and says what it has
# compared and what not; those of other values, of another size, or older than what they come from it does not take.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
takes() { # takes RUN STAGE ERE [OPTION…]: the stage is skipped with such a note
	name=$1 stage=$2 note=$3
	shift 3
	run "$rlpilot" --run "$name" run --stage "$stage" "$@"
	want_rc 0 "$stage of $name"
	want out "^\[[6-8]/9\] $stage +skipped .*recognised: the result is already there: gs://$GCS_BUCKET/.*$note" "$stage of $name"
}
refuses() { # refuses RUN STAGE ERE [OPTION…]
	name=$1 stage=$2 note=$3
	shift 3
	run "$rlpilot" --run "$name" run --stage "$stage" "$@"
	want_rc 2 "$stage of $name"
	want out "^\[[6-8]/9\] $stage +blocked .*the result of something else is there: $note.*; gs://$GCS_BUCKET/" "$stage of $name"
	want out "^  cure: .*use it all the same" "$stage of $name"
}

run "$rlpilot" --run first run --from tools --to export
want_rc 0 "the first run"

takes second convert 'compared and the same: the folder, item items, the size, scan_layers, 1[0-9] values of its job.s command; not compared: the weights themselves'
takes second train 'compared and the same: the folder, step 50, item model_params, the size, [3-9][0-9] values of its job.s command; not compared: the weights themselves'
takes second export 'compared and the same: the folder, the size, younger than step 50, 1[0-9] values of its job.s command'
refuses image convert 'image: .*:0\.2\.4 there, .*:0\.2\.5 here' --set CLOUD_IMAGE_NAME=us-docker.pkg.dev/cloud-tpu-images/maxtext-images/tpu_post_training:0.2.5
refuses fewer train 'step: 50 there, 40 here; num_batches: 50 there, 40 here' --set num_batches=40
want out 'cure: gcloud storage rm -r gs://.*/trained/rl/checkpoints/actor/ deletes it' "what makes room"
refuses slower train 'learning_rate: 2e-5 there, 1e-5 here' --set learning_rate=1e-5

# Its job is gone: less can be compared, and that is said.
export KUBECONFIG="$XDG_STATE_HOME/rlpilot/runs/first/kubeconfig"
kubectl delete jobset gemma4-training >/dev/null || fail "the job cannot be deleted"
takes later train 'compared and the same: the folder, step 50, item model_params, the size; not compared: the command of its deleted job, the weights themselves'

# The checkpoint was written anew behind the export.
put_object "$MODEL_NAME/trained/rl/checkpoints/actor/50/commit_success.txt"
refuses older export 'it is older than the checkpoint of step 50'
equal 1 "$(made jobset/default/gemma4-training)" "trainings"
equal 1 "$(made jobset/default/gemma4-mt-to-hf)" "exports"
