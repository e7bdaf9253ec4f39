/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The TPU reservations that the project owns or shares, each with a verdict for this run and its
 * reason. Choosing one sets RESERVATION and ZONE; the name of one that may not be read is typed.
 */
#include "core/base/recorded.h"
#include "core/base/text.h"
#include "core/fmt/time.h"
#include "core/recipe/rule.h"
#include "tui/widget/menu.h"
#include "tui/widget/table.h"
#include "views/common.h"
#include "views/offers.h"
#include "views/views.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DETAIL_ROWS 6
#define VARIABLE    "RESERVATION"
#define NOTICE_ROWS 3

struct reservations {
	struct list list;
	struct field filter;
	bool filtering; /* the filter is being typed */
	struct dialog name;
	const struct state *state;
};

static const struct table_column columns[] = {
	{N_("NAME"), .weight = 3, .min = 14},
	{N_("ZONE"), .fixed = 13},
	{N_("MACHINE"), .fixed = 18, .drop = 3},
	{N_("FREE"), .fixed = 13, .right = true},
	{N_("OWNER"), .fixed = 15, .drop = 1},
	{N_("STATUS"), .fixed = 11, .drop = 2},
	{N_("UNTIL"), .fixed = 12, .drop = 4},
	{N_("VERDICT"), .weight = 2, .min = 15},
};

static const struct state_reservation *item(const void *arg, size_t i)
{
	const struct reservations *p = arg;
	return &p->state->reservations.items[i];
}

static const char *reservation_id(const void *arg, size_t i)
{
	static char id[LIST_ID];
	const struct state_reservation *r = item(arg, i);
	snprintf(id, sizeof(id), "%s/%s", r->r.zone, r->r.full_name);
	return id;
}

static const char *verdict_text(enum reservation_verdict v)
{
	static const char *const texts[] = {
		[RESERVATION_OK] = N_("fits"),
		[RESERVATION_WRONG_ZONE] = N_("other zone"),
		[RESERVATION_WRONG_MACHINE] = N_("other machine"),
		[RESERVATION_NOT_SPECIFIC] = N_("not specific"),
		[RESERVATION_NOT_READY] = N_("not ready"),
		[RESERVATION_ENDED] = N_("has ended"),
		[RESERVATION_FULL] = N_("too few free"),
		[RESERVATION_FUTURE] = N_("not yet"),
		[RESERVATION_UNREADABLE] = N_("may not be read"),
	};
	return _(texts[v]);
}

static enum role verdict_role(enum reservation_verdict v)
{
	return v == RESERVATION_OK           ? ROLE_OK
	       : v == RESERVATION_UNREADABLE ? ROLE_UNKNOWN
					     : ROLE_WARN;
}

static enum glyph verdict_glyph(enum reservation_verdict v)
{
	return v == RESERVATION_OK           ? GLYPH_DONE
	       : v == RESERVATION_UNREADABLE ? GLYPH_UNKNOWN
					     : GLYPH_FAILED;
}

static const char *owner_text(const struct reservation *r)
{
	if (strcmp(r->full_name, r->name) != 0)
		return r->project;
	return reservation_shared(r) ? _("this, shared") : _("this project");
}

static const char *free_text(const struct reservation *r, char *out, size_t size)
{
	if (r->shape == RESERVATION_SHUT)
		return "?";
	snprintf(out, size,
		r->shape == RESERVATION_CHIPS || !strchr(r->machine, '-') ? _("%lld/%lld chips")
									  : _("%lld/%lld VMs"),
		(long long)reservation_free(r), (long long)r->total);
	return out;
}

static const char *until_text(const struct reservation *r, char *out, size_t size)
{
	char stamp[TIME_SIZE];
	if (r->end_ms == TIME_NONE)
		return glyph_str(GLYPH_DASH);
	snprintf(out, size, "%.10s", time_format(r->end_ms, stamp));
	return out;
}

