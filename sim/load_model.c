/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/load_model.h"

#include <math.h>

/* Splitmix64 on (seed, place): each value is its own, whatever is asked first. */
static double noise(uint64_t seed, uint64_t place)
{
	uint64_t z = seed * 0x9e3779b97f4a7c15u + place * 0xd1342543de82ef95u + 0x2545f4914f6cdd1du;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* How likely an answer is right, and its format, after the fraction t of the training. */
static double right(uint64_t seed, double t)
{
	double start = 0.62 + 0.08 * noise(seed, 1), gain = 0.17 + 0.08 * noise(seed, 2);

	return start + gain * (1 - exp(-3.2 * t)) + 0.02 * sin(9 * t + 6 * noise(seed, 3));
}

static double formatted(uint64_t seed, double t)
{
	return 0.72 + 0.05 * noise(seed, 4) + 0.25 * (1 - exp(-5.0 * t));
}

struct batch {
	double sum, check, format, max, min;
};

/* Scores are 0, 0.1, 1.0 or 1.1: one answer right counts 1.0, its exact format 0.1. */
static struct batch sample(uint64_t seed, int g, int samples, double t)
{
	struct batch b = {.max = 0, .min = 2};

	for (int i = 0; i < samples; i++) {
		uint64_t place = 1000 + (uint64_t)g * 131 + (uint64_t)i * 2;
		double ok = noise(seed, place) < right(seed, t) ? 1.0 : 0.0;
		double form = noise(seed, place + 1) < formatted(seed, t) ? 0.1 : 0.0;

		b.check += ok / samples;
		b.format += form / samples;
		b.max = fmax(b.max, ok + form);
		b.min = fmin(b.min, ok + form);
	}
	b.sum = b.check + b.format;
	return b;
}

static void put(struct model_metric *out, size_t *n, const char *tag, double value)
{
	out[(*n)++] = (struct model_metric){.tag = tag, .value = (float)value};
}

size_t model_rewards(uint64_t seed, int g, int steps, int samples, int max_tokens,
	struct model_metric out[MODEL_METRICS_MAX])
{
	double t = steps > 1 ? (double)g / (steps - 1) : 0;
	struct batch b = sample(seed, g, samples, t);
	double mean = max_tokens * (0.42 - 0.08 * t + 0.06 * noise(seed, 70000 + (uint64_t)g));
	double longest = fmin(max_tokens, mean * (1.6 + 0.9 * noise(seed, 71000 + (uint64_t)g)));
	size_t n = 0;

	put(out, &n, "rewards/train/sum", b.sum);
	put(out, &n, "rewards/train/score/mean", b.sum);
	put(out, &n, "rewards/train/score/max", b.max);
	put(out, &n, "rewards/train/score/min", b.min);
	put(out, &n, "rewards/train/mean", b.sum / 3);
	put(out, &n, "rewards/train/min", 0);
	put(out, &n, "rewards/train/max", b.check);
	put(out, &n, "rewards/train/check_numbers", b.check);
	put(out, &n, "rewards/train/match_format_exactly", b.format);
	put(out, &n, "rewards/train/match_format_approximately", 0);
	put(out, &n, "completions/train/mean_length", mean);
	put(out, &n, "completions/train/max_length", floor(longest));
	put(out, &n, "completions/train/min_length",
		floor(mean * (0.35 + 0.2 * noise(seed, 72000 + (uint64_t)g))));
	put(out, &n, "global/train/actor_dequeue_time", 20 + 6 * noise(seed, 73000 + (uint64_t)g));
	return n;
}

/* Warm-up over a tenth of the schedule, then cosine to 0 (facts: one step ahead). */
static double learning_rate(int n, double rate, int schedule)
{
	int warm = schedule / 10;

	if (n < warm)
		return rate * n / warm;
	return n >= schedule ? 0 : rate * 0.5 * (1 + cos(M_PI * (n - warm) / (schedule - warm)));
}

size_t model_actor(uint64_t seed, int n, int steps, double rate, int schedule,
	struct model_metric out[MODEL_METRICS_MAX])
{
	double t = steps > 1 ? (double)n / steps : 1;
	double kl = 0.055 * t * (0.7 + 0.6 * noise(seed, 80000 + (uint64_t)n)) -
		    0.002 * noise(seed, 81000 + (uint64_t)n);
	double loss = 0.08 * kl + 0.0006 * (noise(seed, 82000 + (uint64_t)n) - 0.5);
	size_t i = 0;

	put(out, &i, "actor/train/loss", loss);
	put(out, &i, "actor/train/perplexity", exp((float)loss));
	put(out, &i, "actor/train/learning_rate", learning_rate(n, rate, schedule));
	put(out, &i, "actor/train/grad_norm", 0.05 + 0.07 * noise(seed, 83000 + (uint64_t)n));
	put(out, &i, "actor/train/kl", kl);
	put(out, &i, "actor/train/pg_clipfrac", 0);
	put(out, &i, "actor/train/sampler_is/weight_mean", 1);
	put(out, &i, "actor/train/sampler_is/weight_min", 1);
	return i;
}

struct model_eval model_eval(uint64_t seed, int n, int steps, int total)
{
	double t = steps > 0 ? fmin(1, (double)n / steps) : 1;
	struct model_eval e = {.total = total};

	for (int i = 0; i < total; i++) {
		/* the prompts are always the same: each turns right once the model is good enough
		 */
		double hard = 0.94 * noise(seed, 90000 + (uint64_t)i) +
			      0.06 * noise(seed, 91000 + (uint64_t)(n * 100 + i));

		e.corr += hard < right(seed, t);
		e.partial += hard < right(seed, t) + 0.05;
		e.format += noise(seed, 95000 + (uint64_t)i) < formatted(seed, t);
	}
	e.mean_reward = total > 0 ? (e.corr + 0.1 * e.format) / total : 0;
	return e;
}
