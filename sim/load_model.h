/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The truth of a training run: what each step and each evaluation measures, from a seed. Values are
 * float32 as the event file stores them. Knows neither logs nor files.
 */
#ifndef RLPILOT_SIM_LOAD_MODEL_H
#define RLPILOT_SIM_LOAD_MODEL_H

#include <stddef.h>
#include <stdint.h>

#define MODEL_METRICS_MAX 24

struct model_metric {
	const char *tag;
	float value;
};

struct model_eval {
	int corr, partial, format, total;
	double mean_reward;
};

/* The rewards and lengths of global step g (0-based): tags "rewards/train/…" and the like. Returns
 * how many. */
size_t model_rewards(uint64_t seed, int g, int steps, int samples, int max_tokens,
	struct model_metric out[MODEL_METRICS_MAX]);
/* The actor's metrics of optimizer step n (1-based). */
size_t model_actor(uint64_t seed, int n, int steps, double rate, int schedule,
	struct model_metric out[MODEL_METRICS_MAX]);
/* Evaluation after n optimizer steps on `total` prompts. */
struct model_eval model_eval(uint64_t seed, int n, int steps, int total);

#endif
