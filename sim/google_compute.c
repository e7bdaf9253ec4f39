/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/clock.h"
#include "sim/google.h"
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

/* One item and what is asked of it: the filter "name=x", "(name eq x)" or none. */
struct wanted {
	char *name;
};

static struct wanted wanted_init(struct req *req)
{
	const char *f = req_query(req, "filter");
	const char *at = f ? strstr(f, "name") : NULL;
	struct wanted w = {0};
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

static void wanted_fini(struct wanted *w)
{
	free(w->name);
}

static bool wants(const struct wanted *w, const char *name)
{
	return !w->name || strcmp(w->name, name) == 0;
}

static json_t *link_to(const struct world *w, const char *rest)
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
		"region", link_to(w, region), "selfLink", link_to(w, self));
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
		json_array_append_new(zones, link_to(w, zone));
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "kind", "compute#region", "id",
		"1420", "name", places[place].region, "status", "UP", "zones", zones, "quotas",
		quota_json(w, false), "selfLink", link_to(w, self));
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
		"zone", zone, "selfLink", link_to(w, self));
	if (machines[i].chips)
		json_object_set_new(j, "accelerators",
			json_pack("[{s:s, s:i}]", "guestAcceleratorType", "ct6e",
				"guestAcceleratorCount", machines[i].chips));
	return j;
}

/* The other shape: counts chips, not VMs. */
static json_t *aggregate_json(const struct world *w, const char *self, const char *zone)
{
	AUTO_FREE char *type = x_asprintf(
		"projects/%s/zones/%s/acceleratorTypes/ct6e", w->project_number, w->zone);
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:b, s:{s:s, s:s, s:[{s:{s:s, s:i}}], "
			 "s:[{s:{s:s, s:i}}]}}",
		"kind", "compute#reservation", "id", "8812304815162342002", "name",
		w->reservation.name, "zone", link_to(w, zone), "selfLink", link_to(w, self),
		"status", "READY", "specificReservationRequired", 1, "aggregateReservation",
		"vmFamily", "VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT6E", "workloadType", "BATCH",
		"reservedResources", "accelerator", "acceleratorType", type, "acceleratorCount",
		4 * w->reservation.count, "inUseResources", "accelerator", "acceleratorType", type,
		"acceleratorCount", 4 * w->reservation.in_use);
}

static json_t *reservation_json(const struct world *w)
{
	const struct sim *sim = w->sim;
	const char *status = world_setting(w, "reservation.status");
	AUTO_FREE char *zone = x_asprintf("zones/%s", w->zone);
	AUTO_FREE char *self = x_asprintf("zones/%s/reservations/%s", w->zone, w->reservation.name);
	AUTO_FREE char *created = sim_time_ms(sim_epoch(sim) - 20 * 24 * SIM_HOUR);
	AUTO_FREE char *ends = sim_time_s(sim_epoch(sim) + 120 * 24 * SIM_HOUR);
	if (world_is(w, "reservation", "aggregate"))
		return aggregate_json(w, self, zone);
	json_t *specific = json_pack("{s:o, s:o, s:o, s:{s:s}}", "count",
		json_sprintf("%d", w->reservation.count), "inUseCount",
		json_sprintf("%d", w->reservation.in_use), "assuredCount",
		json_sprintf("%d", w->reservation.count), "instanceProperties", "machineType",
		w->reservation.machine_type);
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:b, s:o, s:{s:s}, s:s, s:s, s:{s:i, "
			 "s:{s:s}}, s:s}",
		"kind", "compute#reservation", "id", "8812304815162342001", "name",
		w->reservation.name, "creationTimestamp", created, "zone", link_to(w, zone),
		"selfLink", link_to(w, self), "status", status ? status : "READY",
		"specificReservationRequired", !world_is(w, "reservation.specific", "no"),
		"specificReservation", specific, "shareSettings", "shareType", "LOCAL",
		"deploymentType", "DENSE", "schedulingType", "GROUPED", "resourceStatus",
		"reservationBlockCount", 1, "healthInfo", "healthStatus", "HEALTHY", "deleteAtTime",
		ends);
}

static void not_found(struct req *req, const char *rest)
{
	reply_google_error(req, 404, NULL, "notFound",
		"The resource 'projects/%s/%s' was not found", req_capture(req, "project"), rest);
}

/* The zone of the path exists; else 404 has been replied. */
static bool zone_ok(struct req *req)
{
	const char *zone = req_capture(req, "zone");
	if (!google_project_ok(req))
		return false;
	if (place_of_zone(zone) >= 0)
		return true;
	AUTO_FREE char *rest = x_asprintf("zones/%s", zone);
	not_found(req, rest);
	return false;
}

