/* SPDX-License-Identifier: Apache-2.0 */
#include "views/pick.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "tui/glyph.h"

#define ITEMS_MAX 500
#define WIDTH_MAX 64

void pick_begin(struct pick *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->items[i].value);
		free(p->items[i].note);
		free(p->items[i].place);
	}
	p->n = 0;
	buf_clear(&p->status);
	p->status_role = ROLE_DIM;
	p->busy = false;
}

void pick_reset(struct pick *p)
{
	pick_begin(p);
	free(p->chosen);
	p->chosen = NULL;
}

void pick_fini(struct pick *p)
{
	pick_reset(p);
	free(p->items);
	buf_fini(&p->status);
	*p = (struct pick){0};
}

void pick_add(struct pick *p, const char *filter, const char *value, const char *note,
	const char *place, bool fits)
{
	struct pick_item *item;

	if (p->n >= ITEMS_MAX)
		return;
	if (filter && *filter && !strstr(value, filter) && !strstr(note, filter))
		return;
	item = VEC_PUSH(p);
	*item = (struct pick_item){
		x_strdup(value), x_strdup(note), place ? x_strdup(place) : NULL, fits};
}

static size_t index_of(const struct pick *p)
{
	size_t i = 0;

	while (p->chosen && i < p->n && strcmp(p->items[i].value, p->chosen) != 0)
		i++;
	return p->chosen ? i : p->n;
}

void pick_end(struct pick *p)
{
	AUTO_FREE struct pick_item *all = x_calloc(p->n + 1, sizeof(*all));
	size_t n = 0;

	for (int fits = 1; fits >= 0; fits--)
		for (size_t i = 0; i < p->n; i++)
			if (p->items[i].fits == (fits == 1))
				all[n++] = p->items[i];
	if (n)
		memcpy(p->items, all, n * sizeof(*all));
	if (index_of(p) == p->n) {
		free(p->chosen);
		p->chosen = NULL;
	}
}

const struct pick_item *pick_chosen(const struct pick *p)
{
	size_t i = index_of(p);

	return i < p->n ? &p->items[i] : NULL;
}

static void choose(struct pick *p, const char *value)
{
	char *copy = value ? x_strdup(value) : NULL;

	free(p->chosen);
	p->chosen = copy;
}

bool pick_act(struct pick *p, enum action a)
{
	size_t i = index_of(p);

	if (a == ACT_DOWN && p->n) {
		if (!p->chosen)
			choose(p, p->items[0].value);
		else if (i + 1 < p->n)
			choose(p, p->items[i + 1].value);
		return true;
	}
	if (a == ACT_DOWN && p->busy)
		return true;
	if (a == ACT_UP && p->chosen) {
		choose(p, i > 0 && i < p->n ? p->items[i - 1].value : NULL);
		return true;
	}
	if (a == ACT_BACK && p->chosen) {
		choose(p, NULL);
		return true;
	}
	return false;
}

bool pick_empty(const struct pick *p)
{
	return !p->n && !p->status.len;
}

static int widest(const struct pick *p)
{
	int w = p->status.len ? text_width(buf_str(&p->status)) + 3 : 0;

	for (size_t i = 0; i < p->n; i++) {
		int need = text_width(p->items[i].value) + text_width(p->items[i].note) + 6;

		w = need > w ? need : w;
	}
	return w < WIDTH_MAX ? w : WIDTH_MAX;
}

static void row(const struct pick_item *item, bool chosen, struct surface *s)
{
	enum role role = chosen ? ROLE_SELECTED : ROLE_FIELD;
	int note = text_width(item->note), used;

	surface_fill(s, 0, 0, 1, s->w, role);
	if (chosen)
		surface_put(s, 0, 0, role, glyph(GLYPH_CURSOR));
	used = 2 + surface_cut(s, 0, 2, s->w - 3, role, item->value);
	if (s->w - used - 3 >= (note < 8 ? note : 8))
		surface_right(
			s, 0, s->w - 1, s->w - used - 3, chosen ? role : ROLE_DIM, item->note);
	if (!item->fits)
		surface_put(s, 0, 1, chosen ? role : ROLE_WARN, glyph(GLYPH_WARN));
}

void pick_draw(const struct pick *p, struct surface *s, int y, int x)
{
	int more = p->status.len ? 1 : 0, below = s->h - y - 1;
	int room = below >= 3 || below >= y ? below : y;
	int rows = (int)p->n < PICK_ROWS ? (int)p->n : PICK_ROWS;
	int w = widest(p), h;
	size_t at = index_of(p), top = 0;

	if (pick_empty(p) || room < 1)
		return;
	rows = rows + more > room ? room - more : rows;
	rows = rows < 0 ? 0 : rows;
	h = rows + more;
	if (x + w > s->w)
		x = s->w - w > 2 ? s->w - w : 2;
	if (at < p->n && at >= (size_t)rows)
		top = at - (size_t)rows + 1;
	struct surface box = surface_sub(s, room == below ? y + 1 : y - h, x, h, w);
	for (int i = 0; i < rows && top + (size_t)i < p->n; i++) {
		struct surface line = surface_sub(&box, i, 0, 1, box.w);

		row(&p->items[top + (size_t)i], top + (size_t)i == at, &line);
	}
	if (more) {
		surface_fill(&box, rows, 0, 1, box.w, ROLE_FIELD);
		surface_cut(&box, rows, 2, box.w - 3, p->status_role, buf_str(&p->status));
	}
}
