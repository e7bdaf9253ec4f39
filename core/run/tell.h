/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run's folder and recipe say before anything has happened, as events: name, values,
 * deviations, the commands of each stage with names in place of secrets. Asks nobody.
 */
#ifndef RLPILOT_RUN_TELL_H
#define RLPILOT_RUN_TELL_H

#include "core/run/event.h"
#include "core/run/folder.h"

/* EV_RUN. */
void tell_run(const struct run *r, void (*emit)(void *arg, const struct event *ev), void *arg);
/* EV_VALUE and EV_DEVIATION for what differs from s (NULL: all). */
void tell_values(const struct run *r, const struct state *s,
	void (*emit)(void *arg, const struct event *ev), void *arg);
/* EV_COMMANDS for all stages; missing values stay names. */
void tell_plan(const struct run *r, void (*emit)(void *arg, const struct event *ev), void *arg);

#endif
