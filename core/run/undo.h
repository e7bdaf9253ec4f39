/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What undoing a stage asks of a person. Pure; screens, plain mode and the engine share it: the
 * engine refuses what was not typed.
 */
#ifndef RLPILOT_RUN_UNDO_H
#define RLPILOT_RUN_UNDO_H

#include <stdbool.h>

#include "core/recipe/recipe.h"
#include "core/run/state.h"

/* Is there anything to undo, and may it be undone now? why (may be NULL) gets the reason,
 * translated. */
bool undo_possible(
	const struct recipe *r, const struct state *s, enum stage_id id, const char **why);
/* The last thing tried with the stage was its undo, and something is left. */
bool undo_failed(const struct state *s, enum stage_id id);
/* What must be typed because something is deleted for good: the name of the cluster or of the
 * bucket, the name of the tree; NULL = a yes is enough. Borrowed from recipe and state. */
const char *undo_word(const struct recipe *r, const struct state *s, enum stage_id id);

#endif
