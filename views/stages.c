/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run, stage by stage: timeline at the left, the chosen stage at the right with command,
 * progress and the tail of its output. Follows the running stage until another one is chosen.
 */
#include "core/base/clock.h"
#include "core/base/text.h"
#include "tui/layout.h"
#include "tui/term.h"
#include "tui/widget/gauge.h"
#include "tui/widget/list.h"
#include "views/common.h"
#include "views/stage_ask.h"
#include "views/stage_detail.h"
#include "views/views.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LIST_MIN_W 22
#define LIST_W     26
#define ASIDE_W    40
#define ASIDE_FROM 112 /* columns from which the explanation stands beside */
#define USUAL_FROM 72  /* columns from which the head has room for the usual time */

struct stages {
	struct list list;
	struct stage_detail detail;
	struct stage_ask ask;
	bool chosen; /* by the person: does not follow the running stage */
	const struct state *state;
};

/* --- the timeline */

static const char *stages_id(const void *arg, size_t i)
{
	(void)arg;
	return stage_word((enum stage_id)i);
}

static const char *stages_time(const struct state_stage *st, char out[SPAN_SIZE])
{
	char span[SPAN_SIZE];
	if (st->state == ST_SKIPPED && !st->started)
		return snprintf(out, SPAN_SIZE, "%s", glyph_str(GLYPH_DASH)), out;
	if (st->started)
		return span_clock(stage_took(st), out);
	if (st->usual_ms <= 0)
		return snprintf(out, SPAN_SIZE, " "), out;
	return snprintf(out, SPAN_SIZE, "~%s", span_text(st->usual_ms, span)), out;
}

static void stages_row(const void *arg, size_t i, struct surface *row, bool selected)
{
	const struct stages *p = arg;
	const struct state_stage *st = &p->state->stages[i];
	char time[SPAN_SIZE];
	enum role role = stage_state_role(st->state);
	bool now = p->state->current == i;
	(void)selected;
	surface_put(row, 0, 1, role, glyph(stage_state_glyph(st->state)));
	surface_cut(row, 0, 3, row->w - 12,
		now                    ? ROLE_STRONG
		: st->state == ST_TODO ? ROLE_DIM
				       : ROLE_TEXT,
		stage_word((enum stage_id)i));
	surface_right(
		row, 0, row->w - 1, 9, st->started ? ROLE_TEXT : ROLE_DIM, stages_time(st, time));
}

static struct list_source stages_source(const struct stages *p)
{
	return (struct list_source){
		.arg = p, .n = STAGE_COUNT, .id = stages_id, .draw = stages_row};
}

/* The one at work; else one that a person wanted undone and was not; else the next. */
static enum stage_id stages_followed(const struct state *s)
{
	if (s->current != STAGE_NONE && stage_state_works(s->stages[s->current].state))
		return s->current;
	for (unsigned i = 0; i < STAGE_COUNT; i++)
		if (s->stages[i].undo_refused)
			return (enum stage_id)i;
	return s->current == STAGE_NONE ? STAGE_CLEANUP : s->current;
}

static enum stage_id stages_shown(struct stages *p)
{
	struct list_source src = stages_source(p);
	if (!p->chosen)
		list_select(&p->list, stage_word(stages_followed(p->state)));
	size_t i = list_selected(&p->list, &src);
	return i < STAGE_COUNT ? (enum stage_id)i : STAGE_TOOLS;
}

static int stages_over(const struct state *s)
{
	int n = 0;
	for (int i = 0; i < STAGE_COUNT; i++)
		n += stage_state_over(s->stages[i].state);
	return n;
}

static void stages_list(struct stages *p, struct surface *s)
{
	struct list_source src = stages_source(p);
	surface_rule(s, 0, _("stages"), NULL);
	struct surface rows = surface_sub(s, 1, 0, STAGE_COUNT, s->w);
	list_draw(&p->list, &src, &rows, true);
	int y = STAGE_COUNT + 2;
	if (s->h < y + 1)
		return;
	gauge_draw(s, y, 1, s->w - 2, stages_over(p->state), STAGE_COUNT);
	y += 2;
	y += surface_wrap(s, y, 1, s->h - y, s->w - 2, ROLE_DIM,
		p->state->go_on_alone ? _("A: goes on alone to the end of export")
				      : _("A: stops after each stage"));
	surface_wrap(s, y + 1, 1, s->h - y - 1, s->w - 2, ROLE_DIM,
		_("Leaving is safe: the work goes on, and rlpilot comes back to this page."));
}

/* --- the whole page */

