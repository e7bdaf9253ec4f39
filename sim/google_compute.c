/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/clock.h"
#include "sim/google.h"
#include "sim/google_compute_in.h"
#include "sim/sim.h"
#include "sim/world.h"
#include "sim/worlds.h"
#include <stdlib.h>
#include <string.h>

#define BASE "https://www.googleapis.com/compute/v1/projects/"
#define MAX  500

static const struct {
	const char *region, *zones, *tpu_zones;
} places[] = {
	{"asia-northeast1", "abc", "b"},
	{"europe-west4", "abc", "a"},
	{"us-central1", "abcf", ""},
	{"us-east1", "bcd", "d"},
	{"us-east5", "abc", "ab"},
};

static const struct {
	const char *name, *text;
	int cpus, memory_mb, chips;
} machines[] = {
	{"ct6e-standard-1t", "1 TPU v6e chip, 44 vCPUs, 176 GB RAM", 44, 180224, 1},
	{"ct6e-standard-4t", "4 TPU v6e chips, 180 vCPUs, 720 GB RAM", 180, 737280, 4},
	{"ct6e-standard-8t", "8 TPU v6e chips, 180 vCPUs, 1440 GB RAM", 180, 1474560, 8},
	{"e2-standard-4", "Efficient Instance, 4 vCPUs, 16 GB RAM", 4, 16384, 0},
	{"e2-standard-8", "Efficient Instance, 8 vCPUs, 32 GB RAM", 8, 32768, 0},
	{"n2-standard-8", "8 vCPUs 32 GB RAM", 8, 32768, 0},
	{"n4-standard-64", "64 vCPUs 256 GB RAM", 64, 262144, 0},
};

static const struct {
	const char *metric;
	int limit, usage;
} quotas[] =
	{
		{"CPUS", 2400, 64},
		{"E2_CPUS", 2400, 0},
		{"N2_CPUS", 2400, 0},
		{"INSTANCES", 6000, 3},
		{"IN_USE_ADDRESSES", 575, 1},
		{"STATIC_ADDRESSES", 175, 1},
		{"DISKS_TOTAL_GB", 204800, 300},
		{"SSD_TOTAL_GB", 81920, 300},
},
  project_quotas[] = {
	  {"NETWORKS", 50, 3},
	  {"SUBNETWORKS", 550, 40},
	  {"FIREWALLS", 500, 12},
	  {"ROUTERS", 50, 1},
};

struct compute_wanted compute_wanted_init(struct req *req)
{
	const char *f = req_query(req, "filter");
	const char *at = f ? strstr(f, "name") : NULL;
	struct compute_wanted w = {0};
	if (!at)
		return w;
	at += strlen("name");
	at += strspn(at, " ");
	if (strncmp(at, "eq ", 3) == 0)
		at += 2;
	at += strspn(at, " =:\"'(");
	w.name = x_strndup(at, strcspn(at, " \"')$"));
	return w;
}

void compute_wanted_fini(struct compute_wanted *w)
{
	free(w->name);
}

bool compute_wants(const struct compute_wanted *w, const char *name)
{
	return !w->name || strcmp(w->name, name) == 0;
}

json_t *compute_link(const struct world *w, const char *rest)
{
	return json_sprintf(BASE "%s/%s", w->project, rest);
}

static json_t *zone_json(const struct world *w, size_t place, char letter)
{
	AUTO_FREE char *name = x_asprintf("%s-%c", places[place].region, letter);
	AUTO_FREE char *self = x_asprintf("zones/%s", name);
	AUTO_FREE char *region = x_asprintf("regions/%s", places[place].region);
	const char *status = world_setting2(w, "zone", name);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "kind", "compute#zone", "id",
		"2231", "name", name, "description", name, "status", status ? status : "UP",
		"region", compute_link(w, region), "selfLink", compute_link(w, self));
}

static json_t *quota_json(const struct world *w, bool project)
{
	json_t *all = json_array();
	size_t n = project ? COUNT(project_quotas) : COUNT(quotas);
	for (size_t i = 0; i < n; i++) {
		const char *metric = project ? project_quotas[i].metric : quotas[i].metric;
		const char *set = world_setting2(w, "quota", metric);
		double limit = project ? project_quotas[i].limit : quotas[i].limit;
		if (set && strcmp(set, "-") == 0)
			continue;
		json_array_append_new(all,
			json_pack("{s:s, s:f, s:f}", "metric", metric, "limit",
				set ? strtod(set, NULL) : limit, "usage",
				(double)(project ? project_quotas[i].usage : quotas[i].usage)));
	}
	return all;
}

