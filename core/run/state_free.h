/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and ends of the parts of a state that core/model does not own. A copy of a NULL string
 * is "". Used by run_apply and by whoever builds a part to put into an event.
 */
#ifndef RLPILOT_RUN_STATE_FREE_H
#define RLPILOT_RUN_STATE_FREE_H

#include "core/run/state.h"

/* Gives the maps of the state their free functions (again). */
void state_maps_init(struct state *s);
void state_check_copy(struct state_check *to, const struct state_check *from);
void state_check_fini(struct state_check *c);
void state_reservations_fini(struct state_reservations *r);
void state_alert_fini(struct state_alert *a);
/* Replaces what was there. */
void state_lines_clear(struct strvec *l);
void state_lines_copy(struct strvec *to, const struct strvec *from);

#endif
