/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/widget/table.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "tui/glyph.h"
#include "tui/layout.h"

#define COLUMNS_MAX 12
#define MARGIN      2 /* cells before the first column: the selection's mark */

struct table_draw {
	const struct table_source *src;
	int widths[COLUMNS_MAX];
};

static void table_widths(struct table_draw *d, int w)
{
	struct split parts[COLUMNS_MAX];
	const struct table_source *src = d->src;
	if (src->n_columns > COLUMNS_MAX)
		die("table of %zu columns", src->n_columns);
	for (size_t i = 0; i < src->n_columns; i++) {
		const struct table_column *c = &src->columns[i];
		parts[i] = (struct split){c->fixed, c->weight, c->min, c->drop};
	}
	layout_sizes(parts, src->n_columns, w > MARGIN ? w - MARGIN : 0, d->widths);
}

static void table_cell(struct surface *row, int x, int w, const struct table_column *c,
	enum role role, const char *text)
{
	if (w < 2)
		return;
	if (c->right)
		surface_right(row, 0, x + w - 1, w - 1, role, text);
	else
		surface_cut(row, 0, x, w - 1, role, text);
}

static void table_row(const void *arg, size_t i, struct surface *row, bool selected)
{
	const struct table_draw *d = arg;
	int x = MARGIN;
	if (selected)
		surface_put(row, 0, 0, ROLE_SELECTED, glyph(GLYPH_CURSOR));
	for (size_t c = 0; c < d->src->n_columns; c++) {
		enum role role = ROLE_TEXT;
		const char *text = d->src->cell(d->src->arg, i, c, &role);
		table_cell(row, x, d->widths[c], &d->src->columns[c], role, text);
		x += d->widths[c];
	}
}

static const char *table_id(const void *arg, size_t i)
{
	const struct table_draw *d = arg;
	return d->src->id(d->src->arg, i);
}

static struct list_source table_list(const struct table_draw *d)
{
	return (struct list_source){.arg = d, .n = d->src->n, .id = table_id, .draw = table_row};
}

void table_draw(struct list *l, const struct table_source *src, struct surface *s, bool focused)
{
	struct table_draw d = {.src = src};
	struct list_source rows = table_list(&d);
	struct surface head = surface_sub(s, 0, 0, 1, s->w);
	struct surface body = surface_sub(s, 1, 0, s->h - 1, s->w);
	int x = MARGIN;
	table_widths(&d, s->w);
	for (size_t c = 0; c < src->n_columns; c++) {
		if (src->columns[c].title)
			table_cell(&head, x, d.widths[c], &src->columns[c], ROLE_COLUMN,
				_(src->columns[c].title));
		x += d.widths[c];
	}
	list_draw(l, &rows, &body, focused);
}

bool table_act(struct list *l, const struct table_source *src, enum action a, const struct key *k)
{
	struct table_draw d = {.src = src};
	struct list_source rows = table_list(&d);
	return list_act(l, &rows, a, k);
}

size_t table_selected(struct list *l, const struct table_source *src)
{
	struct table_draw d = {.src = src};
	struct list_source rows = table_list(&d);
	return list_selected(l, &rows);
}