static const char *reservation_cell(const void *arg, size_t i, size_t column, enum role *role)
{
	static char text[96];
	const struct reservations *p = arg;
	const struct reservation *r = &item(arg, i)->r;
	if (column != 0 && column != 3)
		*role = ROLE_DIM;
	switch (column) {
	case 0:
		return r->full_name;
	case 1:
		return r->zone;
	case 2:
		return r->machine;
	case 3:
		return free_text(r, text, sizeof(text));
	case 4:
		return owner_text(r);
	case 5:
		return r->status;
	case 6:
		return until_text(r, text, sizeof(text));
	default:
		break;
	}
	enum reservation_verdict v = offers_verdict(p->state, r, NULL);
	*role = verdict_role(v);
	snprintf(text, sizeof(text), "%s %s", glyph_str(verdict_glyph(v)), verdict_text(v));
	return text;
}

static struct table_source reservations_source(const struct reservations *p)
{
	return (struct table_source){.arg = p,
		.n = p->state->reservations.n,
		.columns = columns,
		.n_columns = COUNT(columns),
		.id = reservation_id,
		.cell = reservation_cell};
}

static void reservation_facts(const struct reservation *r, struct surface *in, int y)
{
	char text[96], stamp[TIME_SIZE];
	if (r->shape == RESERVATION_SHUT) {
		surface_wrap(in, y, 0, in->h - y, in->w, ROLE_DIM,
			_("Its zone must be the one of this run. The deployment tells whether it "
			  "is large enough."));
		return;
	}
	surface_textf(in, y++, 0, in->w, ROLE_TEXT, _("%s of %s are free in %s"),
		free_text(r, text, sizeof(text)), r->machine, r->zone);
	if (r->start_ms != TIME_NONE)
		surface_textf(in, y++, 0, in->w, ROLE_DIM, _("begins %s"),
			time_format(r->start_ms, stamp));
	if (r->end_ms != TIME_NONE)
		surface_textf(
			in, y++, 0, in->w, ROLE_DIM, _("ends %s"), time_format(r->end_ms, stamp));
	else
		surface_cut(in, y++, 0, in->w, ROLE_DIM, _("has no end date"));
	if (*r->health && strcmp(r->health, "HEALTHY") != 0)
		surface_textf(in, y, 0, in->w, ROLE_WARN, _("its health is %s"), r->health);
}

static void reservation_detail(
	const struct reservations *p, const struct reservation *r, struct surface *s)
{
	AUTO_FREE char *why = NULL;
	enum reservation_verdict v = offers_verdict(p->state, r, &why);
	surface_rule(s, 0, r->full_name, verdict_text(v));
	struct surface in = surface_sub(s, 1, 1, s->h - 1, s->w - 2);
	/* That so many are free is one of the facts. */
	int y = v == RESERVATION_OK ? 0 : surface_wrap(&in, 0, 0, 2, in.w, verdict_role(v), why);
	reservation_facts(r, &in, y);
}

static size_t usable(const struct state *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->reservations.n; i++)
		n += offers_verdict(s, &s->reservations.items[i].r, NULL) == RESERVATION_OK;
	return n;
}

static void reservations_none(const struct state *st, struct surface *s)
{
	const struct state_value *project = state_value_find(st, "PROJECT");
	if (!project || !project->present) {
		surface_rule(s, 0, _("there is no list"), NULL);
		surface_wrap(s, 1, 1, s->h - 1, s->w - 2, ROLE_TEXT,
			_("e asks for PROJECT: its reservations, and those shared with it, are "
			  "listed here."));
		return;
	}
	if (st->reservations.error && *st->reservations.error) {
		surface_rule(s, 0, _("there is no list"), NULL);
		surface_wrap(s, 1, 1, s->h - 1, s->w - 2, ROLE_TEXT,
			_("c opens the checks: they say what is wrong, and f cures it. Then r asks "
			  "again. "
			  "You may also type the name with i."));
		return;
	}
	surface_rule(s, 0, _("no reservation can be used"), NULL);
	surface_wrap(s, 1, 1, s->h - 1, s->w - 2, ROLE_TEXT,
		_("Look into another zone, type the full name of a shared one with i "
		  "(projects/OWNER/reservations/NAME), or ask for capacity. "
		  "This recipe has no on-demand form."));
}

