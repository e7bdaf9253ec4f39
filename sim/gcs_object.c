/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/google.h"
#include "sim/server.h"
#include "sim/sim.h"
#include "sim/world.h"
#include <stdlib.h>
#include <string.h>

#define PAGE 1000

/* How a name stands in an address; the caller's. */
static char *encode(const char *name)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
	struct buf b = {0};
	for (; *name; name++) {
		if (strchr(plain, *name))
			buf_addc(&b, *name);
		else
			buf_addf(&b, "%%%02X", (unsigned)(unsigned char)*name);
	}
	return buf_take(&b);
}

json_t *gcs_object_json(struct req *req, const struct bucket *b, const struct object *o)
{
	AUTO_FREE char *address = encode(o->name);
	int port = server_http_port(req->sim);
	AUTO_FREE char *created = sim_time_ms(o->created);
	AUTO_FREE char *updated = sim_time_ms(o->updated);
	json_t *j = json_pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "kind",
		"storage#object", "id",
		json_sprintf("%s/%s/%lld", b->name, o->name, (long long)o->generation), "name",
		o->name, "bucket", b->name, "contentType",
		o->content_type ? o->content_type : "application/octet-stream", "storageClass",
		"STANDARD", "timeCreated", created, "updated", updated, "timeFinalized", created,
		"timeStorageClassUpdated", created, "etag", "CAE=");
	json_object_set_new(j, "generation", json_sprintf("%lld", (long long)o->generation));
	json_object_set_new(
		j, "metageneration", json_sprintf("%lld", (long long)o->metageneration));
	json_object_set_new(j, "size", json_sprintf("%lld", (long long)o->size));
	json_object_set_new(j, "selfLink",
		json_sprintf("http://127.0.0.1:%d/storage/v1/b/%s/o/%s", port, b->name, address));
	json_object_set_new(j, "mediaLink",
		json_sprintf("http://127.0.0.1:%d/download/storage/v1/b/%s/o/"
			     "%s?generation=%lld&alt=media",
			port, b->name, address, (long long)o->generation));
	if (o->hold)
		json_object_set_new(j, "temporaryHold", json_true());
	if (o->data) {
		json_object_set_new(j, "md5Hash", json_string(o->md5));
		json_object_set_new(j, "crc32c", json_string(o->crc32c));
	}
	return j;
}

/* One page of names and prefixes: a cursor over the sorted objects. */
struct listing {
	const char *prefix, *delimiter, *end;
	bool trailing;
	size_t max;
	json_t *items, *prefixes;
};

/* End of the rolled-up prefix of name, 0 when it is an item of its own. */
static size_t prefix_end(const struct listing *l, const char *name)
{
	size_t at = strlen(l->prefix);
	const char *d = l->delimiter ? strstr(name + at, l->delimiter) : NULL;
	return d ? (size_t)(d - name) + strlen(l->delimiter) : 0;
}

static size_t listing_fill(struct req *req, struct listing *l, const struct bucket *b, size_t i)
{
	while (i < b->n && text_starts(b->items[i]->name, l->prefix) &&
		(!l->end || strcmp(b->items[i]->name, l->end) < 0)) {
		const struct object *o = b->items[i];
		if (json_array_size(l->items) + json_array_size(l->prefixes) == l->max)
			return i;
		size_t end = prefix_end(l, o->name);
		if (end == 0) {
			json_array_append_new(l->items, gcs_object_json(req, b, o));
			i++;
			continue;
		}
		if (l->trailing && !o->name[end])
			json_array_append_new(l->items, gcs_object_json(req, b, o));
		json_array_append_new(l->prefixes, json_stringn(o->name, end));
		while (i < b->n && strncmp(b->items[i]->name, o->name, end) == 0)
			i++;
	}
	return b->n;
}

