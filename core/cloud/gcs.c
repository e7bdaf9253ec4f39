/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/gcs.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/pages.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"

#include <stdlib.h>
#include <string.h>

struct listing {
	struct gcs_listing all;
	void (*fn)(void *arg, struct gcs_listing *listing, const struct err *e);
	void *arg;
};

struct look {
	void (*fn)(void *arg, bool there, const struct err *e);
	void *arg;
};

struct read {
	void (*fn)(void *arg, const char *data, size_t n, int64_t generation, const struct err *e);
	void *arg;
};

static void object_path(struct buf *path, const char *bucket, const char *object)
{
	buf_adds(path, "b/");
	http_escape(path, bucket);
	if (object) {
		buf_adds(path, "/o/");
		http_escape(path, object);
	}
}

struct cloud_call *gcs_bucket(struct cloud *c, const char *bucket, struct cloud_done done)
{
	AUTO(buf_fini) struct buf path = {0};

	object_path(&path, bucket, NULL);
	return cloud_call(c, CLOUD_STORAGE, NULL, buf_str(&path), NULL, done);
}

void gcs_buckets(struct cloud *c, const char *project, struct cloud_done done)
{
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, "b?maxResults=1000&project=");
	http_escape(&path, project);
	pages_merge(c, &(struct cloud_request){.api = CLOUD_STORAGE, .path = buf_str(&path)},
		pages_google, "items", done);
}

void gcs_listing_fini(struct gcs_listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->items[i].name);
	free(l->items);
	strvec_fini(&l->prefixes);
	*l = (struct gcs_listing){0};
}

void gcs_listing_take(struct gcs_listing *l, struct gcs_listing *to)
{
	*to = *l;
	*l = (struct gcs_listing){0};
}

static void listing_free(void *arg)
{
	struct listing *l = arg;

	gcs_listing_fini(&l->all);
	free(l);
}

static void listing_page(void *arg, json_t *page)
{
	struct listing *l = arg;
	const json_t *items = json_object_get(page, "items");
	const json_t *prefixes = json_object_get(page, "prefixes");

	for (size_t i = 0; i < json_array_size(items); i++) {
		const json_t *j = json_array_get(items, i);
		const char *name = json_path_str(j, "name");
		int64_t updated = time_parse_ms(json_path_str(j, "updated"));

		if (name)
			*VEC_PUSH(&l->all) = (struct gcs_object){
				.name = x_strdup(name),
				.size = json_path_i64(j, "size", 0),
				.updated = updated == TIME_NONE ? 0 : updated,
				.generation = json_path_i64(j, "generation", 0),
			};
	}
	for (size_t i = 0; i < json_array_size(prefixes); i++) {
		const char *prefix = json_string_value(json_array_get(prefixes, i));

		if (prefix)
			strvec_push(&l->all.prefixes, prefix);
	}
}

static void listing_end(void *arg, const struct err *e)
{
	struct listing *l = arg;

	l->fn(l->arg, e ? NULL : &l->all, e);
	listing_free(l);
}

void gcs_list(struct cloud *c, const char *bucket, const char *prefix, const char *delimiter,
	void (*fn)(void *arg, struct gcs_listing *listing, const struct err *e), void *arg)
{
	struct listing *l = X_NEW(struct listing);
	AUTO(buf_fini) struct buf path = {0};

	object_path(&path, bucket, NULL);
	buf_adds(&path, "/o?maxResults=1000&fields=items(name,size,updated,generation),prefixes,"
			"nextPageToken&prefix=");
	http_escape(&path, prefix);
	if (delimiter) {
		buf_adds(&path, "&delimiter=");
		http_escape(&path, delimiter);
	}
	l->fn = fn;
	l->arg = arg;
	pages_walk(c, &(struct pages_spec){.req = {.api = CLOUD_STORAGE, .path = buf_str(&path)},
			      .param = pages_google,
			      .owner = arg,
			      .on_page = listing_page,
			      .on_end = listing_end,
			      .on_drop = listing_free,
			      .arg = l});
}

struct cloud_call *gcs_stat(
	struct cloud *c, const char *bucket, const char *object, struct cloud_done done)
{
	AUTO(buf_fini) struct buf path = {0};

	object_path(&path, bucket, object);
	return cloud_call(c, CLOUD_STORAGE, NULL, buf_str(&path), NULL, done);
}

static void looked(void *arg, json_t *reply, const struct err *e)
{
	const struct look *l = arg;
	bool absent = e && e->http == 404;

	l->fn(l->arg, reply != NULL, absent ? NULL : e);
}

void gcs_exists(struct cloud *c, const char *bucket, const char *object,
	void (*fn)(void *arg, bool there, const struct err *e), void *arg)
{
	struct look *l = X_NEW(struct look);
	AUTO(buf_fini) struct buf path = {0};

	*l = (struct look){fn, arg};
	object_path(&path, bucket, object);
	cloud_own(cloud_call(c, CLOUD_STORAGE, NULL, buf_str(&path), NULL,
			  (struct cloud_done){looked, l}),
		arg, l);
}

static int64_t to_i64(const char *s)
{
	int64_t n;

	return text_to_i64(s, 0, INT64_MAX, &n) == 0 ? n : 0;
}

static void bytes_came(void *arg, struct http_reply *r, const struct err *e)
{
	const struct read *get = arg;

	/* A range of an object without bytes. */
	if (e && r->status == 416)
		get->fn(get->arg, "", 0, to_i64(r->generation), NULL);
	else if (e)
		get->fn(get->arg, NULL, 0, 0, e);
	else
		get->fn(get->arg, buf_str(&r->body), r->body.len, to_i64(r->generation), NULL);
}

struct cloud_call *gcs_get(struct cloud *c, const char *bucket, const char *object,
	const char *range, size_t max,
	void (*fn)(void *arg, const char *data, size_t n, int64_t generation, const struct err *e),
	void *arg)
{
	struct read *get = X_NEW(struct read);
	AUTO(buf_fini) struct buf path = {0};

	*get = (struct read){fn, arg};
	object_path(&path, bucket, object);
	buf_adds(&path, "?alt=media");
	return cloud_own(cloud_send(c, &(struct cloud_request){.api = CLOUD_STORAGE,
					       .path = buf_str(&path),
					       .range = range,
					       .max_body = max,
					       .raw = true,
					       .on_raw = bytes_came,
					       .done = {NULL, get}}),
		arg, get);
}

bool gcs_uri(const char *uri, char **bucket, char **object)
{
	const char *rest, *slash;

	if (!uri || !text_starts(uri, "gs://") || !uri[5] || uri[5] == '/')
		return false;
	rest = uri + 5;
	slash = strchr(rest, '/');
	*bucket = slash ? x_strndup(rest, (size_t)(slash - rest)) : x_strdup(rest);
	*object = x_strdup(slash ? slash + 1 : "");
	return true;
}
