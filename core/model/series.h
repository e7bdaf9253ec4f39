/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Curves: named points by step, merged from two sources. One point a step; a point of an event file
 * wins over one of the log, a later one over an earlier one of the same source. Steps are 1-based
 * on both sides, evaluations are `eval/mean_reward` at 0, 10 … and steps + 1 = after training.
 */
#ifndef RLPILOT_MODEL_SERIES_H
#define RLPILOT_MODEL_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/base/map.h"

#define SERIES_REWARD     "rewards/train/sum"
#define SERIES_EVAL       "eval/mean_reward"
#define SERIES_LOSS       "actor/train/loss"
#define SERIES_PERPLEXITY "actor/train/perplexity"

enum series_source {
	SERIES_LOG,
	SERIES_EVENT,
};

struct series_point {
	int64_t step;
	double value;
	int64_t wall_ms;
	enum series_source source;
};

struct series {
	char *name;
	struct series_point *items; /* ascending by step */
	size_t n, cap;
};

struct series_set {
	struct map map; /* name -> struct series */
};

void series_set_fini(struct series_set *s);
/* True when something changed. */
bool series_put(struct series_set *s, const char *name, int64_t step, double value, int64_t wall_ms,
	enum series_source source);
const struct series *series_find(const struct series_set *s, const char *name); /* or NULL */
/* Newest point, NULL if there is none. */
const struct series_point *series_last(const struct series *s);
/* Names in order of bytes; the array (of borrowed strings) is the caller's, *n gets the count. */
const char **series_names(const struct series_set *s, size_t *n);
/* header + rows of the contract, sorted by series, then step. */
void series_csv(const struct series_set *s, struct buf *out);
/* One row; used by series_csv. */
void series_csv_row(struct buf *out, const char *name, const struct series_point *p);
/* 9 significant digits, nan, inf, -inf. */
void series_number(double v, struct buf *out);
/* 1-based step of a point in an event file: rewards/, completions/ and global/ count from 0 there,
 * actor/ from 1 (facts on MaxText §2.2). */
int64_t series_event_step(const char *tag, int64_t step);
const char *series_source_name(enum series_source s); /* log, event */
/* Exponential smoothing, weight 0..1 of the past, bias corrected as TensorBoard does; out has n. */
void series_smooth(const struct series *s, double weight, double *out);

#endif
