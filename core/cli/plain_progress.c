/* SPDX-License-Identifier: Apache-2.0 */
/* How far a stage is: its bar, steps and evaluations of the training; and what it has made. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/cli/plain_in.h"
#include "core/fmt/quantity.h"

/* A tenth further, or the end, or another bar. */
static bool worth_telling(struct plain_bar *b, int64_t done, int64_t total, const char *unit)
{
	bool fresh = strcmp(b->unit, unit) != 0 || b->total != total || done < b->done;

	if (!fresh && done == b->done)
		return false;
	if (!fresh && done < total && done - b->done < (total + 9) / 10)
		return false;
	(void)snprintf(b->unit, sizeof(b->unit), "%s", unit);
	b->done = done;
	b->total = total;
	return true;
}

void plain_bar(struct plain *p, const struct state *s, const struct event *ev, enum stage_id id)
{
	const struct state_progress *pr = &s->stages[id].progress;

	if (pr->total <= 0 || !*pr->unit || strcmp(pr->unit, "step") == 0 ||
		!worth_telling(&p->bars[id], pr->done, pr->total, pr->unit))
		return;
	if (p->opts->json)
		plain_progress(p, ev->at, id, pr->done, pr->total, pr->unit, pr->text);
	else
		plain_say("  %ss %lld/%lld", pr->unit, (long long)pr->done, (long long)pr->total);
}

void plain_steps(struct plain *p, const struct state *s, const struct event *ev)
{
	const struct training *t = state_training(s);
	double reward = state_reward(s);

	while (p->step < t->step) {
		AUTO_FREE char *text =
			isfinite(reward) ? x_asprintf(" reward %.2f", reward) : x_strdup("");
		p->step++;
		if (p->opts->json)
			plain_progress(
				p, ev->at, STAGE_TRAIN, p->step, t->steps, "step", text + !!*text);
		else
			plain_say("  step %lld/%lld%s", (long long)p->step, (long long)t->steps,
				text);
	}
}

/* People are told the text alone. */
static void tell(struct plain *p, int64_t at, enum stage_id id, int64_t done, int64_t total,
	const char *unit, const char *text)
{
	if (p->opts->json)
		plain_progress(p, at, id, done, total, unit, text);
	else
		plain_say("  %s", text);
}

void plain_text(struct plain *p, int64_t at, enum stage_id id, const char *text)
{
	tell(p, at, id, -1, -1, NULL, text);
}

void plain_evals(struct plain *p, const struct state *s, const struct event *ev)
{
	const struct series *sr = series_find(&s->series, SERIES_EVAL);
	int64_t step = ev->u.log.line->step;

	if (ev->u.log.line->kind != TRAINLOG_EVAL || !sr)
		return;
	for (size_t i = 0; i < sr->n; i++) {
		const struct series_point *at = &sr->items[i];
		AUTO_FREE char *text =
			x_asprintf("eval %lld mean_reward %.4f", (long long)at->step, at->value);
		if (at->step <= p->eval || (step >= 0 && at->step > step))
			continue;
		p->eval = at->step;
		tell(p, ev->at, STAGE_TRAIN, state_training(s)->step, state_training(s)->steps,
			"step", text);
	}
}

void plain_checkpoints(struct plain *p, const struct state *s, const struct event *ev)
{
	for (size_t i = 0; i < s->checkpoints.n; i++) {
		const struct checkpoint *c = &s->checkpoints.items[i];
		AUTO(buf_fini) struct buf text = {0};
		char size[QUANTITY_SIZE];
		if (c->state != CHECKPOINT_COMPLETE || map_get(&p->trees, c->uri))
			continue;
		map_set(&p->trees, c->uri, p);
		buf_addf(&text, "tree %s", checkpoint_tree_name(c->tree));
		if (c->step >= 0)
			buf_addf(&text, " step %lld", (long long)c->step);
		buf_addf(&text, " complete %s", quantity_human(c->bytes, size));
		tell(p, ev->at, s->current, c->objects, c->objects, "object", buf_str(&text));
	}
}

void plain_token_files(struct plain *p, const struct state *s, const struct event *ev)
{
	for (size_t i = 0; i < ev->u.files->n; i++) {
		const char *file = ev->u.files->items[i];
		AUTO_FREE char *text =
			x_asprintf("token in %s, readable by you alone; the clean-up "
				   "deletes it",
				file);
		if (map_get(&p->trees, file))
			continue;
		map_set(&p->trees, file, p);
		plain_text(p, ev->at, s->current, text);
	}
}
