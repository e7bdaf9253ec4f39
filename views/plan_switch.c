/* SPDX-License-Identifier: Apache-2.0 */
/* Where the run differs from the tutorial, with switches; and the choices that stay with a person.
 */
#include "views/plan.h"

#include "core/base/text.h"

#include <stdio.h>
#include <string.h>

static bool is_on(const struct plan_page *p, const struct recipe_deviation *d)
{
	return deviation_on(p->recipe, p->render.deviations, d->id);
}

/* --- all of them */

static const char *switch_id(const void *arg, size_t i)
{
	return ((const struct plan_page *)arg)->recipe->deviations.items[i].id;
}

static void switch_row(const void *arg, size_t i, struct surface *row, bool selected)
{
	const struct plan_page *p = arg;
	const struct recipe_deviation *d = &p->recipe->deviations.items[i];
	bool on = is_on(p, d);
	(void)selected;
	surface_text(row, 0, 1, 3, on ? ROLE_OK : ROLE_DIM, on ? "[x]" : "[ ]");
	surface_cut(row, 0, 5, 22, on ? ROLE_TEXT : ROLE_DIM, d->id);
	surface_cut(row, 0, 28, row->w - 29, on ? ROLE_TEXT : ROLE_DIM, recipe_text(&d->title));
}

static struct list_source switches_source(const struct plan_page *p)
{
	return (struct list_source){
		.arg = p, .n = p->recipe->deviations.n, .id = switch_id, .draw = switch_row};
}

static void deviation_detail(
	const struct plan_page *p, const struct recipe_deviation *d, struct surface *s)
{
	AUTO(buf_fini) struct buf stages = {0};
	int y = 0;
	for (size_t i = 0; i < d->stages.n; i++)
		buf_addf(&stages, "%s%s", i ? " " : "", d->stages.items[i]);
	surface_rule(s, 0, recipe_text(&d->title), is_on(p, d) ? _("on") : _("off"));
	struct surface in = surface_sub(s, 1, 1, s->h - 1, s->w - 2);
	if (p->frozen)
		y += surface_wrap(&in, y, 0, in.h - y, in.w, ROLE_WARN,
			_("Frozen: money may have been spent, so this run keeps its switches."));
	y += surface_wrap(&in, y, 0, in.h - y, in.w, ROLE_TEXT, recipe_text(&d->why));
	if (*recipe_text(&d->price)) {
		AUTO_FREE char *price = x_asprintf(_("Price: %s"), recipe_text(&d->price));
		y += surface_wrap(&in, y, 0, in.h - y, in.w, ROLE_WARN, price);
	}
	AUTO_FREE char *where =
		x_asprintf(_("Stages: %s. Source: %s"), buf_str(&stages), d->source);
	surface_wrap(&in, y, 0, in.h - y, in.w, ROLE_DIM, where);
}

void plan_switches_draw(struct plan_page *p, struct surface *s)
{
	struct list_source src = switches_source(p);
	struct surface parts[2];
	plan_split(s, s->w - 46, s->h >= 18 ? s->h - 7 : s->h - 5, parts);
	list_draw(&p->switches, &src, &parts[0], true);
	size_t i = list_selected(&p->switches, &src);
	if (i < src.n)
		deviation_detail(p, &p->recipe->deviations.items[i], &parts[1]);
}

static void switch_to(
	struct view *v, const struct plan_page *p, const struct recipe_deviation *d, bool on)
{
	if (plan_refuse(v, p))
		return;
	view_post(v, INTENT_DEVIATION, STAGE_NONE, d->id, on ? "on" : "off");
}

bool plan_switches_act(struct view *v, struct plan_page *p, enum action a, const struct key *k)
{
	struct list_source src = switches_source(p);
	if (a != ACT_OPEN && a != ACT_MARK)
		return list_act(&p->switches, &src, a, k);
	size_t i = list_selected(&p->switches, &src);
	if (i < src.n) {
		const struct recipe_deviation *d = &p->recipe->deviations.items[i];
		switch_to(v, p, d, !is_on(p, d));
	}
	return true;
}

/* --- the choices: a deviation that tells both sides is two rows */

static const struct recipe_deviation *choice_of(const struct recipe *r, size_t row, bool *on)
{
	for (size_t i = 0; i < r->deviations.n; i++) {
		const struct recipe_deviation *d = &r->deviations.items[i];
		if (!d->otherwise.en)
			continue;
		if (row < 2) {
			*on = row == 1;
			return d;
		}
		row -= 2;
	}
	return NULL;
}

static const char *choice_id(const void *arg, size_t i)
{
	static char id[LIST_ID];
	bool on = false;
	const struct recipe_deviation *d =
		choice_of(((const struct plan_page *)arg)->recipe, i, &on);
	snprintf(id, sizeof(id), "%s:%s", d->id, on ? "on" : "off");
	return id;
}

static void choice_row(const void *arg, size_t i, struct surface *row, bool selected)
{
	const struct plan_page *p = arg;
	bool on = false;
	const struct recipe_deviation *d = choice_of(p->recipe, i, &on);
	bool taken = is_on(p, d) == on;
	(void)selected;
	surface_text(row, 0, 1, 3, taken ? ROLE_OK : ROLE_DIM, taken ? "(*)" : "( )");
	surface_cut(row, 0, 5, row->w - 6, taken ? ROLE_TEXT : ROLE_DIM,
		recipe_text(on ? &d->title : &d->otherwise));
}

static struct list_source choices_source(const struct plan_page *p)
{
	bool on;
	struct list_source src = {.arg = p, .id = choice_id, .draw = choice_row};
	while (choice_of(p->recipe, src.n, &on))
		src.n++;
	return src;
}

static void notes_draw(struct plan_page *p, const struct recipe_deviation *d, struct surface *s)
{
	int y = 0;
	surface_rule(s, 0, _("what the tutorial says and what really happens"), NULL);
	struct surface in = surface_sub(s, 1, 1, s->h - 1, s->w - 2);
	if (d) {
		y += surface_wrap(&in, y, 0, in.h - y, in.w, ROLE_STRONG, recipe_text(&d->why));
		y += surface_wrap(&in, y, 0, in.h - y, in.w, ROLE_WARN, recipe_text(&d->price));
	}
	for (size_t i = 0; i < p->recipe->notes.n && y < in.h; i++) {
		const struct recipe_note *n = &p->recipe->notes.items[i];
		y += surface_wrap(&in, y, 0, in.h - y, in.w, ROLE_DIM, recipe_text(&n->says));
		y += surface_wrap(
			&in, y, 2, in.h - y, in.w - 2, ROLE_TEXT, recipe_text(&n->happens));
	}
}

void plan_choices_draw(struct plan_page *p, struct surface *s)
{
	struct list_source src = choices_source(p);
	struct surface parts[2];
	bool on = false;
	plan_split(s, 64, (int)src.n, parts);
	list_draw(&p->choices, &src, &parts[0], true);
	size_t i = list_selected(&p->choices, &src);
	notes_draw(p, i < src.n ? choice_of(p->recipe, i, &on) : NULL, &parts[1]);
}

bool plan_choices_act(struct view *v, struct plan_page *p, enum action a, const struct key *k)
{
	struct list_source src = choices_source(p);
	bool on = false;
	if (a != ACT_OPEN && a != ACT_MARK)
		return list_act(&p->choices, &src, a, k);
	size_t i = list_selected(&p->choices, &src);
	if (i < src.n) {
		const struct recipe_deviation *d = choice_of(p->recipe, i, &on);
		if (is_on(p, d) != on)
			switch_to(v, p, d, on);
	}
	return true;
}
