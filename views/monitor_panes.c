/* SPDX-License-Identifier: Apache-2.0 */
/* Head, curve, checkpoints and phase of the monitor. */
#include "views/monitor.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/fmt/quantity.h"
#include "core/fmt/time.h"
#include "tui/widget/chart.h"
#include "tui/widget/gauge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *word;
	int64_t old_ms; /* from here on it is worth a look */
} hearts[HEART_COUNT] = {
	[HEART_LOG] = {N_("log"), 15 * 60000},
	[HEART_WATCH] = {N_("watch"), 5 * 60000},
	[HEART_METRICS] = {N_("metrics"), 10 * 60000},
	[HEART_API] = {N_("api"), 2 * 60000},
};

static void head_first(const struct monitor *m, struct surface *s)
{
	const struct state *st = m->state;
	const struct training *t = state_training(st);
	char took[SPAN_SIZE], eta[SPAN_SIZE];
	AUTO(buf_fini) struct buf what = {0}, cost = {0};
	const char *name = st->current == STAGE_NONE ? _("monitor") : stage_word(st->current);
	enum stage_id work = monitor_work_stage(st);
	if (work != STAGE_NONE)
		monitor_work_speed(&st->work[work], &what);
	else if (t->steps > 0)
		buf_addf(&what, _("step %" PRId64 "/%" PRId64), t->step, t->steps);
	else if (st->phase != JOBSET_ABSENT)
		buf_adds(&what, jobset_phase_text(st->phase));
	if (st->current != STAGE_NONE && st->stages[st->current].started)
		buf_addf(&what, "   %s", span_text(stage_took(&st->stages[st->current]), took));
	if (work == STAGE_NONE && training_eta_ms(t) >= 0 && t->step < t->steps)
		buf_addf(&what, _("   ETA %s"), span_text(training_eta_ms(t), eta));
	if (st->cost.chips > 0)
		buf_addf(&cost, _("%" PRId64 " chips  %.1f chip-h"), st->cost.chips,
			cost_chip_hours(&st->cost, clock_now()));
	head_draw(s, st, name, buf_str(&what), buf_str(&cost));
}

static int heart_draw(struct surface *s, int x, const char *word, int64_t age, int64_t old)
{
	char span[SPAN_SIZE];
	enum role role = age < 0 ? ROLE_DIM : age > old ? ROLE_WARN : ROLE_OK;
	x += surface_text(s, 1, x, -1, ROLE_DIM, word);
	x += 1 + surface_text(s, 1, x + 1, -1, role, span_text(age, span));
	return x + 2;
}

static void head_safe(const struct state *st, struct surface *s, int from)
{
	const struct training *t = state_training(st);
	int64_t safe = state_safe_step(st);
	AUTO(buf_fini) struct buf text = {0};
	int64_t due = checkpoint_next_due(t->step, t->checkpoint_period, t->steps);
	if (safe >= 0)
		buf_addf(&text, _("safe checkpoint: step %" PRId64), safe);
	else
		buf_adds(&text, state_trees_known(st) ? _("safe checkpoint: none")
						      : _("safe checkpoint: not known"));
	size_t plain = text.len;
	if (due > 0 && safe < due)
		buf_addf(&text, _(", next at %" PRId64), due);
	if (text_width(buf_str(&text)) >= s->w - from - 1)
		text.data[text.len = plain] = '\0';
	if (text_width(buf_str(&text)) < s->w - from - 1)
		surface_right(s, 1, s->w - 1, -1, safe >= 0 ? ROLE_OK : ROLE_TEXT, buf_str(&text));
}

void monitor_head(const struct monitor *m, struct surface *s)
{
	const struct state *st = m->state;
	int64_t now = clock_now();
	int x = 1;
	head_first(m, s);
	for (int i = 0; i < HEART_COUNT; i++)
		x = heart_draw(s, x, _(hearts[i].word),
			st->heartbeats[i] ? now - st->heartbeats[i] : -1, hearts[i].old_ms);
	x = heart_draw(s, x, _("engine"), st->engine_beat ? now - st->engine_beat : -1,
		(int64_t)(60000 * clock_factor()));
	head_safe(st, s, x);
}

/* --- the curve */

static struct chart_point *points_of(const struct series *s, size_t *n)
{
	struct chart_point *p = x_calloc(s ? s->n : 1, sizeof(*p));
	*n = s ? s->n : 0;
	for (size_t i = 0; i < *n; i++)
		p[i] = (struct chart_point){s->items[i].step, s->items[i].value};
	return p;
}

static int chart_evals(const struct series *s, struct surface *out, int y)
{
	AUTO(buf_fini) struct buf text = {0};
	if (!s || s->n == 0)
		return 0;
	buf_addf(&text, "%s %s", glyph_str(GLYPH_POINT), _("eval"));
	for (size_t i = 0; i < s->n; i++)
		buf_addf(&text, " %.3f", s->items[i].value);
	if (text_width(buf_str(&text)) > out->w && s->n > 1) {
		buf_clear(&text);
		buf_addf(&text, _("%s eval %.3f %s %.3f"), glyph_str(GLYPH_POINT),
			s->items[0].value, glyph_str(GLYPH_ARROW), s->items[s->n - 1].value);
	}
	surface_cut(out, y, 0, out->w, ROLE_POINT, buf_str(&text));
	return 1;
}

