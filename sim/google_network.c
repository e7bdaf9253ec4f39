/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Networks and what belongs to them, as deployments make them, and what a cluster makes by itself:
 * the VMs of its nodes, their disks, firewall rules in its network. Read and deleted by hand.
 */
#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/clock.h"
#include "sim/deploy.h"
#include "sim/google.h"
#include "sim/ledger.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

#define BASE "https://www.googleapis.com/compute/v1/"

/* Collections and how the ledger calls one of them. */
static const char *const kinds[][2] = {
	{"networks", "network"},
	{"firewalls", "firewall"},
	{"subnetworks", "subnetwork"},
	{"routers", "router"},
	{"addresses", "address"},
	{"resourcePolicies", "resourcepolicy"},
};

/* The ledger's name of the thing in the address if it is there; the caller's. */
static char *thing(struct req *req)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		AUTO_FREE char *what = x_asprintf("%s/%s", kinds[i][1], req_capture(req, "name"));
		if (strcmp(kinds[i][0], req_capture(req, "kind")) == 0 &&
			deploy_there(req->sim, what))
			return x_strdup(what);
	}
	return NULL;
}

static void not_found(struct req *req)
{
	reply_google_error(req, 404, "NOT_FOUND", "notFound", "The resource '%s/%s' was not found",
		req_capture(req, "kind"), req_capture(req, "name"));
}

/* The NAT is a part of the one router. */
static json_t *nats(const struct sim *sim)
{
	json_t *all = json_array();
	const char *what;
	for (size_t i = 0; (what = deploy_next(sim, &i));)
		if (text_starts(what, "nat/"))
			json_array_append_new(all, json_pack("{s:s}", "name", what + 4));
	return all;
}

static void get_thing(struct req *req)
{
	AUTO_FREE char *what = NULL;
	const char *name = req_capture(req, "name");
	json_t *j;
	if (!google_project_ok(req))
		return;
	what = thing(req);
	if (!what) {
		not_found(req);
		return;
	}
	j = json_pack("{s:o, s:s}", "kind",
		json_sprintf("compute#%.*s", (int)strcspn(what, "/"), what), "name", name);
	if (text_starts(what, "router/"))
		json_object_set_new(j, "nats", nats(req->sim));
	google_reply(req, j);
}

static void done(struct req *req, const char *what)
{
	reply_json(req, 200,
		json_pack("{s:s, s:s, s:s, s:s}", "kind", "compute#operation", "operationType",
			"delete", "status", "DONE", "targetLink", what));
}

static void delete_thing(struct req *req)
{
	AUTO_FREE char *what = NULL;
	if (!google_project_ok(req))
		return;
	what = thing(req);
	if (!what)
		not_found(req);
	else if (deploy_drop(req->sim, what))
		done(req, what);
	else
		reply_google_error(req, 400, "FAILED_PRECONDITION", "resourceNotReady",
			"The resource '%s' is not ready", what);
}

/* --- lists. A filter is `network eq "…/NAME"` or `labels.goog-k8s-cluster-name=NAME`. */

static bool asked_for(struct req *req, const char *of, const char *name)
{
	const char *filter = req_query(req, "filter");
	AUTO_FREE char *end = x_asprintf("%s%s", of, name);
	AUTO_FREE char *bare = x_strdup(filter ? filter : "");
	size_t n = strlen(bare);
	if (n && bare[n - 1] == '"')
		bare[n - 1] = '\0';
	return !filter || text_ends(bare, end);
}

static json_t *firewall(const struct world *w, const char *network, const char *name)
{
	return json_pack("{s:s, s:s, s:o, s:o}", "kind", "compute#firewall", "name", name,
		"network", json_sprintf(BASE "projects/%s/global/networks/%s", w->project, network),
		"selfLink", json_sprintf(BASE "projects/%s/global/firewalls/%s", w->project, name));
}

static void list_firewalls(struct req *req)
{
	const struct sim *sim = req->sim;
	AUTO_FREE char *network = x_asprintf("%s-net-0", deploy_name(sim));
	AUTO_FREE char *of_gke = x_asprintf("gke-%s-vms", deploy_name(sim));
	json_t *all = json_array();
	const char *what;
	if (!google_project_ok(req)) {
		json_decref(all);
		return;
	}
	for (size_t i = 0; asked_for(req, "/", network) && (what = deploy_next(sim, &i));)
		if (text_starts(what, "firewall/"))
			json_array_append_new(
				all, firewall(sim->world, network, what + strlen("firewall/")));
	if (asked_for(req, "/", network) && sim->world->cluster.state != RES_ABSENT)
		json_array_append_new(all, firewall(sim->world, network, of_gke));
	google_page(req, json_pack("{s:s}", "kind", "compute#firewallList"), "items", all,
		"maxResults", 500);
}

