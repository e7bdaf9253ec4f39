/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The controllers of the pretend cluster. Each is a function that looks at one object (by name) and
 * moves the world one step towards what it asks for; it is woken by changes of the store or by
 * itself later. A wake-up that is already due earlier swallows a later one. All times are pretend
 * milliseconds.
 */
#ifndef RLPILOT_SIM_CTL_H
#define RLPILOT_SIM_CTL_H

#include "core/base/map.h"
#include "core/base/vec.h"
#include "sim/kube_state.h"

#define CTL_LOOPS(X)                                                                               \
	X(CTL_KUEUE, ctl_kueue) /* name "": all workloads at once */                               \
	X(CTL_JOBSET, ctl_jobset)                                                                  \
	X(CTL_JOB, ctl_job)                                                                        \
	X(CTL_SCHED, ctl_sched)   /* a pod that has no node yet */                                 \
	X(CTL_SCALER, ctl_scaler) /* a pod that fits no node */                                    \
	X(CTL_POD, ctl_pod)       /* the kubelet of a pod that has a node */                       \
	X(CTL_NODE, ctl_node)

enum ctl_loop {
#define X(name, fn) name,
	CTL_LOOPS(X)
#undef X
};

struct ctl {
	struct map queue;    /* pending wake-ups */
	struct map events;   /* "uid/reason/message" -> name of the Event */
	struct strvec order; /* names of events, the oldest first */
	struct map runs;     /* pod uid -> struct pod_run: the kubelets' memory */
	struct map images;   /* "node image" that are pulled */
	struct map counted;  /* uids of failed pods that their Job has counted */
	struct map scaling;  /* pools with a node on its way */
	struct map holds;    /* Job uid -> int64_t: no new pod before that moment */
	uint64_t random;
};

void ctl_open(struct kube *k);
void ctl_close(struct kube *k);
void ctl_tell(struct kube *k, const struct kevent *ev);
void ctl_wake(struct kube *k, enum ctl_loop loop, const char *ns, const char *name, int64_t after);

#define X(name, fn) void fn(struct kube *k, const char *ns, const char *name);
CTL_LOOPS(X)
#undef X

/* An Event about an object; the same again counts up. type Normal or Warning. */
void ctl_event(struct kube *k, const json_t *about, const char *type, const char *component,
	const char *reason, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* n characters as Kubernetes makes names unique; out holds n + 1. */
void ctl_suffix(struct kube *k, char *out, size_t n);
uint64_t ctl_random(struct kube *k);

/* ctl_node.c: one more node of a pool, Ready after ready_ms. */
struct node_pool;
void ctl_node_add(struct kube *k, const struct node_pool *pool, int64_t ready_ms);
size_t ctl_node_count(const struct kube *k, const char *pool);
/* Pods of a node that is gone vanish. */
void ctl_node_lost(struct kube *k, const char *node);

/* ctl_jobset.c: a deletion in the foreground begins, what it owns goes first. */
void ctl_jobset_leave(struct kube *k, const char *ns, const char *name);
/* ctl_job.c: a pod vanished that had not ended. */
void ctl_job_pod_gone(struct kube *k, const json_t *pod);
/* Sum of a resource over the containers' limits, times 1. */
int64_t ctl_pod_limit(const json_t *pod_spec, const char *resource);

/* ctl_pull.c: ms of the first pull of an image on a node; words of a refusal: denied, missing, else
 * a time-out. */
int64_t ctl_pull_time(struct kube *k, const char *image);
const char *ctl_pull_error(const char *kind);

/* ctl_pod.c */
/* The kubelet ends all containers of a pod: phase Failed with that reason and message. */
void ctl_pod_fail(
	struct kube *k, const char *ns, const char *name, const char *reason, const char *message);
void ctl_pod_forget(struct kube *k, const char *uid);
void ctl_run_free(void *run);

#endif
