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
#include "core/recipe/rule.h"
#include "core/recipe/values.h"

struct judge {
	const struct recipe *r;
	const struct values *v;
	struct rule_findings *out;
	long chips;
};

void rule_findings_fini(struct rule_findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->items[i].text);
	free(f->items);
	memset(f, 0, sizeof(*f));
}

static void find(struct judge *j, const char *check, bool blocking, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void find(struct judge *j, const char *check, bool blocking, const char *fmt, ...)
{
	struct rule_finding *f = VEC_PUSH(j->out);
	va_list ap;

	va_start(ap, fmt);
	f->check = check;
	f->blocking = blocking;
	f->text = x_vasprintf(fmt, ap);
	va_end(ap);
}

/* The value in force: given, of the recipe, or MaxText's own default. One that only a deviation
 * brings is not in force by itself. */
static double param(const struct judge *j, const char *key, double dflt)
{
	const struct recipe_param *p = recipe_parameter(j->r, key);
	const char *s = values_get(j->v, key);
	char *end;
	double n;

	if (!s && p && !p->when)
		s = p->value;
	if (!s)
		return dflt;
	n = strtod(s, &end);
	return *end || !isfinite(n) ? dflt : n;
}

static long whole(const struct judge *j, const char *key, long dflt)
{
	return lround(param(j, key, (double)dflt));
}

static void judge_rollout(struct judge *j)
{
	long tp = whole(j, "rollout_tensor_parallelism", 1);
	long ep = whole(j, "rollout_expert_parallelism", 1);
	long dp = whole(j, "rollout_data_parallelism", -1);
	long samplers = lround((double)j->chips * param(j, "sampler_devices_fraction", 0.5));
	const long all[] = {tp, ep, dp};
	long product = 1;
	int free_ones = 0;

	for (size_t i = 0; i < COUNT(all); i++) {
		if (all[i] < 1 && all[i] != -1) {
			find(j, "rollout", true,
				_("rollout parallelism must be -1 or more than 0, not %ld"),
				all[i]);
			return;
		}
		if (all[i] == -1)
			free_ones++;
		else
			product *= all[i];
	}
	if (free_ones > 1)
		find(j, "rollout", true, _("only one of the rollout parallelisms may be -1"));
	else if (samplers % product)
		find(j, "rollout", true,
			_("%ld sampler chips cannot be divided by rollout tensor x expert x data "
			  "parallelism = %ld"),
			samplers, product);
	else if (!free_ones && product != samplers)
		find(j, "rollout", true,
			_("rollout tensor x expert x data parallelism = %ld, but there are %ld "
			  "sampler "
			  "chips"),
			product, samplers);
}

/* Product of the trainer's mesh without data parallelism; 0 when it is wrong (already told). */
static long judge_trainer(struct judge *j)
{
	long trainers = lround((double)j->chips * param(j, "trainer_devices_fraction", 0.5));
	double sum = param(j, "trainer_devices_fraction", 0.5) +
		     param(j, "sampler_devices_fraction", 0.5);
	long fsdp = whole(j, "ici_fsdp_parallelism", -1);
	long tp = whole(j, "ici_tensor_parallelism", 1), ep = whole(j, "ici_expert_parallelism", 1);
	long product = (fsdp > 0 ? fsdp : 1) * (tp > 0 ? tp : 1) * (ep > 0 ? ep : 1);
	int free_ones = (fsdp == -1) + (tp == -1) + (ep == -1);

	if (sum > 1.0 && lround(sum * 1000) != 2000)
		find(j, "trainer", true,
			_("trainer and sampler would share chips: their fractions add up to %g"),
			sum);
	if (free_ones > 1) {
		find(j, "trainer", true, _("only one of the ici parallelisms may be -1"));
		return 0;
	}
	if (trainers % product || (!free_ones && product != trainers)) {
		find(j, "trainer", true,
			_("%ld trainer chips do not match the product of the ici parallelisms, "
			  "%ld"),
			trainers, product);
		return 0;
	}
	return trainers / (tp == -1 ? trainers / product : tp);
}

static void judge_heads(struct judge *j)
{
	long ici = whole(j, "ici_tensor_parallelism", 1);
	long tp = whole(j, "rollout_tensor_parallelism", 1);

	if (ici > 0 && j->r->chips.kv_heads % ici)
		find(j, "heads", true,
			_("the model has layers with %u KV heads: ici_tensor_parallelism %ld does "
			  "not "
			  "divide them"),
			j->r->chips.kv_heads, ici);
	if (tp > 0 && j->r->chips.heads % tp)
		find(j, "heads", true,
			_("the model has %u attention heads: rollout_tensor_parallelism %ld does "
			  "not "
			  "divide them"),
			j->r->chips.heads, tp);
}

static void judge_batch(struct judge *j, long shards)
{
	long batch = whole(j, "batch_size", 1), micro = whole(j, "train_micro_batch_size", -1);
	long generations = whole(j, "rl.num_generations", 2);

	if (micro == -1)
		micro = batch;
	if (batch < 1 || micro < 1) {
		find(j, "batch", true,
			_("batch_size and train_micro_batch_size must be 1 or more"));
		return;
	}
	if (batch % micro)
		find(j, "batch", true,
			_("batch_size %ld must be a multiple of train_micro_batch_size %ld"), batch,
			micro);
	if (generations < 2)
		find(j, "generations", true,
			_("rl.num_generations must be more than 1: rewards are compared in a "
			  "group"));
	else if (shards > 0 && micro * generations % shards)
		find(j, "batch", true,
			_("train_micro_batch_size x rl.num_generations = %ld must be a multiple of "
			  "the "
			  "%ld chips that share a batch"),
			micro * generations, shards);
}

static void judge_lengths(struct judge *j)
{
	long target = whole(j, "max_target_length", 1024);
	long prefill = whole(j, "max_prefill_predict_length", 256);
	long steps = whole(j, "num_batches", 4), period = whole(j, "checkpoint_period", 50);

	if (prefill >= target)
		find(j, "lengths", true,
			_("max_prefill_predict_length %ld must be less than max_target_length %ld: "
			  "nothing is left for the answer"),
			prefill, target);
	if (period > steps)
		find(j, "lengths", false,
			_("a checkpoint every %ld steps, but only %ld steps: only the end is "
			  "saved"),
			period, steps);
}

void rule_training(const struct recipe *r, const struct values *v, struct rule_findings *out)
{
	const char *topology = values_get(v, "TOPOLOGY");
	struct judge j = {r, v, out, topology ? (long)rule_chips(topology) : (long)r->chips.count};
	long shards;

	judge_rollout(&j);
	shards = judge_trainer(&j);
	judge_heads(&j);
	judge_batch(&j, shards);
	judge_lengths(&j);
}
