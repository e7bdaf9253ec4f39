/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/clock.h"
#include "sim/deploy.h"
#include "sim/google.h"
#include "sim/server.h"
#include "sim/sim.h"
#include "sim/world.h"
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>

#define GKE_VERSION "1.35.2-gke.1269000"

static const char *const states[] = {
	[RES_ABSENT] = "STATUS_UNSPECIFIED",
	[RES_PROVISIONING] = "PROVISIONING",
	[RES_RUNNING] = "RUNNING",
	[RES_STOPPING] = "STOPPING",
	[RES_ERROR] = "ERROR",
};

static json_t *pool_json(const struct world *w, const struct node_pool *p)
{
	const struct cluster *c = &w->cluster;
	json_t *config = json_pack("{s:s, s:i, s:s}", "machineType", p->machine_type, "diskSizeGb",
		100, "imageType", "COS_CONTAINERD");
	if (p->reservation)
		json_object_set_new(config, "reservationAffinity",
			json_pack("{s:s, s:s, s:[s]}", "consumeReservationType",
				"SPECIFIC_RESERVATION", "key",
				"compute.googleapis.com/reservation-name", "values",
				p->reservation));
	json_t *j = json_pack("{s:s, s:s, s:s, s:i, s:[s], s:o, s:[o], s:o}", "name", p->name,
		"status", states[p->state], "version", GKE_VERSION, "initialNodeCount", p->nodes,
		"locations", c->zone, "config", config, "instanceGroupUrls",
		json_sprintf("https://www.googleapis.com/compute/v1/projects/%s/zones/%s/"
			     "instanceGroupManagers/gke-%s-%s",
			w->project, c->zone, c->name, p->name),
		"selfLink",
		json_sprintf(
			"https://container.googleapis.com/v1/projects/%s/locations/%s/clusters/%s/"
			"nodePools/%s",
			w->project, c->location, c->name, p->name));
	if (p->max_nodes)
		json_object_set_new(j, "autoscaling",
			json_pack("{s:b, s:i}", "enabled", 1, "maxNodeCount", p->max_nodes));
	if (p->topology)
		json_object_set_new(j, "placementPolicy",
			json_pack("{s:s, s:s}", "type", "COMPACT", "tpuTopology", p->topology));
	return j;
}

static json_t *ca_base64(const struct sim *sim)
{
	const char *pem = server_ca_pem(sim);
	gnutls_datum_t in = {(unsigned char *)(uintptr_t)pem, (unsigned)strlen(pem)};
	gnutls_datum_t out;
	if (gnutls_base64_encode2(&in, &out) < 0)
		die("base64 of the certificate");
	json_t *j = json_stringn((const char *)out.data, out.size);
	gnutls_free(out.data);
	return j;
}

static json_t *cluster_json(const struct req *req)
{
	const struct sim *sim = req->sim;
	const struct world *w = sim->world;
	const struct cluster *c = &w->cluster;
	AUTO_FREE char *created = sim_time_s(c->created);
	AUTO_FREE char *endpoint = x_asprintf("127.0.0.1:%d", server_tls_port(sim));
	json_t *pools = json_array();
	int nodes = 0;
	for (size_t i = 0; i < c->n; i++) {
		json_array_append_new(pools, pool_json(w, &c->items[i]));
		nodes += c->items[i].state == RES_RUNNING ? c->items[i].nodes : 0;
	}
	json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:o, s:{s:o}, s:[s], s:o}",
		"name", c->name, "location", c->location, "zone", c->location, "status",
		req->cluster_status ? req->cluster_status : states[c->state],
		"currentMasterVersion", GKE_VERSION, "createTime", created, "currentNodeCount",
		nodes, "nodePools", pools, "masterAuth", "clusterCaCertificate", ca_base64(sim),
		"locations", c->zone, "selfLink",
		json_sprintf(
			"https://container.googleapis.com/v1/projects/%s/locations/%s/clusters/%s",
			w->project, c->location, c->name));
	json_object_set_new(j, "controlPlaneEndpointsConfig",
		json_pack("{s:{s:b, s:o}, s:{s:b, s:b, s:s, s:s}}", "dnsEndpointConfig",
			"allowExternalTraffic", 0, "endpoint",
			json_sprintf(
				"gke-rehearsal-%s.%s.gke.goog", w->project_number, c->location),
			"ipEndpointsConfig", "enabled", 1, "enablePublicEndpoint", 1,
			"publicEndpoint", endpoint, "privateEndpoint", "10.0.0.2"));
	json_object_set_new(j, "initialClusterVersion", json_string(GKE_VERSION));
	json_object_set_new(j, "currentNodeVersion", json_string(GKE_VERSION));
	if (c->state != RES_PROVISIONING)
		json_object_set_new(j, "endpoint", json_string(endpoint));
	return j;
}

