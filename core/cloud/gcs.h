/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cloud Storage JSON API, reading only. A listing is complete (every page) when it is handed out;
 * names come in the bucket's order. Consistent: what an answer does not hold was not there.
 */
#ifndef RLPILOT_CLOUD_GCS_H
#define RLPILOT_CLOUD_GCS_H

#include "core/base/vec.h"
#include "core/cloud/cloud.h"

struct gcs_object {
	char *name;
	int64_t size;
	int64_t updated; /* ms since 1970 UTC */
	int64_t generation;
};

struct gcs_listing {
	struct gcs_object *items;
	size_t n, cap;
	struct strvec prefixes; /* with their delimiter */
};

/* projectNumber, location, name … */
struct cloud_call *gcs_bucket(struct cloud *c, const char *bucket, struct cloud_done done);
/* {"items":[…]} of a project, every page. */
void gcs_buckets(struct cloud *c, const char *project, struct cloud_done done);
/* delimiter NULL = everything below prefix. listing is borrowed; gcs_listing_take keeps it. */
void gcs_list(struct cloud *c, const char *bucket, const char *prefix, const char *delimiter,
	void (*fn)(void *arg, struct gcs_listing *listing, const struct err *e), void *arg);
void gcs_listing_fini(struct gcs_listing *l);
/* Moves the content to *to. */
void gcs_listing_take(struct gcs_listing *l, struct gcs_listing *to);
/* Object metadata; 404 = absent. */
struct cloud_call *gcs_stat(
	struct cloud *c, const char *bucket, const char *object, struct cloud_done done);
/* e NULL and there=false: it does not exist. */
void gcs_exists(struct cloud *c, const char *bucket, const char *object,
	void (*fn)(void *arg, bool there, const struct err *e), void *arg);
/* The bytes (range as in struct http_request, NULL = all; at most max). An empty object with a
 * range gives 0 bytes. data borrowed, NUL terminated; generation 0 = not told. */
struct cloud_call *gcs_get(struct cloud *c, const char *bucket, const char *object,
	const char *range, size_t max,
	void (*fn)(void *arg, const char *data, size_t n, int64_t generation, const struct err *e),
	void *arg);
/* "gs://bucket/some/object" → parts, the caller's; object may be "". False if it is no such
 * address. */
bool gcs_uri(const char *uri, char **bucket, char **object);

#endif
