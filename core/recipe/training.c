/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic behind the training parameters: what MaxText, Tunix and vLLM assert at start,
 * asked before money is spent. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/recipe/recipe.h"
#include "core/recipe/training_in.h"
#include "core/recipe/values.h"
#include "core/recipe/word.h"

void rule_findings_fini(struct rule_findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->items[i].text);
		free(f->items[i].says);
	}
	free(f->items);
	memset(f, 0, sizeof(*f));
}

struct rule_finding *judge_find(
	struct judge *j, const char *check, bool blocking, const char *fmt, ...)
{
	struct rule_finding *f = VEC_PUSH(j->out);
	va_list ap;

	va_start(ap, fmt);
	f->check = check;
	f->blocking = blocking;
	f->text = x_vasprintf(fmt, ap);
	f->says = x_strdup("");
	va_end(ap);
	return f;
}

void judge_says(struct rule_finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	free(f->says);
	f->says = x_vasprintf(fmt, ap);
	va_end(ap);
}

const char *judge_text(const struct judge *j, const char *key, const char *dflt)
{
	const struct recipe_param *p = recipe_parameter(j->r, key);
	const struct render o = {.recipe = j->r, .deviations = j->on};
	const char *given = values_get(j->v, key);

	if (given)
		return given;
	return p && p->value && render_when(&o, p->when) ? p->value : dflt;
}

double judge_real(const struct judge *j, const char *key, double dflt)
{
	const char *s = judge_text(j, key, NULL);
	char *end;
	double n;

	if (!s)
		return dflt;
	n = strtod(s, &end);
	return *end || !isfinite(n) ? dflt : n;
}

long judge_whole(const struct judge *j, const char *key, long dflt)
{
	return lround(judge_real(j, key, (double)dflt));
}

bool judge_true(const struct judge *j, const char *key)
{
	return strcasecmp(judge_text(j, key, ""), "true") == 0;
}

long judge_samplers(const struct judge *j)
{
	return lround((double)j->chips * judge_real(j, "sampler_devices_fraction", 0.5));
}

/* --- the sampler: MaxText types.py and train_rl.py */

struct axis {
	const char *key;
	long n;
};

/* False when one of them is neither -1 nor positive (told). */
static bool judge_axes(struct judge *j, const char *check, const struct axis *axes, size_t n)
{
	struct rule_finding *f;

	for (size_t i = 0; i < n; i++) {
		if (axes[i].n >= 1 || axes[i].n == -1)
			continue;
		f = judge_find(j, check, true, _("%s must be -1 or more than 0, not %ld"),
			axes[i].key, axes[i].n);
		judge_says(f, "`%s` must be -1 or > 0, got %ld.", axes[i].key, axes[i].n);
		return false;
	}
	return true;
}

static int free_axes(const struct axis *axes, size_t n, long *product)
{
	int free_ones = 0;

	*product = 1;
	for (size_t i = 0; i < n; i++) {
		free_ones += axes[i].n == -1;
		*product *= axes[i].n == -1 ? 1 : axes[i].n;
	}
	return free_ones;
}

static const struct {
	const char *open, *fixed[2]; /* the axis that is -1 and the two that are given */
} rollout_variants[] = {
	{"rollout_tensor_parallelism", {"rollout_data_parallelism", "rollout_expert_parallelism"}},
	{"rollout_expert_parallelism", {"rollout_tensor_parallelism", "rollout_data_parallelism"}},
	{"rollout_data_parallelism", {"rollout_tensor_parallelism", "rollout_expert_parallelism"}},
};

static void rollout_indivisible(struct judge *j, long samplers, long product, size_t open)
{
	struct rule_finding *f = judge_find(j, "rollout", true,
		_("%ld sampler chips cannot be divided by rollout tensor x expert x data "
		  "parallelism = %ld"),
		samplers, product);
	const char *const *fixed = rollout_variants[open].fixed;

	judge_says(f,
		"num_sampler_devices(%ld) must be divisible by %s(%ld) * %s(%ld) when %s is -1.",
		samplers, fixed[0], judge_whole(j, fixed[0], -1), fixed[1],
		judge_whole(j, fixed[1], -1), rollout_variants[open].open);
}

