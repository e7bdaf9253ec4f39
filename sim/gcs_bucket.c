/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/google.h"
#include "sim/ledger.h"
#include "sim/sim.h"
#include "sim/world.h"
#include "sim/worlds.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void gcs_error(struct req *req, int code, const char *reason, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	AUTO_FREE char *text = x_vasprintf(fmt, ap);
	va_end(ap);
	reply_google_error(req, code, NULL, reason, "%s", text);
}

/* The bucket of this world's exports when it belongs to a stranger. */
static bool foreign(const struct world *w, const char *name)
{
	AUTO_FREE char *ours = x_asprintf("%s-gemma", w->project);
	return world_is(w, "bucket", "foreign") && strcmp(name, ours) == 0;
}

struct bucket *gcs_bucket(struct req *req)
{
	const struct world *w = req->sim->world;
	const char *name = req_capture(req, "bucket");
	struct bucket *b = world_bucket(w, name);
	if (foreign(w, name)) {
		gcs_error(req, 403, "forbidden",
			"%s does not have storage.buckets.get access to the Google Cloud Storage "
			"bucket. Permission 'storage.buckets.get' denied on resource (or it may "
			"not "
			"exist).",
			w->account);
		return NULL;
	}
	if (!b)
		gcs_error(req, 404, "notFound", "The specified bucket does not exist.");
	return b;
}

static json_t *bucket_json(struct req *req, const struct bucket *b)
{
	const struct world *w = req->sim->world;
	AUTO_FREE char *created = sim_time_ms(b->created);
	json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:s}",
		"kind", "storage#bucket", "id", b->name, "name", b->name, "projectNumber",
		world_is(w, "bucket", "other") ? "990000000001" : w->project_number, "location",
		b->location, "locationType", strchr(b->location, '-') ? "region" : "multi-region",
		"storageClass", "STANDARD", "etag", "CAE=", "metageneration",
		json_sprintf("%lld", (long long)b->metageneration), "timeCreated", created,
		"updated", created, "rpo", "DEFAULT");
	json_object_set_new(
		j, "selfLink", json_sprintf("https://www.googleapis.com/storage/v1/b/%s", b->name));
	json_object_set_new(j, "iamConfiguration",
		json_pack("{s:{s:b}, s:{s:b}, s:s}", "bucketPolicyOnly", "enabled", b->uniform,
			"uniformBucketLevelAccess", "enabled", b->uniform, "publicAccessPrevention",
			"inherited"));
	json_object_set_new(
		j, "hierarchicalNamespace", json_pack("{s:b}", "enabled", b->hierarchical));
	json_object_set_new(j, "softDeletePolicy",
		json_pack("{s:s, s:s}", "retentionDurationSeconds", "604800", "effectiveTime",
			created));
	return j;
}

static void list_buckets(struct req *req)
{
	const struct world *w = req->sim->world;
	const char *project = req_query(req, "project");
	const char *name;
	void *b;
	if (!project ||
		(strcmp(project, w->project) != 0 && strcmp(project, w->project_number) != 0)) {
		gcs_error(req, project ? 403 : 400, project ? "forbidden" : "required",
			"%s does not have storage.buckets.list access to the Google Cloud project "
			"'%s'.",
			w->account, project ? project : "");
		return;
	}
	const char *prefix = req_query(req, "prefix");
	json_t *all = json_array();
	for (size_t i = 0; map_next(&w->buckets, &i, &name, &b);)
		if (!prefix || text_starts(name, prefix))
			json_array_append_new(all, bucket_json(req, b));
	google_page(req, json_pack("{s:s}", "kind", "storage#buckets"), "items", all, "maxResults",
		1000);
}

static bool name_ok(const char *name)
{
	size_t n = strlen(name);
	if (n < 3 || n > 63 || !isalnum((unsigned char)name[0]) ||
		!isalnum((unsigned char)name[n - 1]) || text_starts(name, "goog") ||
		strstr(name, "google"))
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == n;
}

