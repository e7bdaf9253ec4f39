/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of anything: selection by the item's id (it stays with its item when others come and go),
 * scrolling, filter. The list keeps how one looks at it, never the items; a source answers for
 * them.
 */
#ifndef RLPILOT_TUI_WIDGET_LIST_H
#define RLPILOT_TUI_WIDGET_LIST_H

#include "tui/keymap.h"
#include "tui/surface.h"

#include <stdbool.h>
#include <stddef.h>

#define LIST_ID 192

struct list_source {
	const void *arg;
	size_t n;
	const char *(*id)(const void *arg, size_t i);
	/* One row of the surface's width; `selected` also fills the row with the role. */
	void (*draw)(const void *arg, size_t i, struct surface *row, bool selected);
	/* Text that the filter looks into; NULL: the id. */
	const char *(*text)(const void *arg, size_t i);
};

struct list {
	char selected[LIST_ID]; /* id, "" = the first */
	size_t top, at;         /* positions among the shown items, valid after list_sync */
	size_t *shown, n_shown; /* indexes that pass the filter */
	char filter[64];
	int rows;    /* of the last drawing */
	int y, x, w; /* where it was drawn, for the mouse */
};

void list_fini(struct list *l);
/* Applies filter and selection to the items as they are now. */
void list_sync(struct list *l, const struct list_source *src);
void list_draw(struct list *l, const struct list_source *src, struct surface *s, bool focused);
/* Moves the selection; true when the action was one of moving. Also a click into the rows. */
bool list_act(struct list *l, const struct list_source *src, enum action a, const struct key *k);
/* Index of the selected item in the source, (size_t)-1 when there is none. */
size_t list_selected(struct list *l, const struct list_source *src);
void list_select(struct list *l, const char *id);

#endif
