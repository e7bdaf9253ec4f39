/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens in the run's cluster, as events: nodes, JobSets and their Workloads, pods of the one
 * JobSet that is looked at, Kubernetes events. Finds the API server by the GKE API and asks again
 * until the cluster is there. Reads only; engine and screens each have their own.
 */
#ifndef RLPILOT_RUN_CLUSTER_H
#define RLPILOT_RUN_CLUSTER_H

#include "core/run/event.h"

struct cloud;
struct cluster;
struct kube;

struct cluster_spec {
	struct cloud *cloud;
	const char *project, *region, *name;
	const char *ns;    /* NULL = default */
	struct kube *kube; /* given: used and freed instead of asking GKE */
	void (*emit)(void *arg, const struct event *ev);
	void *arg;
};

struct cluster *cluster_open(const struct cluster_spec *spec);
/* Looks at another JobSet from now on (EV_JOBSET_NAME comes at once); NULL or "" = at none. */
void cluster_jobset(struct cluster *c, const char *name);
/* NULL until it has been found. */
struct kube *cluster_kube(const struct cluster *c);
/* GKE has answered that there is no such cluster. */
bool cluster_gone(const struct cluster *c);
/* The first lists of nodes and JobSets have come. */
bool cluster_live(const struct cluster *c);
/* The same, and the pods of the JobSet that is looked at. */
bool cluster_synced(const struct cluster *c);
void cluster_close(struct cluster **c);

#endif
