/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first page: what this is, how long it takes and how many chip-hours, before anything is
 * typed; where the run stands; and the way to every other page.
 */
#include "core/base/text.h"
#include "tui/widget/list.h"
#include "views/common.h"
#include "views/views.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LINKS_FROM 26 /* rows: there is room for all links */

struct welcome {
	struct list list;
	bool real; /* the last ways are there */
};

static const struct way {
	enum action action;
	const char *text;
} ways[] = {
	{ACT_SEE_VARIABLES, N_("Variables: what the tutorial needs to know")},
	{ACT_SEE_CHECKS, N_("Checks: what would go wrong, before money is spent")},
	{ACT_SEE_RESERVATIONS, N_("Reservations: where the chips come from")},
	{ACT_SEE_PLAN, N_("Plan: what will run, what it costs, what is changed and why")},
	{ACT_SEE_STAGES, N_("Stages: run them, one by one or alone")},
	{ACT_SEE_MONITOR, N_("Monitor: the training while it runs")},
	{ACT_NEW_RUN, N_("New run: from the first stage on, with this run's values")},
	{ACT_REHEARSE, N_("Rehearse: all stages in a pretend cloud, no account, no cost")},
};

static const char *way_id(const void *arg, size_t i)
{
	(void)arg;
	return action_word(ways[i].action);
}

static void way_row(const void *arg, size_t i, struct surface *row, bool selected)
{
	char key[32];
	(void)arg;
	if (selected)
		surface_put(row, 0, 0, ROLE_SELECTED, glyph(GLYPH_CURSOR));
	surface_cut(row, 0, 2, 4, ROLE_KEY, action_key(ways[i].action, key, sizeof(key)));
	surface_cut(row, 0, 6, row->w - 6, ROLE_TEXT, _(ways[i].text));
}

/* A rehearsal offers no other run. */
#define REAL_WAYS 2

static struct list_source source_of(const struct welcome *p)
{
	return (struct list_source){
		.n = COUNT(ways) - (p->real ? 0 : REAL_WAYS), .id = way_id, .draw = way_row};
}

static int welcome_numbers(const struct recipe *r, struct surface *s, int y)
{
	double hours = (double)(r->usual_min_s + r->usual_max_s) / 2 / 3600;
	AUTO_FREE char *text =
		x_asprintf(_("About %.1f hours: %u chips for %.1f hours are %.0f chip-hours."),
			hours, r->chips.count, hours, hours * r->chips.count);
	y += surface_wrap(s, y, 0, s->h - y, s->w, ROLE_STRONG, text);
	if (r->chips.price_link)
		surface_textf(s, y++, 0, -1, ROLE_LINK, "%s", r->chips.price_link);
	return y;
}

static int welcome_about(const struct view *v, struct surface *s)
{
	const struct recipe *r = view_recipe(v);
	int y = 0;
	if (!r)
		return 0;
	y += surface_wrap(s, y, 0, 2, s->w, ROLE_TITLE, recipe_text(&r->title));
	if (s->h >= 18)
		y += surface_wrap(s, y, 0, 4, s->w, ROLE_TEXT, recipe_text(&r->summary));
	y = welcome_numbers(r, s, y + (s->h >= 18));
	for (size_t i = 0; i < r->links.n && s->h >= LINKS_FROM; i++) {
		surface_cut(s, y, 0, 28, ROLE_TEXT, recipe_text(&r->links.items[i].label));
		surface_cut(s, y++, 30, s->w - 30, ROLE_LINK, r->links.items[i].url);
	}
	return y + 1;
}

/* Has anybody given a value yet? */
static bool configured(const struct state *s)
{
	static const char *const given[] = {"typed", "set", "discovered", "environment"};
	for (size_t i = 0; i < s->values.n; i++)
		for (size_t k = 0; k < COUNT(given); k++)
			if (s->values.items[i].present &&
				strcmp(s->values.items[i].origin, given[k]) == 0)
				return true;
	return false;
}