void monitor_chart(const struct monitor *m, struct surface *s)
{
	const struct series *reward = series_find(&m->state->series, SERIES_REWARD);
	const struct series *eval = series_find(&m->state->series, SERIES_EVAL);
	const struct training *t = state_training(m->state);
	struct chart c = {0};
	AUTO_FREE struct chart_point *bars = points_of(reward, &c.n_bars);
	AUTO_FREE struct chart_point *points = points_of(eval, &c.n_points);
	if (c.n_bars + c.n_points == 0) {
		surface_wrap(s, 0, 0, s->h, s->w, ROLE_DIM,
			_("no reward yet: the first step comes after loading and compiling"));
		return;
	}
	c.bars = bars;
	c.points = points;
	if (t->steps > 1)
		c.x_max = t->steps;
	int evals = s->h >= 6 ? chart_evals(eval, s, s->h - 1) : 0;
	struct surface plot = surface_sub(s, 0, 0, s->h - evals, s->w);
	chart_draw(&c, &plot);
}

/* --- checkpoints */

static enum role checkpoint_role(enum checkpoint_state st)
{
	return st == CHECKPOINT_COMPLETE    ? ROLE_OK
	       : st == CHECKPOINT_WRITING   ? ROLE_BUSY
	       : st == CHECKPOINT_ABANDONED ? ROLE_BAD
					    : ROLE_DIM;
}

static void checkpoint_row(const struct checkpoint *c, int64_t now, struct surface *s, int y)
{
	char size[QUANTITY_SIZE], age[SPAN_SIZE];
	AUTO(buf_fini) struct buf name = {0};
	buf_adds(&name, checkpoint_tree_name(c->tree));
	if (c->step >= 0)
		buf_addf(&name, "/%" PRId64, c->step);
	int x = s->w >= 48 ? 20 : 18;
	surface_cut(s, y, 0, x - 1, ROLE_TEXT, buf_str(&name));
	surface_cut(s, y, x, 9, checkpoint_role(c->state), checkpoint_state_text(c->state));
	surface_right(s, y, x + 20, 10, ROLE_TEXT, quantity_human(c->bytes, size));
	if (s->w > x + 27 && c->last_ms != TIME_NONE)
		surface_right(s, y, s->w - 1, 7, ROLE_DIM, span_text(now - c->last_ms, age));
}

void monitor_checkpoints(const struct monitor *m, struct surface *s)
{
	const struct checkpoint_list *l = &m->state->checkpoints;
	const struct training *t = state_training(m->state);
	int64_t now = clock_now();
	int y = 0;
	bool seen[CHECKPOINT_TREE_COUNT] = {false};
	for (size_t i = 0; i < l->n && y < s->h; i++) {
		seen[l->items[i].tree] = true;
		checkpoint_row(&l->items[i], now, s, y++);
	}
	for (int tree = 0; tree < CHECKPOINT_TREE_COUNT && y < s->h; tree++) {
		if (seen[tree])
			continue;
		surface_cut(
			s, y, 0, 17, ROLE_DIM, checkpoint_tree_name((enum checkpoint_tree)tree));
		int64_t due = checkpoint_next_due(t->step, t->checkpoint_period, t->steps);
		if (!state_trees_known(m->state))
			surface_cut(s, y, 18, -1, ROLE_DIM, _("not known yet"));
		else if (tree == CHECKPOINT_TRAINED && due > 0)
			surface_textf(s, y, 18, -1, ROLE_DIM, _("first at step %" PRId64), due);
		else
			surface_cut(
				s, y, 18, -1, ROLE_DIM, checkpoint_state_text(CHECKPOINT_ABSENT));
		y++;
	}
}

/* --- phase */

void monitor_phase(const struct monitor *m, struct surface *s)
{
	const struct training *t = state_training(m->state);
	char span[SPAN_SIZE], median[SPAN_SIZE];
	int x = 0;
	for (enum training_phase p = TRAINING_ROLLOUT; p <= TRAINING_SAVE; p++) {
		const char *word = training_phase_text(p);
		bool now = p == t->phase;
		x += surface_cut(s, 0, x, s->w - x, now ? ROLE_BUSY : ROLE_DIM, word) + 1;
	}
	if (t->phase == TRAINING_NO_PHASE) {
		surface_cut(s, 1, 0, s->w, ROLE_DIM, _("nothing is being trained now"));
		return;
	}
	AUTO(buf_fini) struct buf now = {0};
	buf_addf(&now, _("now: %s"), training_phase_text(t->phase));
	if (t->phase_since)
		buf_addf(&now, " %s", span_text(clock_now() - t->phase_since, span));
	x = surface_cut(s, 1, 0, s->w, ROLE_TEXT, buf_str(&now)) + 2;
	if (t->phase_total > 0 && s->w - x > 8)
		gauge_draw(s, 1, x, s->w - x - 1, t->phase_done, t->phase_total);
	else if (t->phase_done > 0)
		surface_textf(s, 1, x, -1, ROLE_TEXT, "%" PRId64, t->phase_done);
	AUTO(buf_fini) struct buf usual = {0};
	(void)span_text(training_quiet_ms(t), span);
	if (training_step_ms(t) > 0)
		buf_addf(&usual, _("%s a step; quiet for %s is normal"),
			span_text(training_step_ms(t), median), span);
	else
		buf_addf(&usual, _("quiet is normal for %s"), span);
	surface_cut(s, 2, 0, s->w, ROLE_DIM, buf_str(&usual));
}
