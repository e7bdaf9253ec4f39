/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reservations that a run's project may use, asked of Compute Engine, kept as they came in
 * RUN/reservations.json and judged for this run's machine and topology whenever they are read.
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
};

/* Asks; the answer is written to the run folder and emitted. Nothing on failure: the check
 * reservation.exists says why. spec must stay until it was answered or dropped; asking again
 * replaces the question. */
void reservations_ask(struct reservations_spec *spec);
void reservations_drop(struct reservations_spec *spec);
/* Emits EV_RESERVATIONS from the file, if there is one. */
void reservations_read(const struct run *r, void (*emit)(void *arg, const struct event *ev),
		       void *arg);

#endif
