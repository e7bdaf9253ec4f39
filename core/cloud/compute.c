/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/compute.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/pages.h"
#include "core/fmt/json.h"

#include <stdlib.h>
#include <string.h>

/* An aggregated list on its way: items of all zones in one array. */
struct gather {
	struct cloud *cloud;
	const char *key;
	char *path;
	char *beta; /* address of the API's beta, asked when v1 has no such list; NULL = v1 alone */
	bool in_beta;
	json_t *list, *unreachable;
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

static void gather_free(void *arg)
{
	struct gather *g = arg;

	json_decref(g->list);
	json_decref(g->unreachable);
	free(g->path);
	free(g->beta);
	free(g);
}

static const char *last_part(const char *address)
{
	const char *slash = strrchr(address, '/');

	return slash ? slash + 1 : address;
}

static void gather_page(void *arg, json_t *page)
{
	struct gather *g = arg;
	const char *place;
	json_t *scope;
	size_t i;

	json_array_foreach(json_object_get(page, "unreachables"), i, scope)
	{
		json_array_append_new(g->unreachable,
			json_from_str(
				last_part(json_is_string(scope) ? json_string_value(scope) : "")));
	}
	if (json_path(page, "warning") || json_array_size(g->unreachable))
		g->incomplete = true;
	json_object_foreach(json_object_get(page, "items"), place, scope)
	{
		const char *code = json_path_str_or(scope, "warning.code", "NO_RESULTS_ON_PAGE");
		json_t *list = json_object_get(scope, g->key);

		if (strcmp(code, "NO_RESULTS_ON_PAGE") != 0) {
			g->incomplete = true;
			json_array_append_new(g->unreachable, json_from_str(last_part(place)));
		}
		if (json_is_array(list))
			json_array_extend(g->list, list);
	}
}

static void gather_ask(struct gather *g);

static void gather_end(void *arg, const struct err *e)
{
	struct gather *g = arg;
	AUTO(json_auto) json_t *reply = NULL;

	if (e && e->http == 404 && g->beta && !g->in_beta) {
		g->in_beta = true;
		gather_ask(g);
		return;
	}
	reply = json_object();
	json_object_set(reply, g->key, g->list);
	json_object_set(reply, "unreachable", g->unreachable);
	json_object_set_new(reply, "incomplete", json_boolean(g->incomplete));
	g->done.fn(g->done.arg, e ? NULL : reply, e);
	gather_free(g);
}

static void gather_ask(struct gather *g)
{
	pages_walk(g->cloud, &(struct pages_spec){.req = {.api = CLOUD_COMPUTE,
							  .base = g->in_beta ? g->beta : NULL,
							  .path = g->path},
				     .param = pages_google,
				     .owner = g->done.arg,
				     .on_page = gather_page,
				     .on_end = gather_end,
				     .on_drop = gather_free,
				     .arg = g});
}

static struct gather *gather_new(struct cloud *c, const char *project, const char *list,
	const char *key, struct cloud_done done)
{
	struct gather *g = X_NEW(struct gather);
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, "projects/");
	http_escape(&path, project);
	buf_addf(&path, "/aggregated/%s?returnPartialSuccess=true", list);
	g->cloud = c;
	g->key = key;
	g->path = x_strdup(buf_str(&path));
	g->list = json_array();
	g->unreachable = json_array();
	g->done = done;
	return g;
}

void compute_reservations(struct cloud *c, const char *project, struct cloud_done done)
{
	gather_ask(gather_new(c, project, "reservations", "reservations", done));
}

void compute_future_reservations(struct cloud *c, const char *project, struct cloud_done done)
{
	struct gather *g = gather_new(c, project, "futureReservations", "futureReservations", done);
	const char *v1 = cloud_endpoint(c, CLOUD_COMPUTE);

	if (text_ends(v1, "/v1/"))
		g->beta = x_asprintf("%.*sbeta/", (int)(strlen(v1) - strlen("v1/")), v1);
	gather_ask(g);
}

void compute_machine_zones(
	struct cloud *c, const char *project, const char *machine, struct cloud_done done)
{
	struct gather *g = gather_new(c, project, "machineTypes", "machineTypes", done);
	AUTO(buf_fini) struct buf path = {0};

	buf_addf(&path, "%s&filter=name%%3D", g->path);
	http_escape(&path, machine);
	free(g->path);
	g->path = x_strdup(buf_str(&path));
	gather_ask(g);
}

void compute_everywhere(struct cloud *c, const char *project, const char *kind, const char *filter,
	struct cloud_done done)
{
	struct gather *g = gather_new(c, project, kind, kind, done);
	AUTO(buf_fini) struct buf path = {0};

	buf_addf(&path, "%s&filter=", g->path);
	http_escape(&path, filter);
	free(g->path);
	g->path = x_strdup(buf_str(&path));
	gather_ask(g);
}

void compute_firewalls(
	struct cloud *c, const char *project, const char *filter, struct cloud_done done)
{
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, "projects/");
	http_escape(&path, project);
	buf_adds(&path, "/global/firewalls?filter=");
	http_escape(&path, filter);
	pages_merge(c, &(struct cloud_request){.api = CLOUD_COMPUTE, .path = buf_str(&path)},
		pages_google, "items", done);
}

void compute_machine_types(
	struct cloud *c, const char *project, const char *zone, struct cloud_done done)
{
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, "projects/");
	http_escape(&path, project);
	buf_adds(&path, "/zones/");
	http_escape(&path, zone);
	buf_adds(&path, "/machineTypes");
	pages_merge(c, &(struct cloud_request){.api = CLOUD_COMPUTE, .path = buf_str(&path)},
		pages_google, "items", done);
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