static void notice_error(const char *recorded, struct buf *out)
{
	AUTO_FREE char *text = recorded_text(recorded);
	buf_adds(out, text);
}

/* What the list itself has to say: why it is empty, what is missing in it. */
static enum role notice(const struct state *s, struct buf *out)
{
	const struct state_reservations *all = &s->reservations;
	if (all->asking)
		buf_adds(out, _("asking the account…"));
	else if (all->error && *all->error)
		notice_error(all->error, out);
	else if (!offers_incomplete(all->incomplete, &all->unreachable, out) && all->n == 0)
		buf_adds(out, all->at ? _("this project has no reservation")
				      : _("no answer yet, or there is none"));
	return all->asking || !all->at ? ROLE_DIM : ROLE_WARN;
}

static void reservations_keys(struct view *v, const struct reservations *p)
{
	if (p->name.open)
		VIEW_KEYS(v, {ACT_OPEN, _("take this one")}, {ACT_BACK, _("leave it")});
	else if (p->filtering)
		VIEW_KEYS(v, {ACT_OPEN, _("keep")}, {ACT_BACK, _("no filter")});
	else
		VIEW_KEYS(v, {ACT_OPEN, _("take this one")}, {ACT_FILTER, _("filter")},
			{ACT_RETRY, _("ask again")}, {ACT_TYPE, _("type a name")},
			{ACT_SEE_VARIABLES, _("variables")}, {ACT_SEE_CHECKS, _("checks")},
			{ACT_SEE_STAGES, _("stages")});
	if (p->name.open)
		view_modal(v);
}

static void list_part(struct reservations *p, const struct state *s, struct surface *list)
{
	struct table_source src = reservations_source(p);
	AUTO(buf_fini) struct buf text = {0};
	enum role role = notice(s, &text);
	int below = p->filtering || *p->list.filter ? 1 : 0;
	int rows = wrap_rows(buf_str(&text), list->w - 3);
	rows = rows < NOTICE_ROWS ? rows : NOTICE_ROWS;
	struct surface table = surface_sub(list, 0, 0, list->h - below - rows, list->w);
	table_draw(&p->list, &src, &table, true);
	surface_wrap(list, table.h, 2, rows, list->w - 3, role, buf_str(&text));
	if (!below)
		return;
	surface_text(list, list->h - 1, 1, 2, ROLE_KEY, "/");
	if (p->filtering)
		field_draw(&p->filter, list, list->h - 1, 2, 40, true, ROLE_FIELD_FOCUS);
	else
		surface_cut(list, list->h - 1, 2, 40, ROLE_MATCH, p->list.filter);
}

static void reservations_draw(struct view *v, const struct state *s, struct surface *out)
{
	struct reservations *p = v->data;
	const struct state_value *now = state_value_find(s, VARIABLE);
	p->state = s;
	struct table_source src = reservations_source(p);
	head_alert(v, s);
	reservations_keys(v, p);
	if (view_is_tiny(out)) {
		head_tiny(out, s);
		return;
	}
	AUTO_FREE char *what = x_asprintf(_("%zu of %zu fit"), usable(s), s->reservations.n);
	AUTO_FREE char *chosen =
		now && now->present ? x_asprintf(_("chosen: %s"), now->value) : NULL;
	head_draw(out, s, _("reservations"), what, chosen);
	struct surface list = surface_sub(out, 2, 0, out->h - 2 - DETAIL_ROWS, out->w);
	struct surface detail = surface_sub(out, out->h - DETAIL_ROWS, 0, DETAIL_ROWS, out->w);
	surface_rule(out, 1, _("which reservation?"), NULL);
	list_part(p, s, &list);
	size_t i = table_selected(&p->list, &src);
	if (i < s->reservations.n)
		reservation_detail(p, &s->reservations.items[i].r, &detail);
	else
		reservations_none(s, &detail);
	if (p->name.open)
		dialog_draw(&p->name, out);
}

/* --- keys */

