/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/training.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"

#define MINUTE 60000

struct param {
	const char *name;
	size_t offset;
};

static const struct param params[] = {
	{"steps", offsetof(struct training, steps)},
	{"batch_size", offsetof(struct training, batch_size)},
	{"eval_interval", offsetof(struct training, eval_interval)},
	{"checkpoint_period", offsetof(struct training, checkpoint_period)},
	{"num_test_batches", offsetof(struct training, eval_prompts)},
};

static void enter(struct training *t, enum training_phase p, int64_t at)
{
	if (t->phase == p)
		return;
	t->phase = p;
	t->phase_since = at;
	t->phase_done = t->phase_total = 0;
}

static enum training_phase resting(const struct training *t)
{
	if (t->steps > 0 && t->step >= t->steps)
		return t->saving ? TRAINING_SAVE : TRAINING_NO_PHASE;
	return t->started && !t->finished ? TRAINING_ROLLOUT : TRAINING_NO_PHASE;
}

/* The first block is the program's own; vLLM prints a second one. */
static void on_param(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	(void)at;
	(void)series;
	for (size_t i = 0; i < COUNT(params); i++) {
		int64_t *field = (int64_t *)(void *)((char *)t + params[i].offset);
		int64_t v;

		if (strcmp(params[i].name, ev->name) || *field)
			continue;
		if (!text_to_i64(ev->text, 1, INT32_MAX, &v))
			*field = v;
	}
}

static void completed(struct training *t, int64_t step, int64_t at)
{
	if (step <= t->step)
		return;
	if (t->step > 0 && step == t->step + 1 && t->step_at && !t->step_has_eval &&
		at > t->step_at)
		t->times[t->n_times++ % TRAINING_TIMES] = at - t->step_at;
	t->step = step;
	t->step_at = at;
	t->step_has_eval = false;
	t->started = true;
}

static void on_step(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	completed(t, ev->step, at);
	if (ev->cause) {
		t->cause = ev->cause;
		snprintf(t->error, sizeof(t->error), "loss %g at step %lld", ev->value,
			(long long)ev->step);
	}
	if (series) {
		series_put(series, SERIES_LOSS, ev->step, ev->value, at, SERIES_LOG);
		series_put(series, SERIES_PERPLEXITY, ev->step, ev->value2, at, SERIES_LOG);
	}
}

static void on_trajectory(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	(void)series;
	if (t->batch_size > 0)
		completed(t, ev->done / t->batch_size + 1, at);
}

static void on_eval(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	int64_t step = ev->step;

	if (step < 0)
		step = (t->steps ? t->steps : t->step) + 1;
	t->eval_step = step;
	t->step_has_eval = true;
	if (series && !isnan(ev->value))
		series_put(series, SERIES_EVAL, step, ev->value, at, SERIES_LOG);
	if (t->phase == TRAINING_EVAL)
		enter(t, resting(t), at);
}

static void on_eval_part(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	(void)series;
	enter(t, TRAINING_EVAL, at);
	t->step_has_eval = true;
	t->phase_done = ev->done;
	t->phase_total = t->eval_prompts * t->batch_size;
}

static void on_prompt(struct training *t, const struct trainlog_event *ev, int64_t at)
{
	if (t->phase == TRAINING_COMPILE || t->phase == TRAINING_EVAL)
		return;
	enter(t, t->started ? TRAINING_ROLLOUT : TRAINING_EVAL, at);
	if (!t->started)
		return;
	t->phase_done = ev->done;
	t->phase_total = ev->total;
	if (ev->total > 0 && ev->done >= ev->total && !strcmp(ev->name, "prompt"))
		enter(t, TRAINING_TRAIN, at);
}

/* A bar that is another one, or begins again, is measured anew. */
static void move_bar(struct training *t, const char *unit, int64_t done, int64_t total, int64_t at)
{
	if (!t->unit || strcmp(t->unit, unit) != 0 || total != t->total || !t->bar_at) {
		t->bar_done = done;
		t->bar_at = at;
	}
	t->unit = unit;
	t->done = done;
	t->total = total;
	t->bar_now = at;
}

static void on_bar(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	(void)series;
	if (!strcmp(ev->name, "prompt") || !strcmp(ev->name, "request")) {
		on_prompt(t, ev, at);
	} else if (!strcmp(ev->name, "tensor") && ev->done >= t->done) {
		move_bar(t, "tensor", ev->done, ev->total, at);
	}
}

static void on_upload(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	uint64_t bit = 1ULL << (ev->done % 64);
	size_t word = (size_t)ev->done / 64;

	int64_t done;

	(void)series;
	if (ev->total <= 0 || ev->done < 1 || word >= COUNT(t->shards) || t->shards[word] & bit)
		return;
	done = t->unit && strcmp(t->unit, "file") == 0 ? t->done : 0;
	t->shards[word] |= bit;
	move_bar(t, "file", done + 1, ev->total, at);
}

static void on_sync(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	(void)series;
	enter(t, TRAINING_SYNC, at);
	t->loops = 0;
	t->phase_total = t->sync_parts;
	if (ev->kind == TRAINLOG_SYNC_PART)
		t->phase_done++;
	if (ev->kind != TRAINLOG_SYNC_END)
		return;
	if (!t->sync_parts)
		t->sync_parts = t->phase_done;
	t->syncs++;
	enter(t, resting(t), at);
}