static void list_objects(struct req *req)
{
	const struct bucket *b = gcs_bucket(req);
	if (!b)
		return;
	const char *prefix = req_query(req, "prefix");
	const char *start = req_query(req, "startOffset");
	const char *token = req_query(req, "pageToken");
	const char *delimiter = req_query(req, "delimiter");
	int64_t max = req_query_i64(req, "maxResults", PAGE);
	struct listing l = {.prefix = prefix ? prefix : "",
		.delimiter = delimiter && *delimiter ? delimiter : NULL,
		.end = req_query(req, "endOffset"),
		.trailing = req_query_true(req, "includeTrailingDelimiter"),
		.max = max > 0 && max < PAGE ? (size_t)max : PAGE,
		.items = json_array(),
		.prefixes = json_array()};
	const char *from = l.prefix;
	if (start && strcmp(start, from) > 0)
		from = start;
	if (token && strcmp(token, from) > 0)
		from = token;
	size_t next = listing_fill(req, &l, b, world_object_lower(b, from));
	json_t *j = json_pack("{s:s}", "kind", "storage#objects");
	if (next < b->n)
		json_object_set_new(j, "nextPageToken", json_string(b->items[next]->name));
	if (json_array_size(l.prefixes) > 0)
		json_object_set(j, "prefixes", l.prefixes);
	if (json_array_size(l.items) > 0)
		json_object_set(j, "items", l.items);
	json_decref(l.items);
	json_decref(l.prefixes);
	google_reply(req, j);
}

bool gcs_conditions(struct req *req, const struct object *o)
{
	int64_t generation = o ? o->generation : 0;
	int64_t meta = o ? o->metageneration : 0;
	const char *wanted = req_query(req, "generation");
	bool get = strcmp(req->method, "GET") == 0 || strcmp(req->method, "HEAD") == 0;
	if (wanted && req_query_i64(req, "generation", -1) != generation) {
		gcs_error(req, 404, "notFound", "No such object: %s/%s", req_capture(req, "bucket"),
			req_capture(req, "object"));
		return false;
	}
	if (req_query_i64(req, "ifGenerationMatch", generation) != generation ||
		req_query_i64(req, "ifMetagenerationMatch", meta) != meta) {
		gcs_error(req, 412, "conditionNotMet",
			"At least one of the pre-conditions you specified did not hold.");
		return false;
	}
	if (req_query_i64(req, "ifGenerationNotMatch", generation + 1) == generation ||
		req_query_i64(req, "ifMetagenerationNotMatch", meta + 1) == meta) {
		if (get)
			reply_bytes(req, 304, NULL, NULL, 0);
		else
			gcs_error(req, 412, "conditionNotMet",
				"At least one of the pre-conditions you specified did not hold.");
		return false;
	}
	return true;
}

static struct object *object_of(struct req *req, const struct bucket **b)
{
	const char *name = req_capture(req, "object");
	*b = gcs_bucket(req);
	if (!*b)
		return NULL;
	struct object *o = world_object(req->sim->world, (*b)->name, name);
	if (!o)
		gcs_error(req, 404, "notFound", "No such object: %s/%s", (*b)->name, name);
	return o && gcs_conditions(req, o) ? o : NULL;
}

/* "bytes=a-b", "bytes=a-", "bytes=-n" within size; false: no range or none that is understood. */
static bool range_parse(const char *s, int64_t size, int64_t *from, int64_t *to)
{
	if (!s || strncmp(s, "bytes=", 6) != 0 || strchr(s, ','))
		return false;
	const char *dash = strchr(s + 6, '-');
	if (!dash)
		return false;
	AUTO_FREE char *first = x_strndup(s + 6, (size_t)(dash - s - 6));
	*to = size - 1;
	if (!*first) {
		int64_t n;
		if (text_to_i64(dash + 1, 0, INT64_MAX, &n) < 0)
			return false;
		*from = n < size ? size - n : 0;
		if (n == 0)
			*from = size;
		return true;
	}
	if (text_to_i64(first, 0, INT64_MAX, from) < 0 ||
		(dash[1] && text_to_i64(dash + 1, *from, INT64_MAX, to) < 0))
		return false;
	if (*to > size - 1)
		*to = size - 1;
	return true;
}

/* What a running download needs of an object that may be gone by then. */
struct download {
	struct object copy;
	int64_t from;
};

