/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/google.h"
#include "sim/sim.h"
#include "sim/world.h"
#include <stdlib.h>
#include <string.h>

bool google_project_ok(struct req *req)
{
	const struct world *w = req->sim->world;
	const char *project = req_capture(req, "project");
	if (strcmp(project, w->project) == 0 || strcmp(project, w->project_number) == 0)
		return true;
	reply_google_error(req, 403, "PERMISSION_DENIED", "forbidden",
		"The caller does not have permission on project '%s' (or it may not exist).", project);
	return false;
}

void google_page(struct req *req, json_t *more, const char *key, json_t *items, const char *max_name,
	int64_t dflt)
{
	json_t *out = more ? more : json_object();
	int64_t max = req_query_i64(req, max_name, dflt);
	const char *token = req_query(req, "pageToken");
	int64_t from = 0;
	size_t n = json_array_size(items);
	if (token && *token && (*token != 't' || text_to_i64(token + 1, 0, (int64_t)n, &from) < 0)) {
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

/* Reads one list of selectors up to its end or ')', copying from `in` to `out` what they name. */
static const char *keep(const char *s, const json_t *in, json_t *out);

static const char *keep_below(const char *s, const json_t *value, json_t **kept)
{
	const char *end = s;
	if (!json_is_array(value)) {
		*kept = json_object();
		return keep(s, value, *kept);
	}
	*kept = json_array();
	if (json_array_size(value) == 0)
		return keep(s, NULL, NULL);
	for (size_t i = 0; i < json_array_size(value); i++) {
		json_t *one = json_object();
		end = keep(s, json_array_get(value, i), one);
		json_array_append_new(*kept, one);
	}
	return end;
}

static void merge(json_t *out, const char *name, json_t *kept)
{
	json_t *old = json_object_get(out, name);
	if (json_is_object(old) && json_is_object(kept)) {
		json_object_update(old, kept);
		json_decref(kept);
	} else if (json_is_array(old) && json_is_array(kept)) {
		for (size_t i = 0; i < json_array_size(kept); i++)
			json_object_update(json_array_get(old, i), json_array_get(kept, i));
		json_decref(kept);
	} else {
		json_object_set_new(out, name, kept);
	}
}

static const char *keep_one(const char *s, const json_t *in, json_t *out)
{
	size_t n = strcspn(s, ",/()");
	AUTO_FREE char *name = x_strndup(s, n);
	json_t *value = json_object_get(in, name);
	s += n;
	if (strcmp(name, "*") == 0) {
		if (out && json_is_object(in))
			json_object_update(out, (json_t *)in);
		return s;
	}
	if (*s != '/' && *s != '(') {
		if (value && out)
			json_object_set(out, name, value);
		return s;
	}
	json_t *kept = NULL;
	bool group = *s == '(';
	if (group) {
		s = keep_below(s + 1, value, &kept);
		s += *s == ')';
	} else if (json_is_array(value)) {
		const char *end = s + 1;
		kept = json_array();
		for (size_t i = 0; i < json_array_size(value); i++) {
			json_t *one = json_object();
			end = keep_one(s + 1, json_array_get(value, i), one);
			json_array_append_new(kept, one);
		}
		s = json_array_size(value) ? end : keep_one(s + 1, NULL, NULL);
	} else {
		kept = json_object();
		s = keep_one(s + 1, value, kept);
	}
	if (value && out)
		merge(out, name, kept);
	else
		json_decref(kept);
	return s;
}

static const char *keep(const char *s, const json_t *in, json_t *out)
{
	while (*s && *s != ')') {
		const char *end = keep_one(s, in, out);
		s = end == s ? end + 1 : end;
		s += *s == ',';
	}
	return s;
}

json_t *fields_keep(json_t *j, const char *fields)
{
	json_t *out = json_object();
	keep(fields, j, out);
	json_decref(j);
	return out;
}
