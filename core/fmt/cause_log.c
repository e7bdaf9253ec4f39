/* SPDX-License-Identifier: Apache-2.0 */
/* Signs in the logs of the jobs: MaxText, JAX, Pathways, vLLM, Hugging Face, storage. */
#include "core/fmt/cause_rows.h"

const struct cause cause_log_rows[] = {
	/* training */
	{"config", TEXT("MAXTEXT CONFIG ERROR: |^Keys \\[.*\\] are overridden by both"),
		N_("MaxText refuses the training parameters"),
		N_("correct the parameter that the line names, then start the stage again"), YOU,
		FATAL},
	{"parallelism-auto",
		TEXT("At most one of rollout_tensor_parallelism, rollout_data_parallelism, "
		     "rollout_expert_parallelism can be -1"),
		N_("more than one rollout parallelism is left to be derived"),
		N_("give numbers to all but one of rollout_tensor_parallelism, "
		   "rollout_data_parallelism and rollout_expert_parallelism"),
		YOU, FATAL},
	{"loss-not-finite",
		TEXT("training loss: [-+]?(?:nan|inf)|NaN or Inf found in input tensor"),
		N_("the loss is no longer a number; later steps are worthless"),
		N_("stop the run, lower learning_rate, start again"), YOU, FATAL},
	{"hbm-full",
		TEXT("Ran out of memory in memory space (\\w+)\\.? *"
		     "(?:Used ([\\d.]+[GMK]) of ([\\d.]+[GMK]) \\w+\\.? *(?:Exceeded \\w+ capacity "
		     "by ([\\d.]+[GMK]))?)?"),
		N_("the memory of the TPU chips is full[: {used} of {limit} used][, {over} too "
		   "much]"),
		N_("lower train_micro_batch_size, max_target_length or hbm_utilization_vllm; check "
		   "that the optimizer edit (adamw to adafactor) matched"),
		WORDS("space used limit over"), YOU, FATAL},
	{"cache-blocks", TEXT("No available memory for the cache blocks"),
		N_("the sampler finds no room for its cache"),
		N_("raise hbm_utilization_vllm (the tutorial has 0.7), or lower max_target_length"),
		YOU, FATAL},
	{"hbm-full", TEXT("RESOURCE_EXHAUSTED|GiB exceeds .*GiB by .*GiB"),
		N_("the memory of the TPU chips is full"),
		N_("lower hbm_utilization_vllm, the micro-batch or rl.reshard_chunk_size"), YOU,
		FATAL},
	{"pathways-lost",
		TEXT("Connection to IFRT proxy server was terminated|JaxRuntimeError: "
		     "(?:UNAVAILABLE|DATA_LOSS|DEADLINE_EXCEEDED)"),
		N_("the link to the TPU workers through Pathways broke"),
		N_("look at the worker pods and at pathways-proxy; the training must be started "
		   "again"),
		YOU, FATAL},
	{"tpu-slow-start", TEXT("TPU backend initialization is taking more than"),
		N_("the TPU takes long to come up; a worker may still be missing"),
		N_("wait; count the worker pods"), YOU},
	{"tpu-init",
		TEXT("Unable to initialize backend 'tpu'|Failed to get global TPU topology|"
		     "Couldn't open device: /dev/(?:accel|vfio)"),
		N_("the TPU does not come up: an old process holds the chips or a worker is "
		   "missing"),
		N_("count the worker pods; delete the old job, then start the stage again"), YOU,
		FATAL},
	{"tpu-agent",
		TEXT("Killed process \\d+ \\(vbar_control_ag\\)|checksum didn't match with the "
		     "metrics data|metrics fetch failed for \\d+ deviceID"),
		N_("the device agent of a TPU node is in trouble; this is not the job's fault"),
		N_("ask for TPU metrics less often; if the pods hang, have the node repaired"),
		GOOGLE},
	{"preempted", TEXT("SIGTERM caught at|Saving checkpoint at step \\d+ due to preemption"),
		N_("the machine is being reclaimed (maintenance or preemption)"),
		N_("start the stage again when the nodes are back; with no restarts this run is "
		   "over"),
		GOOGLE, FATAL},
	{"weight-sync", TEXT("Reshard failed in|MaxTextVllmSampler\\.update_params failed:"),
		N_("the weights could not be copied from the trainer to the sampler"),
		N_("look at the lines before it; the training must be started again"), YOU, FATAL},
	{"grader",
		TEXT("math_verify_pool failed|\\([1-9]\\d* timed out\\)|\\[eval-reward\\] "
		     "reward_fn failed|Evaluation Exception:"),
		N_("answers could not be graded; rewards of this step are not reliable"),
		N_("nothing to do if it stays rare; otherwise look at the answers"), YOU},
	{"eval-failed", TEXT("\\[intermediate-eval\\] step=(\\d+) failed"),
		N_("an evaluation failed[ at step {step}]; the curve has a gap, the run goes on"),
		N_("nothing to do if it stays rare; otherwise look at the lines around it"),
		WORDS("step"), YOU},
	{"compile-slow", TEXT("Very slow compile\\?|^The operation took "),
		N_("XLA compiles for a long time; silence is normal now"),
		N_("wait; it is slow only once"), YOU},
	{"post-training-checkpoint", TEXT("Detected NNX-SFT checkpoint structure"),
		N_("the export reads the checkpoint as one of another kind of training"),
		N_("point it at checkpoints/actor/STEP/model_params/ of a step that is there, with "
		   "the image of the training"),
		YOU},
	{"checkpoint-load",
		TEXT("Found incomplete checkpoint at|No valid Orbax checkpoint found|Checkpoint at "
		     ".* not found|Checkpoint (?:structure|rank) mismatch|yielded no parameters|"
		     "No weights were transformed"),
		N_("the checkpoint to start from is not there, not complete or of another model"),
		N_("open the checkpoints and run convert again"), YOU, FATAL},
	{"scan-layers",
		TEXT("Your run specifies scan_layers(?:=(\\w+), but the checkpoint was saved with "
		     "scan_layers=(\\w+))?|"
		     "maxtext_state_dict must be a subset|try scan_layers=False"),
		N_("scan_layers differs from the value the checkpoint was saved with[: {ours} "
		   "here, "
		   "{theirs} there]"),
		N_("use scan_layers=False in convert, train and export"), WORDS("ours theirs"), YOU,
		FATAL},
	{"checkpoint-shape",
		TEXT("restore item and on-disk value metadata tree structures do not "
		     "match|Requested "
		     "shape: (\\([\\d, ]*\\)) is not compatible with the stored shape: (\\([\\d, "
		     "]*\\))|cannot reshape array of size \\d+ into shape|Architecture mismatches "
		     "detected"),
		N_("the checkpoint and this command describe different models[: {ours} here, "
		   "{theirs} there]"),
		N_("use the model and flags of the convert stage; load_parameters_path ends with "
		   "/0/items/"),
		WORDS("ours theirs"), YOU, FATAL},
	{"checkpoint-save", TEXT("Timed out while waiting for async_write_complete barrier"),
		N_("the checkpoint was not written in time"),
		N_("check the bucket and its place; the step is not safe"), YOU},
	{"chips-mismatch",
		TEXT("does not match the product of the ICI parallelism|must be divisible by "
		     "rollout_tensor|!= len\\(sampler_devices\\)|num_kv_heads .* must be "
		     "divisible|attention heads .* must be divisible|unspecified values? .*ICI"),
		N_("the parallelism does not fit the number of chips or heads"),
		N_("correct the parallelism parameters; the plan screen checks them"), YOU, FATAL},
	{"batch-mismatch",
		TEXT("must be a multiple of self\\._?(?:train|rollout)_micro_batch_size|"
		     "num_generations must be greater than 1"),
		N_("batch sizes do not divide each other"),
		N_("choose micro-batches that divide batch_size, and at least two generations"),
		YOU, FATAL},

	/* Hugging Face */
	{"hf-gated",
		TEXT("Access to model ([\\w./-]+) is restricted|GatedRepoError|Cannot access gated "
		     "repo|access a gated repo|is restricted and you are not in the authorized "
		     "list"),
		N_("the licence of the model is not accepted for this token's account[: {model}]"),
		N_("open the model page, accept the licence with that account, start again[: "
		   "https://huggingface.co/{model}]"),
		WORDS("model"), YOU, FATAL},
	{"hf-no-token", TEXT("have access to it and be authenticated to access it"),
		N_("the job reached Hugging Face without a token"),
		N_("set HF_TOKEN and start the stage again"), YOU, FATAL},
	{"hf-not-found", TEXT("RepositoryNotFoundError|Repository Not Found for url"),
		N_("the model or data set does not exist, or the token may not see it"),
		N_("check the name and the token"), YOU, FATAL},
	{"hf-token",
		TEXT("401 Client Error|Invalid user token|Invalid credentials in Authorization "
		     "header"),
		N_("Hugging Face refuses the token: wrong, expired or revoked"),
		N_("make a new read token and set HF_TOKEN"), YOU, FATAL},
	{"hf-forbidden", TEXT("403 Client Error"),
		N_("Hugging Face refuses access with this token"),
		N_("give the token read access to gated repositories and accept the licence"), YOU,
		FATAL},
	{"hf-rate",
		TEXT("429 Client Error: Too Many Requests|HTTP Error 429 thrown while requesting"),
		N_("Hugging Face limits the number of requests"),
		N_("wait five minutes; it goes on by itself"), YOU},
	{"hf-load",
		TEXT("FATAL ERROR: Failed to load tensor|Could not find recognized model weights"),
		N_("a tensor of the model could not be read"),
		N_("start the stage again; if it stays, check the model name"), YOU, FATAL},

	/* storage */
	{"workload-identity",
		TEXT("Primary: /namespaces/([\\w.:-]+)\\.svc\\.id\\.goog with additional claims "
		     "does "
		     "not have (storage\\.[\\w.]+) access"),
		N_("the pod speaks as a Kubernetes account of {project}, not as the nodes' service "
		   "account, and lacks {permission}"),
		N_("bind the role to the pod's Kubernetes account"), WORDS("project permission"),
		CMD("gcloud projects add-iam-policy-binding {project} --role={role} "
		    "--member=principal://iam.googleapis.com/projects/{number}/locations/global/"
		    "workloadIdentityPools/{project}.svc.id.goog/subject/ns/default/sa/{account}"),
		ADMIN, FATAL},
	{"bucket-get",
		TEXT("(?:([\\w.@-]+) )?does not have (storage\\.buckets\\.get) access|GCS bucket "
		     "'(?:gs://)?([^']*)' not found or accessible|Failed to create the directory"),
		N_("the job may not look at the bucket, or it does not exist; a missing "
		   "storage.buckets.get is told as \"not found\" too"),
		N_("if you can list the bucket yourself, give the nodes' service account "
		   "roles/storage.admin"),
		WORDS("account permission bucket"),
		CMD("gcloud storage buckets add-iam-policy-binding gs://{bucket} "
		    "--member=serviceAccount:{account} --role=roles/storage.admin"),
		ADMIN, FATAL},
	{"bucket-denied", TEXT("(?:([\\w.@-]+) )?does not have (storage\\.[\\w.]+) access"),
		N_("the account[ {account}] may not use the bucket[: it lacks {permission}]"),
		N_("give it roles/storage.admin on the project or the bucket"),
		WORDS("account permission"),
		CMD("gcloud storage buckets add-iam-policy-binding gs://{bucket} "
		    "--member=serviceAccount:{account} --role=roles/storage.admin"),
		ADMIN, FATAL},
	{"bucket-hold",
		TEXT("Object '([^'\\n]{1,300})' is under active ([\\w -]{1,40}) hold and cannot be "
		     "deleted"),
		N_("the object {object} of the bucket is under a hold and cannot be deleted"),
		N_("whoever set the hold had a reason: ask, release it, then start the clean-up "
		   "again, or keep the bucket"),
		WORDS("object hold"),
		CMD("gcloud storage objects update gs://{object} --no-temporary-hold "
		    "--no-event-based-hold"),
		YOU, FATAL},
	{"bucket-retention",
		TEXT("Object '([^'\\n]{1,300})' is subject to (?:the )?bucket's retention policy"
		     "(?:[^\\n]*? until (\\S+))?|retentionPolicyNotMet"),
		N_("the bucket keeps its objects by a retention policy[: {object} until {until}]"),
		N_("keep the bucket and delete it when the time is over; an unlocked policy can be "
		   "removed"),
		WORDS("object until"),
		CMD("gcloud storage buckets update gs://{bucket} --clear-retention-period"), YOU,
		FATAL},
	{"bucket-full",
		TEXT("[Ee]rror trying to delete bucket (?:([\\w.-]+) )?containing objects without "
		     "`?force_destroy"),
		N_("a bucket that the deployment made[, {what},] holds objects and is not deleted"),
		N_("copy what you need from it, empty it, then start the clean-up again"),
		WORDS("what"), CMD("gcloud storage rm -r 'gs://{what}/**'"), YOU, FATAL},
	{"precondition", TEXT("PreconditionFailed|conditionNotMet"),
		N_("an object was changed by somebody else between two writes"),
		N_("leave the event files alone; training goes on, curves may stop"), YOU},
	{"disk-full-providers",
		TEXT("Error while installing hashicorp/[^\\n]*no space left on device"),
		N_("the disk is full: terraform could not unpack its providers"),
		N_("free about 2 GB in HOME and the working folder, or work on a larger disk; in "
		   "Cloud Shell HOME holds 5 GB"),
		YOU, FATAL},
	{"disk-full", TEXT("[Nn]o space left on device"), N_("the disk is full"),
		N_("free space here, or use a node with a larger disk"), YOU, FATAL},
	{.id = NULL},
};
