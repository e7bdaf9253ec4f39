/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dashboard: alive? which step? what changed? is there a safe checkpoint? what now? Six panes;
 * a digit shows one alone. Never leaves because of the network: ages show what is old.
 */
#include "views/monitor.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "tui/layout.h"
#include "tui/term.h"
#include "views/views.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum pane {
	PANE_PODS,
	PANE_CHART,
	PANE_CHECKPOINTS,
	PANE_EVENTS,
	PANE_PHASE,
	PANE_ALERTS,
	PANE_COUNT
};

static void pane_pods(struct monitor *m, struct surface *s)
{
	monitor_pods(m, s);
}

static void pane_chart(struct monitor *m, struct surface *s)
{
	enum stage_id work = monitor_work_stage(m->state);
	if (work != STAGE_NONE)
		monitor_work(m, work, s);
	else
		monitor_chart(m, s);
}

static void pane_checkpoints(struct monitor *m, struct surface *s)
{
	monitor_checkpoints(m, s);
}

static void pane_phase(struct monitor *m, struct surface *s)
{
	enum stage_id work = monitor_work_stage(m->state);
	if (work != STAGE_NONE)
		monitor_work_phase(m, work, s);
	else
		monitor_phase(m, s);
}

static const struct {
	const char *title;
	void (*draw)(struct monitor *, struct surface *);
} panes[PANE_COUNT] = {
	[PANE_PODS] = {N_("pods"), pane_pods},
	[PANE_CHART] = {N_("reward by step"), pane_chart},
	[PANE_CHECKPOINTS] = {N_("checkpoints"), pane_checkpoints},
	[PANE_EVENTS] = {N_("events, warnings first"), monitor_events},
	[PANE_PHASE] = {N_("phase of this step"), pane_phase},
	[PANE_ALERTS] = {N_("alerts"), monitor_alerts},
};

static void title_pods(const struct state *s, struct buf *out)
{
	const char *name;
	void *value;
	size_t ready = 0;
	for (size_t i = 0; map_next(&s->pods, &i, &name, &value);) {
		const struct pod *p = value;
		ready += p->is_ready || p->exit_code == 0;
	}
	if (s->pods.live)
		buf_addf(out, " %zu/%zu", ready, s->pods.live);
}

static void title_phase(const struct state *s, struct buf *out)
{
	const struct training *t = state_training(s);
	int64_t step = t->step + 1 > t->steps ? t->steps : t->step + 1;
	if (t->steps)
		buf_addf(out, " %" PRId64, step);
}

static void pane_title(const struct monitor *m, enum pane p, struct buf *out)
{
	enum stage_id work = monitor_work_stage(m->state);
	if (work != STAGE_NONE && (p == PANE_CHART || p == PANE_PHASE)) {
		buf_addf(out, "%d %s", (int)p + 1,
			p == PANE_CHART ? monitor_work_title(work) : _("now"));
		return;
	}
	buf_addf(out, "%d %s", (int)p + 1, _(panes[p].title));
	if (p == PANE_PODS)
		title_pods(m->state, out);
	else if (p == PANE_PHASE)
		title_phase(m->state, out);
	else if (p == PANE_CHART && isfinite(state_reward(m->state)))
		buf_addf(out, "  %.3f", state_reward(m->state));
	else if (p == PANE_ALERTS && state_alerts_raised(m->state))
		buf_addf(out, " %d", state_alerts_raised(m->state));
}

static void pane_draw(struct monitor *m, enum pane p, struct surface *s)
{
	AUTO(buf_fini) struct buf title = {0};
	if (s->h < 1)
		return;
	pane_title(m, p, &title);
	surface_rule(s, 0, buf_str(&title), NULL);
	struct surface in = surface_sub(s, 1, 1, s->h - 1, s->w - 1);
	panes[p].draw(m, &in);
}