static void on_compile(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	(void)series;
	if (ev->done == 0 || !t->started)
		enter(t, TRAINING_COMPILE, at);
	else if (t->phase == TRAINING_COMPILE)
		enter(t, TRAINING_TRAIN, at);
}

static void on_loop(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	(void)ev;
	(void)series;
	t->loops++;
	enter(t, TRAINING_TRAIN, at);
}

static void begin_part(struct training *t, const char *word, int64_t at)
{
	static const char *const words[PART_COUNT] = {
#define X(name, word) [name] = (word),
		TRAINING_PARTS(X)
#undef X
	};

	for (size_t i = 0; i < PART_COUNT; i++)
		if (strcmp(words[i], word) == 0 && !t->parts[i])
			t->parts[i] = at;
}

static void on_milestone(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	(void)series;
	begin_part(t, ev->name, at);
	if (!strcmp(ev->name, "train-start")) {
		t->started = true;
		enter(t, TRAINING_ROLLOUT, at);
	} else if (!strcmp(ev->name, "eval-question")) {
		enter(t, TRAINING_EVAL, at);
		t->step_has_eval = true;
	}
}

static void on_error(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	(void)at;
	(void)series;
	snprintf(t->error, sizeof(t->error), "%s", ev->text);
	t->cause = ev->cause;
}

static void on_save(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	(void)series;
	t->saving = ev->kind == TRAINLOG_SAVE_START;
	if (t->saving)
		begin_part(t, "write", at);
	if (t->saving)
		enter(t, TRAINING_SAVE, at);
	else if (t->phase == TRAINING_SAVE)
		enter(t, resting(t), at);
}

static void on_done(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	(void)ev;
	(void)series;
	t->finished = true;
	enter(t, TRAINING_NO_PHASE, at);
}

static void on_exit_code(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	(void)at;
	(void)series;
	t->exited = true;
	t->exit_code = (int)ev->done;
}

static void (*const handlers[])(
	struct training *, const struct trainlog_event *, int64_t, struct series_set *) = {
	[TRAINLOG_PARAM] = on_param,
	[TRAINLOG_STEP] = on_step,
	[TRAINLOG_TRAJECTORY] = on_trajectory,
	[TRAINLOG_EVAL] = on_eval,
	[TRAINLOG_EVAL_PART] = on_eval_part,
	[TRAINLOG_BAR] = on_bar,
	[TRAINLOG_UPLOAD] = on_upload,
	[TRAINLOG_LOOP] = on_loop,
	[TRAINLOG_SYNC_START] = on_sync,
	[TRAINLOG_SYNC_PART] = on_sync,
	[TRAINLOG_SYNC_END] = on_sync,
	[TRAINLOG_COMPILE] = on_compile,
	[TRAINLOG_SAVE_START] = on_save,
	[TRAINLOG_SAVE_END] = on_save,
	[TRAINLOG_MILESTONE] = on_milestone,
	[TRAINLOG_DONE] = on_done,
	[TRAINLOG_EXIT] = on_exit_code,
	[TRAINLOG_ERROR] = on_error,
};

bool training_apply(
	struct training *t, const struct trainlog_event *ev, int64_t at, struct series_set *series)
{
	if (!t->first_line)
		t->first_line = at;
	if (at > t->last_line)
		t->last_line = at;
	if ((size_t)ev->kind >= COUNT(handlers) || !handlers[ev->kind])
		return false;
	handlers[ev->kind](t, ev, at, series);
	return true;
}

static int by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int64_t training_step_ms(const struct training *t)
{
	int64_t sorted[TRAINING_TIMES];
	size_t n = t->n_times < TRAINING_TIMES ? t->n_times : TRAINING_TIMES;

	if (!n)
		return -1;
	memcpy(sorted, t->times, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

int64_t training_eta_ms(const struct training *t)
{
	int64_t each = training_step_ms(t);

	if (t->finished || (t->steps > 0 && t->step >= t->steps))
		return 0;
	if (each < 0 || t->steps <= 0)
		return -1;
	return (t->steps - t->step) * each;
}

double training_bar_rate(const struct training *t)
{
	int64_t span = t->bar_now - t->bar_at;

	if (!t->bar_at || span <= 0 || t->done <= t->bar_done)
		return 0;
	return (double)(t->done - t->bar_done) * MINUTE / (double)span;
}

int64_t training_bar_eta_ms(const struct training *t)
{
	double rate = training_bar_rate(t);

	if (rate <= 0 || t->total <= 0)
		return -1;
	return t->done >= t->total ? 0 : (int64_t)((double)(t->total - t->done) / rate * MINUTE);
}

const char *training_phase_name(enum training_phase p)
{
	static const char *const names[] = {[TRAINING_NO_PHASE] = "",
#define X(name, word) [name] = word,
		TRAINING_PHASES(X)
#undef X
	};

	return (size_t)p < COUNT(names) ? names[p] : "";
}

int64_t training_quiet_ms(const struct training *t)
{
	if (t->phase == TRAINING_COMPILE)
		return 25 * MINUTE;
	if (!t->started)
		return 30 * MINUTE;
	return 15 * MINUTE;
}