static json_t *operation_json(const struct world *w, const struct operation *o)
{
	AUTO_FREE char *started = sim_time_ms(o->started);
	json_t *j = json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:o}", "name", o->name,
		"operationType", o->type, "status", o->done ? "DONE" : "RUNNING", "targetLink",
		json_sprintf("https://container.googleapis.com/v1/projects/%s/locations/%s/%s",
			w->project_number, o->zone, o->target),
		"startTime", started, "zone", o->zone, "selfLink",
		json_sprintf("https://container.googleapis.com/v1/projects/%s/locations/%s/"
			     "operations/%s",
			w->project_number, o->zone, o->name));
	if (o->done) {
		AUTO_FREE char *ended = sim_time_ms(o->ended);
		json_object_set_new(j, "endTime", json_string(ended));
	} else if (o->total && o->span > 0) {
		int64_t passed = sim_now(w->sim) - o->started;
		int ready = (int)(passed * o->total / o->span);
		json_object_set_new(j, "progress",
			json_pack("{s:s, s:s, s:[{s:s, s:o}, {s:s, s:o}]}", "name", o->name,
				"status", "RUNNING", "metrics", "name", "nodes done", "intValue",
				json_sprintf("%d", ready < o->total ? ready : o->total - 1), "name",
				"nodes total", "intValue", json_sprintf("%d", o->total)));
	}
	return j;
}

static bool location_fits(struct req *req)
{
	const struct cluster *c = &req->sim->world->cluster;
	const char *location = req_capture(req, "location");
	return c->state != RES_ABSENT &&
	       (strcmp(location, "-") == 0 || strcmp(location, c->location) == 0);
}

/* The cluster of the path is there; else 404 has been replied. */
static bool cluster_ok(struct req *req)
{
	const char *name = req_capture(req, "cluster");
	if (!google_project_ok(req))
		return false;
	if (location_fits(req) && strcmp(req->sim->world->cluster.name, name) == 0)
		return true;
	reply_google_error(req, 404, "NOT_FOUND", "notFound",
		"Not found: projects/%s/locations/%s/clusters/%s.", req->sim->world->project,
		req_capture(req, "location"), name);
	return false;
}

static void list_clusters(struct req *req)
{
	if (!google_project_ok(req))
		return;
	json_t *j = json_object();
	if (location_fits(req))
		json_object_set_new(j, "clusters", json_pack("[o]", cluster_json(req)));
	google_reply(req, j);
}

static void get_cluster(struct req *req)
{
	if (cluster_ok(req))
		google_reply(req, cluster_json(req));
}

static void create_cluster(struct req *req)
{
	struct world *w = req->sim->world;
	const char *name = json_string_value(
		json_object_get(json_object_get(req_json(req), "cluster"), "name"));
	if (!google_project_ok(req))
		return;
	if (!name || !*name) {
		reply_google_error(
			req, 400, "INVALID_ARGUMENT", "badRequest", "Cluster.name is required.");
		return;
	}
	if (w->cluster.state != RES_ABSENT) {
		reply_google_error(req, 409, "ALREADY_EXISTS", "alreadyExists",
			"Already exists: projects/%s/locations/%s/clusters/%s.", w->project,
			w->cluster.location, w->cluster.name);
		return;
	}
	size_t op = deploy_cluster_begin(req->sim, name, req_capture(req, "location"), w->zone);
	deploy_cluster_later(req->sim);
	reply_json(req, 200, operation_json(w, &w->operations.items[op]));
}

