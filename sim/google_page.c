/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"
#include "sim/fields.h"
#include "sim/google.h"
#include "sim/sim.h"
#include "sim/world.h"
#include "sim/worlds.h"
#include <string.h>

bool google_project_ok(struct req *req)
{
	const struct world *w = req->sim->world;
	const char *project = req_capture(req, "project");
	if ((strcmp(project, w->project) == 0 || strcmp(project, w->project_number) == 0) &&
		!world_is(w, "project", "hidden"))
		return true;
	reply_google_error(req, 403, "PERMISSION_DENIED", "forbidden",
		"The caller does not have permission on project '%s' (or it may not exist).",
		project);
	return false;
}

void google_page(struct req *req, json_t *more, const char *key, json_t *items,
	const char *max_name, int64_t dflt)
{
	json_t *out = more ? more : json_object();
	int64_t max = req_query_i64(req, max_name, dflt);
	const char *token = req_query(req, "pageToken");
	int64_t from = 0;
	size_t n = json_array_size(items);
	if (token && *token &&
		(*token != 't' || text_to_i64(token + 1, 0, (int64_t)n, &from) < 0)) {
		json_decref(out);
		json_decref(items);
		reply_google_error(req, 400, "INVALID_ARGUMENT", "invalid",
			"Invalid value for field 'pageToken': '%s'.", token);
		return;
	}
	max = max > 0 && max < dflt ? max : dflt;
	json_t *page = json_array();
	size_t to = (size_t)from + (size_t)max;
	for (size_t i = (size_t)from; i < n && i < to; i++)
		json_array_append(page, json_array_get(items, i));
	if (json_array_size(page) > 0)
		json_object_set(out, key, page);
	json_decref(page);
	if (to < n)
		json_object_set_new(out, "nextPageToken", json_sprintf("t%zu", to));
	json_decref(items);
	google_reply(req, out);
}

void google_reply(struct req *req, json_t *j)
{
	const char *fields = req_query(req, "fields");
	reply_json(req, 200, fields && *fields ? fields_keep(j, fields) : j);
}
