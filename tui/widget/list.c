/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/widget/list.h"

#include "core/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void list_fini(struct list *l)
{
	free(l->shown);
	l->shown = NULL;
	l->n_shown = 0;
}

static bool list_passes(const struct list *l, const struct list_source *src, size_t i)
{
	if (!*l->filter)
		return true;
	const char *text = src->text ? src->text(src->arg, i) : src->id(src->arg, i);
	return strcasestr(text, l->filter) != NULL;
}

void list_select(struct list *l, const char *id)
{
	snprintf(l->selected, sizeof(l->selected), "%s", id);
}

static void list_take(struct list *l, const struct list_source *src, size_t at)
{
	l->at = at;
	list_select(l, src->id(src->arg, l->shown[at]));
}

void list_sync(struct list *l, const struct list_source *src)
{
	l->shown = x_realloc(l->shown, (src->n ? src->n : 1) * sizeof(*l->shown));
	l->n_shown = 0;
	size_t found = (size_t)-1;
	for (size_t i = 0; i < src->n; i++) {
		if (!list_passes(l, src, i))
			continue;
		if (strcmp(src->id(src->arg, i), l->selected) == 0)
			found = l->n_shown;
		l->shown[l->n_shown++] = i;
	}
	if (l->n_shown == 0)
		l->at = l->top = 0;
	else if (found != (size_t)-1)
		l->at = found;
	else
		list_take(l, src, l->at < l->n_shown ? l->at : l->n_shown - 1);
}

size_t list_selected(struct list *l, const struct list_source *src)
{
	list_sync(l, src);
	return l->n_shown ? l->shown[l->at] : (size_t)-1;
}

void list_draw(struct list *l, const struct list_source *src, struct surface *s, bool focused)
{
	size_t rows = (size_t)s->h;
	list_sync(l, src);
	l->rows = s->h;
	l->y = s->y;
	l->x = s->x;
	l->w = s->w;
	if (l->at < l->top)
		l->top = l->at;
	if (rows && l->at >= l->top + rows)
		l->top = l->at - rows + 1;
	if (l->top + rows > l->n_shown)
		l->top = l->n_shown > rows ? l->n_shown - rows : 0;
	for (size_t i = 0; i < rows && l->top + i < l->n_shown; i++) {
		struct surface row = surface_sub(s, (int)i, 0, 1, s->w);
		bool selected = focused && l->top + i == l->at;
		if (selected)
			surface_fill(&row, 0, 0, 1, row.w, ROLE_SELECTED);
		src->draw(src->arg, l->shown[l->top + i], &row, selected);
		if (selected)
			surface_role(&row, 0, 0, row.w, ROLE_SELECTED);
	}
}

static bool list_click(struct list *l, const struct list_source *src, const struct key *k)
{
	if (k->code != K_MOUSE || k->mouse != MOUSE_PRESS || k->y < l->y ||
		k->y >= l->y + l->rows || k->x < l->x || k->x >= l->x + l->w)
		return false;
	size_t at = l->top + (size_t)(k->y - l->y);
	if (at < l->n_shown)
		list_take(l, src, at);
	return true;
}

bool list_act(struct list *l, const struct list_source *src, enum action a, const struct key *k)
{
	size_t page = l->rows > 1 ? (size_t)l->rows - 1 : 1;
	list_sync(l, src);
	if (a == ACT_NONE)
		return list_click(l, src, k);
	size_t last = l->n_shown ? l->n_shown - 1 : 0, at = l->at;
	switch (a) {
	case ACT_UP:
		at -= at > 0;
		break;
	case ACT_DOWN:
		at += at < last;
		break;
	case ACT_PAGE_UP:
		at = at > page ? at - page : 0;
		break;
	case ACT_PAGE_DOWN:
		at = at + page < last ? at + page : last;
		break;
	case ACT_FIRST:
		at = 0;
		break;
	case ACT_LAST:
		at = last;
		break;
	default:
		return false;
	}
	if (l->n_shown)
		list_take(l, src, at);
	return true;
}