static bool filter_act(struct view *v, struct reservations *p, enum action a, const struct key *k)
{
	if (!p->filtering)
		return false;
	if (a == ACT_OPEN || a == ACT_BACK || a == ACT_DOWN || a == ACT_UP) {
		if (a == ACT_BACK)
			field_set(&p->filter, "");
		p->filtering = false;
		view_typing(v, false);
	} else if (!field_key(&p->filter, k, NULL)) {
		return false;
	}
	snprintf(p->list.filter, sizeof(p->list.filter), "%s", field_text(&p->filter));
	return true;
}

static bool name_act(struct view *v, struct reservations *p, enum action a, const struct key *k)
{
	bool yes;
	if (!p->name.open)
		return false;
	dialog_act(&p->name, a, k, &yes);
	if (yes) {
		AUTO_FREE char *text = x_strdup(field_text(&p->name.field));
		AUTO(buf_fini) struct buf why = {0};
		dialog_close(&p->name);
		if (!rule_named("reservation", text, &why))
			host_toast(v->host, ROLE_WARN, _("%s is kept, but not used: %s"), VARIABLE,
				buf_str(&why));
		view_post(v, INTENT_SET_VALUE, STAGE_NONE, VARIABLE, text);
		view_post(v, INTENT_DISCOVER, STAGE_NONE, VARIABLE, "again");
	}
	if (!p->name.open)
		view_typing(v, false);
	return true;
}

static void choose(struct view *v, const struct reservations *p, const struct reservation *r)
{
	AUTO_FREE char *why = NULL;
	enum reservation_verdict verdict = offers_verdict(p->state, r, &why);
	if (verdict != RESERVATION_OK && verdict != RESERVATION_UNREADABLE)
		host_toast(v->host, ROLE_WARN, _("%s cannot be used: %s"), r->full_name, why);
	else if (view_post(v, INTENT_CHOOSE_RESERVATION, STAGE_NONE, r->full_name, r->zone))
		host_toast(v->host, ROLE_TOAST, _("%s in %s"), r->full_name, r->zone);
}

static bool reservations_act(struct view *v, enum action a, const struct key *k)
{
	struct reservations *p = v->data;
	p->state = host_state(v->host);
	struct table_source src = reservations_source(p);
	if (name_act(v, p, a, k) || filter_act(v, p, a, k))
		return true;
	if (table_act(&p->list, &src, a, k))
		return true;
	switch (a) {
	case ACT_FILTER:
		p->filtering = true;
		view_typing(v, true);
		return true;
	case ACT_RETRY:
		return view_post(v, INTENT_DISCOVER, STAGE_NONE, VARIABLE, "again"), true;
	case ACT_TYPE:
		if (!view_may_act(v))
			return true;
		dialog_ask(&p->name, _("Which reservation?"),
			_("Its name, or projects/OWNER/reservations/NAME for one that another "
			  "project shares."));
		view_typing(v, true);
		return true;
	case ACT_OPEN:
		break;
	default:
		return false;
	}
	size_t i = table_selected(&p->list, &src);
	if (i < p->state->reservations.n)
		choose(v, p, &p->state->reservations.items[i].r);
	return true;
}

static int reservations_open(struct view *v, const struct state *s)
{
	struct reservations *p = v->data;
	p->state = s;
	if (!s->reservations.at && view_may_act(v))
		view_post(v, INTENT_DISCOVER, STAGE_NONE, VARIABLE, "again");
	return 0;
}

static void reservations_close(struct view *v)
{
	struct reservations *p = v->data;
	dialog_close(&p->name);
	field_fini(&p->filter);
	list_fini(&p->list);
}

const struct view_ops view_reservations = {
	.name = N_("reservations"),
	.topics = TOPIC_BIT(TOPIC_RUN) | TOPIC_BIT(TOPIC_RESERVATIONS) | TOPIC_BIT(TOPIC_VALUES) |
		  TOPIC_BIT(TOPIC_ALERTS),
	.size = sizeof(struct reservations),
	.open = reservations_open,
	.draw = reservations_draw,
	.act = reservations_act,
	.close = reservations_close,
};
