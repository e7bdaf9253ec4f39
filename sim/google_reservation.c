/* SPDX-License-Identifier: Apache-2.0 */
/* Reservations of a zone, in both shapes, and those that are to come. */
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

/* The other shape: counts chips, not VMs. */
static json_t *aggregate_json(const struct world *w, const char *self, const char *zone)
{
	AUTO_FREE char *type = x_asprintf(
		"projects/%s/zones/%s/acceleratorTypes/ct6e", w->project_number, w->zone);
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:b, s:{s:s, s:s, s:[{s:{s:s, s:i}}], "
			 "s:[{s:{s:s, s:i}}]}}",
		"kind", "compute#reservation", "id", "8812304815162342002", "name",
		w->reservation.name, "zone", compute_link(w, zone), "selfLink",
		compute_link(w, self), "status", "READY", "specificReservationRequired", 1,
		"aggregateReservation", "vmFamily", "VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT6E",
		"workloadType", "BATCH", "reservedResources", "accelerator", "acceleratorType",
		type, "acceleratorCount", 4 * w->reservation.count, "inUseResources", "accelerator",
		"acceleratorType", type, "acceleratorCount", 4 * w->reservation.in_use);
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
		w->reservation.name, "creationTimestamp", created, "zone", compute_link(w, zone),
		"selfLink", compute_link(w, self), "status", status ? status : "READY",
		"specificReservationRequired", !world_is(w, "reservation.specific", "no"),
		"specificReservation", specific, "shareSettings", "shareType", "LOCAL",
		"deploymentType", "DENSE", "schedulingType", "GROUPED", "resourceStatus",
		"reservationBlockCount", 1, "healthInfo", "healthStatus", "HEALTHY", "deleteAtTime",
		ends);
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
	const struct world *w, const char *zone, const struct compute_wanted *want, json_t *all)
{
	for (size_t i = 0; i < COUNT(more); i++) {
		json_t *one;
		if (strcmp(more[i].zone, zone) != 0 || !compute_wants(want, more[i].name))
			continue;
		AUTO_FREE char *place = x_asprintf("zones/%s", zone);
		AUTO_FREE char *self = x_asprintf("%s/reservations/%s", place, more[i].name);
		one = json_loads(more[i].rest, 0, NULL);
		json_object_set_new(one, "kind", json_string("compute#reservation"));
		json_object_set_new(one, "id", json_sprintf("88123048151623430%02zu", i));
		json_object_set_new(one, "name", json_string(more[i].name));
		json_object_set_new(one, "zone", compute_link(w, place));
		json_object_set_new(one, "selfLink", compute_link(w, self));
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
		json_object_set_new(one, "zone", compute_link(w, place));
		json_object_set_new(one, "timeWindow", json_pack("{s:s}", "startTime", start));
		json_array_append_new(all, one);
	}
	return all;
}

static json_t *reservations_of(struct req *req, const char *zone)
{
	const struct world *w = req->sim->world;
	AUTO(compute_wanted_fini) struct compute_wanted want = compute_wanted_init(req);
	json_t *all = json_array();
	if (strcmp(zone, w->zone) == 0 && compute_wants(&want, w->reservation.name) && !hides(w))
		json_array_append_new(all, reservation_json(w));
	if (world_is(w, "reservation.more", "yes"))
		add_more(w, zone, &want, all);
	return all;
}

static void list_reservations(struct req *req)
{
	if (compute_zone_ok(req))
		compute_page(req, "compute#reservationList",
			reservations_of(req, req_capture(req, "zone")));
}

static void get_reservation(struct req *req)
{
	const struct world *w = req->sim->world;
	const char *zone = req_capture(req, "zone");
	const char *name = req_capture(req, "reservation");
	AUTO_FREE char *rest = x_asprintf("zones/%s/reservations/%s", zone, name);
	if (!compute_zone_ok(req))
		return;
	if (strcmp(zone, w->zone) == 0 && strcmp(name, w->reservation.name) == 0 && !hides(w))
		google_reply(req, reservation_json(w));
	else
		compute_not_found(req, rest);
}

static void all_reservations(struct req *req)
{
	if (google_project_ok(req))
		compute_aggregated(
			req, "compute#reservationAggregatedList", "reservations", reservations_of);
}

static void all_futures(struct req *req)
{
	if (google_project_ok(req))
		compute_aggregated(req, "compute#futureReservationsAggregatedListResponse",
			"futureReservations", futures_of);
}

#define P COMPUTE_PROJECT

const struct route google_reservation_routes[] = {
	{"GET", P "/zones/{zone}/reservations", list_reservations, ROUTE_GOOGLE},
	{"GET", P "/zones/{zone}/reservations/{reservation}", get_reservation, ROUTE_GOOGLE},
	{"GET", P "/aggregated/reservations", all_reservations, ROUTE_GOOGLE},
	{"GET", P "/aggregated/futureReservations", all_futures, ROUTE_GOOGLE},
	{0},
};