static json_t *labelled(const struct world *w, const char *kind, const char *name,
	const char *cluster, const char *region, const char *zone)
{
	return json_pack("{s:s, s:s, s:o, s:{s:s, s:s}}", "kind", kind, "name", name, "selfLink",
		json_sprintf(BASE "projects/%s/zones/%s/%s/%s", w->project, zone,
			strstr(kind, "disk") ? "disks" : "instances", name),
		"labels", "goog-k8s-cluster-name", cluster, "goog-k8s-cluster-location", region);
}

/* One of each a node. */
static void add_nodes(const struct world *w, const char *kind, json_t *all)
{
	const struct cluster *c = &w->cluster;
	for (size_t i = 0; c->state != RES_ABSENT && i < c->n; i++)
		for (int k = 0; c->items[i].state != RES_ERROR && k < c->items[i].nodes; k++) {
			AUTO_FREE char *name =
				x_asprintf("gke-%s-%s-%04d", c->name, c->items[i].name, k);
			json_array_append_new(
				all, labelled(w, kind, name, c->name, c->location, c->zone));
		}
}

static void reply_list(struct req *req, const char *key, json_t *all)
{
	AUTO_FREE char *scope = x_asprintf("zones/%s", req->sim->world->zone);
	json_t *items = json_object();
	if (json_array_size(all) > 0)
		json_object_set_new(items, scope, json_pack("{s:O}", key, all));
	else
		json_object_set_new(items, scope,
			json_pack("{s:{s:s, s:s}}", "warning", "code", "NO_RESULTS_ON_PAGE",
				"message", "There are no results for this scope on this page."));
	json_decref(all);
	google_reply(req, json_pack("{s:s, s:o}", "id", "rehearsal", "items", items));
}

static void all_instances(struct req *req)
{
	const struct world *w = req->sim->world;
	json_t *all;
	if (!google_project_ok(req))
		return;
	all = json_array();
	if (w->cluster.name && asked_for(req, "=", w->cluster.name))
		add_nodes(w, "compute#instance", all);
	reply_list(req, "instances", all);
}

static void all_disks(struct req *req)
{
	const struct world *w = req->sim->world;
	json_t *all;
	if (!google_project_ok(req))
		return;
	all = json_array();
	if (w->cluster.name && asked_for(req, "=", w->cluster.name))
		add_nodes(w, "compute#disk", all);
	if (w->stray && asked_for(req, "=", deploy_name(req->sim)))
		json_array_append_new(all, labelled(w, "compute#disk", w->stray,
						   deploy_name(req->sim), w->region, w->zone));
	reply_list(req, "disks", all);
}

static void all_groups(struct req *req)
{
	if (google_project_ok(req))
		reply_list(req, "networkEndpointGroups", json_array());
}

static void delete_disk(struct req *req)
{
	struct world *w = req->sim->world;
	AUTO_FREE char *what = x_asprintf("disk/%s", req_capture(req, "name"));
	if (!google_project_ok(req))
		return;
	if (!w->stray || strcmp(w->stray, req_capture(req, "name")) != 0) {
		reply_google_error(req, 404, "NOT_FOUND", "notFound",
			"The resource 'disks/%s' was not found", req_capture(req, "name"));
		return;
	}
	free(w->stray);
	w->stray = NULL;
	ledger_delete(req->sim, what);
	done(req, what);
}

#define P "/compute/v1/projects/{project}"

const struct route google_network_routes[] = {
	{"GET", P "/global/firewalls", list_firewalls, ROUTE_GOOGLE},
	{"GET", P "/aggregated/instances", all_instances, ROUTE_GOOGLE},
	{"GET", P "/aggregated/disks", all_disks, ROUTE_GOOGLE},
	{"GET", P "/aggregated/networkEndpointGroups", all_groups, ROUTE_GOOGLE},
	{"DELETE", P "/zones/{zone}/disks/{name}", delete_disk, ROUTE_GOOGLE},
	{"GET", P "/global/{kind}/{name}", get_thing, ROUTE_GOOGLE},
	{"GET", P "/regions/{region}/{kind}/{name}", get_thing, ROUTE_GOOGLE},
	{"DELETE", P "/global/{kind}/{name}", delete_thing, ROUTE_GOOGLE},
	{"DELETE", P "/regions/{region}/{kind}/{name}", delete_thing, ROUTE_GOOGLE},
	{0},
};
