/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Curing what a check found: shows the command and who can run it, asks, runs it on the terminal
 * with its output in sight, and has everything asked again. What no command cures leads to the page
 * where it can be changed. Must not run anything that was not confirmed.
 */
#ifndef RLPILOT_VIEWS_CURE_H
#define RLPILOT_VIEWS_CURE_H

#include "core/base/vec.h"
#include "tui/widget/menu.h"
#include "views/common.h"

struct cure {
	struct dialog dialog;
	struct view *view;
	struct strvec argv; /* copied: the checks may change while the question is open */
	enum action go;     /* the page that Enter opens, ACT_NONE: the command, or asking again */
	char *id;           /* of the check */
	bool ran;           /* and its answer is awaited */
};

void cure_begin(struct cure *q, struct view *v, const struct state_check *c);
/* True once, when the check whose cure was run is ok; says so. */
bool cure_worked(struct cure *q, const struct state *s);
bool cure_open(const struct cure *q);
void cure_draw(struct cure *q, struct surface *s);
/* True while the question takes the keys. */
bool cure_act(struct cure *q, enum action a, const struct key *k);
void cure_close(struct cure *q);

#endif
