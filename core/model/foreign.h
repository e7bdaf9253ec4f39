/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work in a cluster that belongs to no JobSet: plain Jobs, and pods that somebody has put there.
 * What GKE and the cluster's own controllers run, what runs on every node and what has ended does
 * not count. Pure.
 */
#ifndef RLPILOT_MODEL_FOREIGN_H
#define RLPILOT_MODEL_FOREIGN_H

#include <stdbool.h>

#include "core/fmt/json.h"

struct foreign {
	const char *ns, *name; /* borrowed from the object */
	const char *kind;      /* what is to be deleted to end it, in kubectl's word */
	char *owner;           /* its name, the caller's */
};

/* A Job that has not ended. */
bool foreign_job(const json_t *object, struct foreign *out);
/* A pod that has not ended and is no Job's: those are judged by their Job. */
bool foreign_pod(const json_t *object, struct foreign *out);

#endif
