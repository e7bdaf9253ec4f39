#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What containers do: conversion and training leave complete checkpoints, markers last; the truth is in the ledger;
# a worker that is deleted comes back, a head that is deleted ends the JobSet; wrong input fails as the real tools do.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start
kubectl=$(real kubectl)
[ -n "$kubectl" ] || skip "no kubectl on this machine"
cluster_up

# train_command STEPS [TOKEN]
train_command() {
	printf '%s' "python3 -m maxtext.trainers.post_train.rl.train_rl run_name=rl model_name=$MODEL_NAME" \
		" base_output_directory=gs://$GCS_BUCKET/$MODEL_NAME/trained/ hf_access_token=${2:-$HF_TOKEN}" \
		" load_parameters_path=gs://$GCS_BUCKET/$MODEL_NAME/max-text-format/0/items/ num_batches=$1 batch_size=4" \
		" train_micro_batch_size=2 max_target_length=640 max_prefill_predict_length=256 rl.num_generations=4" \
		" rl.reshard_chunk_size=4 rollout_tensor_parallelism=4 ${3:-debug=True}"
}

pathways() { # pathways NAME COMMAND
	submit "$1" --pathways --pathways-gcs-location="gs://$GCS_BUCKET/pathways/" --command="$2"
}

ended() { # ended NAME Completed|Failed
	run "$kubectl" wait --for=jsonpath='{.status.terminalState}'="$2" "jobset/$1" --timeout=100s
	want_rc 0 "$1 ends as $2"
}

head_of() {
	"$kubectl" get pods -o name -l "job-name=$1-pathways-head-0"
}

exit_code() { # exit_code POD
	"$kubectl" get "$1" -o jsonpath='{.status.containerStatuses[0].state.terminated.exitCode}'
}

# delete_pod PREFIX: as soon as it is made; by curl, as kubectl takes longer to start than half of a training takes here
delete_pod() {
	"$waitfor" -t 60 line "$dir/ledger.jsonl" ".*\"kind\":\"create\",\"what\":\"pod/default/$1-.*" || die "no pod $1"
	run curl -fsS --cacert "$RLPILOT_SIM_CA" -H "Authorization: Bearer $(gcloud auth print-access-token)" -X DELETE \
		"$(sed -n 's/^ *server: *//p' "$KUBECONFIG" | head -n 1)/api/v1/namespaces/default/pods/$(grep -m 1 -o "$1-[a-z0-9]*" "$dir/ledger.jsonl")"
	want_rc 0 "delete $1"
}

markers() { # markers TREE: commit markers below it, in order of creation
	gcloud storage ls -l -r "gs://$GCS_BUCKET/$MODEL_NAME/$1**" | grep -E 'commit_success|/.*0\.0$' | sort -k 2 | tail -n 3
}

# without its input the training fails at once, as the real one
pathways early "$(train_command 50)"
ended early Failed
run "$kubectl" logs "$(head_of early)" -c workload-container
want out "^ValueError: No valid Orbax checkpoint found at 'gs://$GCS_BUCKET/$MODEL_NAME/max-text-format/0/items'\.$" "no input"
want out '^Exit code: 1$' "the wrapper's verdict"
equal 1 "$(exit_code "$(head_of early)")" "exit code without input"

submit gemma4-hf-to-mt --command="$(convert_command)"
ended gemma4-hf-to-mt Completed
equal "$(printf '%s\n' items/commit_success.txt 0/commit_success.txt)" \
	"$(markers max-text-format/ | tail -n 2 | sed 's|.*/\([^/]*/commit_success.txt\)|\1|')" "markers come last"

# a token that the hub refuses, an unknown key
pathways gated "$(train_command 50 hf_wrongwrongwrongwrongwrong)"
ended gated Failed
run "$kubectl" logs "$(head_of gated)" -c workload-container
want out 'GatedRepoError: 401 Client Error' "the refusal"
pathways config "$(train_command 50 "$HF_TOKEN" frobnicate_parallelism=2)"
ended config Failed
equal 2 "$(exit_code "$(head_of config)")" "exit code of a wrong configuration"
run "$kubectl" get "$(head_of config)" -o jsonpath='{.status.containerStatuses[0].state.terminated.message}'
want out "^MAXTEXT CONFIG ERROR: 'frobnicate_parallelism' not in" "the termination message"

# a head that is deleted ends it
pathways beheaded "$(train_command 500)"
delete_pod beheaded-pathways-head-0-0
ended beheaded Failed

# a worker that is deleted comes back, and the training completes
pathways training "$(train_command 24 "$HF_TOKEN" checkpoint_period=10)"
delete_pod training-worker-0-3
run "$kubectl" logs -f "$(head_of training)" -c workload-container
want out '^W.* Pre RL Training: corr=[0-9]+, total=20, .* mean_reward=[0-9.]+$' "the first evaluation"
want out '^I.* peft_trainer.py:735\] Train step 24 training loss: ' "the last step"
want out '^W.* Post RL Training: ' "the last evaluation"
equal $((26 * 165)) "$(grep -c 'Reshard finished in' "$dir/out")" "reshard lines: two syncs more than steps"
ended training Completed
steps() { # steps SERIES: the steps that the ledger knows of it
	grep "\"what\":\"$1\"" "$dir/ledger.jsonl" | grep -o '"step":[0-9]*' | sort -u -t : -k 2n | cut -d : -f 2 | tr '\n' ' '
}
equal "$(seq 24 | tr '\n' ' ')" "$(steps rewards/train/sum)" "rewards in the ledger"
equal "$(seq 24 | tr '\n' ' ')" "$(steps actor/train/loss)" "losses in the ledger"
equal '0 10 20 25 ' "$(steps eval/mean_reward)" "evaluations in the ledger"
equal 9 "$(grep -c '"kind":"create","what":"pod/default/training-worker' "$dir/ledger.jsonl")" "workers made"
equal "$(printf '%s\n' optimizer_state/commit_success.txt 24/commit_success.txt)" \
	"$(markers trained/rl/checkpoints/ | tail -n 2 | sed 's|.*/\([^/]*/commit_success.txt\)|\1|')" "markers come last"
for step in 10 20 24; do
	gcloud storage ls "gs://$GCS_BUCKET/$MODEL_NAME/trained/rl/checkpoints/actor/$step/" >"$dir/out"
	want out '/commit_success\.txt$' "the checkpoint of step $step"
done
gcloud storage ls "gs://$GCS_BUCKET/$MODEL_NAME/trained/rl/tensorboard/" >"$dir/out"
want out '/events\.out\.tfevents\.[0-9]{10}\.gke-.*-cpu-np-' "the event file"

# the same again under the same run_name goes on from its newest checkpoint: two steps are left to do
pathways longer "$(train_command 26)"
run "$kubectl" wait --for=create pod -l job-name=longer-worker-0 --timeout=60s
run "$kubectl" wait --for=condition=Ready "$(head_of longer)" --timeout=60s
run "$kubectl" logs -f "$(head_of longer)" -c workload-container
want out 'Restored params from step: 24 in ' "the restored step"
equal 'step 25 step 26 ' "$(grep -o 'Train step [0-9]* training' "$dir/out" | cut -d ' ' -f 2,3 | tr '\n' ' ')" "its steps"
ended longer Completed
