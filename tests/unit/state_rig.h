/* SPDX-License-Identifier: Apache-2.0 */
/* A state for each test, at an instant that stands still, and what events make of it. */
#ifndef RLPILOT_UNIT_STATE_RIG_H
#define RLPILOT_UNIT_STATE_RIG_H

#include "core/run/event.h"
#include "core/run/state.h"

#define NOW    INT64_C(1790000000000) /* 2026-09-21T13:46:40Z */
#define MINUTE INT64_C(60000)

extern struct state st; /* of the running test */

int state_setup(void **state);
int state_teardown(void **state);
/* An object of the cluster, as JSON. */
void put_object(enum event_kind kind, const char *text);

#endif