static void stages_head(
	struct view *v, const struct state *s, enum stage_id id, struct surface *out)
{
	char took[SPAN_SIZE], usual[SPAN_SIZE];
	const struct state_stage *st = &s->stages[id];
	AUTO(buf_fini) struct buf what = {0}, cost = {0};
	(void)v;
	AUTO_FREE char *name =
		x_asprintf(_("stage %d/%d %s"), (int)id + 1, STAGE_COUNT, stage_word(id));
	buf_adds(&what, stage_moment_text(st));
	if (st->started)
		buf_addf(&what, " %s", span_clock(stage_took(st), took));
	if (st->attempt > 1)
		buf_addf(&what, _("  attempt %d"), st->attempt);
	if (st->usual_ms > 0 && !stage_being_undone(st) && out->w >= USUAL_FROM)
		buf_addf(&what, _("   usual %s"), span_text(st->usual_ms, usual));
	if (s->cost.chips > 0)
		buf_addf(&cost, _("%" PRId64 " chips  %.1f chip-h"), s->cost.chips,
			cost_chip_hours(&s->cost, clock_now()));
	head_draw(out, s, name, buf_str(&what), buf_str(&cost));
}

/* Does Enter answer what the alert line asks? */
static bool stages_asked(const struct state *s, enum stage_id id)
{
	return strcmp(s->question, "go-on") == 0 || (*s->question && s->current == id);
}

/* What can be done with the stage now; returns how many. */
static size_t stages_acts(const struct stages *p, enum stage_id id, struct view_key *keys)
{
	const struct state_stage *st = &p->state->stages[id];
	bool running = stage_state_works(st->state);
	size_t n = 0;
	if (stages_asked(p->state, id))
		keys[n++] = (struct view_key){ACT_OPEN, _("answer")};
	else if (st->state == ST_FAILED || st->state == ST_BLOCKED || st->state == ST_CANCELLED)
		keys[n++] = (struct view_key){ACT_OPEN, _("what now")};
	else if (st->state == ST_TODO && p->state->current == id)
		keys[n++] = (struct view_key){ACT_OPEN, _("start")};
	if (running && st->stop == STOP_ASKED)
		keys[n++] = (struct view_key){ACT_CANCEL, _("go on after all")};
	else if (running && st->stop != STOP_SENT)
		keys[n++] = (struct view_key){ACT_CANCEL, _("stop")};
	else if (!running && st->attempt > 0 && !stage_state_over(st->state))
		keys[n++] = (struct view_key){ACT_RETRY, _("again")};
	if (!running && !stage_state_over(st->state))
		keys[n++] = (struct view_key){ACT_SKIP, _("skip")};
	if (p->state->cost.chips > 0)
		keys[n++] = (struct view_key){ACT_TODAY, _("for today")};
	return n;
}

static void stages_keys(struct view *v, const struct stages *p, enum stage_id id)
{
	struct view_key keys[10];
	size_t n = 0;
	if (p->ask.menu.open) {
		VIEW_KEYS(v, {ACT_OPEN, _("choose")}, {ACT_BACK, _("back")});
		view_modal(v);
		return;
	}
	if (stage_ask_open(&p->ask)) {
		VIEW_KEYS(v, {ACT_OPEN, _("yes")}, {ACT_BACK, _("no")});
		view_modal(v);
		return;
	}
	if (view_may_act(v))
		n = stages_acts(p, id, keys);
	keys[n++] = (struct view_key){ACT_NEXT, p->detail.on_output ? _("stages") : _("output")};
	keys[n++] = (struct view_key){ACT_WHOLE, _("command")};
	keys[n++] = (struct view_key){ACT_SEE_MONITOR, _("monitor")};
	keys[n++] = (struct view_key){ACT_SEE_CHECKS, _("checks")};
	view_keys(v, keys, n);
}

