/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pod that a kubelet runs, container by container. ctl_pod.c moves it, ctl_pod_status.c says how
 * it is. Internal to these two.
 */
#ifndef RLPILOT_SIM_CTL_POD_IN_H
#define RLPILOT_SIM_CTL_POD_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct kube;
struct load;

enum box_state { BOX_WAITING, BOX_PULLING, BOX_STARTING, BOX_RUNNING, BOX_DONE };

/* One container of a pod as the kubelet sees it. */
struct box {
	struct pod_run *run;
	char *name, *image;
	bool init, sidecar;
	enum box_state state;
	const char *waiting; /* reason */
	const char *why;     /* static: its message, NULL = none */
	bool oom;            /* its own end was that of the memory */
	int restarts;
	int64_t started, ended;
	int code;
	char *message;
	json_t *last; /* lastState */
	struct load *load;
	uint64_t timer;
};

struct pod_run {
	struct kube *k;
	char *ns, *name, *uid, *node;
	const char *restart; /* the pod's restartPolicy, static */
	struct box *items;   /* inits, then mains */
	size_t n, cap;
	uint64_t timer;
	bool killing, ended;
	const char *reason; /* static: why the kubelet ended it, NULL = it did not */
	char *message;
};

/* State "terminated" of a container; the caller's. */
json_t *pod_box_ended(const struct box *b);
/* The pod as the store has it, borrowed; NULL when it is gone. */
json_t *pod_run_pod(const struct pod_run *run);

bool pod_run_mains_are(const struct pod_run *run, enum box_state state);

/* Writes the status into the store. */
void pod_run_publish(struct pod_run *run);

#endif
