/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests and replies as handlers see them. A handler replies exactly once before it returns,
 * either whole (reply_…) or by opening a stream that it or others feed later. `struct req` and all
 * that is borrowed from it end with the handler; a stream lives on. Handlers never wait.
 */
#ifndef RLPILOT_SIM_ROUTE_H
#define RLPILOT_SIM_ROUTE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;

enum route_guard {
	ROUTE_OPEN,   /* no credentials asked */
	ROUTE_GOOGLE, /* OAuth bearer token, else 401 in Google's shape */
	ROUTE_KUBE,   /* same token, else 401 as Status; 503 as long as the cluster is not up */
};

struct req {
	struct sim *sim;
	const char *method;
	const char *path; /* as sent, still percent-encoded, without the query */
	const char *body; /* NUL terminated after body_len bytes; "" without a body */
	size_t body_len;
	const char *cluster_status; /* GKE's word for the cluster in this answer, NULL = as it is */
	struct server_conn *conn;   /* private to route.c and server.c */
};

/*
 * Patterns: literal segments, "{name}" captures one segment (decoded, so it may hold '/'),
 * "{name}:verb" a segment with that ending, "{name*}" as the last one all the rest (decoded). The
 * first entry that matches wins; method "*" is any; a table ends with a zeroed entry. HEAD goes to
 * GET when there is no entry of its own.
 */
struct route {
	const char *method;
	const char *pattern;
	void (*handle)(struct req *req);
	enum route_guard guard;
};

const char *req_capture(
	const struct req *req, const char *name); /* never NULL for a name of the pattern */
/* Decoded query value, the first of that name; NULL if absent. */
const char *req_query(const struct req *req, const char *name);
int64_t req_query_i64(const struct req *req, const char *name, int64_t dflt);
bool req_query_true(const struct req *req, const char *name); /* "1", "true", "" when present */
/* Walks repeated values: for (size_t i = 0; (v = req_query_next(req, "names", &i));) */
const char *req_query_next(const struct req *req, const char *name, size_t *i);
const char *req_header(const struct req *req, const char *name); /* NULL if absent */
/* The body as JSON, borrowed from the request; NULL when it is none (nothing is replied). */
json_t *req_json(struct req *req);

/* Extra header of the reply that follows. */
void reply_header(struct req *req, const char *name, const char *value);
/* Takes over the reference j. */
void reply_json(struct req *req, int status, json_t *j);
void reply_bytes(struct req *req, int status, const char *content_type, const void *data, size_t n);
/* n bytes that fill() makes as the client takes them; done(arg) at the end, whatever happened. */
void reply_made(struct req *req, int status, const char *content_type, int64_t n,
	void (*fill)(void *arg, int64_t at, size_t n, char *out), void (*done)(void *arg),
	void *arg);
/* {"error":{code,status,message,errors[{domain,reason,message}]}}; status like "NOT_FOUND", NULL:
 * left out (Cloud Storage); reason like "notFound", NULL: no errors[]. */
void reply_google_error(struct req *req, int code, const char *status, const char *reason,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same with details[]: one ErrorInfo of that reason; metadata (taken over) may be NULL. */
void reply_google_info(struct req *req, int code, const char *status, const char *info,
	json_t *metadata, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* kind Status, status Failure; reason like "NotFound"; details may be NULL (taken over). */
void reply_kube_status(struct req *req, int code, const char *reason, json_t *details,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/*
 * Streams (watches, followed logs, deploys): chunked, status 200. on_close(arg) is called once when
 * the client goes away or the server stops before stream_end; afterwards the stream is gone. After
 * stream_end the stream is the server's and on_close is not called.
 */
struct stream;
struct stream *reply_stream(
	struct req *req, const char *content_type, void (*on_close)(void *arg), void *arg);
void stream_write(struct stream *s, const void *data, size_t n);
/* One JSON document and a newline; borrows j. */
void stream_json(struct stream *s, const json_t *j);
/* Bytes not yet taken by the client. */
size_t stream_pending(const struct stream *s);
void stream_end(struct stream *s);

#endif
