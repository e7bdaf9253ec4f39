/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the forms of a run show beside its values: lists that the account offers, drafts. Decodes
 * the records that carry them into the state; called by run_apply and state.c alone.
 */
#ifndef RLPILOT_RUN_STATE_FORM_H
#define RLPILOT_RUN_STATE_FORM_H

#include "core/fmt/json.h"
#include "core/run/state.h"

/* {VARIABLE: {at, asking, incomplete, unreachable[], error, items[{value, note, fits}]}} replaces
 * all lists. */
void state_offers_set(struct state *s, const json_t *lists);
/* {NAME: text} replaces all drafts. */
void state_drafts_set(struct state *s, const json_t *drafts);
void state_form_fini(struct state *s);

#endif
