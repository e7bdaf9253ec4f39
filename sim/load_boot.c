/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/load_events.h"
#include "sim/load_train.h"
#include "sim/load_tree.h"
#include "sim/world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What the config dump shows, sorted; values from the command line win. */
static const struct {
	const char *key, *dflt;
} params[] = {
	{"async_checkpointing", "False"},
	{"base_output_directory", ""},
	{"batch_size", "1"},
	{"chips_per_vm", "4"},
	{"data_template_path", "maxtext/examples/chat_templates/gsm8k_rl.json"},
	{"dataset_name", "openai/gsm8k"},
	{"decode_sampling_nucleus_p", "1.0"},
	{"decode_sampling_temperature", "0.9"},
	{"decode_sampling_top_k", "50"},
	{"enable_tunix_perf_metrics", "False"},
	{"eval_dataset_name", "openai/gsm8k"},
	{"gradient_clipping_threshold", "0.1"},
	{"hbm_utilization_vllm", "0.72"},
	{"ici_expert_parallelism", "1"},
	{"ici_fsdp_parallelism", "-1"},
	{"ici_tensor_parallelism", "1"},
	{"learning_rate", "3e-6"},
	{"load_parameters_path", ""},
	{"max_num_checkpoints_to_keep", "10"},
	{"max_prefill_predict_length", "256"},
	{"max_target_length", "1024"},
	{"model_name", "default"},
	{"num_test_batches", "5"},
	{"remat_policy", "custom"},
	{"rollout_expert_parallelism", "1"},
	{"rollout_tensor_parallelism", "-1"},
	{"run_name", ""},
	{"sampler_devices_fraction", "0.5"},
	{"scan_layers", "True"},
	{"tokenizer_path", ""},
	{"trainer_devices_fraction", "0.5"},
};

static void param(struct load *l, const char *key, const char *value)
{
	load_absl(l, 'I', "pyconfig.py:584", "Config param %s: %s", key, value);
}

static void param_i(struct load *l, const char *key, int64_t value)
{
	AUTO_FREE char *text = x_asprintf("%" PRId64, value);

	param(l, key, text);
}

static void dump_config(struct load *l, const struct train *t)
{
	const struct load_job *j = load_job(l);

	for (size_t i = 0; i < COUNT(params); i++) {
		AUTO_FREE char *v = load_option_or(j, params[i].key, params[i].dflt);

		param(l, params[i].key, v);
	}
	load_absl(
		l, 'I', "pyconfig.py:584", "Config param checkpoint_dir: %scheckpoints/", t->root);
	param_i(l, "checkpoint_period", t->period);
	param_i(l, "eval_interval", t->eval_every);
	param_i(l, "learning_rate_schedule_steps", t->schedule);
	param_i(l, "log_period", t->log_period);
	param_i(l, "num_batches", t->steps);
	param_i(l, "rl.num_generations", t->generations);
	param_i(l, "rl.reshard_chunk_size", t->chunk);
	param_i(l, "steps", t->steps);
	load_absl(
		l, 'I', "pyconfig.py:584", "Config param tensorboard_dir: %stensorboard/", t->root);
	param_i(l, "train_micro_batch_size", t->micro);
}