static void page(struct req *req, const char *kind, json_t *all)
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
	AUTO(wanted_fini) struct wanted want = wanted_init(req);
	if (!google_project_ok(req))
		return;
	json_t *all = json_array();
	for (size_t i = 0; i < COUNT(places); i++)
		for (const char *z = places[i].zones; *z; z++) {
			AUTO_FREE char *name = x_asprintf("%s-%c", places[i].region, *z);
			if (wants(&want, name))
				json_array_append_new(all, zone_json(req->sim->world, i, *z));
		}
	page(req, "compute#zoneList", all);
}

static void get_zone(struct req *req)
{
	const char *zone = req_capture(req, "zone");
	if (zone_ok(req))
		google_reply(req, zone_json(req->sim->world, (size_t)place_of_zone(zone),
					  zone[strlen(zone) - 1]));
}

static void list_regions(struct req *req)
{
	AUTO(wanted_fini) struct wanted want = wanted_init(req);
	if (!google_project_ok(req))
		return;
	json_t *all = json_array();
	for (size_t i = 0; i < COUNT(places); i++)
		if (wants(&want, places[i].region))
			json_array_append_new(all, region_json(req->sim->world, i));
	page(req, "compute#regionList", all);
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
	not_found(req, rest);
}

static json_t *machines_of(struct req *req, const char *zone)
{
	AUTO(wanted_fini) struct wanted want = wanted_init(req);
	json_t *all = json_array();
	for (size_t i = 0; i < COUNT(machines); i++)
		if (machine_in_zone(req->sim->world, i, zone) && wants(&want, machines[i].name))
			json_array_append_new(all, machine_json(req->sim->world, i, zone));
	return all;
}

static void list_machines(struct req *req)
{
	if (zone_ok(req))
		page(req, "compute#machineTypeList", machines_of(req, req_capture(req, "zone")));
}

static void get_machine(struct req *req)
{
	const char *zone = req_capture(req, "zone");
	const char *machine = req_capture(req, "machine");
	if (!zone_ok(req))
		return;
	for (size_t i = 0; i < COUNT(machines); i++)
		if (strcmp(machines[i].name, machine) == 0 &&
			machine_in_zone(req->sim->world, i, zone)) {
			google_reply(req, machine_json(req->sim->world, i, zone));
			return;
		}
	AUTO_FREE char *rest = x_asprintf("zones/%s/machineTypes/%s", zone, machine);
	not_found(req, rest);
}

static bool hides(const struct world *w)
{
	return world_is(w, "reservation", "none") || world_is(w, "reservation", "hidden");
}

/* Further reservations of the world `many-reservations`, as the service tells them. */
static const struct {
	const char *name, *zone, *rest;
} more[] = {
	{"v6e-batch", "us-east5-a",
		"{\"status\":\"READY\",\"specificReservationRequired\":true,"
		"\"specificReservation\":{"
		"\"count\":\"8\",\"inUseCount\":\"4\",\"instanceProperties\":{\"machineType\":"
		"\"ct6e-standard-4t\"}},\"shareSettings\":{\"shareType\":\"LOCAL\"}}"},
	{"v6e-pool", "us-east5-a",
		"{\"status\":\"READY\",\"specificReservationRequired\":true,\"shareSettings\":{"
		"\"shareType\":\"SPECIFIC_PROJECTS\",\"projectMap\":{\"other-lab\":{\"projectId\":"
		"\"other-lab\"}}},\"aggregateReservation\":{\"vmFamily\":"
		"\"VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT6E\",\"workloadType\":\"BATCH\","
		"\"reservedResources\":[{\"accelerator\":{\"acceleratorType\":"
		"\"zones/us-east5-a/acceleratorTypes/ct6e\",\"acceleratorCount\":64}}],"
		"\"inUseResources\":[{\"accelerator\":{\"acceleratorType\":"
		"\"zones/us-east5-a/acceleratorTypes/ct6e\",\"acceleratorCount\":32}}]}}"},
	{"cpu-standing", "us-east1-d",
		"{\"status\":\"READY\",\"specificReservationRequired\":false,"
		"\"specificReservation\":{"
		"\"count\":\"2\",\"instanceProperties\":{\"machineType\":\"n4-standard-64\"}},"
		"\"shareSettings\":{\"shareType\":\"LOCAL\"}}"},
};

static const char coming[] =
	"{\"name\":\"v6e-coming\",\"planningStatus\":\"SUBMITTED\",\"status\":{"
	"\"procurementStatus\":\"APPROVED\"},\"specificSkuProperties\":{\"totalCount\":\"16\","
	"\"instanceProperties\":{\"machineType\":\"ct6e-standard-4t\"}}}";

