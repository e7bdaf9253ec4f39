/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A TPU reservation of Compute Engine and whether it can carry a topology. Three shapes: specific
 * ones count VMs, aggregate ones count chips, future ones are not there yet. The recipe consumes a
 * reservation by name, so one that is not specific, not READY, in another zone, of another machine
 * or without enough free capacity is refused with its reason. A shared one that may not be read is
 * never refused: only its owner knows.
 */
#ifndef RLPILOT_MODEL_RESERVATION_H
#define RLPILOT_MODEL_RESERVATION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/fmt/json.h"

#define RESERVATION_VERDICTS(X)                                                                    \
	X(RESERVATION_OK, "ok")                                                                    \
	X(RESERVATION_WRONG_ZONE, "wrong-zone")                                                    \
	X(RESERVATION_WRONG_MACHINE, "wrong-machine")                                              \
	X(RESERVATION_NOT_SPECIFIC, "not-specific")                                                \
	X(RESERVATION_NOT_READY, "not-ready")                                                      \
	X(RESERVATION_ENDED, "ended")                                                              \
	X(RESERVATION_FULL, "full")                                                                \
	X(RESERVATION_FUTURE, "future")                                                            \
	X(RESERVATION_UNREADABLE, "unreadable")

enum reservation_verdict {
#define X(name, word) name,
	RESERVATION_VERDICTS(X)
#undef X
};

enum reservation_shape {
	RESERVATION_VMS,    /* specificReservation */
	RESERVATION_CHIPS,  /* aggregateReservation: total and used count chips */
	RESERVATION_COMING, /* a futureReservation */
	RESERVATION_SHUT,   /* known by its full name alone */
};

struct reservation {
	enum reservation_shape shape;
	char *name, *project; /* project: owner, id or number */
	char *full_name; /* name, or projects/P/reservations/N when the owner is another project */
	char *zone;
	char *machine; /* machine type; of chips the accelerator type ("ct6e") */
	char *status;  /* of a future one its procurement status */
	char *share;   /* LOCAL SPECIFIC_PROJECTS ORGANIZATION */
	char *health;  /* HEALTHY DEGRADED "" */
	char *made;    /* of a future one: the reservation that it has become, "" = none */
	bool specific;
	int64_t total, used; /* VMs or chips */
	int64_t start_ms;    /* of a future one, else TIME_NONE */
	int64_t end_ms;      /* TIME_NONE = no end */
};

/* specificReservation or aggregateReservation of compute v1, by string or number. own_project
 * decides full_name. False when it is of neither shape. */
bool reservation_decode(struct reservation *r, const json_t *object, const char *own_project);
/* A futureReservation. */
bool reservation_decode_future(
	struct reservation *r, const json_t *object, const char *own_project);
/* "projects/OWNER/reservations/NAME" that could not be read. False when it is no such name. */
bool reservation_unread(struct reservation *r, const char *full_name, const char *zone);
void reservation_fini(struct reservation *r);
bool reservation_shared(const struct reservation *r); /* with other projects, or by one */
/* What is free, in the units of total. */
int64_t reservation_free(const struct reservation *r);
/* VMs of a machine type ("ct6e-standard-4t": four chips each) that are in it, and free. */
int64_t reservation_vms(const struct reservation *r, const char *machine, int64_t *unused);
/* Is it for machines of that type? */
bool reservation_fits(const struct reservation *r, const char *machine);
/* zone NULL: any zone will do (choosing sets it). machine: "ct6e-standard-4t", whose last number
 * is the chips of a VM. why (may be NULL) gets a sentence for people, the caller's. */
enum reservation_verdict reservation_judge(const struct reservation *r, const char *zone,
	const char *machine, int64_t vms, int64_t now_ms, char **why);
const char *reservation_verdict_name(enum reservation_verdict v);

#endif