static json_t *region_json(const struct world *w, size_t place)
{
	AUTO_FREE char *self = x_asprintf("regions/%s", places[place].region);
	json_t *zones = json_array();
	for (const char *z = places[place].zones; *z; z++) {
		AUTO_FREE char *zone = x_asprintf("zones/%s-%c", places[place].region, *z);
		json_array_append_new(zones, compute_link(w, zone));
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "kind", "compute#region", "id",
		"1420", "name", places[place].region, "status", "UP", "zones", zones, "quotas",
		quota_json(w, false), "selfLink", compute_link(w, self));
}

/* Index of the place whose zone this is, or -1. */
static long place_of_zone(const char *zone)
{
	for (size_t i = 0; i < COUNT(places); i++) {
		size_t n = strlen(places[i].region);
		if (strncmp(zone, places[i].region, n) == 0 && zone[n] == '-' && zone[n + 1] &&
			!zone[n + 2] && strchr(places[i].zones, zone[n + 1]))
			return (long)i;
	}
	return -1;
}

static bool machine_in_zone(const struct world *w, size_t machine, const char *zone)
{
	long place = place_of_zone(zone);
	return place >= 0 && !world_setting2(w, "machine", machines[machine].name) &&
	       (machines[machine].chips == 0 ||
		       strchr(places[place].tpu_zones, zone[strlen(zone) - 1]) != NULL);
}

static json_t *machine_json(const struct world *w, size_t i, const char *zone)
{
	AUTO_FREE char *self = x_asprintf("zones/%s/machineTypes/%s", zone, machines[i].name);
	json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:s, s:o}", "kind",
		"compute#machineType", "id", "801064", "name", machines[i].name, "description",
		machines[i].text, "guestCpus", machines[i].cpus, "memoryMb", machines[i].memory_mb,
		"zone", zone, "selfLink", compute_link(w, self));
	if (machines[i].chips)
		json_object_set_new(j, "accelerators",
			json_pack("[{s:s, s:i}]", "guestAcceleratorType", "ct6e",
				"guestAcceleratorCount", machines[i].chips));
	return j;
}

void compute_not_found(struct req *req, const char *rest)
{
	reply_google_error(req, 404, NULL, "notFound",
		"The resource 'projects/%s/%s' was not found", req_capture(req, "project"), rest);
}

bool compute_zone_ok(struct req *req)
{
	const char *zone = req_capture(req, "zone");
	if (!google_project_ok(req))
		return false;
	if (place_of_zone(zone) >= 0)
		return true;
	AUTO_FREE char *rest = x_asprintf("zones/%s", zone);
	compute_not_found(req, rest);
	return false;
}

void compute_page(struct req *req, const char *kind, json_t *all)
{
	google_page(req, json_pack("{s:s, s:s}", "kind", kind, "id", "rehearsal"), "items", all,
		"maxResults", MAX);
}

static void get_project(struct req *req)
{
	const struct world *w = req->sim->world;
	if (google_project_ok(req))
		google_reply(req, json_pack("{s:s, s:s, s:s, s:o, s:o}", "kind", "compute#project",
					  "id", w->project_number, "name", w->project, "quotas",
					  quota_json(w, true), "selfLink",
					  json_sprintf(BASE "%s", w->project)));
}

static void list_zones(struct req *req)
{
	AUTO(compute_wanted_fini) struct compute_wanted want = compute_wanted_init(req);
	if (!google_project_ok(req))
		return;
	json_t *all = json_array();
	for (size_t i = 0; i < COUNT(places); i++)
		for (const char *z = places[i].zones; *z; z++) {
			AUTO_FREE char *name = x_asprintf("%s-%c", places[i].region, *z);
			if (compute_wants(&want, name))
				json_array_append_new(all, zone_json(req->sim->world, i, *z));
		}
	compute_page(req, "compute#zoneList", all);
}

static void get_zone(struct req *req)
{
	const char *zone = req_capture(req, "zone");
	if (compute_zone_ok(req))
		google_reply(req, zone_json(req->sim->world, (size_t)place_of_zone(zone),
					  zone[strlen(zone) - 1]));
}

static void list_regions(struct req *req)
{
	AUTO(compute_wanted_fini) struct compute_wanted want = compute_wanted_init(req);
	if (!google_project_ok(req))
		return;
	json_t *all = json_array();
	for (size_t i = 0; i < COUNT(places); i++)
		if (compute_wants(&want, places[i].region))
			json_array_append_new(all, region_json(req->sim->world, i));
	compute_page(req, "compute#regionList", all);
}

static void get_region(struct req *req)
{
	const char *region = req_capture(req, "region");
	if (!google_project_ok(req))
		return;
	for (size_t i = 0; i < COUNT(places); i++)
		if (strcmp(places[i].region, region) == 0) {
			google_reply(req, region_json(req->sim->world, i));
			return;
		}
	AUTO_FREE char *rest = x_asprintf("regions/%s", region);
	compute_not_found(req, rest);
}

