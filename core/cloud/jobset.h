/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JobSets of a cluster, found by name or as the newest running one. What a JobSet's
 * status means is decided by core/model, not here.
 */
#ifndef RLPILOT_CLOUD_JOBSET_H
#define RLPILOT_CLOUD_JOBSET_H

#include "core/cloud/kube.h"

/* Path of the collection in a namespace, or of one JobSet; the caller's. */
char *jobset_path(const char *ns, const char *name);
/* The JobSet; 404 = absent. */
struct cloud_call *jobset_get(
	struct kube *k, const char *ns, const char *name, struct cloud_done done);
/* The newest one without terminal state, else the newest of all: {"jobset":{…}}, or
 * {"jobset":null}. */
void jobset_newest(struct kube *k, const char *ns, struct cloud_done done);
/* The pods of a JobSet: {"items":[…]} */
void jobset_pods(struct kube *k, const char *ns, const char *name, struct cloud_done done);
/* Label selector of a JobSet's pods; the caller's. */
char *jobset_selector(const char *name);

#endif
