/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all Google APIs share: addresses (CLOUDSDK_API_ENDPOINT_OVERRIDES_*), the token, quota
 * project, one renewal after a 401, retries of what may be repeated, and error bodies made into
 * struct err (http status, reason, what to do). Everything is asynchronous: callbacks come from the
 * loop, exactly once, never inside the function that asks, and not after a cancel. No call blocks.
 */
#ifndef RLPILOT_CLOUD_CLOUD_H
#define RLPILOT_CLOUD_CLOUD_H

#include "core/base/err.h"
#include "core/io/http.h"
#include "core/io/loop.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct auth;
struct cloud;
struct cloud_call;

/* How an answer comes: reply borrowed, NULL exactly when e is not. */
struct cloud_done {
	void (*fn)(void *arg, json_t *reply, const struct err *e);
	void *arg;
};

/* enum, name in the environment variable, default address, path added to a bare override */
#define CLOUD_APIS(X)                                                                              \
	X(CLOUD_COMPUTE, "COMPUTE", "https://compute.googleapis.com/compute/v1/", "compute/v1/")   \
	X(CLOUD_CONTAINER, "CONTAINER", "https://container.googleapis.com/", "")                   \
	X(CLOUD_STORAGE, "STORAGE", "https://storage.googleapis.com/storage/v1/", "storage/v1/")   \
	X(CLOUD_SERVICEUSAGE, "SERVICEUSAGE", "https://serviceusage.googleapis.com/", "")          \
	X(CLOUD_PROJECTS, "CLOUDRESOURCEMANAGER", "https://cloudresourcemanager.googleapis.com/",  \
		"")                                                                                \
	X(CLOUD_IAM, "IAM", "https://iam.googleapis.com/", "")                                     \
	X(CLOUD_BILLING, "CLOUDBILLING", "https://cloudbilling.googleapis.com/", "")               \
	X(CLOUD_QUOTAS, "CLOUDQUOTAS", "https://cloudquotas.googleapis.com/", "")                  \
	X(CLOUD_LOGGING, "LOGGING", "https://logging.googleapis.com/", "")                         \
	X(CLOUD_MONITORING, "MONITORING", "https://monitoring.googleapis.com/", "")

enum cloud_api {
#define X(name, variable, address, path) name,
	CLOUD_APIS(X)
#undef X
		CLOUD_API_COUNT
};

/* Reads addresses and credentials' places from the environment; asks nobody yet. */
struct cloud *cloud_new(struct loop *l);
/* Cancels everything still running. */
void cloud_free(struct cloud *c);
struct loop *cloud_loop(const struct cloud *c);
struct http *cloud_http(const struct cloud *c);
struct auth *cloud_auth(const struct cloud *c);
/* Base address of an API, ends in '/'. */
const char *cloud_endpoint(const struct cloud *c, enum cloud_api api);
/* The server's clock minus ours in ms, from the newest Date header; 0 before the first. */
int64_t cloud_clock_skew(const struct cloud *c);

struct cloud_request {
	enum cloud_api api;
	const char *base;   /* instead of the API's address; NULL = the API's */
	const char *method; /* NULL = GET */
	const char *path;   /* after the base, query included, already escaped */
	const json_t *body; /* NULL = none */
	const char *range;
	const char *ca_pem, *cert_pem, *key_pem, *tls_name; /* as in struct http_request */
	const char *token; /* instead of the Google token; "" = none; NULL = the Google token */
	bool no_quota_project;
	bool repeatable; /* a POST or DELETE that may be sent twice; GET always is */
	bool raw;        /* answer by on_raw: bytes, not JSON */
	size_t max_body;
	struct cloud_done done;
	/* raw: r borrowed; e as for cloud_done. */
	void (*on_raw)(void *arg, struct http_reply *r, const struct err *e);
};

struct cloud_call *cloud_send(struct cloud *c, const struct cloud_request *r);
/* The common case. path as above. */
struct cloud_call *cloud_call(struct cloud *c, enum cloud_api api, const char *method,
	const char *path, const json_t *body, struct cloud_done done);
/* Sets *call to NULL. A handle is dead once its answer has come. */
void cloud_cancel(struct cloud_call **call);
/* Cancels all that was asked with this argument, calls and work of several steps alike: for owners
 * that go away. */
void cloud_cancel_all(struct cloud *c, const void *arg);

/* For this room's own files: work of several steps that cloud_cancel_all(owner) and cloud_free
 * drop. */
void cloud_job_begin(struct cloud *c, void *job, const void *owner, void (*drop)(void *job));
void cloud_job_end(struct cloud *c, void *job);
/* For an adapter between callbacks: cloud_cancel_all(owner) finds the call although done.arg is
 * `own`, which is freed with the call. */
struct cloud_call *cloud_own(struct cloud_call *call, const void *owner, void *own);

/* Error of a reply that is not 2xx: Google, Kubernetes Status, OAuth and HTML bodies. `what` names
 * the request ("bucket my-bucket"). Returns -1. */
int cloud_error_typed(
	struct err *e, const char *what, int status, const char *type, const char *body, size_t n);
/* The same without a Content-Type. */
int cloud_error(struct err *e, const char *what, int status, const char *body, size_t n);
/* The JSON of a 2xx reply, the caller's; NULL with what came instead: a web page, cut JSON, bytes.
 */
json_t *cloud_json(struct err *e, const char *what, const struct http_reply *r);
/* The machine-readable reason in an error body ("SERVICE_DISABLED", "Forbidden", "notFound"); "" if
 * none. */
void cloud_reason(const char *body, size_t n, char *out, size_t size);

#endif
