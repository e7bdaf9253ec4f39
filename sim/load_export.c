/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/load.h"
#include "sim/load_tree.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TENSORS 657
#define SHARDS  18
#define BYTES   50466283580

/* to_huggingface: stages and lines of facts/maxtext-run.md section 4.2, files of 3.5. */
struct export
{
	char *in, *out;
	int64_t began, work_began;
	int done, shard;
};

static void drop(void *p)
{
	struct export *e = p;

	free(e->in);
	free(e->out);
	free(e);
}

static load_phase load_input, transform, upload, finish;

/* Bytes of one shard: 1.6 GiB for the last, the rest shared out evenly. */
static int64_t shard_size(int i)
{
	const int64_t last = 1717986918;

	return i == SHARDS ? last : (BYTES - last) / (SHARDS - 1);
}

static void uploaded(struct load *l, const char *name, int64_t size, const char *data)
{
	struct export *e = load_job(l)->state;
	AUTO_FREE char *bucket = NULL;
	AUTO_FREE char *object = NULL;

	load_absl(l, 'I', "utils.py:743", "   -> Uploading /tmp/hf_export/%s to %s/%s...", name,
		e->out, name);
	load_wait(l, 300 + size / 210000);
	load_put(l, e->out, name, size, data);
	load_gs(e->out, name, &bucket, &object);
	load_absl(l, 'I', "utils.py:752", "✅ Uploaded /tmp/hf_export/%s to %s/%s", name, bucket,
		object);
	load_absl(l, 'I', "utils.py:755", "✅ Deleted /tmp/hf_export/%s", name);
}

/* Name of tensor i of the exported model: 25 layers of 22, 5 of 21, two outside. */
static char *tensor_name(int i)
{
	static const char *const parts[] = {"self_attn.q_proj.weight", "self_attn.k_proj.weight",
		"self_attn.o_proj.weight", "self_attn.q_norm.weight", "self_attn.k_norm.weight",
		"input_layernorm.weight", "post_attention_layernorm.weight",
		"pre_feedforward_layernorm.weight", "post_feedforward_layernorm.weight",
		"pre_feedforward_layernorm_2.weight", "post_feedforward_layernorm_1.weight",
		"post_feedforward_layernorm_2.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight",
		"mlp.down_proj.weight", "experts.gate_up_proj", "experts.down_proj",
		"router.proj.weight", "router.scale", "router.per_expert_scale", "layer_scalar",
		"self_attn.v_proj.weight"};
	int layer = 0;

	if (i < 2)
		return x_asprintf(
			"model.language_model.%s", i ? "norm.weight" : "embed_tokens.weight");
	for (i -= 2;; layer++) {
		int n = (int)COUNT(parts) - (layer % 6 == 5);

		if (i < n)
			break;
		i -= n;
	}
	return x_asprintf("model.language_model.layers.%d.%s", layer, parts[i]);
}

static char *index_json(void)
{
	json_t *map = json_object(), *doc;
	char *text;

	for (int i = 0; i < TENSORS; i++) {
		AUTO_FREE char *name = tensor_name(i);

		json_object_set_new(map, name,
			json_sprintf("model-%05d-of-%05d.safetensors", i * SHARDS / TENSORS + 1,
				SHARDS));
	}
	doc = json_pack(
		"{s:{s:I}, s:o}", "metadata", "total_size", (json_int_t)BYTES, "weight_map", map);
	text = json_dumps(doc, JSON_INDENT(2));
	json_decref(doc);
	return text;
}

static void finish(struct load *l)
{
	struct load_job *j = load_job(l);
	struct export *e = j->state;
	AUTO_FREE char *index = index_json();

	uploaded(l, "model.safetensors.index.json", (int64_t)strlen(index), index);
	load_absl(l, 'I', "utils.py:544",
		"   Successfully uploaded model.safetensors.index.json to GCS: %s", e->out);
	load_absl(l, 'I', "utils.py:700",
		"✅ Model and tokenizer (if provided) successfully processed for %s", e->out);
	load_absl(l, 'I', "to_huggingface.py:464",
		"✅ MaxText model successfully saved in HuggingFace format at %s", e->out);
	load_absl(l, 'I', "to_huggingface.py:571", "Elapse for transform and save: %.2f min",
		(double)(j->at - e->work_began) / 60000);
	load_absl(l, 'I', "to_huggingface.py:573", "Overall Elapse: %.2f min",
		(double)(j->at - e->began) / 60000);
	load_absl(l, 'I', "to_huggingface.py:574", "Peak Memory: 104.83 GB");
	load_wait(l, 2000);
	load_exit(l, 0, NULL);
}

static void upload(struct load *l)
{
	struct export *e = load_job(l)->state;
	char name[48];

	e->shard++;
	snprintf(name, sizeof(name), "model-%05d-of-%05d.safetensors", e->shard, SHARDS);
	uploaded(l, name, shard_size(e->shard), NULL);
	load_then(l, e->shard < SHARDS ? upload : finish);
}