/* Panes one above the other; those without room go in the order of the sketches. */
static void column_draw(struct monitor *m, struct surface *s, const enum pane *list,
	const struct split *parts, size_t n)
{
	struct surface rows[PANE_COUNT];
	layout_rows(s, parts, n, rows);
	for (size_t i = 0; i < n; i++)
		pane_draw(m, list[i], &rows[i]);
}

static void two_columns(struct monitor *m, struct surface *s)
{
	static const enum pane left[] = {PANE_PODS, PANE_CHECKPOINTS, PANE_EVENTS};
	static const enum pane right[] = {PANE_CHART, PANE_PHASE, PANE_ALERTS};
	bool tall = s->h >= 30;
	const struct split left_parts[] = {
		{.fixed = tall ? 14 : 7},
		{.fixed = tall ? 10 : 6, .drop = 1},
		{.weight = 1, .min = 3, .drop = 2},
	};
	const struct split right_parts[] = {
		{.weight = 3, .min = 7},
		{.fixed = 4, .drop = 1},
		{.weight = 1, .min = 3, .drop = 2},
	};
	const struct split halves[] = {{.weight = 1}, {.weight = 1}};
	struct surface cols[2];
	layout_cols(s, halves, 2, cols);
	column_draw(m, &cols[0], left, left_parts, 3);
	struct surface r = surface_sub(&cols[1], 0, 1, cols[1].h, cols[1].w - 1);
	column_draw(m, &r, right, right_parts, 3);
	surface_vrule(&cols[1], 0);
	surface_put(&cols[1], 0, 0, ROLE_RULE, glyph(GLYPH_TEE_DOWN));
}

static void three_columns(struct monitor *m, struct surface *s)
{
	static const enum pane left[] = {PANE_PODS, PANE_EVENTS},
			       middle[] = {PANE_CHART, PANE_PHASE},
			       right[] = {PANE_CHECKPOINTS, PANE_ALERTS};
	static const struct split two[] = {
		{.weight = 3, .min = 8}, {.weight = 2, .min = 5, .drop = 1}};
	static const struct split chart[] = {{.weight = 3, .min = 8}, {.fixed = 8, .drop = 1}};
	static const struct split cols3[] = {
		{.weight = 5, .min = 40}, {.weight = 6, .min = 44}, {.weight = 4, .min = 34}};
	struct surface cols[3];
	layout_cols(s, cols3, 3, cols);
	column_draw(m, &cols[0], left, two, 2);
	for (int i = 1; i < 3; i++) {
		struct surface in = surface_sub(&cols[i], 0, 1, cols[i].h, cols[i].w - 1);
		column_draw(m, &in, i == 1 ? middle : right, i == 1 ? chart : two, 2);
		surface_vrule(&cols[i], 0);
		surface_put(&cols[i], 0, 0, ROLE_RULE, glyph(GLYPH_TEE_DOWN));
	}
}

static void monitor_keys(struct view *v, const struct monitor *m)
{
	if (m->zoom)
		VIEW_KEYS(v, {ACT_BACK, _("all panes")}, {ACT_DOWN, _("down")},
			{ACT_ACK, _("seen")}, {ACT_COPY, _("copy")}, {ACT_SEE_STAGES, _("stages")});
	else
		VIEW_KEYS(v, {ACT_ZOOM_1, _("… 6 one pane")}, {ACT_SEE_STAGES, _("stages")},
			{ACT_ACK, _("seen")}, {ACT_COPY, _("copy")}, {ACT_SEE_CHECKS, _("checks")});
}

static void monitor_draw(struct view *v, const struct state *s, struct surface *out)
{
	struct monitor *m = v->data;
	m->state = s;
	m->view = v;
	monitor_keys(v, m);
	head_alert(v, s);
	view_wake(v, 1000);
	if (view_is_tiny(out)) {
		head_tiny(out, s);
		return;
	}
	monitor_head(m, out);
	struct surface body = surface_sub(out, 2, 0, out->h - 2, out->w);
	if (m->zoom)
		pane_draw(m, (enum pane)(m->zoom - 1), &body);
	else if (out->w >= 118)
		three_columns(m, &body);
	else
		two_columns(m, &body);
}

