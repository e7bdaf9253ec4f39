/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The TPU reservations that the project may use, each with a verdict for this run and its reason.
 * Choosing one sets RESERVATION and ZONE.
 */
#include "core/base/text.h"
#include "core/fmt/time.h"
#include "tui/widget/table.h"
#include "views/common.h"
#include "views/views.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DETAIL_ROWS 6
#define CHECK       "reservation.exists" /* the check whose answer brings the list */

struct reservations {
	struct list list;
};

static const struct table_column columns[] = {
	{N_("NAME"), .weight = 3, .min = 14},
	{N_("ZONE"), .fixed = 14},
	{N_("MACHINE"), .fixed = 18, .drop = 2},
	{N_("FREE"), .fixed = 9, .right = true},
	{N_("STATUS"), .fixed = 9, .drop = 1},
	{N_("VERDICT"), .weight = 2, .min = 12},
};

static const struct state_reservation *item(const void *arg, size_t i)
{
	return &((const struct state_reservations *)arg)->items[i];
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
	switch (v) {
	case RESERVATION_OK:
		return _("fits");
	case RESERVATION_WRONG_ZONE:
		return _("other zone");
	case RESERVATION_WRONG_MACHINE:
		return _("other machine");
	case RESERVATION_NOT_SPECIFIC:
		return _("not specific");
	case RESERVATION_NOT_READY:
		return _("not ready");
	case RESERVATION_ENDED:
		return _("has ended");
	case RESERVATION_FULL:
		return _("too few free");
	case RESERVATION_FUTURE:
		return _("not yet");
	case RESERVATION_UNREADABLE:
		return _("may not be read");
	}
	return "";
}

static const char *reservation_cell(const void *arg, size_t i, size_t column, enum role *role)
{
	static char text[64];
	const struct state_reservation *r = item(arg, i);
	switch (column) {
	case 0:
		return r->r.full_name;
	case 1:
		return r->r.zone;
	case 2:
		*role = ROLE_DIM;
		return r->r.machine;
	case 3:
		snprintf(text, sizeof(text), "%" PRId64 "/%" PRId64, r->r.total - r->r.used, r->r.total);
		return text;
	case 4:
		*role = ROLE_DIM;
		return r->r.status;
	default:
		*role = r->verdict == RESERVATION_OK ? ROLE_OK : ROLE_WARN;
		snprintf(text, sizeof(text), "%s %s",
			glyph_str(r->verdict == RESERVATION_OK ? GLYPH_DONE : GLYPH_FAILED),
			verdict_text(r->verdict));
		return text;
	}
}

static struct table_source reservations_source(const struct state *s)
{
	return (struct table_source){.arg = &s->reservations,
		.n = s->reservations.n,
		.columns = columns,
		.n_columns = COUNT(columns),
		.id = reservation_id,
		.cell = reservation_cell};
}

static void reservation_detail(const struct state_reservation *r, struct surface *s)
{
	char end[TIME_SIZE];
	surface_rule(s, 0, r->r.full_name, verdict_text(r->verdict));
	struct surface in = surface_sub(s, 1, 1, s->h - 1, s->w - 2);
	int y = surface_wrap(&in, 0, 0, 2, in.w, r->verdict == RESERVATION_OK ? ROLE_OK : ROLE_WARN,
		r->reason);
	surface_textf(&in, y++, 0, in.w, ROLE_TEXT,
		_("%" PRId64 " of %" PRId64 " VMs %s are free in %s"), r->r.total - r->r.used, r->r.total,
		r->r.machine, r->r.zone);
	if (r->r.end_ms != TIME_NONE)
		surface_textf(&in, y, 0, in.w, ROLE_DIM, _("ends %s"), time_format(r->r.end_ms, end));
	else
		surface_cut(&in, y, 0, in.w, ROLE_DIM, _("has no end date"));
}

static size_t usable(const struct state *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->reservations.n; i++)
		n += s->reservations.items[i].verdict == RESERVATION_OK;
	return n;
}

static void reservations_none(struct surface *s)
{
	surface_rule(s, 0, _("no reservation can be used"), NULL);
	surface_wrap(s, 1, 1, s->h - 1, s->w - 2, ROLE_TEXT,
		_("Look into another zone, type the full name of a shared one "
		  "(projects/OWNER/reservations/NAME) on the page of variables, or ask for capacity. "
		  "This recipe has no on-demand form."));
}

static void reservations_draw(struct view *v, const struct state *s, struct surface *out)
{
	struct reservations *p = v->data;
	struct table_source src = reservations_source(s);
	const struct state_value *now = state_value_find(s, "RESERVATION");
	head_alert(v, s);
	VIEW_KEYS(v, {ACT_OPEN, _("take this one")}, {ACT_RETRY, _("ask again")}, {ACT_SEE_VARIABLES, _("variables")},
		{ACT_SEE_CHECKS, _("checks")}, {ACT_SEE_STAGES, _("stages")});
	if (view_is_tiny(out)) {
		head_tiny(out, s);
		return;
	}
	AUTO_FREE char *what = x_asprintf(_("%zu of %zu fit"), usable(s), s->reservations.n);
	AUTO_FREE char *chosen = now && now->present ? x_asprintf(_("chosen: %s"), now->value) : NULL;
	head_draw(out, s, _("reservations"), what, chosen);
	struct surface list = surface_sub(out, 2, 0, out->h - 2 - DETAIL_ROWS, out->w);
	struct surface detail = surface_sub(out, out->h - DETAIL_ROWS, 0, DETAIL_ROWS, out->w);
	surface_rule(out, 1, _("which reservation?"), NULL);
	table_draw(&p->list, &src, &list, true);
	if (s->reservations.n == 0)
		surface_cut(&list, 1, 2, -1, ROLE_DIM, _("no answer yet, or there is none"));
	size_t i = table_selected(&p->list, &src);
	if (i < s->reservations.n)
		reservation_detail(&s->reservations.items[i], &detail);
	else
		reservations_none(&detail);
}

static bool reservations_act(struct view *v, enum action a, const struct key *k)
{
	struct reservations *p = v->data;
	const struct state *s = host_state(v->host);
	struct table_source src = reservations_source(s);
	if (table_act(&p->list, &src, a, k))
		return true;
	if (a == ACT_RETRY)
		return view_post(v, INTENT_RERUN_CHECK, STAGE_NONE, NULL, CHECK), true;
	if (a != ACT_OPEN)
		return false;
	size_t i = table_selected(&p->list, &src);
	if (i >= s->reservations.n)
		return true;
	const struct state_reservation *r = &s->reservations.items[i];
	if (r->verdict != RESERVATION_OK && r->verdict != RESERVATION_WRONG_ZONE)
		host_toast(v->host, ROLE_WARN, _("%s cannot be used: %s"), r->r.full_name, r->reason);
	else if (view_post(v, INTENT_CHOOSE_RESERVATION, STAGE_NONE, r->r.full_name, r->r.zone))
		host_toast(v->host, ROLE_TOAST, _("%s in %s"), r->r.full_name, r->r.zone);
	return true;
}

static int reservations_open(struct view *v, const struct state *s)
{
	if (s->reservations.n == 0 && view_may_act(v))
		view_post(v, INTENT_RERUN_CHECK, STAGE_NONE, NULL, CHECK);
	return 0;
}

static void reservations_close(struct view *v)
{
	struct reservations *p = v->data;
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