static void delete_cluster(struct req *req)
{
	struct world *w = req->sim->world;
	if (!cluster_ok(req))
		return;
	bool busy = w->cluster.state != RES_RUNNING;
	for (size_t i = 0; i < w->operations.n; i++)
		busy = busy || !w->operations.items[i].done;
	if (busy) {
		reply_google_error(req, 400, "FAILED_PRECONDITION", "failedPrecondition",
			"Cluster %s is being changed by another operation.", w->cluster.name);
		return;
	}
	size_t op = deploy_cluster_stopping(req->sim);
	deploy_cluster_later(req->sim);
	reply_json(req, 200, operation_json(w, &w->operations.items[op]));
}

static void list_operations(struct req *req)
{
	const struct world *w = req->sim->world;
	const char *location = req_capture(req, "location");
	if (!google_project_ok(req))
		return;
	json_t *all = json_array();
	for (size_t i = 0; i < w->operations.n; i++)
		if (strcmp(location, "-") == 0 ||
			strcmp(location, w->operations.items[i].zone) == 0)
			json_array_append_new(all, operation_json(w, &w->operations.items[i]));
	json_t *j = json_object();
	if (json_array_size(all) > 0)
		json_object_set(j, "operations", all);
	json_decref(all);
	google_reply(req, j);
}

static void get_operation(struct req *req)
{
	const struct world *w = req->sim->world;
	const char *name = req_capture(req, "operation");
	if (!google_project_ok(req))
		return;
	for (size_t i = 0; i < w->operations.n; i++)
		if (strcmp(w->operations.items[i].name, name) == 0) {
			google_reply(req, operation_json(w, &w->operations.items[i]));
			return;
		}
	reply_google_error(req, 404, "NOT_FOUND", "notFound", "Not found: operation %s.", name);
}

static void list_pools(struct req *req)
{
	if (!cluster_ok(req))
		return;
	json_t *cluster = cluster_json(req);
	google_reply(req, json_pack("{s:O}", "nodePools", json_object_get(cluster, "nodePools")));
	json_decref(cluster);
}

static void get_pool(struct req *req)
{
	const char *name = req_capture(req, "pool");
	if (!cluster_ok(req))
		return;
	const struct node_pool *p = world_pool(req->sim->world, name);
	if (p)
		google_reply(req, pool_json(req->sim->world, p));
	else
		reply_google_error(
			req, 404, "NOT_FOUND", "notFound", "Not found: node pool %s.", name);
}

static void delete_pool(struct req *req)
{
	struct world *w = req->sim->world;
	const char *name = req_capture(req, "pool");
	if (!cluster_ok(req))
		return;
	const struct node_pool *p = world_pool(w, name);
	if (!p) {
		reply_google_error(
			req, 404, "NOT_FOUND", "notFound", "Not found: node pool %s.", name);
		return;
	}
	if (p->state == RES_STOPPING || p->state == RES_PROVISIONING) {
		reply_google_error(req, 400, "FAILED_PRECONDITION", "failedPrecondition",
			"Node pool %s is being changed by another operation.", name);
		return;
	}
	size_t op = deploy_pool_delete(req->sim, name);
	reply_json(req, 200, operation_json(w, &w->operations.items[op]));
}

#define L "/v1/projects/{project}/locations/{location}"

const struct route google_gke_routes[] = {
	{"GET", L "/clusters", list_clusters, ROUTE_GOOGLE},
	{"POST", L "/clusters", create_cluster, ROUTE_GOOGLE},
	{"GET", L "/clusters/{cluster}", get_cluster, ROUTE_GOOGLE},
	{"DELETE", L "/clusters/{cluster}", delete_cluster, ROUTE_GOOGLE},
	{"GET", L "/clusters/{cluster}/nodePools", list_pools, ROUTE_GOOGLE},
	{"GET", L "/clusters/{cluster}/nodePools/{pool}", get_pool, ROUTE_GOOGLE},
	{"DELETE", L "/clusters/{cluster}/nodePools/{pool}", delete_pool, ROUTE_GOOGLE},
	{"GET", L "/operations", list_operations, ROUTE_GOOGLE},
	{"GET", L "/operations/{operation}", get_operation, ROUTE_GOOGLE},
	{0},
};