static void stages_draw(struct view *v, const struct state *s, struct surface *out)
{
	struct stages *p = v->data;
	struct surface cols[3];
	p->state = s;
	enum stage_id id = stages_shown(p);
	stages_keys(v, p, id);
	head_alert(v, s);
	if (view_is_tiny(out)) {
		head_tiny(out, s);
		return;
	}
	stages_head(v, s, id, out);
	struct surface body = surface_sub(out, 1, 0, out->h - 1, out->w);
	const struct split parts[] = {
		{.fixed = out->w < 76 ? LIST_MIN_W : LIST_W},
		{.weight = 1, .min = 30},
		{.fixed = out->w < ASIDE_FROM ? 0 : ASIDE_W},
	};
	layout_cols(&body, parts, COUNT(parts), cols);
	stages_list(p, &cols[0]);
	surface_vrule(&cols[1], 0);
	struct surface detail = surface_sub(&cols[1], 0, 1, cols[1].h, cols[1].w - 1);
	p->detail.about_beside = cols[2].w > 0;
	stage_detail_draw(&p->detail, v, s, id, &detail);
	surface_put(&cols[1], 0, 0, ROLE_RULE, glyph(GLYPH_TEE_DOWN));
	if (cols[2].w > 0) {
		surface_vrule(&cols[2], 0);
		struct surface aside = surface_sub(&cols[2], 0, 1, cols[2].h, cols[2].w - 1);
		stage_about_draw(v, id, &aside);
		surface_put(&cols[2], 0, 0, ROLE_RULE, glyph(GLYPH_TEE_DOWN));
	}
	stage_ask_draw(&p->ask, &body);
	if (s->current != STAGE_NONE && s->stages[s->current].started)
		view_wake(v, 1000);
}

static bool stages_move(struct stages *p, enum stage_id id, enum action a, const struct key *k)
{
	struct list_source src = stages_source(p);
	struct textview_source out = stage_output_source(&p->state->stages[id]);
	bool page = a == ACT_PAGE_UP || a == ACT_PAGE_DOWN || a == ACT_FOLLOW || a == ACT_WRAP;
	if (p->detail.on_output || page)
		return textview_act(&p->detail.output, &out, a);
	if (!list_act(&p->list, &src, a, k))
		return false;
	p->chosen = strcmp(p->list.selected, stage_word(id)) != 0 || p->chosen;
	p->detail.output = (struct textview){.wrap = p->detail.output.wrap};
	if (strcmp(p->list.selected, stage_word(stages_followed(p->state))) == 0)
		p->chosen = false;
	return true;
}

static void stages_copy(struct view *v, const struct state_stage *st)
{
	AUTO(buf_fini) struct buf text = {0};
	for (size_t i = 0; i < st->commands.n; i++)
		buf_addf(&text, "%s\n", st->commands.items[i]);
	if (text.len && term_copy(buf_str(&text), text.len))
		host_toast(v->host, ROLE_TOAST, "%s", _("copied: the commands of this stage"));
}

static bool stages_do(struct view *v, enum action a, const struct key *k)
{
	struct stages *p = v->data;
	p->state = host_state(v->host);
	enum stage_id id = stages_shown(p);
	if (stage_ask_act(&p->ask, v, p->state, a, k))
		return true;
	switch (a) {
	case ACT_OPEN:
	case ACT_RUN:
	case ACT_RETRY:
	case ACT_CANCEL:
	case ACT_SKIP:
	case ACT_UNDO:
	case ACT_SHELL:
	case ACT_MODE:
	case ACT_TODAY:
		stage_ask_begin(&p->ask, v, p->state, id, a);
		return true;
	case ACT_NEXT:
	case ACT_PREV:
		p->detail.on_output = !p->detail.on_output;
		return true;
	case ACT_WHOLE:
		p->detail.whole = !p->detail.whole;
		return true;
	case ACT_COPY:
		stages_copy(v, &p->state->stages[id]);
		return true;
	case ACT_BACK:
		if (!p->chosen && !p->detail.on_output)
			return false;
		p->chosen = p->detail.on_output = false;
		return true;
	default:
		return stages_move(p, id, a, k);
	}
}

/* A question may have opened or closed: the next key may come before the next frame. */
static bool stages_act(struct view *v, enum action a, const struct key *k)
{
	struct stages *p = v->data;
	bool used = stages_do(v, a, k);
	view_typing(v, stage_ask_typing(&p->ask));
	return used;
}

static int stages_open(struct view *v, const struct state *s)
{
	struct stages *p = v->data;
	(void)s;
	p->detail.output.wrap = true;
	return 0;
}

static void stages_close(struct view *v)
{
	struct stages *p = v->data;
	list_fini(&p->list);
	stage_ask_close(&p->ask);
}

const struct view_ops view_stages = {
	.name = N_("stages"),
	.topics = TOPIC_BIT(TOPIC_RUN) | TOPIC_BIT(TOPIC_STAGES) | TOPIC_BIT(TOPIC_OUTPUT) |
		  TOPIC_BIT(TOPIC_ALERTS) | TOPIC_BIT(TOPIC_TRAINING),
	.size = sizeof(struct stages),
	.open = stages_open,
	.draw = stages_draw,
	.act = stages_act,
	.close = stages_close,
};
