/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A TPU reservation of Compute Engine and whether it can carry a topology. The recipe consumes a
 * specific reservation by name, so one that is not specific, not READY, in another zone, of another
 * machine type or without enough free VMs is refused with its reason.
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
	X(RESERVATION_FULL, "full")

enum reservation_verdict {
#define X(name, word) name,
	RESERVATION_VERDICTS(X)
#undef X
};

struct reservation {
	char *name, *project; /* project: owner, from selfLink */
	char *full_name; /* name, or projects/P/reservations/N when the owner is another project */
	char *zone, *machine, *status;
	bool specific;
	int64_t total, used; /* VMs, or chips: */
	bool chips;     /* an aggregate reservation counts chips; machine is its family, "ct6e" */
	int64_t end_ms; /* TIME_NONE = no end */
};

/* Both shapes of compute v1: specificReservation and aggregateReservation of TPU chips. False: it
 * is none of them. own_project decides full_name. */
bool reservation_decode(struct reservation *r, const json_t *object, const char *own_project);
void reservation_fini(struct reservation *r);
/* VMs of a machine type ("ct6e-standard-4t": four chips each) that are in it, and free. */
int64_t reservation_vms(const struct reservation *r, const char *machine, int64_t *unused);
/* Is it for machines of that type? */
bool reservation_fits(const struct reservation *r, const char *machine);
/* zone NULL: any zone will do (choosing sets it). why (may be NULL) gets a sentence for people, the
 * caller's. */
enum reservation_verdict reservation_judge(const struct reservation *r, const char *zone,
	const char *machine, int64_t vms, int64_t now_ms, char **why);
const char *reservation_verdict_name(enum reservation_verdict v);

#endif
