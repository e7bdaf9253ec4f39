/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JobSet, the Kueue Workload that admits it and the phase that follows from both. "Suspended" as
 * the JobSet shows it means little: with startupPolicy InOrder it stays until every job is ready.
 * Source: facts on gcluster §3.2 and JobSet v0.10. Pure: objects in, phase out.
 */
#ifndef RLPILOT_MODEL_JOBSET_H
#define RLPILOT_MODEL_JOBSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/fmt/json.h"

#define JOBSET_PHASES(X)                                                                           \
	X(JOBSET_ABSENT, "absent")                                                                 \
	X(JOBSET_QUEUED, "queued")                                                                 \
	X(JOBSET_HEAD_STARTING, "head-starting")                                                   \
	X(JOBSET_WORKERS_STARTING, "workers-starting")                                             \
	X(JOBSET_RUNNING, "running")                                                               \
	X(JOBSET_DONE, "done")                                                                     \
	X(JOBSET_FAILED, "failed")

enum jobset_phase {
#define X(name, word) name,
	JOBSET_PHASES(X)
#undef X
		JOBSET_PHASE_COUNT
};

struct jobset_role {
	char *name;
	int jobs, pods;                       /* asked for; pods over all jobs */
	int ready, succeeded, failed, active; /* Jobs, not pods */
};

struct jobset {
	char *name, *ns, *uid, *resource_version;
	char *workload;         /* label gcluster.google.com/workload, "" = none */
	char *queue;            /* label kueue.x-k8s.io/queue-name */
	char *coordinator;      /* replicatedJob, "" = none */
	char *terminal;         /* "", "Completed", "Failed" */
	char *reason, *message; /* of the final or newest condition */
	bool suspend;           /* spec.suspend */
	bool in_order;          /* startupPolicy InOrder */
	bool started;           /* Suspended=False or StartupPolicyCompleted=True */
	bool completed, failed, deleting;
	int restarts, max_restarts;
	int64_t created_ms, changed_ms, ended_ms; /* TIME_NONE = not known */
	int64_t ttl_s;                            /* -1 = none */
	char *args;                /* command of the first role's main container, masked */
	char *image;               /* of that container */
	struct jobset_role *roles; /* in the order of the spec */
	size_t n, cap;
};

/* What Kueue says about it. Zeroed: nothing known. */
struct jobset_queue {
	bool known, reserved, admitted, finished, evicted;
	char *reason, *message; /* of the condition that keeps it waiting */
};

/* Pods of one role that are up; counted by the caller from the pods. */
struct jobset_pods {
	int head_ready, head_want;     /* role that starts first, or 0/0 */
	int worker_ready, worker_want; /* all others; a succeeded pod counts as ready */
};

bool jobset_decode(struct jobset *js, const json_t *object);
void jobset_fini(struct jobset *js);
/* Fills q (overwritten) from a Workload object. */
bool jobset_queue_decode(struct jobset_queue *q, const json_t *workload);
void jobset_queue_fini(struct jobset_queue *q);

/* js NULL: absent. q and pods may be NULL (nothing known). */
enum jobset_phase jobset_phase(
	const struct jobset *js, const struct jobset_queue *q, const struct jobset_pods *pods);
/* When the phase now held began, as well as the object tells; TIME_NONE if it does not. */
int64_t jobset_since(const struct jobset *js, enum jobset_phase phase);
/* Why it waits, NULL unless queued: Kueue's own words, else a short text. Borrowed. */
const char *jobset_queue_reason(const struct jobset *js, const struct jobset_queue *q);
/* Does its command name this bucket, and not one whose name only begins or ends so? */
bool jobset_names_bucket(const struct jobset *js, const char *bucket);
/* Submitted by gcluster under this name, to work with this bucket: as a run's own is. */
bool jobset_is_of(const struct jobset *js, const char *bucket);
/* The role whose container does the work: coordinator, else the first; NULL if there is none. */
const struct jobset_role *jobset_main_role(const struct jobset *js);
bool jobset_ended(enum jobset_phase phase);
const char *jobset_phase_name(enum jobset_phase phase);
enum jobset_phase jobset_phase_from_name(const char *word); /* JOBSET_PHASE_COUNT if it is none */

#endif
