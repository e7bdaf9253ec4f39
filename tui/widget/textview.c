/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/widget/textview.h"

static int textview_rows_of(
	const struct textview *t, const struct textview_source *src, size_t i, int w)
{
	enum role role = ROLE_TEXT;
	int rows = t->wrap ? wrap_rows(src->line(src->arg, i, &role), w) : 1;
	return rows > 0 ? rows : 1;
}

/* Index of the first line so that the last one ends at the bottom. */
static size_t textview_tail(
	const struct textview *t, const struct textview_source *src, const struct surface *s)
{
	size_t i = src->n;
	int rows = 0;
	while (i > 0) {
		rows += textview_rows_of(t, src, i - 1, s->w);
		if (rows > s->h)
			break;
		i--;
	}
	return i == src->n && i > 0 ? i - 1 : i;
}

static size_t textview_start(
	struct textview *t, const struct textview_source *src, const struct surface *s)
{
	size_t tail = textview_tail(t, src, s);
	if (!t->still)
		return tail;
	size_t at = t->top > src->first ? (size_t)(t->top - src->first) : 0;
	return at < tail ? at : tail;
}

void textview_draw(struct textview *t, const struct textview_source *src, struct surface *s)
{
	int y = 0;
	t->rows = s->h;
	size_t i = textview_start(t, src, s);
	t->top = src->first + i;
	for (; i < src->n && y < s->h; i++) {
		enum role role = ROLE_TEXT;
		const char *line = src->line(src->arg, i, &role);
		if (t->wrap) {
			int rows = surface_wrap(s, y, 0, s->h - y, s->w, role, line);
			y += rows > 0 ? rows : 1;
		} else {
			surface_cut(s, y++, 0, s->w, role, line);
		}
	}
}

bool textview_act(struct textview *t, const struct textview_source *src, enum action a)
{
	uint64_t page = t->rows > 1 ? (uint64_t)t->rows - 1 : 1;
	uint64_t last = src->first + src->n;
	uint64_t bottom =
		last > src->first + (uint64_t)t->rows ? last - (uint64_t)t->rows : src->first;
	switch (a) {
	case ACT_UP:
	case ACT_PAGE_UP:
		page = a == ACT_UP ? 1 : page;
		t->top = t->top > src->first + page ? t->top - page : src->first;
		t->still = true;
		return true;
	case ACT_DOWN:
	case ACT_PAGE_DOWN:
		t->top += a == ACT_DOWN ? 1 : page;
		t->still = t->still && t->top < bottom;
		return true;
	case ACT_FIRST:
		t->top = src->first;
		t->still = true;
		return true;
	case ACT_LAST:
		t->still = false;
		return true;
	case ACT_FOLLOW:
		t->still = !t->still;
		return true;
	case ACT_WRAP:
		t->wrap = !t->wrap;
		return true;
	default:
		return false;
	}
}
