/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/widget/menu.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "tui/glyph.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_W 76 /* wider lines are hard to read */

static int band_width(const struct surface *s)
{
	return s->w - 4 < TEXT_W ? s->w - 4 : TEXT_W;
}

/* A cleared band over the lowest rows, beside the keys that answer it, with a rule above and below:
 * whole rows, so that nothing of the page is cut in the middle. Returns the part inside. */
static struct surface band(struct surface *s, int rows, const char *title, const char *hint)
{
	int h = rows + 2 > s->h ? s->h : rows + 2;
	struct surface b = surface_sub(s, s->h - h, 0, h, s->w);
	surface_fill(&b, 0, 0, b.h, b.w, ROLE_TEXT);
	surface_rule(&b, 0, title, NULL);
	surface_rule(&b, b.h - 1, NULL, hint);
	return surface_sub(&b, 1, 2, b.h - 2, band_width(s));
}

void menu_open(struct menu *m, const char *title, const char *body, const struct menu_item *items,
	size_t n)
{
	m->title = title;
	m->body = body;
	m->items = items;
	m->n = n;
	m->open = true;
	list_select(&m->list, "");
	m->list.at = 0;
}

void menu_close(struct menu *m)
{
	list_fini(&m->list);
	m->open = false;
}

static const char *menu_id(const void *arg, size_t i)
{
	return ((const struct menu *)arg)->items[i].id;
}

static void menu_row(const void *arg, size_t i, struct surface *row, bool selected)
{
	const struct menu_item *item = &((const struct menu *)arg)->items[i];
	if (selected)
		surface_put(row, 0, 0, ROLE_SELECTED, glyph(GLYPH_CURSOR));
	int x = 2 + surface_cut(row, 0, 2, row->w - 2, ROLE_TEXT, item->text);
	if (item->detail)
		surface_cut(row, 0, x + 2, row->w - x - 2, ROLE_DIM, item->detail);
}

static struct list_source menu_source(const struct menu *m)
{
	return (struct list_source){.arg = m, .n = m->n, .id = menu_id, .draw = menu_row};
}

void menu_draw(struct menu *m, struct surface *s)
{
	int body = m->body ? wrap_rows(m->body, band_width(s)) : 0;
	int room = s->h - 3 - (int)m->n; /* the choices are always seen */
	body = body > room ? room > 0 ? room : 0 : body;
	struct list_source src = menu_source(m);
	struct surface in = band(s, (body ? body + 1 : 0) + (int)m->n, m->title, _("Enter  Esc"));
	if (body)
		surface_wrap(&in, 0, 0, body, in.w, ROLE_TEXT, m->body);
	struct surface rows = surface_sub(&in, body ? body + 1 : 0, 0, (int)m->n, in.w);
	list_draw(&m->list, &src, &rows, true);
	s->grid->cursor_y = -1;
}

bool menu_act(struct menu *m, enum action a, const struct key *k, const char **chosen)
{
	struct list_source src = menu_source(m);
	*chosen = NULL;
	if (!m->open)
		return false;
	if (a == ACT_OPEN) {
		size_t i = list_selected(&m->list, &src);
		if (i != (size_t)-1)
			*chosen = m->items[i].id;
		menu_close(m);
	} else if (a == ACT_BACK || a == ACT_QUIT) {
		menu_close(m);
	} else {
		list_act(&m->list, &src, a, k);
	}
	return true;
}

void dialog_open(struct dialog *d, const char *title, const char *body, const char *word)
{
	dialog_close(d);
	d->title = x_strdup(title);
	d->body = x_strdup(body);
	d->word = x_strdup(word);
	d->open = true;
}

void dialog_ask(struct dialog *d, const char *title, const char *body)
{
	dialog_open(d, title, body, NULL);
	d->free = true;
}

void dialog_close(struct dialog *d)
{
	free(d->title);
	free(d->body);
	free(d->word);
	field_fini(&d->field);
	*d = (struct dialog){0};
}

void dialog_draw(struct dialog *d, struct surface *s)
{
	int body = wrap_rows(d->body, band_width(s));
	bool typed = d->word || d->free;
	int room = s->h - 2 - (typed ? 4 : 0); /* what is typed is always seen */
	body = body > room ? room > 0 ? room : 0 : body;
	struct surface in = band(s, body + (typed ? 4 : 0), d->title, _("Enter: yes  Esc: no"));
	s->grid->cursor_y = -1;
	surface_wrap(&in, 0, 0, body, in.w, ROLE_TEXT, d->body);
	if (!typed)
		return;
	AUTO_FREE char *ask = d->word ? x_asprintf(_("Type %s to go on:"), d->word) : NULL;
	surface_cut(&in, body + 1, 0, in.w, ROLE_STRONG, ask ? ask : _("Because:"));
	field_draw(&d->field, &in, body + 2, 0, in.w, true, ROLE_FIELD_FOCUS);
	if (d->wrong)
		surface_cut(&in, body + 3, 0, in.w, ROLE_BAD,
			d->word ? _("not the same name; nothing was done")
				: _("a reason is needed"));
}

bool dialog_act(struct dialog *d, enum action a, const struct key *k, bool *yes)
{
	const char *text = field_text(&d->field);
	*yes = false;
	if (!d->open)
		return false;
	if (a == ACT_BACK || (a == ACT_QUIT && k->mods & MOD_CTRL)) {
		dialog_close(d);
	} else if (a == ACT_OPEN) {
		*yes = d->word ? strcmp(text, d->word) == 0 : d->free ? *text != '\0' : true;
		d->wrong = !*yes;
	} else if (d->word || d->free) {
		d->wrong = false;
		field_key(&d->field, k, NULL);
	}
	return true;
}
