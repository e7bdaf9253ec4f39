/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GKE v1: clusters, node pools, operations are read; a broken pool can be deleted. Location is a
 * region or a zone, "-" = all.
 */
#ifndef RLPILOT_CLOUD_GKE_H
#define RLPILOT_CLOUD_GKE_H

#include "core/cloud/cloud.h"

struct cloud_call *gke_cluster(struct cloud *c, const char *project, const char *location,
	const char *cluster, struct cloud_done done);
/* {"clusters":[…]} of a location */
struct cloud_call *gke_clusters(
	struct cloud *c, const char *project, const char *location, struct cloud_done done);
/* {"nodePools":[…]} */
struct cloud_call *gke_node_pools(struct cloud *c, const char *project, const char *location,
	const char *cluster, struct cloud_done done);
/* Of a pool that failed to come up; the answer is the operation. */
struct cloud_call *gke_node_pool_delete(struct cloud *c, const char *project, const char *location,
	const char *cluster, const char *pool, struct cloud_done done);
/* {"operations":[…]}, recent ones of the location */
struct cloud_call *gke_operations(
	struct cloud *c, const char *project, const char *location, struct cloud_done done);

#endif