static void monitor_ack(struct view *v, const struct state *s)
{
	for (size_t i = 0; i < s->alerts.n; i++) {
		if (strcmp(s->alerts.items[i].state, "raised") != 0)
			continue;
		view_post(v, INTENT_ACK, STAGE_NONE, NULL, s->alerts.items[i].id);
		return;
	}
	host_toast(v->host, ROLE_TOAST, "%s", _("there is no alert"));
}

/* A card for a chat or a ticket. */
static void monitor_copy(struct view *v, const struct state *s)
{
	const struct training *t = state_training(s);
	const char *why = NULL;
	enum verdict verdict = state_verdict(s, true, &why);
	char eta[SPAN_SIZE];
	AUTO(buf_fini) struct buf card = {0};
	buf_addf(&card, "%s %s: %s%s%s\n", s->recipe, s->name, verdict_name(verdict),
		why ? ", " : "", why ? why : "");
	buf_addf(&card, _("step %" PRId64 "/%" PRId64 ", ETA %s\n"), t->step, t->steps,
		span_text(training_eta_ms(t), eta));
	if (isfinite(state_reward(s)))
		buf_addf(&card, _("reward %.3f\n"), state_reward(s));
	if (state_safe_step(s) >= 0)
		buf_addf(&card, _("safe checkpoint: step %" PRId64 "\n"), state_safe_step(s));
	else
		buf_addf(&card, "%s\n",
			state_trees_known(s) ? _("safe checkpoint: none")
					     : _("safe checkpoint: not known"));
	if (term_copy(buf_str(&card), card.len))
		host_toast(v->host, ROLE_TOAST, "%s", _("copied: a card of this run"));
}

static bool monitor_act(struct view *v, enum action a, const struct key *k)
{
	struct monitor *m = v->data;
	m->state = host_state(v->host);
	m->view = v;
	if (a >= ACT_ZOOM_1 && a <= ACT_ZOOM_6) {
		int pane = (int)(a - ACT_ZOOM_1) + 1;
		m->zoom = m->zoom == pane ? 0 : pane;
		return true;
	}
	switch (a) {
	case ACT_BACK:
		if (!m->zoom)
			return false;
		m->zoom = 0;
		return true;
	case ACT_ACK:
		monitor_ack(v, m->state);
		return true;
	case ACT_COPY:
		monitor_copy(v, m->state);
		return true;
	case ACT_NEXT:
		m->zoom = m->zoom % PANE_COUNT + 1;
		return true;
	default:
		return monitor_lists_act(m, a, k);
	}
}

static void monitor_close(struct view *v)
{
	struct monitor *m = v->data;
	list_fini(&m->pods);
	list_fini(&m->events);
	list_fini(&m->alerts);
}

const struct view_ops view_monitor = {
	.name = N_("monitor"),
	.topics = TOPIC_BIT(TOPIC_RUN) | TOPIC_BIT(TOPIC_STAGES) | TOPIC_BIT(TOPIC_JOBSET) |
		  TOPIC_BIT(TOPIC_PODS) | TOPIC_BIT(TOPIC_NODES) | TOPIC_BIT(TOPIC_EVENTS) |
		  TOPIC_BIT(TOPIC_CHECKPOINTS) | TOPIC_BIT(TOPIC_SERIES) |
		  TOPIC_BIT(TOPIC_TRAINING) | TOPIC_BIT(TOPIC_ALERTS) | TOPIC_BIT(TOPIC_HEARTBEATS),
	.size = sizeof(struct monitor),
	.draw = monitor_draw,
	.act = monitor_act,
	.close = monitor_close,
};
