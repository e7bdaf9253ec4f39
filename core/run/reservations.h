/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reservations that a run's project may use: its own, those to come, and the shared one whose
 * full name the run holds, if its owner lets us read it. Asked of Compute Engine, kept as they came
 * in RUN/reservations.json {at, asking, error, incomplete, unreachable, reservations, future,
 * other} and judged for this run's machine and topology whenever they are read.
 */
#ifndef RLPILOT_RUN_RESERVATIONS_H
#define RLPILOT_RUN_RESERVATIONS_H

#include "core/run/event.h"
#include "core/run/folder.h"

struct cloud;

struct reservations_spec {
	struct cloud *cloud;
	const struct run *run;
	void (*emit)(void *arg, const struct event *ev);
	void *arg;
	/* own */
	json_t *record;
	unsigned waiting;
};

/* Asks; what comes is written to the run folder and emitted, and so is the reason when nothing
 * does. spec must stay until it was answered or dropped; asking again replaces the question. */
void reservations_ask(struct reservations_spec *spec);
void reservations_drop(struct reservations_spec *spec);
/* Emits EV_RESERVATIONS from the file, if there is one. */
void reservations_read(
	const struct run *r, void (*emit)(void *arg, const struct event *ev), void *arg);

#endif