static void save_small(struct load *l)
{
	static const char config[] =
		"{\n  \"architectures\": [\n    \"Gemma4ForCausalLM\"\n  ],\n  \"dtype\": "
		"\"bfloat16\",\n  \"hidden_size\": 2816,\n  \"model_type\": \"gemma4_text\",\n  "
		"\"num_attention_heads\": 16,\n  \"num_hidden_layers\": 30\n}\n";
	struct export *e = load_job(l)->state;

	load_write(l, "\n");
	load_absl(l, 'I', "to_huggingface.py:455", "\nSaving HuggingFace model...");
	load_absl(l, 'I', "utils.py:640", "-> Saving model and tokenizer (if provided) to %s...",
		e->out);
	load_absl(l, 'I', "utils.py:652",
		"   Using temporary local staging directory: /tmp/hf_export");
	uploaded(l, "tokenizer_config.json", 1157, NULL);
	uploaded(l, "special_tokens_map.json", 706, NULL);
	uploaded(l, "chat_template.jinja", 11872, NULL);
	uploaded(l, "tokenizer.json", 32169726, NULL);
	uploaded(l, "config.json", (int64_t)strlen(config), config);
	load_then(l, upload);
}

static void transform(struct load *l)
{
	struct load_job *j = load_job(l);
	struct export *e = j->state;
	char bar[40], a[16], b[16];

	if (e->done == 0)
		e->work_began = j->at;
	for (int i = 0; i < 20 && e->done < TENSORS; i++) {
		AUTO_FREE char *name = tensor_name(e->done);
		int64_t s;

		load_wait(l, load_jitter(l, 980, 0.4));
		e->done++;
		s = (j->at - e->work_began) / 1000;
		load_write(l, "\r%3d%%|%s| %d/%d [%s<%s, %5.2fit/s, RAM: %.1fGB]",
			e->done * 100 / TENSORS, load_bar(e->done, TENSORS, bar), e->done, TENSORS,
			load_mmss(s, a), load_mmss(s * (TENSORS - e->done) / e->done, b),
			s > 0 ? (double)e->done / (double)s : 1.0, 56.2 + 0.0738 * e->done);
		load_absl(l, 'I', "utils.py:248", "maxtext param: %s", name);
	}
	load_then(l, e->done < TENSORS ? transform : save_small);
}

static void load_input(struct load *l)
{
	struct load_job *j = load_job(l);
	struct export *e = j->state;
	int64_t began = j->at;

	load_absl(l, 'I', "to_huggingface.py:506", "\nLoading Orbax checkpoint(s)...");
	load_absl(l, 'I', "event_tracking.py:76",
		"[process=0] [sync] Started load checkpoint @ %s.", e->in);
	load_wait(l, 700);
	load_absl(l, 'I', "checkpointer.py:322", "Restoring checkpoint from %s.", e->in);
	load_wait(l, load_jitter(l, 282000, 0.06));
	load_absl(l, 'I', "event_tracking.py:184",
		"[process=0] [sync] Finished load in %.2f seconds @ %s",
		(double)(j->at - began) / 1000, e->in);
	load_absl(l, 'I', "to_huggingface.py:509", "Elapse for checkpoint load: %.2f min",
		(double)(j->at - began) / 60000);
	load_absl(l, 'I', "utils.py:1085",
		"Detected NNX-RL checkpoint structure (with 'base' wrapper)");
	load_absl(l, 'I', "to_huggingface.py:565", "Processing weights...");
	load_then(l, transform);
}

/* Orbax finds no complete item: what it says, and exit 1. */
static void no_input(struct load *l)
{
	struct export *e = load_job(l)->state;
	bool there = load_object_exists(l, e->in, "_METADATA");

	load_write(l,
		"Traceback (most recent call last):\n"
		"  File \"/deps/src/maxtext/checkpoint_conversion/to_huggingface.py\", line "
		"507, in main\n"
		"  File \"/usr/local/lib/python3.12/site-packages/orbax/checkpoint/_src/"
		"checkpointers/checkpointer.py\", line %d, in restore\n"
		"%s%s%s\n",
		there ? 319 : 315,
		there ? "ValueError: Found incomplete checkpoint at "
		      : "FileNotFoundError: Checkpoint at ",
		e->in, there ? "." : " not found.");
	load_exit(l, 1, NULL);
}

void load_export(struct load *l)
{
	struct load_job *j = load_job(l);
	struct export *e = X_NEW(struct export);

	e->in = load_option_or(j, "load_parameters_path", "");
	e->out = load_option_or(j, "base_output_directory", "");
	if (text_ends(e->out, "/"))
		e->out[strlen(e->out) - 1] = '\0';
	if (text_ends(e->in, "/"))
		e->in[strlen(e->in) - 1] = '\0';
	e->began = j->at;
	j->state = e;
	j->drop = drop;
	load_wait(l, 24000);
	load_absl(l, 'I', "max_utils.py:832", "System Information: Jax Version: 0.11.0");
	load_absl(l, 'I', "max_utils.py:833", "System Information: Jaxlib Version: 0.11.0");
	load_absl(l, 'I', "max_utils.py:834", "System Information: Jax Backend: cpu");
	load_wait(l, 1500);
	if (!load_hub_ok(l, "google/gemma-4-26b-a4b-it") || !load_tree_bucket_ok(l, e->out))
		return;
	if (load_object_exists(l, e->in, "commit_success.txt"))
		load_then(l, load_input);
	else
		no_input(l);
}
