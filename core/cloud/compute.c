/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/compute.h"

#include "core/base/mem.h"
#include "core/cloud/pages.h"
#include "core/fmt/json.h"

#include <stdlib.h>
#include <string.h>

struct reservations {
	json_t *list;
	bool incomplete;
	struct cloud_done done;
};

/* projects/P/KIND/PLACE[/SUB/NAME] */
static struct cloud_call *get(struct cloud *c, const char *project, const char *kind,
	const char *place, const char *sub, const char *name, struct cloud_done done)
{
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, "projects/");
	http_escape(&path, project);
	buf_addf(&path, "/%s/", kind);
	http_escape(&path, place);
	if (sub) {
		buf_addf(&path, "/%s/", sub);
		http_escape(&path, name);
	}
	return cloud_call(c, CLOUD_COMPUTE, NULL, buf_str(&path), NULL, done);
}

struct cloud_call *compute_zone(
	struct cloud *c, const char *project, const char *zone, struct cloud_done done)
{
	return get(c, project, "zones", zone, NULL, NULL, done);
}

struct cloud_call *compute_region(
	struct cloud *c, const char *project, const char *region, struct cloud_done done)
{
	return get(c, project, "regions", region, NULL, NULL, done);
}

struct cloud_call *compute_machine_type(struct cloud *c, const char *project, const char *zone,
	const char *type, struct cloud_done done)
{
	return get(c, project, "zones", zone, "machineTypes", type, done);
}

struct cloud_call *compute_family_quotas(
	struct cloud *c, const char *project, struct cloud_done done)
{
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, "v1/projects/");
	http_escape(&path, project);
	buf_adds(&path, "/locations/global/services/compute.googleapis.com/quotaInfos/"
			"CPUS-PER-VM-FAMILY-per-project-region");
	return cloud_call(c, CLOUD_QUOTAS, NULL, buf_str(&path), NULL, done);
}

struct cloud_call *compute_reservation(struct cloud *c, const char *project, const char *zone,
	const char *name, struct cloud_done done)
{
	return get(c, project, "zones", zone, "reservations", name, done);
}

static void reservations_free(void *arg)
{
	struct reservations *r = arg;

	json_decref(r->list);
	free(r);
}

static void reservations_page(void *arg, json_t *page)
{
	struct reservations *r = arg;
	const char *place;
	json_t *scope;

	if (json_array_size(json_path(page, "unreachables")) || json_path(page, "warning"))
		r->incomplete = true;
	json_object_foreach(json_object_get(page, "items"), place, scope)
	{
		const char *code = json_path_str_or(scope, "warning.code", "NO_RESULTS_ON_PAGE");
		json_t *list = json_object_get(scope, "reservations");

		if (strcmp(code, "NO_RESULTS_ON_PAGE") != 0)
			r->incomplete = true;
		if (json_is_array(list))
			json_array_extend(r->list, list);
	}
}

static void reservations_end(void *arg, const struct err *e)
{
	struct reservations *r = arg;
	AUTO(json_auto) json_t *reply = json_object();

	json_object_set(reply, "reservations", r->list);
	json_object_set_new(reply, "incomplete", json_boolean(r->incomplete));
	r->done.fn(r->done.arg, e ? NULL : reply, e);
	reservations_free(r);
}

void compute_reservations(struct cloud *c, const char *project, struct cloud_done done)
{
	struct reservations *r = X_NEW(struct reservations);
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, "projects/");
	http_escape(&path, project);
	buf_adds(&path, "/aggregated/reservations?returnPartialSuccess=true");
	r->list = json_array();
	r->done = done;
	pages_walk(c, &(struct pages_spec){.req = {.api = CLOUD_COMPUTE, .path = buf_str(&path)},
			      .param = pages_google,
			      .owner = done.arg,
			      .on_page = reservations_page,
			      .on_end = reservations_end,
			      .on_drop = reservations_free,
			      .arg = r});
}

void compute_zones(struct cloud *c, const char *project, struct cloud_done done)
{
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, "projects/");
	http_escape(&path, project);
	buf_adds(&path, "/zones");
	pages_merge(c, &(struct cloud_request){.api = CLOUD_COMPUTE, .path = buf_str(&path)},
		pages_google, "items", done);
}

static const char *last_part(const char *address)
{
	const char *slash = strrchr(address, '/');

	return slash ? slash + 1 : address;
}

void compute_reservation_read(const json_t *j, struct compute_reservation *out)
{
	const json_t *s = json_path(j, "specificReservation");

	*out = (struct compute_reservation){
		.name = json_path_str_or(j, "name", ""),
		.zone = last_part(json_path_str_or(j, "zone", "")),
		.status = json_path_str_or(j, "status", ""),
		.machine_type = json_path_str_or(s, "instanceProperties.machineType", ""),
		.share_type = json_path_str_or(j, "shareSettings.shareType", "LOCAL"),
		.delete_at = json_path_str_or(j, "deleteAtTime", ""),
		.count = s ? json_path_i64(s, "count", 0) : -1,
		.in_use = s ? json_path_i64(s, "inUseCount", 0) : -1,
		.specific = json_path_bool(j, "specificReservationRequired", false),
	};
}