/* The toolkit's errors while the configuration is built: exit 2, also as termination message. */
static bool config_error(struct load *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static bool config_error(struct load *l, const char *fmt, ...)
{
	static const char rule[] =
		"============================================================================"
		"====";
	AUTO_FREE char *text = NULL;
	AUTO_FREE char *message = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = x_vasprintf(fmt, ap);
	va_end(ap);
	message = x_asprintf("MAXTEXT CONFIG ERROR: %s", text);
	load_absl(l, 'E', "pyconfig.py:388", "\n%s\n%s\n%s", rule, message, rule);
	load_exit(l, 2, message);
	return false;
}

static bool check_config(struct load *l)
{
	const struct load_job *j = load_job(l);
	static const char *const known[] = {"rollout_tensor_parallelism",
		"rollout_expert_parallelism", "rollout_data_parallelism", "ici_tensor_parallelism",
		"ici_expert_parallelism", "ici_fsdp_parallelism", "enable_dp_attention"};
	int64_t tp = load_option_i64(j, "rollout_tensor_parallelism", 1);

	/* any other …_parallelism is no key of the configuration */
	for (const char *p = j->command; (p = strstr(p, "_parallelism=")); p++) {
		const char *from = p, *end = p + strlen("_parallelism");
		bool ok = false;

		while (from > j->command && !strchr(" \n\t", from[-1]))
			from--;
		for (size_t i = 0; i < COUNT(known); i++)
			ok = ok || (strlen(known[i]) == (size_t)(end - from) &&
					   !strncmp(known[i], from, (size_t)(end - from)));
		if (!ok)
			return config_error(
				l, "'%.*s' not in MaxTextConfig", (int)(end - from), from);
	}
	if (tp == 0 || tp < -1)
		return config_error(
			l, "`rollout_tensor_parallelism` must be -1 or > 0, got %" PRId64 ".", tp);
	return true;
}

static void platform_lines(struct load *l)
{
	load_wait(l, 14000);
	load_vllm(l, "__init__.py:43", "Running vLLM on TPU via Pathways proxy.");
	load_wait(l, 1000);
	load_vllm(l, "__init__.py:53", "Module pathwaysutils is imported.");
	load_wait(l, 2000);
	load_vllm(l, "__init__.py:65", "vLLM platform resolved to: TpuPlatform");
	load_wait(l, 6000);
	load_vllm(l, "__init__.py:31",
		"Registering MaxTextForCausalLM model with tpu_inference and vllm.");
	load_vllm(l, "model_loader.py:835",
		"Registered JAX model MaxTextForCausalLM with tpu_inference and vLLM registries.");
	load_vllm(l, "__init__.py:40", "Successfully registered MaxTextForCausalLM model.");
	load_wait(l, 9000);
	load_absl(l, 'I', "max_utils.py:832", "System Information: Jax Version: 0.11.0");
	load_absl(l, 'I', "max_utils.py:833", "System Information: Jaxlib Version: 0.11.0");
	load_wait(l, 31400);
	load_absl(l, 'I', "max_utils.py:834", "System Information: Jax Backend: pathways");
}

static void config_lines(struct load *l, const struct train *t)
{
	const struct load_job *j = load_job(l);
	AUTO_FREE char *token = load_option(j, "hf_access_token");

	load_absl(l, 'W', "pyconfig.py:100",
		"No config file provided, using default config mapping: "
		"/deps/src/maxtext/configs/post_train/rl.yml");
	if (token)
		load_absl(l, 'W', "pyconfig.py:441",
			"WARNING: Passing 'hf_access_token' via command-line arguments is "
			"deprecated and insecure because it makes your token visible in 'ps' "
			"and shell history. Please set the 'HF_TOKEN' environment variable "
			"instead.");
	dump_config(l, t);
}

static void device_lines(struct load *l)
{
	load_absl(l, 'I', "model_creation_utils.py:672", "Running on a single slice");
	load_absl(l, 'I', "model_creation_utils.py:679",
		"8 VMs detected, allocating trainer and sampler devices, and using Pathways.");
	load_absl(
		l, 'I', "model_creation_utils.py:686", "Using first 16 devices as Trainer devices");
	load_absl(
		l, 'I', "model_creation_utils.py:688", "Using last 16 devices as Sampler devices");
	load_wait(l, 600);
}

static bool input_ok(struct load *l, const struct train *t)
{
	if (load_object_exists(l, t->input, "commit_success.txt"))
		return true;
	load_write(l,
		"Traceback (most recent call last):\n"
		"  File \"/deps/src/maxtext/trainers/post_train/rl/train_rl.py\", line 846, in "
		"<module>\n"
		"  File \"/deps/src/maxtext/utils/model_creation_utils.py\", line 960, in "
		"from_pretrained\n"
		"ValueError: No valid Orbax checkpoint found at '%s'.\n",
		t->input);
	load_exit(l, 1, NULL);
	return false;
}

static void load_weights(struct load *l, const struct train *t, int64_t ms)
{
	int64_t took = load_jitter(l, ms, 0.06);

	load_absl(l, 'I', "event_tracking.py:76",
		"[process=0] [sync] Started load checkpoint @ %s.", t->input);
	load_wait(l, 800);
	load_absl(l, 'I', "checkpointer.py:322", "Restoring checkpoint from %s.", t->input);
	load_wait(l, took);
	load_absl(l, 'I', "event_tracking.py:184",
		"[process=0] [sync] Finished load in %.2f seconds @ %s",
		(double)(took + 800) / 1000, t->input);
}

static void model_display(struct load *l)
{
	load_write(l,
		"TunixMaxTextAdapter( # Param: 25,233,141,790 (50.5 GB), RngState: 62 (372 B)\n"
		"  base=Transformer( # Param: 25,233,141,790 (50.5 GB), RngState: 62 (372 B)\n"
		"    decoder=NNXDecoder(\n      decoder_norm=RMSNorm(\n");
	for (int i = 0; i < 30; i++)
		load_write(l,
			"      layers_%d=Gemma4DecoderLayer( # Param: 824,401,280 (1.6 GB)\n"
			"        attention_type=<AttentionType.%s>,\n"
			"        mlp=Gemma4MoE( # Param: 805,306,368 (1.6 GB)\n",
			i, i % 6 == 5 ? "GLOBAL: 'global'" : "LOCAL_SLIDING: 'local_sliding'");
	load_write(l, "    )\n  )\n)\n");
}

static void mesh_line(struct load *l, const char *what, const char *file)
{
	load_absl(l, 'I', file,
		"%s mesh shape: OrderedDict({'data': 1, 'stage': 1, 'fsdp': 2, "
		"'fsdp_transpose': 1, 'sequence': 1, 'context': 1, 'context_usp_ulysses': 1, "
		"'context_autoregressive': 1, 'tensor': 2, 'tensor_sequence': 1, 'expert': 4, "
		"'autoregressive': 1})",
		what);
}

static void data_lines(struct load *l, const struct train *t)
{
	load_wait(l, 6000);
	load_write(l,
		"\rGenerating train split:   0%%|          | 0/7473 [00:00<?, ? examples/s]"
		"\rGenerating train split: 100%%|██████████| 7473/7473 [00:00<00:00, 214211.08 "
		"examples/s]\n");
	load_absl(l, 'I', "train_rl.py:188",
		"Loaded Hugging Face dataset %s with split train. Size: 7473", t->dataset);
	load_wait(l, 900);
	load_absl(l, 'I', "train_rl.py:188",
		"Loaded Hugging Face dataset %s with split test. Size: 1319", t->dataset);
	load_absl(l, 'I', "train_rl.py:733", "Train dataset samples:");
	load_write(l,
		"{'answer': array(['[\"18\", \"18\"]', '[\"125\", \"125\"]', '[\"7\", \"7\"]', "
		"'[\"96\", \"96\"]'],\n      dtype='<U14'),\n 'prompts': array(['<bos><|turn>user"
		"\\nYou are given a problem. ...',\n 'question': array(['A tram carries 30 "
		"riders ...',\n");
	load_wait(l, 300);
	load_absl(l, 'I', "train_rl.py:739", "Test dataset samples:");
	load_absl(l, 'I', "train_rl.py:746", "Reference Model initialized successfully");
	model_display(l);
	mesh_line(l, "Reference", "train_rl.py:748");
	load_absl(l, 'I', "train_rl.py:749", "Policy Model initialized successfully");
	model_display(l);
	mesh_line(l, "Policy", "train_rl.py:751");
	mesh_line(l, "Rollout", "train_rl.py:752");
}

static void engine_lines(struct load *l)
{
	load_absl(l, 'I', "vllm_sampler.py:107",
		"Engine kwargs setting key 'max_model_len' with value '896'.");
	load_wait(l, 4000);
	load_vllm(l, "tpu_runner.py:884", "Creating new model mesh | devices=16, num_slices=1");
	load_absl(l, 'I', "adapter.py:140",
		"Padding num_global_kv_heads from 2 to 4 to match the degree of tensor "
		"parallelism.");
	load_absl(l, 'I', "adapter.py:155",
		"Padding moe_intermediate_size from 704 to 1024 to match MLP MoE requirements.");
	load_wait(l, 44000);
	load_vllm(l, "tpu_runner.py:1251",
		"Init model | hbm=[(4.02, 31.25), (4.02, 31.25), (4.02, 31.25), (4.02, "
		"31.25)]GiB");
	load_vllm(l, "tpu_worker.py:552",
		"Memory statistics | total_hbm_limit_gb=500.0GiB | total_hbm_limit_cap_gb=350.0GiB "
		"| total_hbm_used_gb=64.32GiB | total_hbm_avail_gb=285.68GiB");
	load_wait(l, 3000);
	load_vllm(l, "compilation_manager.py:235",
		"Precompile all the subgraphs with possible input shapes.");
	for (int n = 16; n <= 512; n *= 2) {
		double s = (double)load_jitter(l, 11500, 0.3) / 1000;

		load_wait(l, (int64_t)(s * 1000));
		load_vllm(l, "compilation_manager.py:187",
			"Compilation of backbone --> {'num_tokens': %d} finished in %.2f [secs].",
			n, s);
	}
}

/* A rerun with the same run_name goes on after its newest complete checkpoint. */
static void restore(struct load *l, struct train *t)
{
	int n = t->steps;

	for (; n > 0; n--) {
		AUTO_FREE char *marker = x_asprintf("checkpoints/actor/%d/commit_success.txt", n);

		if (load_object_exists(l, t->root, marker))
			break;
	}
	if (n == 0)
		return;
	load_wait(l, 96000);
	load_absl(l, 'I', "peft_trainer.py:387", "Restored params from step: %d in %.3f seconds", n,
		95.7);
	load_absl(l, 'I', "peft_trainer.py:393", "Fast forwarded %d micro-batches.",
		n * t->batch / t->micro);
	t->g = t->first = t->saved_step = n;
}

static void cluster_lines(struct load *l, struct train *t)
{
	const struct load_job *j = load_job(l);

	load_wait(l, 5000);
	load_absl(l, 'I', "train_rl.py:558", "Creating RL cluster...");
	t->file_name = x_asprintf(
		"tensorboard/events.out.tfevents.%010" PRId64 ".%s", j->at / 1000, j->node);
	events_begin(&t->file, (double)j->at / 1000);
	events_scalar(&t->file, (double)j->at / 1000, 0,
		"jax/orbax/checkpoint_manager/init/duration_sec", 0.24f);
	t->dirty = true;
	t->flushed = t->explicit_flush = j->at;
	load_absl(l, 'I', "metrics_logger.py:199",
		"WandbBackend skipped: The 'wandb' library is not installed. Please install it "
		"with 'pip install wandb' to use the WandbBackend.");
	engine_lines(l);
	train_kv_delete(l);
	load_absl(l, 'I', "utils.py:1571", "Unwrapping 'base' key from source state.");
	load_absl(l, 'I', "utils.py:1578", "Unwrapping nested 'model' key from target state.");
	for (int i = 0; i < 30; i++)
		load_absl(l, 'I', "utils.py:1370",
			"Fusing MoE decoder.layers_%d.mlp.moe_block.MoeBlock_0.wi: wi_0=(128, "
			"2816, 704), wi_1=(128, 2816, 704) -> (128, 2816, 2048) on axis 2",
			i);
	train_reshard(l, t, 17000);
	train_kv_again(l);
	train_flush(l, t, false, 1);
	load_wait(l, 2000);
	load_absl(l, 'W', "checkpoint_options.py:159",
		"Using v0 ocp.CheckpointManagerOptions is deprecated, along with "
		"save_interval_steps. Please use a checkpointing_options with "
		"save_decision_policy instead.");
	load_absl(l, 'I', "checkpoint_manager.py:119",
		"Using persistence API for checkpointing with Pathways.");
	load_wait(l, 3000);
	restore(l, t);
	load_absl(l, 'I', "train_rl.py:596", "Setting up RL trainer...");
	load_absl(l, 'I', "train_rl.py:637", "Using standard GRPOLearner with offline rollouts.");
	load_absl(l, 'I', "utils.py:162",
		"RLLearner init - Using Pathways compatible HBM stats collector");
	for (int i = 0; i < 32; i++)
		load_absl(l, 'I', "utils.py:166",
			"Using %.1f GiB on device(%d,TPU_DEVICE,coords=[%d,%d,0,0],logical_task=%d,"
			"slice=0,default_mem=device,mem_spaces=3)",
			i < 16 ? 9.8 : 21.8, i, i % 4, i / 4, i / 4);
}

bool train_boot(struct load *l, struct train *t)
{
	platform_lines(l);
	config_lines(l, t);
	if (!check_config(l) || !load_tree_bucket_ok(l, t->root))
		return false;
	device_lines(l);
	if (!load_hub_ok(l, "google/gemma-4-26b-a4b-it"))
		return false;
	load_absl(l, 'I', "_client.py:1025",
		"HTTP Request: HEAD https://huggingface.co/google/gemma-4-26b-a4b-it/resolve/main/"
		"tokenizer_config.json \"HTTP/1.1 200 OK\"");
	load_wait(l, 2000);
	load_absl(l, 'I', "model_creation_utils.py:763",
		"Creating reference model and also meshes for reference and rollout");
	load_absl(l, 'I', "maxtext_utils.py:2274",
		"Num_devices: 16, shape (1, 1, 2, 1, 1, 1, 1, 1, 2, 1, 4, 1)");
	load_wait(l, 38000);
	if (!input_ok(l, t))
		return false;
	load_weights(l, t, 141000);
	load_absl(l, 'I', "model_creation_utils.py:789",
		"Creating policy model with same config as reference model on trainer mesh");
	load_wait(l, 30000);
	load_weights(l, t, 118000);
	data_lines(l, t);
	cluster_lines(l, t);
	return true;
}
