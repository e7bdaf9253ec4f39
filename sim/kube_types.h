/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds that the pretend API server serves, as a table: discovery, routing and the Table form
 * read it. `key` names the shelf in the store, so that two versions of a group share their objects.
 */
#ifndef RLPILOT_SIM_KUBE_TYPES_H
#define RLPILOT_SIM_KUBE_TYPES_H

#include <stdbool.h>
#include <stddef.h>

struct kube_type {
	const char *group, *version; /* group "" = core */
	const char *plural, *singular, *kind;
	const char *key;    /* shelf in the store */
	const char *shorts; /* short names, blank separated; NULL = none */
	const char *all;    /* category; NULL = none */
	const char *needs;  /* kube_crds_up name without which it is 404; NULL = built in */
	bool namespaced;
	bool review; /* create only, nothing is stored */
};

extern const struct kube_type kube_types[];
extern const size_t kube_types_n;

/* NULL if there is none. */
const struct kube_type *kube_type_find(const char *group, const char *version, const char *plural);
const struct kube_type *kube_type_of_key(const char *key); /* the first, preferred version */

#define KUBE_PODS      "pods"
#define KUBE_NODES     "nodes"
#define KUBE_EVENTS    "events"
#define KUBE_JOBS      "jobs.batch"
#define KUBE_JOBSETS   "jobsets.jobset.x-k8s.io"
#define KUBE_WORKLOADS "workloads.kueue.x-k8s.io"
#define KUBE_QUEUES    "localqueues.kueue.x-k8s.io"

#endif
