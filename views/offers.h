/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills the list below a field from the state: what the account offers, the reservations with their
 * verdict, or the few words that a parameter may have. Asks nobody: whoever stands at the field
 * posts the question.
 */
#ifndef RLPILOT_VIEWS_OFFERS_H
#define RLPILOT_VIEWS_OFFERS_H

#include "core/recipe/recipe.h"
#include "core/run/state.h"
#include "views/pick.h"

/* One of variable and param is not NULL. */
void offers_fill(struct pick *p, const struct state *s, const struct recipe_variable *variable,
	const struct recipe_param *param, const char *filter);

/* The verdict about a reservation for the values as they are now; *why is the caller's. */
enum reservation_verdict offers_verdict(
	const struct state *s, const struct reservation *r, char **why);
/* "zones a, b did not answer: the list is incomplete" and the like. False: it is complete. */
bool offers_incomplete(bool incomplete, const struct strvec *unreachable, struct buf *out);

#endif
