/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/widget/form.h"

#include "core/base/text.h"
#include "tui/glyph.h"

#include <stdio.h>
#include <string.h>

#define LABEL_W 22
#define VALUE_W 30
#define NOTE_W  22 /* with the gap */

struct form_list {
	const struct form_source *src;
	struct form *form;
};

void form_fini(struct form *f)
{
	field_fini(&f->field);
	list_fini(&f->list);
}

static const char *form_id(const void *arg, size_t i)
{
	static char id[LIST_ID];
	const struct form_list *l = arg;
	struct form_row r = {0};
	l->src->row(l->src->arg, i, &r);
	snprintf(id, sizeof(id), "%s", r.id);
	return id;
}

static void form_value(
	const struct form_list *l, const struct form_row *r, struct surface *row, int x, int w)
{
	bool editing = l->form->editing && strcmp(l->form->edited, r->id) == 0;
	if (editing) {
		l->form->field.masked = r->masked;
		field_draw(&l->form->field, row, 0, x, w, true, ROLE_FIELD_FOCUS);
	} else {
		surface_cut(row, 0, x, w, r->value_role, r->value);
	}
}

static void form_row_draw(const void *arg, size_t i, struct surface *row, bool selected)
{
	const struct form_list *l = arg;
	struct form_row r = {0};
	l->src->row(l->src->arg, i, &r);
	int label = l->form->label_w ? l->form->label_w : LABEL_W;
	int x = 2 + label + 1, rest = row->w - x;
	int value = rest > VALUE_W + NOTE_W ? rest - NOTE_W : rest > VALUE_W ? VALUE_W : rest;
	if (selected)
		surface_put(row, 0, 0, ROLE_SELECTED, glyph(GLYPH_CURSOR));
	surface_cut(row, 0, 2, label, selected ? ROLE_STRONG : ROLE_TEXT, r.label);
	form_value(l, &r, row, x, value);
	if (r.note && rest - value > 3)
		surface_cut(row, 0, x + value + 1, rest - value - 1, r.note_role, r.note);
}

static struct list_source form_list(const struct form_list *l)
{
	return (struct list_source){.arg = l, .n = l->src->n, .id = form_id, .draw = form_row_draw};
}

void form_draw(struct form *f, const struct form_source *src, struct surface *s)
{
	struct form_list l = {src, f};
	struct list_source rows = form_list(&l);
	/* The row being edited keeps the look of its field: no bar over it. */
	list_draw(&f->list, &rows, s, true);
	if (!f->editing)
		return;
	struct surface row = surface_sub(s, (int)(f->list.at - f->list.top), 0, 1, s->w);
	surface_fill(&row, 0, 0, 1, row.w, ROLE_TEXT);
	form_row_draw(&l, f->list.shown[f->list.at], &row, true);
}

size_t form_focus(struct form *f, const struct form_source *src)
{
	struct form_list l = {src, f};
	struct list_source rows = form_list(&l);
	return list_selected(&f->list, &rows);
}

static enum form_event form_edit(
	struct form *f, const struct list_source *rows, enum action a, const struct key *k)
{
	bool changed;
	switch (a) {
	case ACT_BACK:
		f->editing = false;
		return FORM_DROP;
	case ACT_OPEN:
	case ACT_NEXT:
	case ACT_DOWN:
		f->editing = false;
		list_act(&f->list, rows, a == ACT_OPEN ? ACT_NONE : ACT_DOWN, k);
		return FORM_TAKE;
	case ACT_PREV:
	case ACT_UP:
		f->editing = false;
		list_act(&f->list, rows, ACT_UP, k);
		return FORM_TAKE;
	default:
		break;
	}
	if (!field_key(&f->field, k, &changed))
		return FORM_IGNORED;
	return changed ? FORM_CHANGED : FORM_USED;
}

enum form_event form_act(
	struct form *f, const struct form_source *src, enum action a, const struct key *k)
{
	struct form_list l = {src, f};
	struct list_source rows = form_list(&l);
	if (f->editing)
		return form_edit(f, &rows, a, k);
	if (a == ACT_OPEN || (a == ACT_NONE && k->code == K_PASTE)) {
		size_t i = list_selected(&f->list, &rows);
		struct form_row r = {0};
		if (i == (size_t)-1)
			return FORM_IGNORED;
		src->row(src->arg, i, &r);
		if (r.fixed)
			return FORM_USED;
		f->editing = true;
		snprintf(f->edited, sizeof(f->edited), "%s", r.id);
		return FORM_BEGIN;
	}
	if (a == ACT_NEXT || a == ACT_PREV)
		a = a == ACT_NEXT ? ACT_DOWN : ACT_UP;
	return list_act(&f->list, &rows, a, k) ? FORM_USED : FORM_IGNORED;
}