static void create_bucket(struct req *req)
{
	struct world *w = req->sim->world;
	const char *project = req_query(req, "project");
	const json_t *in = req_json(req);
	const char *name = json_path_str(in, "name");
	if (!project ||
		(strcmp(project, w->project) != 0 && strcmp(project, w->project_number) != 0))
		gcs_error(req, project ? 403 : 400, project ? "forbidden" : "required",
			"%s does not have storage.buckets.create access to the Google Cloud "
			"project.",
			w->account);
	else if (!name || !name_ok(name))
		gcs_error(req, 400, "invalid", "Invalid bucket name: '%s'", name ? name : "");
	else if (world_bucket(w, name) || foreign(w, name))
		gcs_error(req, 409, "conflict",
			foreign(w, name) ? "The requested bucket name is not available. The bucket "
					   "namespace is shared by all users of the system. Please "
					   "select a different name and try again."
					 : "Your previous request to create the named bucket "
					   "succeeded and you "
					   "already own it.");
	else {
		AUTO_FREE char *location = x_strdup(json_path_str_or(in, "location", "US"));
		for (char *p = location; *p; p++)
			*p = (char)toupper((unsigned char)*p);
		struct bucket *b = world_bucket_create(w, name, location);
		b->uniform = json_path_bool(
			in, "iamConfiguration.uniformBucketLevelAccess.enabled", false);
		b->hierarchical = json_path_bool(in, "hierarchicalNamespace.enabled", false);
		google_reply(req, bucket_json(req, b));
	}
}

static void get_bucket(struct req *req)
{
	const struct bucket *b = gcs_bucket(req);
	if (b)
		google_reply(req, bucket_json(req, b));
}

static void delete_bucket(struct req *req)
{
	const struct bucket *b = gcs_bucket(req);
	if (!b)
		return;
	if (b->n > 0) {
		gcs_error(req, 409, "conflict", "The bucket you tried to delete is not empty.");
		return;
	}
	world_bucket_delete(req->sim->world, b->name);
	reply_bytes(req, 204, NULL, NULL, 0);
}

static void storage_layout(struct req *req)
{
	const struct bucket *b = gcs_bucket(req);
	if (b)
		google_reply(req,
			json_pack("{s:s, s:s, s:s, s:s, s:{s:b}}", "kind", "storage#storageLayout",
				"bucket", b->name, "location", b->location, "locationType",
				strchr(b->location, '-') ? "region" : "multi-region",
				"hierarchicalNamespace", "enabled", b->hierarchical));
}

static void test_permissions(struct req *req)
{
	const char *one;
	const char *rights = world_setting(req->sim->world, "bucket.rights");
	if (!gcs_bucket(req))
		return;
	json_t *granted = json_array();
	for (size_t i = 0; (one = req_query_next(req, "permissions", &i));)
		if (text_starts(one, "storage.") && (!rights || strcmp(rights, one) == 0))
			json_array_append_new(granted, json_string(one));
	google_reply(req, json_pack("{s:s, s:o}", "kind", "storage#testIamPermissionsResponse",
				  "permissions", granted));
}

static void get_policy(struct req *req)
{
	const struct bucket *b = gcs_bucket(req);
	if (b)
		google_reply(
			req, json_pack("{s:s, s:o, s:i, s:s, s:[{s:s, s:[o]}]}", "kind",
				     "storage#policy", "resourceId",
				     json_sprintf("projects/_/buckets/%s", b->name), "version", 1,
				     "etag", "CAE=", "bindings", "role",
				     "roles/storage.legacyBucketOwner", "members",
				     json_sprintf("projectOwner:%s", req->sim->world->project)));
}

static void no_folders(struct req *req)
{
	if (gcs_bucket(req))
		google_reply(req, json_pack("{s:s}", "kind", "storage#folders"));
}

#define B "/storage/v1/b"

const struct route gcs_bucket_routes[] = {
	{"GET", B, list_buckets, ROUTE_GOOGLE},
	{"POST", B, create_bucket, ROUTE_GOOGLE},
	{"GET", B "/{bucket}", get_bucket, ROUTE_GOOGLE},
	{"DELETE", B "/{bucket}", delete_bucket, ROUTE_GOOGLE},
	{"GET", B "/{bucket}/storageLayout", storage_layout, ROUTE_GOOGLE},
	{"GET", B "/{bucket}/iam/testPermissions", test_permissions, ROUTE_GOOGLE},
	{"GET", B "/{bucket}/iam", get_policy, ROUTE_GOOGLE},
	{"GET", B "/{bucket}/folders", no_folders, ROUTE_GOOGLE},
	{"GET", B "/{bucket}/managedFolders", no_folders, ROUTE_GOOGLE},
	{0},
};
