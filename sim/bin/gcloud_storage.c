/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/bin/gcloud.h"
#include "sim/bin/tool.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Splits "gs://bucket/path"; -1 with a message when it is something else. */
static int split_url(const struct gcloud_command *c, const char *url, char **bucket, char **path)
{
	if (!text_starts(url, "gs://") || !url[5]) {
		gcloud_error(c, "Invalid URL: %s. URLs of this command start with gs://.", url);
		return -1;
	}
	size_t n = strcspn(url + 5, "/");
	*bucket = x_strndup(url + 5, n);
	*path = x_strdup(url[5 + n] ? url + 6 + n : "");
	return 0;
}

static char *api(const char *fmt_rest)
{
	AUTO_FREE char *base = web_endpoint("STORAGE", "storage/v1/");
	return x_asprintf("%s%s", base, fmt_rest);
}

static int http_error(const struct gcloud_command *c, long status, json_t *j)
{
	gcloud_error(c, "HTTPError %ld: %s", status,
		*tool_str(j, "error.message") ? tool_str(j, "error.message") : "Unknown error");
	json_decref(j);
	return 1;
}

static int bucket_create(const struct gcloud_command *c, const struct args *a)
{
	const char *url = gcloud_word(c, a, 0, "URL [URL ...]"),
		   *location = args_get(a, "location");
	AUTO_FREE char *bucket = NULL, *path = NULL;
	long status;
	json_t *reply;
	if (!url || split_url(c, url, &bucket, &path))
		return url ? 1 : 2;
	AUTO_FREE char *project = gcloud_project(c, a);
	if (!project)
		return 1;
	warn("Creating gs://%s/...", bucket);
	AUTO_FREE char *place = x_strdup(location ? location : "US");
	for (char *p = place; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	json_t *body = json_pack(
		"{s:s,s:s,s:s}", "name", bucket, "location", place, "storageClass", "STANDARD");
	if (args_has(a, "uniform-bucket-level-access"))
		json_object_set_new(body, "iamConfiguration",
			json_pack("{s:{s:b}}", "uniformBucketLevelAccess", "enabled", 1));
	AUTO_FREE char *rest = x_asprintf("b?alt=json&project=%s", project);
	AUTO_FREE char *full = api(rest);
	int rc = gcloud_call(c, "POST", full, body, &status, &reply);
	json_decref(body);
	if (!rc && status >= 300)
		return http_error(c, status, reply);
	json_decref(reply);
	return rc;
}

/* As in gcloud's own bucket description: its names, its order. */
static json_t *describe(const json_t *b, const char *bucket)
{
	static const struct {
		const char *from, *to;
	} keys[] = {{"timeCreated", "creation_time"}, {"storageClass", "default_storage_class"},
		{"generation", "generation"}, {"location", "location"},
		{"locationType", "location_type"}, {"metageneration", "metageneration"},
		{"name", "name"},
		{"iamConfiguration.publicAccessPrevention", "public_access_prevention"},
		{"softDeletePolicy", "soft_delete_policy"}};
	json_t *j = json_object();
	for (size_t i = 0; i < COUNT(keys); i++) {
		json_t *v = json_path(b, keys[i].from);
		int64_t number = json_path_i64(b, keys[i].from, -1);
		if (v && strstr(keys[i].to, "generation") && number >= 0)
			json_object_set_new(j, keys[i].to, json_integer(number));
		else if (v)
			json_object_set(j, keys[i].to, v);
	}
	char *url = x_asprintf("gs://%s/", bucket);
	json_object_set_new(j, "storage_url", json_string(url));
	free(url);
	json_object_set_new(j, "uniform_bucket_level_access",
		json_boolean(json_path_bool(
			b, "iamConfiguration.uniformBucketLevelAccess.enabled", false)));
	if (json_path(b, "updated"))
		json_object_set(j, "update_time", json_path(b, "updated"));
	return j;
}

static int bucket_describe(const struct gcloud_command *c, const struct args *a)
{
	const char *url = gcloud_word(c, a, 0, "URL");
	AUTO_FREE char *bucket = NULL, *path = NULL;
	long status;
	json_t *reply;
	if (!url || split_url(c, url, &bucket, &path))
		return url ? 1 : 2;
	AUTO_FREE char *rest = x_asprintf("b/%s?alt=json&projection=full", bucket);
	AUTO_FREE char *full = api(rest);
	int rc = gcloud_call(c, "GET", full, NULL, &status, &reply);
	if (rc)
		return rc;
	if (status == 404) {
		json_decref(reply);
		return gcloud_error(c, "gs://%s not found: 404.", bucket);
	}
	if (status >= 300)
		return http_error(c, status, reply);
	json_t *j = describe(reply, bucket);
	gcloud_print(a, j);
	json_decref(j);
	json_decref(reply);
	return 0;
}

static int bucket_list(const struct gcloud_command *c, const struct args *a)
{
	long status;
	json_t *reply, *item;
	size_t i;
	AUTO_FREE char *project = gcloud_project(c, a);
	if (!project)
		return 1;
	AUTO_FREE char *rest = x_asprintf("b?alt=json&project=%s&maxResults=1000", project);
	AUTO_FREE char *full = api(rest);
	int rc = gcloud_call(c, "GET", full, NULL, &status, &reply);
	if (rc)
		return rc;
	if (status >= 300)
		return http_error(c, status, reply);
	json_t *list = json_array();
	json_array_foreach(json_path(reply, "items"), i, item)
	{
		json_array_append_new(list, describe(item, tool_str(item, "name")));
	}
	if (!gcloud_print_list(a, list)) {
		json_array_foreach(list, i, item)
		{
			if (i)
				puts("---");
			gcloud_print(a, item);
		}
	}
	json_decref(list);
	json_decref(reply);
	return 0;
}

/* All pages of one listing: {"items":[…],"prefixes":[…]}; NULL after a message. A missing bucket:
 * items is absent and *status 404. */
static json_t *list_objects(const struct gcloud_command *c, const char *bucket, const char *prefix,
	bool deep, long *status)
{
	json_t *all = json_pack("{s:[],s:[]}", "items", "prefixes");
	AUTO_FREE char *where = web_escape(prefix);
	AUTO_FREE char *token = x_strdup("");
	do {
		AUTO_FREE char *page = *token ? web_escape(token) : NULL;
		AUTO_FREE char *rest = x_asprintf("b/%s/o?alt=json&maxResults=1000&prefix=%s%s%s%s",
			bucket, where, deep ? "" : "&delimiter=%2F", page ? "&pageToken=" : "",
			page ? page : "");
		AUTO_FREE char *url = api(rest);
		json_t *reply;
		if (gcloud_call(c, "GET", url, NULL, status, &reply)) {
			json_decref(all);
			return NULL;
		}
		if (*status >= 300) {
			if (*status != 404)
				http_error(c, *status, json_incref(reply));
			json_decref(reply);
			json_decref(all);
			return NULL;
		}
		json_array_extend(json_object_get(all, "items"), json_path(reply, "items"));
		json_array_extend(json_object_get(all, "prefixes"), json_path(reply, "prefixes"));
		free(token);
		token = x_strdup(tool_str(reply, "nextPageToken"));
		json_decref(reply);
	} while (*token);
	return all;
}

struct listing {
	const struct gcloud_command *c;
	const char *bucket;
	bool deep, details, readable;
	int64_t objects, bytes;
	int shown; /* lines so far */
};

static char *human(int64_t bytes)
{
	static const char *const units[] = {"B", "kiB", "MiB", "GiB", "TiB", "PiB"};
	double v = (double)bytes;
	size_t u = 0;
	while (v >= 1024 && u + 1 < COUNT(units)) {
		v /= 1024;
		u++;
	}
	return x_asprintf("%.2f%s", v, units[u]);
}

static void show_object(struct listing *l, const json_t *o)
{
	int64_t size = json_path_i64(o, "size", 0);
	l->objects++;
	l->bytes += size;
	l->shown++;
	if (!l->details) {
		say("gs://%s/%s", l->bucket, tool_str(o, "name"));
		return;
	}
	AUTO_FREE char *text = l->readable ? human(size) : x_asprintf("%lld", (long long)size);
	AUTO_FREE char *when = x_strndup(tool_str(o, "timeCreated"), 19);
	say("%10s  %19sZ  gs://%s/%s", text, when, l->bucket, tool_str(o, "name"));
}

/* One folder, and with -r what is below it under headings. */
static int show_folder(struct listing *l, const char *prefix)
{
	long status;
	size_t i;
	json_t *v, *all = list_objects(l->c, l->bucket, prefix, false, &status);
	if (!all)
		return status == 404 ? 404 : 1;
	json_array_foreach(json_object_get(all, "items"), i, v)
	{
		show_object(l, v);
	}
	int rc = 0;
	json_array_foreach(json_object_get(all, "prefixes"), i, v)
	{
		const char *p = json_string_value(v);
		if (l->deep) {
			say("\ngs://%s/%s:", l->bucket, p);
			rc = show_folder(l, p);
		} else if (l->details) {
			say("%10s  %20s  gs://%s/%s", "", "", l->bucket, p);
		} else {
			say("gs://%s/%s", l->bucket, p);
		}
		l->shown++;
	}
	json_decref(all);
	return rc;
}

/* "gs://b/x" may be an object or a folder; the trailing slash tells a folder for sure. */
static int show_path(struct listing *l, const char *path)
{
	if (!*path || text_ends(path, "/"))
		return show_folder(l, path);
	AUTO_FREE char *name = web_escape(path);
	AUTO_FREE char *rest = x_asprintf("b/%s/o/%s?alt=json", l->bucket, name);
	AUTO_FREE char *url = api(rest);
	AUTO_FREE char *folder = x_asprintf("%s/", path);
	json_t *o;
	long status;
	if (gcloud_call(l->c, "GET", url, NULL, &status, &o))
		return 1;
	if (status == 200)
		show_object(l, o);
	json_decref(o);
	return status == 200 ? 0 : show_folder(l, folder);
}

static int storage_ls(const struct gcloud_command *c, const struct args *a)
{
	const char *url = gcloud_word(c, a, 0, NULL);
	AUTO_FREE char *bucket = NULL, *path = NULL;
	if (!url) {
		AUTO_FREE char *project = gcloud_project(c, a);
		AUTO_FREE char *rest =
			x_asprintf("b?alt=json&project=%s&maxResults=1000", project ? project : "");
		AUTO_FREE char *full = api(rest);
		json_t *reply, *item;
		size_t i;
		if (!project || gcloud_call(c, "GET", full, NULL, NULL, &reply))
			return 1;
		json_array_foreach(json_path(reply, "items"), i, item)
		{
			say("gs://%s/", tool_str(item, "name"));
		}
		json_decref(reply);
		return 0;
	}
	if (split_url(c, url, &bucket, &path))
		return 1;
	path[strcspn(path, "*")] = '\0';
	struct listing l = {.c = c,
		.bucket = bucket,
		.deep = args_has(a, "recursive"),
		.details = args_has(a, "long"),
		.readable = args_has(a, "readable-sizes")};
	if (l.deep)
		say("gs://%s/%s:", bucket, path);
	int rc = show_path(&l, path);
	if (rc == 404)
		return gcloud_error(c, "gs://%s not found: 404.", bucket);
	if (rc)
		return rc;
	if (!l.shown && *path)
		return gcloud_error(c, "One or more URLs matched no objects.");
	if (l.details) {
		AUTO_FREE char *text = human(l.bytes);
		say("TOTAL: %lld objects, %lld bytes (%s)", (long long)l.objects,
			(long long)l.bytes, text);
	}
	return 0;
}

static int storage_cat(const struct gcloud_command *c, const struct args *a)
{
	const char *url = gcloud_word(c, a, 0, "URL");
	AUTO_FREE char *bucket = NULL, *path = NULL;
	json_t *reply;
	long status;
	if (!url || split_url(c, url, &bucket, &path))
		return url ? 1 : 2;
	AUTO_FREE char *name = web_escape(path);
	AUTO_FREE char *rest = x_asprintf("b/%s/o/%s?alt=media", bucket, name);
	AUTO_FREE char *full = api(rest);
	int rc = gcloud_call(c, "GET", full, NULL, &status, &reply);
	if (rc)
		return rc;
	if (status == 404) {
		json_decref(reply);
		return gcloud_error(c, "The following URLs matched no objects or files:\n%s", url);
	}
	if (reply)
		json_dumpf(reply, stdout, JSON_INDENT(2) | JSON_ENCODE_ANY);
	json_decref(reply);
	return 0;
}

static int remove_objects(const struct gcloud_command *c, const char *bucket, const json_t *all)
{
	size_t i;
	json_t *o, *reply;
	json_array_foreach(json_path(all, "items"), i, o)
	{
		AUTO_FREE char *name = web_escape(tool_str(o, "name"));
		AUTO_FREE char *rest = x_asprintf("b/%s/o/%s?alt=json", bucket, name);
		AUTO_FREE char *url = api(rest);
		long status;
		warn("Removing gs://%s/%s#%s...", bucket, tool_str(o, "name"),
			tool_str(o, "generation"));
		if (gcloud_call(c, "DELETE", url, NULL, &status, &reply))
			return 1;
		if (status >= 300 && status != 404)
			return http_error(c, status, reply);
		json_decref(reply);
	}
	return 0;
}

static int storage_rm(const struct gcloud_command *c, const struct args *a)
{
	const char *url = gcloud_word(c, a, 0, "URLS");
	AUTO_FREE char *bucket = NULL, *path = NULL;
	long status;
	if (!url || split_url(c, url, &bucket, &path))
		return url ? 1 : 2;
	bool deep = args_has(a, "recursive");
	path[strcspn(path, "*")] = '\0';
	if (!*path && !deep)
		return gcloud_error(c, "Expected object URL. Received: gs://%s/", bucket);
	json_t *all = list_objects(c, bucket, path, deep, &status);
	if (!all)
		return status == 404 ? gcloud_error(c, "gs://%s not found: 404.", bucket) : 1;
	size_t n = json_array_size(json_path(all, "items"));
	if (!n && *path) {
		json_decref(all);
		return gcloud_error(c, "The following URLs matched no objects or files:\n-%s", url);
	}
	if (n)
		warn("Removing objects:");
	int rc = remove_objects(c, bucket, all);
	json_decref(all);
	if (rc || *path || !deep)
		return rc;
	AUTO_FREE char *rest = x_asprintf("b/%s?alt=json", bucket);
	AUTO_FREE char *full = api(rest);
	json_t *reply;
	warn("Removing buckets:\nRemoving gs://%s/...", bucket);
	rc = gcloud_call(c, "DELETE", full, NULL, &status, &reply);
	if (!rc && status >= 300)
		return http_error(c, status, reply);
	json_decref(reply);
	return rc;
}

static int object_update(const struct gcloud_command *c, const struct args *a)
{
	const char *url = gcloud_word(c, a, 0, "URL");
	AUTO_FREE char *bucket = NULL, *path = NULL;
	bool set = args_has(a, "temporary-hold");
	json_t *reply;
	if (!url || split_url(c, url, &bucket, &path))
		return url ? 1 : 2;
	AUTO_FREE char *name = web_escape(path);
	AUTO_FREE char *rest = x_asprintf("b/%s/o/%s?alt=json", bucket, name);
	AUTO_FREE char *full = api(rest);
	json_t *body = json_pack("{s:b}", "temporaryHold", set);
	long status;
	int rc = set || args_has(a, "no-temporary-hold")
			 ? gcloud_call(c, "PATCH", full, body, &status, &reply)
			 : gcloud_error(c, "At least one metadata flag must be specified.");
	json_decref(body);
	if (rc)
		return rc;
	if (status >= 300)
		return http_error(c, status, reply);
	warn("Patching %s...", url);
	json_decref(reply);
	return 0;
}

const struct gcloud_command gcloud_storage_commands[] = {
	{"storage buckets create", bucket_create,
		{{"uniform-bucket-level-access", 0, false}, {"public-access-prevention", 0, false},
			{"default-storage-class", 0, true},
			{"enable-hierarchical-namespace", 0, false}}},
	{"storage buckets describe", bucket_describe, {{"raw", 0, false}}},
	{"storage buckets list", bucket_list, {{"raw", 0, false}}},
	{"storage ls", storage_ls,
		{{"long", 'l', false}, {"readable-sizes", 0, false}, {"recursive", 'r', false},
			{"recursive", 'R', false}, {"buckets", 'b', false}}},
	{"storage objects update", object_update,
		{{"temporary-hold", 0, false}, {"no-temporary-hold", 0, false},
			{"event-based-hold", 0, false}, {"no-event-based-hold", 0, false}}},
	{"storage cat", storage_cat, {{"range", 'r', true}}},
	{"storage rm", storage_rm,
		{{"recursive", 'r', false}, {"recursive", 'R', false}, {"all-versions", 'a', false},
			{"continue-on-error", 'c', false}}},
	{0},
};
