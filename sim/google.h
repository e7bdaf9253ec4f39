/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The APIs on the plain listener, one table a file, and what their handlers share: paging, the mask
 * of the `fields` parameter, the question whether a project is ours.
 */
#ifndef RLPILOT_SIM_GOOGLE_H
#define RLPILOT_SIM_GOOGLE_H

#include "sim/route.h"

struct bucket;
struct object;

extern const struct route google_auth_routes[];     /* oauth2: token, tokeninfo */
extern const struct route google_iamcred_routes[];  /* iamcredentials */
extern const struct route google_metadata_routes[]; /* of a machine */
extern const struct route google_project_routes[];  /* cloudresourcemanager, cloudbilling, iam */
extern const struct route google_services_routes[]; /* serviceusage */
extern const struct route google_compute_routes[];
extern const struct route google_reservation_routes[];
extern const struct route google_network_routes[];
extern const struct route google_gke_routes[]; /* container */
extern const struct route gcs_bucket_routes[]; /* storage */
extern const struct route gcs_object_routes[];
extern const struct route gcs_upload_routes[];
extern const struct route hub_routes[];     /* Hugging Face */
extern const struct route bundle_routes[];  /* releases */
extern const struct route private_routes[]; /* /sim/v1 */

/* {project} is this world's id or number; else 403 has been replied. */
bool google_project_ok(struct req *req);
/* The API that the path belongs to is enabled and the project pays; else 403 has been replied. */
bool google_service_on(struct req *req);
/* Replies {…more, key: one page of items, nextPageToken}; takes over items and more (may be NULL).
 * The page size comes from the query's `max_name`, dflt without it. */
void google_page(struct req *req, json_t *more, const char *key, json_t *items,
	const char *max_name, int64_t dflt);
/* reply_json after keeping only what the query's `fields` asks for; takes over j. */
void google_reply(struct req *req, json_t *j);

/* Cloud Storage: error with its shape, the bucket of {bucket} or 404, the object resource. */
void gcs_error(struct req *req, int code, const char *reason, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
struct bucket *gcs_bucket(struct req *req);
json_t *gcs_object_json(struct req *req, const struct bucket *b, const struct object *o);
/* The query's ifGenerationMatch … against o (NULL: absent); false: 412, 304 or 404 has been
 * replied. */
bool gcs_conditions(struct req *req, const struct object *o);

#endif
