/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/gke.h"

#include "core/base/mem.h"

/* v1/projects/P/locations/L[/clusters[/C]][/tail] */
static struct cloud_call *call(struct cloud *c, const char *method, const char *project,
	const char *location, const char *cluster, const char *tail, struct cloud_done done)
{
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, "v1/projects/");
	http_escape(&path, project);
	buf_adds(&path, "/locations/");
	http_escape(&path, location);
	if (cluster) {
		buf_adds(&path, "/clusters/");
		http_escape(&path, cluster);
	}
	buf_adds(&path, tail);
	return cloud_call(c, CLOUD_CONTAINER, method, buf_str(&path), NULL, done);
}

static struct cloud_call *get(struct cloud *c, const char *project, const char *location,
	const char *cluster, const char *tail, struct cloud_done done)
{
	return call(c, NULL, project, location, cluster, tail, done);
}

struct cloud_call *gke_cluster(struct cloud *c, const char *project, const char *location,
	const char *cluster, struct cloud_done done)
{
	return get(c, project, location, cluster, "", done);
}

struct cloud_call *gke_clusters(
	struct cloud *c, const char *project, const char *location, struct cloud_done done)
{
	return get(c, project, location, NULL, "/clusters", done);
}

struct cloud_call *gke_node_pools(struct cloud *c, const char *project, const char *location,
	const char *cluster, struct cloud_done done)
{
	return get(c, project, location, cluster, "/nodePools", done);
}

struct cloud_call *gke_operations(
	struct cloud *c, const char *project, const char *location, struct cloud_done done)
{
	return get(c, project, location, NULL, "/operations", done);
}

struct cloud_call *gke_node_pool_delete(struct cloud *c, const char *project, const char *location,
	const char *cluster, const char *pool, struct cloud_done done)
{
	AUTO(buf_fini) struct buf tail = {0};

	buf_adds(&tail, "/nodePools/");
	http_escape(&tail, pool);
	return call(c, "DELETE", project, location, cluster, buf_str(&tail), done);
}
