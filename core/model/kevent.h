/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Kubernetes event (core/v1 or events.k8s.io/v1): what happened to which object, how often, when.
 * Ordered by series.lastObservedTime, lastTimestamp, eventTime, creationTimestamp, the first that
 * is set. The servers forget after an hour: who shows one keeps it.
 */
#ifndef RLPILOT_MODEL_KEVENT_H
#define RLPILOT_MODEL_KEVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/fmt/json.h"

struct kevent {
	char *uid, *resource_version;
	char *kind, *object; /* of what it is about */
	char *reason, *message, *source;
	bool warning; /* as the server says */
	bool benign;  /* a warning that is part of a normal start */
	int count;
	int64_t first_ms, last_ms; /* TIME_NONE = not known */
};

bool kevent_decode(struct kevent *e, const json_t *object);
void kevent_fini(struct kevent *e);
/* Newest last; then by object and uid. For qsort over struct kevent. */
int kevent_cmp(const void *a, const void *b);
/* Warnings (not benign ones) first, newest first. */
int kevent_cmp_importance(const void *a, const void *b);

#endif
