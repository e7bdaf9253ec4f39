/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cluster node: ready or not and why, its pool, its TPU chips. A multi-host TPU pool is usable
 * only when all its nodes are ready.
 */
#ifndef RLPILOT_MODEL_NODE_H
#define RLPILOT_MODEL_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/fmt/json.h"

struct node {
	char *name, *uid, *resource_version;
	char *pool;        /* label cloud.google.com/gke-nodepool, "" = none */
	char *accelerator; /* label cloud.google.com/gke-tpu-accelerator, "" = no TPU */
	char *topology;    /* label cloud.google.com/gke-tpu-topology */
	char *reason;      /* why it is not ready or under pressure, "" = all well */
	bool ready, unschedulable, maintenance;
	int tpu;            /* chips offered */
	int64_t created_ms; /* TIME_NONE = not known */
};

bool node_decode(struct node *n, const json_t *object);
void node_fini(struct node *n);
bool node_is_tpu(const struct node *n);

#endif
