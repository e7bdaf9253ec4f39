/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of what the account has for a variable (projects, zones that offer the machine type,
 * buckets, clusters, machine types), asked when somebody stands at the field. Each list is kept in
 * RUN/discover.json with its age; it is asked again when it is old or when a value it depends on
 * has changed. Reservations have a record of their own (core/run/reservations.h). The notes are
 * facts (a region, a state), never sentences: any screen can show them.
 */
#ifndef RLPILOT_RUN_DISCOVER_H
#define RLPILOT_RUN_DISCOVER_H

#include "core/run/event.h"
#include "core/run/folder.h"

struct cloud;
struct discover;
struct err;

struct discover_spec {
	struct cloud *cloud;
	const struct run *run;
	void (*emit)(void *arg, const struct event *ev); /* EV_OFFERS */
	void *arg;
};

struct discover *discover_open(const struct discover_spec *spec);
void discover_close(struct discover **d);
/* Asks for the list of a variable unless a fresh one is there or it is being asked; again: in any
 * case. A variable without a list is passed over. */
void discover_ask(struct discover *d, const char *variable, bool again);
/* Why a list did not come, for the person at the field; NULL for no error, else the caller's. */
char *discover_why(const struct err *e);
/* Emits EV_OFFERS from the file, if there is one. */
void discover_read(const char *run_dir, void (*emit)(void *arg, const struct event *ev), void *arg);

#endif