static void add_more(
	const struct world *w, const char *zone, const struct wanted *want, json_t *all)
{
	for (size_t i = 0; i < COUNT(more); i++) {
		json_t *one;
		if (strcmp(more[i].zone, zone) != 0 || !wants(want, more[i].name))
			continue;
		AUTO_FREE char *place = x_asprintf("zones/%s", zone);
		AUTO_FREE char *self = x_asprintf("%s/reservations/%s", place, more[i].name);
		one = json_loads(more[i].rest, 0, NULL);
		json_object_set_new(one, "kind", json_string("compute#reservation"));
		json_object_set_new(one, "id", json_sprintf("88123048151623430%02zu", i));
		json_object_set_new(one, "name", json_string(more[i].name));
		json_object_set_new(one, "zone", link_to(w, place));
		json_object_set_new(one, "selfLink", link_to(w, self));
		json_array_append_new(all, one);
	}
}

static json_t *futures_of(struct req *req, const char *zone)
{
	const struct world *w = req->sim->world;
	json_t *all = json_array();
	if (world_is(w, "reservation.more", "yes") && strcmp(zone, w->zone) == 0) {
		AUTO_FREE char *place = x_asprintf("zones/%s", zone);
		AUTO_FREE char *start = sim_time_s(sim_epoch(req->sim) + 60 * 24 * SIM_HOUR);
		json_t *one = json_loads(coming, 0, NULL);
		json_object_set_new(one, "zone", link_to(w, place));
		json_object_set_new(one, "timeWindow", json_pack("{s:s}", "startTime", start));
		json_array_append_new(all, one);
	}
	return all;
}

static json_t *reservations_of(struct req *req, const char *zone)
{
	const struct world *w = req->sim->world;
	AUTO(wanted_fini) struct wanted want = wanted_init(req);
	json_t *all = json_array();
	if (strcmp(zone, w->zone) == 0 && wants(&want, w->reservation.name) && !hides(w))
		json_array_append_new(all, reservation_json(w));
	if (world_is(w, "reservation.more", "yes"))
		add_more(w, zone, &want, all);
	return all;
}

static void list_reservations(struct req *req)
{
	if (zone_ok(req))
		page(req, "compute#reservationList",
			reservations_of(req, req_capture(req, "zone")));
}

static void get_reservation(struct req *req)
{
	const struct world *w = req->sim->world;
	const char *zone = req_capture(req, "zone");
	const char *name = req_capture(req, "reservation");
	AUTO_FREE char *rest = x_asprintf("zones/%s/reservations/%s", zone, name);
	if (!zone_ok(req))
		return;
	if (strcmp(zone, w->zone) == 0 && strcmp(name, w->reservation.name) == 0 && !hides(w))
		google_reply(req, reservation_json(w));
	else
		not_found(req, rest);
}

/* Every zone, those without items with the usual warning. */
static void aggregated(struct req *req, const char *kind, const char *key,
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

static void all_reservations(struct req *req)
{
	if (google_project_ok(req))
		aggregated(
			req, "compute#reservationAggregatedList", "reservations", reservations_of);
}

static void all_futures(struct req *req)
{
	if (google_project_ok(req))
		aggregated(req, "compute#futureReservationsAggregatedListResponse",
			"futureReservations", futures_of);
}

static void all_machines(struct req *req)
{
	if (google_project_ok(req))
		aggregated(req, "compute#machineTypeAggregatedList", "machineTypes", machines_of);
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

#define P "/compute/v1/projects/{project}"

const struct route google_compute_routes[] = {
	{"GET", P, get_project, ROUTE_GOOGLE},
	{"GET", P "/zones", list_zones, ROUTE_GOOGLE},
	{"GET", P "/zones/{zone}", get_zone, ROUTE_GOOGLE},
	{"GET", P "/regions", list_regions, ROUTE_GOOGLE},
	{"GET", P "/regions/{region}", get_region, ROUTE_GOOGLE},
	{"GET", P "/zones/{zone}/machineTypes", list_machines, ROUTE_GOOGLE},
	{"GET", P "/zones/{zone}/machineTypes/{machine}", get_machine, ROUTE_GOOGLE},
	{"GET", P "/zones/{zone}/reservations", list_reservations, ROUTE_GOOGLE},
	{"GET", P "/zones/{zone}/reservations/{reservation}", get_reservation, ROUTE_GOOGLE},
	{"GET", P "/aggregated/reservations", all_reservations, ROUTE_GOOGLE},
	{"GET", P "/aggregated/futureReservations", all_futures, ROUTE_GOOGLE},
	{"GET", P "/aggregated/machineTypes", all_machines, ROUTE_GOOGLE},
	{"GET",
		"/v1/projects/{project}/locations/global/services/compute.googleapis.com/"
		"quotaInfos/"
		"{quota}",
		get_quota_info, ROUTE_GOOGLE},
	{0},
};
