/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list with columns and a header. Columns have a fixed width or a weight with a minimum; when
 * room is short the droppable ones go first. Cells are cut, never wrapped.
 */
#ifndef RLPILOT_TUI_WIDGET_TABLE_H
#define RLPILOT_TUI_WIDGET_TABLE_H

#include "tui/widget/list.h"

struct table_column {
	const char *title;            /* untranslated; NULL: no title */
	int fixed, weight, min, drop; /* as in struct split; fixed counts the gap after it */
	bool right;
};

struct table_source {
	const void *arg;
	size_t n;
	const struct table_column *columns;
	size_t n_columns;
	const char *(*id)(const void *arg, size_t row);
	/* Text of a cell (borrowed until the next call) and its role. */
	const char *(*cell)(const void *arg, size_t row, size_t column, enum role *role);
};

/* Header row and rows below it. */
void table_draw(struct list *l, const struct table_source *src, struct surface *s, bool focused);
bool table_act(struct list *l, const struct table_source *src, enum action a, const struct key *k);
size_t table_selected(struct list *l, const struct table_source *src);

#endif
