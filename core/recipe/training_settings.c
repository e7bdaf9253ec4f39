/* SPDX-License-Identifier: Apache-2.0 */
/* Training parameters that must agree with each other, with the conversion and with the chips'
 * memory. Sources: MaxText types.py, model_creation_utils.py, train_rl.py; Tunix vllm_sampler.py;
 * tpu-inference tpu_worker.py. */
#include <string.h>

#include "core/base/text.h"
#include "core/recipe/recipe.h"
#include "core/recipe/training_in.h"

#define GIB 1073741824.0

/* A parameter of the stage that fills a tree (the conversion), or NULL. */
static const char *stage_param(const struct recipe_stage *s, const char *key)
{
	for (size_t i = 0; s && i < s->commands.n; i++) {
		const struct recipe_args *args = &s->commands.items[i].args;

		for (size_t k = 0; k < args->n; k++) {
			const struct recipe_container *c = args->items[k].container;

			for (size_t m = 0; c && m < c->steps.n; m++) {
				const struct recipe_params *p = &c->steps.items[m].params;

				for (size_t n = 0; n < p->n; n++) {
					if (!strcmp(p->items[n].key, key))
						return p->items[n].value;
				}
			}
		}
	}
	return NULL;
}

/* The conversion's tree: what the training starts from. */
static const struct recipe_tree *start_tree(const struct judge *j)
{
	return j->r->watch.trees.n ? &j->r->watch.trees.items[0] : NULL;
}

/* True when both tell another value for the same thing. */
static bool differ(const char *a, const char *b)
{
	return a && b && strcasecmp(a, b) != 0;
}

static void judge_start(struct judge *j)
{
	const char *path = judge_text(j, "load_parameters_path", "");
	const struct recipe_tree *tree = start_tree(j);
	const struct recipe_stage *stage = tree ? recipe_stage(j->r, tree->stage) : NULL;
	const char *scan = judge_text(j, "scan_layers", "True");
	const char *model = judge_text(j, "model_name", NULL);
	const char *theirs = stage_param(stage, "scan_layers");
	struct rule_finding *f;

	if (recipe_parameter(j->r, "load_parameters_path") &&
		(!*path || (tree && !text_starts(path, tree->uri)))) {
		f = judge_find(j, "trainer", true,
			_("load_parameters_path does not lie in the converted model: %s"),
			*path ? path : "\"\"");
		judge_says(f, "No valid Orbax checkpoint found at '%s'", path);
	}
	if (differ(scan, theirs)) {
		f = judge_find(j, "trainer", true,
			_("scan_layers is %s here, but %s in the conversion"), scan, theirs);
		judge_says(f,
			"Configuration mismatch: Your run specifies scan_layers=%s, but the "
			"checkpoint was saved with scan_layers=%s",
			scan, theirs);
	}
	theirs = stage_param(stage, "model_name");
	if (differ(model, theirs)) {
		f = judge_find(j, "trainer", true,
			_("model_name is %s here, but %s in the conversion"), model, theirs);
		judge_says(f,
			"Checkpoint structure mismatch: n of m model parameter paths were not "
			"found");
	}
}

static void judge_slices(struct judge *j)
{
	long trainer = judge_whole(j, "num_trainer_slices", -1);
	long sampler = judge_whole(j, "num_samplers_slices", -1);
	struct rule_finding *f;

	if ((trainer == -1 && sampler == -1) || (trainer > 0 && sampler > 0))
		return;
	f = judge_find(j, "trainer", true,
		_("num_trainer_slices and num_samplers_slices must both be -1 or both more than "
		  "0"));
	judge_says(f,
		"`num_trainer_slices` and `num_samplers_slices` must be both -1 or both positive.");
}

static void judge_unsupported(struct judge *j)
{
	struct rule_finding *f;

	if (judge_true(j, "optimizer_memory_host_offload")) {
		f = judge_find(j, "trainer", true,
			_("optimizer_memory_host_offload does not work with this training"));
		judge_says(f, "optimizer_memory_host_offload=True is not supported...");
	}
	if (judge_whole(j, "num_vocab_tiling", 1) > 1) {
		f = judge_find(
			j, "trainer", true, _("num_vocab_tiling does not work with this training"));
		judge_says(f, "Vocab Tiling is not supported with RL.");
	}
}