static int welcome_first(const struct view *v, const struct state *s, struct surface *out, int y)
{
	const struct recipe *r = view_recipe(v);
	if (configured(s))
		return y;
	y += surface_wrap(out, y, 0, 2, out->w, ROLE_STRONG,
		_("Nothing is configured yet: e asks for what is needed."));
	if (r && r->links.n && out->h < LINKS_FROM)
		surface_textf(out, y++, 0, -1, ROLE_LINK, "%s", r->links.items[0].url);
	return y;
}

static int welcome_run(const struct state *s, struct surface *out, int y)
{
	int over = 0;
	for (int i = 0; i < STAGE_COUNT; i++)
		over += stage_state_over(s->stages[i].state);
	if (s->current == STAGE_NONE)
		surface_textf(out, y, 0, -1, ROLE_OK, _("Run %s: all stages are over."), s->name);
	else
		surface_textf(out, y, 0, -1, ROLE_TEXT,
			_("Run %s: %d of %d stages are over, next is %s (%s)."), s->name, over,
			STAGE_COUNT, stage_word(s->current),
			stage_state_text(s->stages[s->current].state));
	return y + 2;
}

static bool can_rehearse(const struct view *v, const struct state *s)
{
	const struct views_context *c = host_context(v->host);
	return c && c->run && c->program && !*s->label;
}

static void rehearsed(void *arg, int code)
{
	(void)code;
	host_redraw(arg);
}

static bool rehearse(struct view *v)
{
	const struct views_context *c = host_context(v->host);
	const char *argv[] = {c ? c->program : NULL, "demo", NULL};
	if (!can_rehearse(v, host_state(v->host)))
		return false;
	return view_run(v, &(struct view_program){.title = _("A rehearsal"),
				   .argv = argv,
				   .done = rehearsed,
				   .arg = v->host});
}

static void welcome_draw(struct view *v, const struct state *s, struct surface *out)
{
	struct welcome *p = v->data;
	head_alert(v, s);
	VIEW_KEYS(v, {ACT_OPEN, _("go there")}, {ACT_SEE_STAGES, _("stages")},
		{ACT_LANGUAGE, "한국어 / English"}, {ACT_PALETTE, _("all actions")});
	if (view_is_tiny(out)) {
		head_tiny(out, s);
		return;
	}
	head_draw(out, s, _("welcome"), NULL, NULL);
	struct surface in = surface_sub(out, 2, 2, out->h - 2, out->w - 4 < 96 ? out->w - 4 : 96);
	p->real = can_rehearse(v, s);
	struct list_source src = source_of(p);
	int y = welcome_about(v, &in);
	y = welcome_first(v, s, &in, y);
	y = welcome_run(s, &in, y);
	struct surface rows = surface_sub(&in, y, 0, (int)src.n, in.w);
	list_draw(&p->list, &src, &rows, true);
}

static bool welcome_act(struct view *v, enum action a, const struct key *k)
{
	struct welcome *p = v->data;
	struct list_source src = source_of(p);
	size_t i = list_selected(&p->list, &src);
	if (a == ACT_REHEARSE || (a == ACT_OPEN && i < src.n && ways[i].action == ACT_REHEARSE))
		return rehearse(v);
	if (a != ACT_OPEN)
		return list_act(&p->list, &src, a, k);
	return i < src.n && host_do(v->host, ways[i].action);
}

static void welcome_close(struct view *v)
{
	struct welcome *p = v->data;
	list_fini(&p->list);
}

const struct view_ops view_welcome = {
	.name = N_("welcome"),
	.topics = TOPIC_BIT(TOPIC_RUN) | TOPIC_BIT(TOPIC_STAGES) | TOPIC_BIT(TOPIC_ALERTS),
	.size = sizeof(struct welcome),
	.draw = welcome_draw,
	.act = welcome_act,
	.close = welcome_close,
};