static void download_fill(void *arg, int64_t at, size_t n, char *out)
{
	const struct download *d = arg;
	world_object_read(&d->copy, d->from + at, n, out);
}

static void download_done(void *arg)
{
	struct download *d = arg;
	free(d->copy.data);
	free(d);
}

static void media(struct req *req, const struct object *o)
{
	int64_t from = 0;
	int64_t to = o->size - 1;
	int status = 200;
	if (range_parse(req_header(req, "Range"), o->size, &from, &to)) {
		AUTO_FREE char *whole = x_asprintf("bytes */%lld", (long long)o->size);
		AUTO_FREE char *part = x_asprintf(
			"bytes %lld-%lld/%lld", (long long)from, (long long)to, (long long)o->size);
		status = from >= o->size ? 416 : 206;
		reply_header(req, "Content-Range", status == 416 ? whole : part);
	}
	if (status == 416) {
		reply_bytes(req, 416, "text/html; charset=UTF-8", "Requested range not satisfiable",
			31);
		return;
	}
	AUTO_FREE char *generation = x_asprintf("%lld", (long long)o->generation);
	AUTO_FREE char *size = x_asprintf("%lld", (long long)o->size);
	reply_header(req, "x-goog-generation", generation);
	reply_header(req, "x-goog-metageneration", "1");
	reply_header(req, "x-goog-stored-content-length", size);
	reply_header(req, "x-goog-stored-content-encoding", "identity");
	reply_header(req, "Accept-Ranges", "bytes");
	if (o->data) {
		AUTO_FREE char *hashes = x_asprintf("crc32c=%s,md5=%s", o->crc32c, o->md5);
		reply_header(req, "x-goog-hash", hashes);
	}
	struct download *d = X_NEW(struct download);
	d->copy.size = o->size;
	d->copy.generation = o->generation;
	d->from = from;
	if (o->data) {
		d->copy.data = x_malloc((size_t)o->size + 1);
		memcpy(d->copy.data, o->data, (size_t)o->size);
	}
	reply_made(req, status, o->content_type ? o->content_type : "application/octet-stream",
		to - from + 1, download_fill, download_done, d);
}

static void get_object(struct req *req)
{
	const struct bucket *b;
	const struct object *o = object_of(req, &b);
	const char *alt = req_query(req, "alt");
	if (!o)
		return;
	if (alt && strcmp(alt, "media") == 0)
		media(req, o);
	else
		google_reply(req, gcs_object_json(req, b, o));
}

static void get_media(struct req *req)
{
	const struct bucket *b;
	const struct object *o = object_of(req, &b);
	if (o)
		media(req, o);
}

static void delete_object(struct req *req)
{
	const struct bucket *b;
	const struct object *o = object_of(req, &b);
	if (!o)
		return;
	if (o->hold) {
		gcs_error(req, 403, "forbidden",
			"Object '%s/%s' is under active Temporary hold and cannot be deleted, "
			"overwritten or archived until hold is removed.",
			b->name, o->name);
		return;
	}
	world_object_delete(req->sim->world, b->name, o->name);
	reply_bytes(req, 204, NULL, NULL, 0);
}

static void patch_object(struct req *req)
{
	const struct bucket *b;
	struct object *o = object_of(req, &b);
	if (!o)
		return;
	o->hold = json_path_bool(req_json(req), "temporaryHold", o->hold);
	o->metageneration++;
	google_reply(req, gcs_object_json(req, b, o));
}

const struct route gcs_object_routes[] = {
	{"GET", "/storage/v1/b/{bucket}/o", list_objects, ROUTE_GOOGLE},
	{"GET", "/storage/v1/b/{bucket}/o/{object}", get_object, ROUTE_GOOGLE},
	{"DELETE", "/storage/v1/b/{bucket}/o/{object}", delete_object, ROUTE_GOOGLE},
	{"PATCH", "/storage/v1/b/{bucket}/o/{object}", patch_object, ROUTE_GOOGLE},
	{"GET", "/download/storage/v1/b/{bucket}/o/{object}", get_media, ROUTE_GOOGLE},
	{0},
};