static json_t *machines_of(struct req *req, const char *zone)
{
	AUTO(compute_wanted_fini) struct compute_wanted want = compute_wanted_init(req);
	json_t *all = json_array();
	for (size_t i = 0; i < COUNT(machines); i++)
		if (machine_in_zone(req->sim->world, i, zone) &&
			compute_wants(&want, machines[i].name))
			json_array_append_new(all, machine_json(req->sim->world, i, zone));
	return all;
}

static void list_machines(struct req *req)
{
	if (compute_zone_ok(req))
		compute_page(
			req, "compute#machineTypeList", machines_of(req, req_capture(req, "zone")));
}

static void get_machine(struct req *req)
{
	const char *zone = req_capture(req, "zone");
	const char *machine = req_capture(req, "machine");
	if (!compute_zone_ok(req))
		return;
	for (size_t i = 0; i < COUNT(machines); i++)
		if (strcmp(machines[i].name, machine) == 0 &&
			machine_in_zone(req->sim->world, i, zone)) {
			google_reply(req, machine_json(req->sim->world, i, zone));
			return;
		}
	AUTO_FREE char *rest = x_asprintf("zones/%s/machineTypes/%s", zone, machine);
	compute_not_found(req, rest);
}

void compute_aggregated(struct req *req, const char *kind, const char *key,
	json_t *(*of)(struct req *req, const char *zone))
{
	json_t *items = json_object();
	for (size_t i = 0; i < COUNT(places); i++)
		for (const char *z = places[i].zones; *z; z++) {
			AUTO_FREE char *zone = x_asprintf("%s-%c", places[i].region, *z);
			AUTO_FREE char *scope = x_asprintf("zones/%s", zone);
			json_t *all = of(req, zone);
			if (json_array_size(all) > 0)
				json_object_set_new(items, scope, json_pack("{s:O}", key, all));
			else
				json_object_set_new(items, scope,
					json_pack("{s:{s:s, s:s}}", "warning", "code",
						"NO_RESULTS_ON_PAGE", "message",
						"There are no results for this scope on this "
						"page."));
			json_decref(all);
		}
	json_t *reply =
		json_pack("{s:s, s:s, s:o}", "kind", kind, "id", "rehearsal", "items", items);
	const char *silent = world_setting(req->sim->world, "reservation.silent");
	if (silent && strcmp(key, "reservations") == 0)
		json_object_set_new(
			reply, "unreachables", json_pack("[o]", json_sprintf("zones/%s", silent)));
	google_reply(req, reply);
}

static void all_machines(struct req *req)
{
	if (google_project_ok(req))
		compute_aggregated(
			req, "compute#machineTypeAggregatedList", "machineTypes", machines_of);
}

/* The limit of a CPU family that Compute's own quotas do not tell. */
static void get_quota_info(struct req *req)
{
	const struct world *w = req->sim->world;
	const char *set = world_setting(w, "quota.N4");
	const char *id = req_capture(req, "quota");
	json_t *dimensions = json_array();
	if (!google_project_ok(req))
		return;
	if (strcmp(id, "CPUS-PER-VM-FAMILY-per-project-region") != 0) {
		json_decref(dimensions);
		reply_google_error(
			req, 404, "NOT_FOUND", NULL, "Quota info '%s' was not found.", id);
		return;
	}
	for (size_t i = 0; !(set && strcmp(set, "-") == 0) && i < COUNT(places); i++)
		json_array_append_new(dimensions,
			json_pack("{s:{s:s, s:s}, s:{s:s}, s:[s]}", "dimensions", "region",
				places[i].region, "vm_family", "N4", "details", "value",
				set ? set : "500", "applicableLocations", places[i].region));
	google_reply(req, json_pack("{s:s, s:s, s:s, s:o}", "quotaId", id, "metric",
				  "compute.googleapis.com/cpus_per_vm_family", "service",
				  "compute.googleapis.com", "dimensionsInfos", dimensions));
}

#define P COMPUTE_PROJECT

const struct route google_compute_routes[] = {
	{"GET", P, get_project, ROUTE_GOOGLE},
	{"GET", P "/zones", list_zones, ROUTE_GOOGLE},
	{"GET", P "/zones/{zone}", get_zone, ROUTE_GOOGLE},
	{"GET", P "/regions", list_regions, ROUTE_GOOGLE},
	{"GET", P "/regions/{region}", get_region, ROUTE_GOOGLE},
	{"GET", P "/zones/{zone}/machineTypes", list_machines, ROUTE_GOOGLE},
	{"GET", P "/zones/{zone}/machineTypes/{machine}", get_machine, ROUTE_GOOGLE},
	{"GET", P "/aggregated/machineTypes", all_machines, ROUTE_GOOGLE},
	{"GET",
		"/v1/projects/{project}/locations/global/services/compute.googleapis.com/"
		"quotaInfos/"
		"{quota}",
		get_quota_info, ROUTE_GOOGLE},
	{0},
};
