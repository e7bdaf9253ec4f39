/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/clock.h"
#include "sim/google.h"
#include "sim/ledger.h"
#include "sim/sim.h"
#include "sim/world.h"
#include <stdlib.h>
#include <string.h>

#define BATCH_GET    30
#define BATCH_ENABLE 20
#define ENABLE_TIME  (25 * SIM_S)
#define DONE_NAME    "operations/noop.DONE_OPERATION"
#define ENABLING     "operations/acat.p2-"

struct enabling {
	struct sim *sim;
	json_t *ids; /* names of services */
	json_t *operation;
};

static json_t *service_json(const struct world *w, const char *name)
{
	return json_pack("{s:o, s:o, s:{s:s, s:s}, s:s}", "name",
		json_sprintf("projects/%s/services/%s", w->project_number, name), "parent",
		json_sprintf("projects/%s", w->project_number), "config", "name", name, "title",
		name, "state", map_get(&w->services, name) ? "ENABLED" : "DISABLED");
}

static bool service_known(const char *name)
{
	return text_ends(name, ".googleapis.com") && strlen(name) > strlen(".googleapis.com");
}

static void unknown_service(struct req *req, const char *name)
{
	reply_google_info(req, 403, "PERMISSION_DENIED",
		"SERVICE_CONFIG_NOT_FOUND_OR_PERMISSION_DENIED",
		json_pack("{s:s}", "services", name),
		"Not found or permission denied for service(s): %s.", name);
}

static void batch_get(struct req *req)
{
	const char *name;
	json_t *all = json_array();
	if (!google_project_ok(req)) {
		json_decref(all);
		return;
	}
	for (size_t i = 0; (name = req_query_next(req, "names", &i));) {
		const char *last = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
		if (!service_known(last)) {
			json_decref(all);
			unknown_service(req, last);
			return;
		}
		json_array_append_new(all, service_json(req->sim->world, last));
	}
	size_t n = json_array_size(all);
	if (n > 0 && n <= BATCH_GET) {
		google_reply(req, json_pack("{s:o}", "services", all));
		return;
	}
	json_decref(all);
	reply_google_info(req, 400, "INVALID_ARGUMENT", "SU_MISSING_NAMES", NULL,
		"names must hold 1 to %d services, it holds %zu.", BATCH_GET, n);
}

static void get_service(struct req *req)
{
	const char *name = req_capture(req, "service");
	if (!google_project_ok(req))
		return;
	if (service_known(name))
		google_reply(req, service_json(req->sim->world, name));
	else
		unknown_service(req, name);
}

static void list_services(struct req *req)
{
	const struct world *w = req->sim->world;
	const char *filter = req_query(req, "filter");
	const char *name;
	void *value;
	if (!google_project_ok(req))
		return;
	json_t *all = json_array();
	bool none = filter && strcmp(filter, "state:DISABLED") == 0;
	for (size_t i = 0; !none && map_next(&w->services, &i, &name, &value);)
		json_array_append_new(all, service_json(w, name));
	google_page(req, NULL, "services", all, "pageSize", 200);
}

static void enabling_free(void *p)
{
	struct enabling *en = p;
	json_decref(en->ids);
	json_decref(en->operation);
	free(en);
}

static void enabled(void *arg)
{
	struct enabling *en = arg;
	struct world *w = en->sim->world;
	size_t i;
	json_t *one;
	json_array_foreach(en->ids, i, one)
	{
		const char *name = json_string_value(one);
		AUTO_FREE char *what = x_asprintf("service/%s", name);
		if (!map_get(&w->services, name))
			ledger_create(en->sim, what);
		map_set(&w->services, name, w);
	}
	json_object_set_new(en->operation, "done", json_true());
	json_object_set_new(en->operation, "response",
		json_pack("{s:s}", "@type",
			"type.googleapis.com/"
			"google.api.serviceusage.v1.BatchEnableServicesResponse"));
}

/* Takes over ids. */
static void enable(struct req *req, json_t *ids)
{
	struct world *w = req->sim->world;
	size_t missing = 0;
	size_t i;
	json_t *one;
	json_array_foreach(ids, i, one) missing += !map_get(&w->services, json_string_value(one));
	if (missing == 0) {
		json_decref(ids);
		reply_json(req, 200,
			json_pack("{s:s, s:b, s:{}}", "name", DONE_NAME, "done", 1, "response"));
		return;
	}
	AUTO_FREE char *id = world_id(w);
	AUTO_FREE char *name = x_asprintf(ENABLING "%s-%s", w->project_number, id);
	struct enabling *en = X_NEW(struct enabling);
	en->sim = req->sim;
	en->ids = ids;
	en->operation = json_pack("{s:s, s:b}", "name", name, "done", 0);
	w->service_operations.free_value = enabling_free;
	map_set(&w->service_operations, name, en);
	sim_after(req->sim, ENABLE_TIME, enabled, en);
	reply_json(req, 200, json_incref(en->operation));
}

static void batch_enable(struct req *req)
{
	json_t *ids = json_object_get(req_json(req), "serviceIds");
	size_t n = json_array_size(ids);
	if (!google_project_ok(req))
		return;
	if (n == 0 || n > BATCH_ENABLE) {
		reply_google_error(req, 400, "INVALID_ARGUMENT", NULL,
			"service_ids must hold 1 to %d services, it holds %zu.", BATCH_ENABLE, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = json_string_value(json_array_get(ids, i));
		if (name && service_known(name))
			continue;
		unknown_service(req, name ? name : "(no text)");
		return;
	}
	enable(req, json_incref(ids));
}

static void enable_one(struct req *req)
{
	const char *name = req_capture(req, "service");
	if (!google_project_ok(req))
		return;
	if (service_known(name))
		enable(req, json_pack("[s]", name));
	else
		unknown_service(req, name);
}

static void get_operation(struct req *req)
{
	AUTO_FREE char *name = x_asprintf("operations/%s", req_capture(req, "operation"));
	struct enabling *en = map_get(&req->sim->world->service_operations, name);
	if (strcmp(name, DONE_NAME) == 0)
		google_reply(
			req, json_pack("{s:s, s:b, s:{}}", "name", name, "done", 1, "response"));
	else if (en)
		google_reply(req, json_incref(en->operation));
	else
		reply_google_error(req, 404, "NOT_FOUND", NULL, "Operation %s not found.", name);
}

const struct route google_services_routes[] = {
	{"GET", "/v1/projects/{project}/services:batchGet", batch_get, ROUTE_GOOGLE},
	{"POST", "/v1/projects/{project}/services:batchEnable", batch_enable, ROUTE_GOOGLE},
	{"GET", "/v1/projects/{project}/services", list_services, ROUTE_GOOGLE},
	{"POST", "/v1/projects/{project}/services/{service}:enable", enable_one, ROUTE_GOOGLE},
	{"GET", "/v1/projects/{project}/services/{service}", get_service, ROUTE_GOOGLE},
	{"GET", "/v1/operations/{operation}", get_operation, ROUTE_GOOGLE},
	{0},
};
