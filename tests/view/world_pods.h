/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the cluster of a named world shows: the JobSet of the training with its pods and nodes, a
 * pod that was evicted. For tests/view/world.c.
 */
#ifndef RLPILOT_TESTS_VIEW_WORLD_PODS_H
#define RLPILOT_TESTS_VIEW_WORLD_PODS_H

#include "core/run/event.h"

/* Applies the object at now; frees text. */
void world_object(struct state *s, int64_t now, enum event_kind kind, char *text);
/* The first `ready` of eight workers are up, and the head. */
void world_pods(struct state *s, int64_t now, int ready);
/* The node's disk was full: the pod has ended for good. */
void world_evicted(struct state *s, int64_t now);

#endif
