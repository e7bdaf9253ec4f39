/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of faults (--faults FILE), one a line: WHEN WHERE WHAT COUNT, by blanks or tabs; '#'
 * begins a comment. Whoever can fail asks fault_take at the place where it would fail: the plan
 * counts, tells the ledger and answers what goes wrong there; how it goes wrong is the asker's.
 *   WHEN   [any|STAGE][+TIME][#N]: from the stage on (known by what the stand-ins are called for),
 *          TIME of pretend time later (without a stage: after the start), from the N-th match on
 *   WHERE  KIND:GLOB: a request (GET POST PUT PATCH DELETE ANY, WATCH, LOG: path) or a thing
 * (deploy destroy: terraform address · queue: JobSet · sched scale pull: pod · load: pod/container)
 *   WHAT   a word of FAULTS, with =VALUE where it takes one
 *   COUNT  how often, * without end, or a TIME such as 5m from the first one on
 */
#ifndef RLPILOT_SIM_FAULT_PLAN_H
#define RLPILOT_SIM_FAULT_PLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct sim;

enum fault_place {
	AT_WIRE,
	AT_DEPLOY,
	AT_DESTROY,
	AT_QUEUE,
	AT_SCHED, /* a pod is looking for a node */
	AT_SCALE, /* the autoscaler looks at such a pod */
	AT_PULL,  /* an image is being pulled for a pod */
	AT_LOAD,  /* a container works */
};

/* enum, place, word, does it take a value */
#define FAULTS(X)                                                                                  \
	X(FAULT_DELAY, AT_WIRE, "delay", 1) /* ms of real time before the answer */                \
	X(FAULT_STATUS, AT_WIRE, "status",                                                         \
		1)                           /* CODE or CODE,RETRY-AFTER in the API's own shape */ \
	X(FAULT_RESET, AT_WIRE, "reset", 0)  /* the connection ends without an answer */           \
	X(FAULT_CUT, AT_WIRE, "cut-body", 0) /* half of the answer, then the connection ends */    \
	X(FAULT_DRIP, AT_WIRE, "slow-drip",                                                        \
		1) /* the answer in 64 pieces, ms of real time apart */                            \
	X(FAULT_GARBAGE, AT_WIRE, "garbage", 0)                                                    \
	X(FAULT_GONE, AT_WIRE, "410", 0) /* watches: an ERROR event; lists: the status */          \
	X(FAULT_CLOSES, AT_WIRE, "watch-closes", 0) /* a clean end at once */                      \
	X(FAULT_TOKEN, AT_WIRE, "token-expires", 0) /* all access tokens given so far end */       \
	X(FAULT_LOGIN, AT_WIRE, "login-gone", 0) /* refresh tokens too: a new login is wanted */   \
	X(FAULT_CLUSTER, AT_WIRE, "cluster-status", 1) /* GKE's word for the cluster */            \
	X(FAULT_WEBHOOK, AT_WIRE, "webhook-down", 0)                                               \
	X(FAULT_STOCKOUT, AT_DEPLOY, "stockout", 0) /* a pool in ERROR stays behind */             \
	X(FAULT_STOLEN, AT_DEPLOY, "reservation-stolen", 0)                                        \
	X(FAULT_QUOTA, AT_DEPLOY, "quota-short", 0)                                                \
	X(FAULT_DENIED, AT_DEPLOY, "permission-denied", 1) /* the permission */                    \
	X(FAULT_API_OFF, AT_DEPLOY, "api-off", 1)          /* the service */                       \
	X(FAULT_HOOK_DOWN, AT_DEPLOY, "webhook-refuses", 0)                                        \
	X(FAULT_UNAVAILABLE, AT_DEPLOY, "unavailable", 0)                                          \
	X(FAULT_OUTSIDE, AT_DEPLOY, "made-outside",                                                \
		0) /* it is made, but terraform ends before its state knows */                     \
	X(FAULT_LOCK, AT_DEPLOY, "state-lock", 0)                                                  \
	X(FAULT_BUSY, AT_DESTROY, "destroy-blocked",                                               \
		0)                                  /* a firewall rule of GKE holds the network */ \
	X(FAULT_LEFT, AT_DESTROY, "left-behind", 0) /* told as destroyed, and still there */       \
	X(FAULT_STRAY, AT_DESTROY, "leaves-disk", 0) /* a claim's disk outlives the cluster */     \
	X(FAULT_NEVER, AT_QUEUE, "never-admits", 0)                                                \
	X(FAULT_WAITS, AT_QUEUE, "quota-taken", 0)                                                 \
	X(FAULT_NO_WORKLOAD, AT_QUEUE, "no-workload", 0)                                           \
	X(FAULT_UNRESUMED, AT_QUEUE, "admitted-suspended", 0)                                      \
	X(FAULT_FULL, AT_SCHED, "does-not-fit", 0)                                                 \
	X(FAULT_BACKOFF, AT_SCALE, "scale-up-fails", 0)                                            \
	X(FAULT_IMAGE, AT_PULL, "image-pull-failure", 1) /* denied, missing, timeout */            \
	X(FAULT_EVICTED, AT_LOAD, "pod-evicted", 0)      /* no room on the node's disk */          \
	X(FAULT_DISK, AT_LOAD, "disk-pressure", 0)       /* the same, and the node says so */      \
	X(FAULT_PREEMPTED, AT_LOAD, "worker-preempted", 0)                                         \
	X(FAULT_LOST, AT_LOAD, "pathways-lost", 0)                                                 \
	X(FAULT_OOM, AT_LOAD, "oom", 0)                                                            \
	X(FAULT_EXIT, AT_LOAD, "exit", 1) /* code */                                               \
	X(FAULT_CONFIG, AT_LOAD, "config-error", 0)                                                \
	X(FAULT_HBM, AT_LOAD, "hbm-full", 0)                                                       \
	X(FAULT_GATED, AT_LOAD, "hf-gated", 0)                                                     \
	X(FAULT_RATE, AT_LOAD, "hf-429", 0)                                                        \
	X(FAULT_WRITE, AT_LOAD, "checkpoint-write-denied", 0)                                      \
	X(FAULT_HANG, AT_LOAD, "hang", 1) /* TIME of silence */

enum fault_what {
#define X(name, place, word, value) name,
	FAULTS(X)
#undef X
};

struct fault {
	enum fault_what what;
	const char *value; /* "" = none */
	int64_t number;    /* the value as ms or as a number, 0 = it is none */
};

/* Sets sim->faults; no file: an empty plan. ERR_BAD_FILE with line and column. */
int fault_plan_open(struct sim *sim, const char *file, struct err *e);
void fault_plan_close(struct sim *sim);
bool fault_plan_any(const struct sim *sim);
/* What a stand-in is called with tells the stage. */
void fault_plan_argv(struct sim *sim, const json_t *argv);
/* The fault that is due here now, counted and told to the ledger, or NULL. kind: the method, WATCH
 * or LOG; NULL for things. Borrowed. */
const struct fault *fault_take(
	struct sim *sim, enum fault_place place, const char *kind, const char *name);
/* Only that one; false: not now. */
bool fault_take_one(struct sim *sim, enum fault_what what, const char *name);

#endif
