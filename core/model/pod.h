/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pod as its Kubernetes object says: decoded once, owned strings (never NULL, cleaned), no
 * asking. READY and REASON follow kubectl's own columns, so that both show the same. Job and role
 * come from JobSet's labels, never from cutting names.
 */
#ifndef RLPILOT_MODEL_POD_H
#define RLPILOT_MODEL_POD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/fmt/json.h"

struct pod_container {
	char *name;
	char *state; /* waiting running terminated, "" = none yet */
	char *reason, *message;
	bool init; /* an init container (a sidecar when it restarts always) */
	bool sidecar;
	bool ready, started;
	int restarts;
	int exit_code;                   /* -1 = has not ended */
	int64_t started_ms, finished_ms; /* TIME_NONE = not known */
	char last_reason[24];            /* of its end before it started again, "" = none */
};

struct pod {
	char *name, *ns, *uid, *resource_version;
	char *node, *phase;
	char *reason;  /* kubectl's STATUS: Running, Pending, ImagePullBackOff, Terminating, … */
	char *message; /* of the condition or container that explains it */
	char *jobset, *role; /* role: replicatedjob-name, "" for foreign pods */
	char *job;           /* Job name */
	char *index;         /* job-completion-index, "" = none */
	int attempt;         /* restart-attempt of the JobSet */
	int ready, want;     /* containers, sidecars included */
	int restarts;        /* sum over containers */
	bool is_ready;       /* condition Ready */
	bool deleting;
	int64_t created_ms, started_ms; /* TIME_NONE = not known */
	int exit_code;                  /* of the main container, -1 = running or none */
	char *main_container;
	char *args; /* command and arguments of the main container, secrets masked */
	struct pod_container *containers; /* init containers first */
	size_t n, cap;
};

/* Fills p (overwritten) from a Pod object; false when it has no name. */
bool pod_decode(struct pod *p, const json_t *object);
void pod_fini(struct pod *p);
const struct pod_container *pod_container_find(const struct pod *p, const char *name);
/* "pathways-head/0", "worker/3" or the pod's name: for people. The caller's. */
char *pod_label(const struct pod *p);
/* Sorted by role (pathways-head, main-job, worker, other), then attempt, index, name. */
int pod_cmp(const struct pod *a, const struct pod *b);

#endif