static void judge_rollout(struct judge *j)
{
	const struct axis axes[] = {
		{"rollout_tensor_parallelism", judge_whole(j, "rollout_tensor_parallelism", 1)},
		{"rollout_expert_parallelism", judge_whole(j, "rollout_expert_parallelism", 1)},
		{"rollout_data_parallelism", judge_whole(j, "rollout_data_parallelism", -1)},
	};
	long samplers = judge_samplers(j), product;
	int free_ones = free_axes(axes, COUNT(axes), &product);
	struct rule_finding *f;

	if (!judge_axes(j, "rollout", axes, COUNT(axes)))
		return;
	if (free_ones > 1) {
		f = judge_find(
			j, "rollout", true, _("only one of the rollout parallelisms may be -1"));
		judge_says(f,
			"At most one of rollout_tensor_parallelism, rollout_data_parallelism, "
			"rollout_expert_parallelism can be -1 (auto-derived).");
	} else if (free_ones && samplers % product) {
		size_t open = 0;

		while (open + 1 < COUNT(axes) && axes[open].n != -1)
			open++;
		rollout_indivisible(j, samplers, product, open);
	} else if (!free_ones && product != samplers) {
		f = judge_find(j, "rollout", true,
			_("rollout tensor x expert x data parallelism = %ld, but there are %ld "
			  "sampler chips"),
			product, samplers);
		judge_says(f,
			"rollout_tensor_parallelism(%ld) * rollout_data_parallelism(%ld) * "
			"rollout_expert_parallelism(%ld) != len(sampler_devices)(%ld)",
			axes[0].n, axes[2].n, axes[1].n, samplers);
	}
}

/* --- the trainer: MaxText max_utils.py */

static bool judge_fractions(struct judge *j)
{
	static const char *const keys[] = {"trainer_devices_fraction", "sampler_devices_fraction"};
	double sum = 0;
	struct rule_finding *f;

	for (size_t i = 0; i < COUNT(keys); i++) {
		double x = judge_real(j, keys[i], 0.5);

		sum += x;
		if (x > 0 && x <= 1)
			continue;
		f = judge_find(j, "trainer", true,
			_("%s must be more than 0 and at most 1, not %g"), keys[i], x);
		judge_says(f, "Input should be %s",
			x > 0 ? "less than or equal to 1" : "greater than 0");
		return false;
	}
	if (sum > 1.0 && lround(sum * 1000) != 2000)
		judge_find(j, "trainer", true,
			_("trainer and sampler would share chips: their fractions add up to %g; "
			  "MaxText does not notice"),
			sum);
	return true;
}

/* Chips that share a batch (the trainer's mesh without its tensor axis); 0 when the mesh is wrong
 * (told). *tensor gets the tensor axis. */
static long judge_trainer(struct judge *j, long *tensor)
{
	const struct axis axes[] = {
		{"ici_tensor_parallelism", judge_whole(j, "ici_tensor_parallelism", 1)},
		{"ici_expert_parallelism", judge_whole(j, "ici_expert_parallelism", 1)},
		{"ici_fsdp_parallelism", judge_whole(j, "ici_fsdp_parallelism", -1)},
	};
	long trainers = lround((double)j->chips * judge_real(j, "trainer_devices_fraction", 0.5));
	long product;
	int free_ones = free_axes(axes, COUNT(axes), &product);
	struct rule_finding *f;

	*tensor = axes[0].n;
	if (!judge_fractions(j) || !judge_axes(j, "trainer", axes, COUNT(axes)))
		return 0;
	if (free_ones > 1) {
		f = judge_find(j, "trainer", true, _("only one of the ici parallelisms may be -1"));
		judge_says(
			f, "Found unspecified values (-1) for more than one ICI parallelism axis.");
		return 0;
	}
	if (trainers % product || (!free_ones && product != trainers)) {
		f = judge_find(j, "trainer", true,
			_("%ld trainer chips do not match the product of the ici parallelisms, "
			  "%ld"),
			trainers, product);
		if (free_ones)
			judge_says(f,
				"Unspecified value unable to be determined with the given ICI "
				"parallelism values");
		else
			judge_says(f,
				"Number of devices per slice %ld does not match the product of "
				"the ICI parallelism %ld",
				trainers, product);
		return 0;
	}
	if (*tensor == -1)
		*tensor = trainers / product;
	return trainers / *tensor;
}

/* --- the model's heads: MaxText attentions.py, vLLM's model check */

