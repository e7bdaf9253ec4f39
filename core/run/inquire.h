/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the cloud for a run whose lock this process holds, and waits for the answer: what the
 * account offers for a variable, and the checks. For lines, where a person waits anyway; screens
 * leave it to the engine. The run's values are used as they are in memory, a typed token included.
 */
#ifndef RLPILOT_RUN_INQUIRE_H
#define RLPILOT_RUN_INQUIRE_H

#include "core/run/folder.h"
#include "core/run/state.h"

struct inquire;

struct inquire *inquire_open(const struct run *r);
void inquire_close(struct inquire **q);
/* Afterwards state_offers_find(state, name) has the list, or says why there is none; reservations
 * are state->reservations. False: the variable has no list. */
bool inquire_offers(struct inquire *q, const char *variable);
/* All checks, anew. -1 when they cannot be asked. */
int inquire_checks(struct inquire *q, struct err *e);
const struct state *inquire_state(const struct inquire *q);

#endif
