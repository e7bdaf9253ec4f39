/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A short list below a field: what may stand there, narrowed by what is typed. Nothing is chosen
 * until one goes down into it, so that typing and Enter work as if it were not there. Its owner
 * fills it anew for every frame; the choice is kept by value.
 */
#ifndef RLPILOT_VIEWS_PICK_H
#define RLPILOT_VIEWS_PICK_H

#include "core/base/buf.h"
#include "tui/keymap.h"
#include "tui/surface.h"

#include <stdbool.h>
#include <stddef.h>

#define PICK_ROWS 6

struct pick_item {
	char *value, *note;
	char *place; /* a value that comes along (the zone of a reservation), NULL = none */
	bool fits;
};

struct pick {
	struct pick_item *items;
	size_t n, cap;
	struct buf status; /* below the items: asking, why there is nothing, what is missing */
	enum role status_role;
	bool busy;    /* more may come */
	char *chosen; /* value, NULL = what is typed */
};

void pick_fini(struct pick *p);
/* Forgets the choice too: another field. */
void pick_reset(struct pick *p);
/* Empties it to be filled again. */
void pick_begin(struct pick *p);
/* Copies. filter: what is typed, NULL or "" = show all; only what holds it is added. */
void pick_add(struct pick *p, const char *filter, const char *value, const char *note,
	const char *place, bool fits);
void pick_end(struct pick *p); /* those that fit first; a choice that is gone is none */
const struct pick_item *pick_chosen(const struct pick *p); /* NULL = what is typed */
/* Moves the choice; false when the action is not for the list. */
bool pick_act(struct pick *p, enum action a);
bool pick_empty(const struct pick *p); /* neither item nor status */
/* Below row y of s when there is room, else above; x: where the field begins. */
void pick_draw(const struct pick *p, struct surface *s, int y, int x);

#endif
