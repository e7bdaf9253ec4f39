/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of the state that follow from its other parts: what a stage waits for, until when silence
 * is normal, what a person is asked. Called by run_apply alone, after an event that may change
 * them.
 */
#ifndef RLPILOT_RUN_DERIVE_H
#define RLPILOT_RUN_DERIVE_H

#include "core/run/state.h"

/* True when something has changed. */
bool derive_waiting(struct state *s);
bool derive_question(struct state *s);

#endif