static void judge_heads(struct judge *j, long ici)
{
	long ep = judge_whole(j, "rollout_expert_parallelism", 1);
	long dp = judge_whole(j, "rollout_data_parallelism", -1);
	long tp = judge_whole(j, "rollout_tensor_parallelism", 1);
	struct rule_finding *f;

	if (tp == -1 && ep > 0 && dp > 0)
		tp = judge_samplers(j) / (ep * dp);
	if (ici > 0 && j->r->chips.kv_heads % ici) {
		f = judge_find(j, "heads", true,
			_("the model has layers with %u KV heads: ici_tensor_parallelism %ld does "
			  "not divide them"),
			j->r->chips.kv_heads, ici);
		judge_says(f,
			"num_kv_heads (%u) for ... attention layers must be divisible by %ld, the "
			"combined size of the mesh axes [...] that shard KV heads.",
			j->r->chips.kv_heads, ici);
	}
	if (tp > 0 && j->r->chips.heads % tp) {
		f = judge_find(j, "heads", true,
			_("the model has %u attention heads: rollout_tensor_parallelism %ld does "
			  "not divide them"),
			j->r->chips.heads, tp);
		judge_says(f,
			"Total number of attention heads (%u) must be divisible by tensor parallel "
			"size (%ld).",
			j->r->chips.heads, tp);
	}
}

/* --- batches: Tunix rl_cluster.py, rl_learner.py, grpo_learner.py */

static bool judge_positive(struct judge *j, const char *key, long n)
{
	struct rule_finding *f;

	if (n >= 1)
		return true;
	f = judge_find(j, "batch", true, _("%s must be 1 or more, not %ld"), key, n);
	judge_says(f, "%s must be a positive integer. Got: %ld", key, n);
	return false;
}

static void judge_multiple(struct judge *j, long batch, const char *key, long micro)
{
	bool rollout = text_starts(key, "rollout");
	struct rule_finding *f;

	if (micro < 1 || batch % micro == 0)
		return;
	f = judge_find(j, "batch", true, _("batch_size %ld must be a multiple of %s %ld"), batch,
		key, micro);
	if (rollout)
		judge_says(f,
			"full_batch_size=%ld must be a multiple of "
			"self._rollout_micro_batch_size=%ld.",
			batch, micro);
	else
		judge_says(f,
			"self.mini_batch_size=%ld must be a multiple of "
			"self.train_micro_batch_size=%ld.",
			batch, micro);
}

static void judge_batch(struct judge *j, long shards)
{
	long batch = judge_whole(j, "batch_size", 1);
	long micro = judge_whole(j, "train_micro_batch_size", -1);
	long rollout = judge_whole(j, "rollout_micro_batch_size", -1);
	long generations = judge_whole(j, "rl.num_generations", 2);
	struct rule_finding *f;

	if (micro == -1)
		micro = batch;
	if (rollout == -1)
		rollout = batch;
	judge_positive(j, "num_batches", judge_whole(j, "num_batches", 4));
	if (judge_positive(j, "batch_size", batch)) {
		if (judge_positive(j, "train_micro_batch_size", micro))
			judge_multiple(j, batch, "train_micro_batch_size", micro);
		if (judge_positive(j, "rollout_micro_batch_size", rollout))
			judge_multiple(j, batch, "rollout_micro_batch_size", rollout);
	}
	if (generations < 2) {
		f = judge_find(j, "generations", true,
			_("rl.num_generations must be more than 1: rewards are compared in a "
			  "group"));
		judge_says(f, "num_generations must be greater than 1. Received: %ld", generations);
	} else if (shards > 0 && micro > 0 && micro * generations % shards) {
		f = judge_find(j, "batch", true,
			_("train_micro_batch_size x rl.num_generations = %ld must be a multiple of "
			  "the %ld chips that share a batch"),
			micro * generations, shards);
		judge_says(f,
			"... which implies that the global size of its dimension 0 should be "
			"divisible by %ld, but it is equal to %ld",
			shards, micro * generations);
	}
}

void rule_training(const struct recipe *r, const struct values *v, const struct deviations *d,
	struct rule_findings *out)
{
	const char *topology = values_get(v, "TOPOLOGY");
	struct judge j = {.r = r,
		.v = v,
		.out = out,
		.on = d ? *d : deviation_defaults(r),
		.chips = topology ? (long)rule_chips(topology) : (long)r->chips.count};
	long shards, tensor;

	judge_rollout(&j);
	shards = judge_trainer(&j, &tensor);
	judge_heads(&j, tensor);
	judge_batch(&j, shards);
	judge_settings(&j);
}
