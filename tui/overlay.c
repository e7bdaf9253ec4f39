/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/overlay.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "tui/host.h"
#include "tui/widget/field.h"
#include "tui/widget/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 39 /* cells of one column of the help page */
#define HELP_KEYS   12
#define LINES_MAX   128

struct help_line {
	const char *title; /* a heading, or NULL */
	enum action action;
	const char *word; /* instead of the action's own */
};

struct overlay {
	bool palette;
	char view[32];
	struct help_line lines[LINES_MAX];
	size_t n, top, room;
	struct field field;
	struct list list;
};

static void help_add(struct overlay *o, const char *title, enum action a, const char *word)
{
	if (o->n < LINES_MAX)
		o->lines[o->n++] = (struct help_line){title, a, word};
}

struct overlay *overlay_help(const struct view *v)
{
	struct overlay *o = X_NEW(struct overlay);
	if (v) {
		snprintf(o->view, sizeof(o->view), "%s", _(v->ops->name));
		help_add(o, _("Now"), ACT_NONE, NULL);
		for (size_t i = 0; i < v->n_keys; i++)
			help_add(o, NULL, v->keys[i].action, v->keys[i].word);
	}
	for (int g = 0; g < GROUP_COUNT; g++) {
		help_add(o, "", ACT_NONE, NULL);
		help_add(o, action_group_title((enum action_group)g), ACT_NONE, NULL);
		for (int a = ACT_NONE + 1; a < ACT_COUNT; a++)
			if (action_group((enum action)a) == (enum action_group)g &&
				*action_help((enum action)a))
				help_add(o, NULL, (enum action)a, NULL);
	}
	return o;
}

struct overlay *overlay_palette(void)
{
	struct overlay *o = X_NEW(struct overlay);
	o->palette = true;
	for (int a = ACT_NONE + 1; a < ACT_COUNT; a++)
		if (*action_help((enum action)a))
			help_add(o, NULL, (enum action)a, NULL);
	o->field.placeholder = _("type a part of a name");
	return o;
}

void overlay_free(struct overlay *o)
{
	if (!o)
		return;
	field_fini(&o->field);
	list_fini(&o->list);
	free(o);
}

bool overlay_typing(const struct overlay *o)
{
	return o->palette;
}

static void help_draw_line(struct surface *s, int y, const struct help_line *l)
{
	char keys[64];
	if (l->title) {
		surface_cut(s, y, 1, s->w - 1, ROLE_TITLE, l->title);
		return;
	}
	surface_cut(s, y, 2, HELP_KEYS - 1, ROLE_KEY, action_keys(l->action, keys, sizeof(keys)));
	surface_cut(s, y, 2 + HELP_KEYS, s->w - 3 - HELP_KEYS, ROLE_TEXT,
		l->word ? l->word : action_help(l->action));
}

/* Columns side by side; a page is as many lines as they hold. */
static void help_draw(struct overlay *o, struct surface *s)
{
	AUTO_FREE char *title = x_asprintf(_("help: %s"), o->view);
	int columns = s->w / HELP_COLUMN > 1 ? s->w / HELP_COLUMN : 1;
	struct surface rows = surface_sub(s, 1, 0, s->h - 1, s->w);
	size_t h = (size_t)(rows.h > 0 ? rows.h : 0);
	o->room = h * (size_t)columns;
	if (o->n <= o->room)
		o->top = 0;
	else if (o->top > o->n - o->room)
		o->top = o->n - o->room;
	size_t below = o->n > o->top + o->room ? o->n - o->top - o->room : 0;
	AUTO_FREE char *more = below ? x_asprintf(_("%zu more below"), below) : NULL;
	surface_rule(s, 0, title, more);
	for (size_t i = 0; i < o->room && o->top + i < o->n; i++) {
		int column = (int)(i / h);
		struct surface part =
			surface_sub(&rows, 0, column * (s->w / columns), rows.h, s->w / columns);
		help_draw_line(&part, (int)(i % h), &o->lines[o->top + i]);
	}
}

static const char *palette_id(const void *arg, size_t i)
{
	return action_word(((const struct overlay *)arg)->lines[i].action);
}

static const char *palette_text(const void *arg, size_t i)
{
	static char text[256];
	enum action a = ((const struct overlay *)arg)->lines[i].action;
	snprintf(text, sizeof(text), "%s %s", action_word(a), action_help(a));
	return text;
}

static void palette_row(const void *arg, size_t i, struct surface *row, bool selected)
{
	enum action a = ((const struct overlay *)arg)->lines[i].action;
	char keys[64];
	enum role role = selected ? ROLE_SELECTED : ROLE_TEXT;
	surface_cut(row, 0, 2, 14, role, action_word(a));
	surface_cut(row, 0, 17, 12, ROLE_KEY, action_keys(a, keys, sizeof(keys)));
	surface_cut(row, 0, 30, row->w - 31, role, action_help(a));
}

static struct list_source palette_source(const struct overlay *o)
{
	return (struct list_source){
		.arg = o, .n = o->n, .id = palette_id, .draw = palette_row, .text = palette_text};
}

static void palette_draw(struct overlay *o, struct surface *s)
{
	struct list_source src = palette_source(o);
	struct surface rows = surface_sub(s, 2, 0, s->h - 2, s->w);
	surface_rule(s, 0, _("all actions by name"), NULL);
	surface_text(s, 1, 1, 1, ROLE_KEY, ":");
	field_draw(&o->field, s, 1, 3, s->w - 4, true, ROLE_FIELD_FOCUS);
	list_draw(&o->list, &src, &rows, true);
}

void overlay_draw(struct overlay *o, struct surface *s)
{
	surface_fill(s, 0, 0, s->h, s->w, ROLE_TEXT);
	s->grid->cursor_y = -1;
	if (o->palette)
		palette_draw(o, s);
	else
		help_draw(o, s);
}

static bool help_act(struct overlay *o, enum action a)
{
	size_t page = o->room > 1 ? o->room / 2 : 1;
	if (a == ACT_UP)
		o->top -= o->top > 0;
	else if (a == ACT_DOWN)
		o->top++;
	else if (a == ACT_PAGE_UP)
		o->top = o->top > page ? o->top - page : 0;
	else if (a == ACT_PAGE_DOWN)
		o->top += page;
	else if (a == ACT_FIRST)
		o->top = 0;
	else if (a == ACT_LAST)
		o->top = o->n;
	else
		return false;
	return true;
}

bool overlay_act(struct overlay *o, enum action a, const struct key *k, enum action *chosen)
{
	*chosen = ACT_NONE;
	if (!o->palette)
		return help_act(o, a);
	struct list_source src = palette_source(o);
	bool changed;
	if (a == ACT_BACK || a == ACT_QUIT)
		return false;
	if (a == ACT_OPEN) {
		size_t i = list_selected(&o->list, &src);
		if (i != (size_t)-1)
			*chosen = o->lines[i].action;
		return false;
	}
	if (list_act(&o->list, &src, a, k))
		return true;
	field_key(&o->field, k, &changed);
	if (changed) {
		snprintf(o->list.filter, sizeof(o->list.filter), "%s", field_text(&o->field));
		list_select(&o->list, "");
		o->list.at = 0;
	}
	return true;
}
