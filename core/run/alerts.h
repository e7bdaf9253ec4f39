/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Alerts: a table of conditions over the state. An alert is told on transitions alone (raised,
 * cleared); an acknowledged one stays silent until it has cleared. Pure but for the emit call.
 */
#ifndef RLPILOT_RUN_ALERTS_H
#define RLPILOT_RUN_ALERTS_H

#include "core/run/event.h"

void alerts_judge(
	const struct state *s, void (*emit)(void *arg, const struct event *ev), void *arg);

#endif
