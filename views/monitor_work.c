/* SPDX-License-Identifier: Apache-2.0 */
/* A conversion or export in the monitor: how far, how fast, in which of its parts. */
#include "views/monitor.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/fmt/quantity.h"
#include "tui/widget/gauge.h"

#include <inttypes.h>
#include <string.h>

static const char *const part_texts[PART_COUNT] = {
	[PART_INDEX] = N_("reads the index"),
	[PART_PREPARE] = N_("prepares the weights"),
	[PART_LOAD] = N_("downloads and loads tensors"),
	[PART_WRITE] = N_("writes the checkpoint"),
	[PART_OPEN] = N_("loads the checkpoint"),
	[PART_TRANSFORM] = N_("transforms the weights"),
	[PART_UPLOAD] = N_("uploads the shards"),
};

static void span_of(enum stage_id id, size_t *first, size_t *last)
{
	*first = id == STAGE_EXPORT ? PART_OPEN : PART_INDEX;
	*last = id == STAGE_EXPORT ? PART_UPLOAD : PART_WRITE;
}

enum stage_id monitor_work_stage(const struct state *s)
{
	static const enum stage_id ids[] = {STAGE_CONVERT, STAGE_EXPORT};
	for (size_t i = 0; i < COUNT(ids); i++)
		if (stage_state_works(s->stages[ids[i]].state))
			return ids[i];
	return STAGE_NONE;
}

const char *monitor_work_title(enum stage_id id)
{
	return id == STAGE_EXPORT ? _("export") : _("conversion");
}

/* The part that runs: the last one that has begun; PART_COUNT = none yet. */
static size_t part_now(const struct training *t, enum stage_id id)
{
	size_t first, last, now = PART_COUNT;
	span_of(id, &first, &last);
	for (size_t i = first; i <= last; i++)
		if (t->parts[i])
			now = i;
	return now;
}

void monitor_work_speed(const struct training *t, struct buf *out)
{
	char eta[SPAN_SIZE];
	if (t->total <= 0 || !t->unit)
		return;
	buf_addf(out, "%s %" PRId64 "/%" PRId64, _(t->unit), t->done, t->total);
	if (training_bar_eta_ms(t) > 0)
		buf_addf(out, _("   ETA %s"), span_text(training_bar_eta_ms(t), eta));
}

static int draw_bar(const struct training *t, struct surface *s)
{
	char eta[SPAN_SIZE];
	double rate = training_bar_rate(t);
	if (t->total <= 0 || !t->unit) {
		surface_cut(s, 0, 0, s->w, ROLE_DIM, _("no count yet"));
		return 1;
	}
	AUTO_FREE char *unit = x_asprintf("%s ", _(t->unit));
	int x = surface_cut(s, 0, 0, s->w / 3, ROLE_TEXT, unit);
	gauge_draw(s, 0, x, s->w - x - 1, t->done, t->total);
	if (rate <= 0)
		return 1;
	if (training_bar_eta_ms(t) > 0)
		surface_textf(s, 1, 0, -1, ROLE_DIM, _("%.1f a minute, %s to go"), rate,
			span_text(training_bar_eta_ms(t), eta));
	else
		surface_textf(s, 1, 0, -1, ROLE_DIM, _("%.1f a minute"), rate);
	return 2;
}

/* What has arrived in the bucket, of what is expected. */
static int draw_tree(const struct monitor *m, enum stage_id id, struct surface *s, int y)
{
	const struct recipe *r = view_recipe(m->view);
	const struct recipe_stage *stage = r ? recipe_stage(r, stage_word(id)) : NULL;
	uint64_t want = 0;
	int64_t bytes = 0;
	char have[QUANTITY_SIZE], all[QUANTITY_SIZE];
	if (!stage || !stage->tree || y >= s->h)
		return 0;
	for (size_t i = 0; i < r->watch.trees.n; i++)
		if (strcmp(r->watch.trees.items[i].id, stage->tree) == 0)
			want = r->watch.trees.items[i].bytes;
	for (size_t i = 0; i < m->state->checkpoints.n; i++)
		if (strcmp(checkpoint_tree_name(m->state->checkpoints.items[i].tree),
			    stage->tree) == 0)
			bytes += m->state->checkpoints.items[i].bytes;
	surface_textf(s, y, 0, -1, ROLE_DIM, _("%s: %s of about %s"), stage->tree,
		quantity_human(bytes, have), quantity_human((int64_t)want, all));
	return 1;
}

void monitor_work(const struct monitor *m, enum stage_id id, struct surface *s)
{
	const struct training *t = &m->state->work[id];
	size_t first, last, now = part_now(t, id);
	char at[SPAN_SIZE];
	int y = draw_bar(t, s);
	y += draw_tree(m, id, s, y);
	span_of(id, &first, &last);
	for (size_t i = first; i <= last && y < s->h; i++, y++) {
		bool begun = t->parts[i] != 0, over = begun && (i != now || t->finished);
		enum role role = over ? ROLE_OK : begun ? ROLE_BUSY : ROLE_DIM;
		surface_put(s, y, 0, role,
			glyph(over ? GLYPH_DONE : stage_state_glyph(begun ? ST_RUNNING : ST_TODO)));
		surface_cut(
			s, y, 2, s->w - 9, begun && !over ? ROLE_TEXT : ROLE_DIM, _(part_texts[i]));
		if (begun)
			surface_right(s, y, s->w - 1, 6, ROLE_DIM, time_text(t->parts[i], at));
	}
}

void monitor_work_phase(const struct monitor *m, enum stage_id id, struct surface *s)
{
	const struct training *t = &m->state->work[id];
	size_t now = part_now(t, id);
	char span[SPAN_SIZE];
	if (now == PART_COUNT)
		surface_cut(s, 0, 0, s->w, ROLE_DIM, _("the pod starts"));
	else
		surface_textf(s, 0, 0, -1, ROLE_TEXT, "%s  %s", _(part_texts[now]),
			span_text(clock_now() - t->parts[now], span));
	if (t->last_line)
		surface_textf(s, 1, 0, -1, ROLE_DIM, _("last line %s ago"),
			span_text(clock_now() - t->last_line, span));
	surface_textf(s, 2, 0, -1, ROLE_DIM, _("quiet is normal for %s"),
		span_text(training_quiet_ms(t), span));
}
