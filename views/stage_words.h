/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sentences that the questions about a stage are made of: what a stop may lose, what undoing runs,
 * what it costs to stop for today. Functions of the state alone; texts are translated and the
 * caller's.
 */
#ifndef RLPILOT_VIEWS_STAGE_WORDS_H
#define RLPILOT_VIEWS_STAGE_WORDS_H

#include "core/recipe/recipe.h"
#include "core/run/state.h"

/* Why a stop does not get on or was refused; NULL = nothing is to be said. */
char *stage_stop_text(const struct state_stage *st);
/* What may be lost when this stage is stopped now. */
char *stage_loss_text(const struct state *s, enum stage_id id);
/* What its undo does, then its commands. */
char *stage_undo_text(const struct recipe *r, const struct state *s, enum stage_id id);
/* Before the long stages: what begins, and what of it is there already and will be used. */
char *stage_long_text(const struct state *s);
/* Where gcluster has left the token for this stage's job; borrowed, NULL = nowhere. */
const char *stage_token_file(const struct recipe *r, const struct state *s, enum stage_id id);
/* Does the current stage run or is it verified? */
bool stage_at_work(const struct state *s);
/* Both prices of stopping for today: leaving the pool up, and destroying it and deploying again. */
char *stage_today_text(const struct recipe *r, const struct state *s);

#endif