static void judge_data(struct judge *j)
{
	const struct recipe_param *p = recipe_parameter(j->r, "data_template_path");
	const char *path = judge_text(j, "data_template_path", "");
	struct rule_finding *f;

	if (!p || (text_ends(path, ".json") && strlen(path) > strlen(".json")))
		return;
	f = judge_find(j, "lengths", true, _("data_template_path must name a .json file"));
	judge_says(f, "Data template is required for processing dataset but failed to load from %s",
		path);
}

/* vLLM runs MaxText's own model: the settings for it must be handed over. */
static void judge_vllm(struct judge *j)
{
	const struct recipe_param *p = recipe_parameter(j->r, "vllm_additional_config");
	struct rule_finding *f;

	if (!p)
		return;
	for (size_t i = 0; p->object && i < p->object->n; i++) {
		if (p->object->items[i].key && !strcmp(p->object->items[i].key, "maxtext_config"))
			return;
	}
	f = judge_find(j, "rollout", true, _("vllm_additional_config must hold maxtext_config"));
	judge_says(
		f, "Direct weight synchronization is currently supported only for MaxText models.");
}

/* The weights alone must fit into vLLM's share of a chip's memory. */
static void judge_memory(struct judge *j)
{
	const struct recipe_tree *tree = start_tree(j);
	double share = judge_real(j, "hbm_utilization_vllm", 0.72);
	long tp = judge_whole(j, "rollout_tensor_parallelism", 1);
	long ep = judge_whole(j, "rollout_expert_parallelism", 1);
	long dp = judge_whole(j, "rollout_data_parallelism", -1);
	double budget = share * j->r->chips.hbm_gib, need;
	struct rule_finding *f;

	if ((tp == -1 || ep == -1) && dp > 0)
		tp = judge_samplers(j) / (dp * (tp > 0 ? tp : 1) * (ep > 0 ? ep : 1));
	if (!tree || !tree->bytes || !(budget > 0) || tp < 1 || ep < 1)
		return;
	need = (double)tree->bytes / GIB / (double)(tp * ep);
	if (need <= budget)
		return;
	f = judge_find(j, "rollout", true,
		_("the weights need %.1f GiB of every sampler chip; hbm_utilization_vllm %g gives "
		  "vLLM %.1f GiB"),
		need, share, budget);
	judge_says(f,
		"%.2fGiB exceeds %.2fGiB by %.2fGiB. Please consider increasing "
		"--gpu-memory-utilization",
		need, budget, need - budget);
}

static void judge_lengths(struct judge *j)
{
	long target = judge_whole(j, "max_target_length", 1024);
	long prefill = judge_whole(j, "max_prefill_predict_length", 256);
	long steps = judge_whole(j, "num_batches", 4);
	long period = judge_whole(j, "checkpoint_period", 50);
	long schedule = judge_whole(j, "learning_rate_schedule_steps", -1);

	if (prefill >= target)
		judge_find(j, "lengths", true,
			_("max_prefill_predict_length %ld must be less than max_target_length %ld: "
			  "nothing is left for the answer"),
			prefill, target);
	if (period > steps)
		judge_find(j, "lengths", false,
			_("a checkpoint every %ld steps, but only %ld steps: only the end is "
			  "saved"),
			period, steps);
	if (schedule > 0 && schedule < steps)
		judge_find(j, "lengths", false,
			_("the learning rate's schedule ends at step %ld of %ld: nothing is "
			  "learned "
			  "after it"),
			schedule, steps);
}

void judge_settings(struct judge *j)
{
	judge_start(j);
	judge_slices(j);
	judge_unsupported(j);
	judge_data(j);
	judge_vllm(j);
	judge_memory(j);
	judge_lengths(j);
}
