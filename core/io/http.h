/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP client on the loop (libcurl's multi interface). Owns connections and running calls.
 * Invariants: TLS is always verified; only https, or http to loopback and to the machine's metadata
 * server; no redirects; under
 * RLPILOT_LOOPBACK_ONLY=1 no other address than loopback is ever connected, proxies included.
 * Callbacks come from the loop, never from http_send. Bearer tokens and secret headers never reach
 * the log.
 */
#ifndef RLPILOT_IO_HTTP_H
#define RLPILOT_IO_HTTP_H

#include "core/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_BODY_MAX ((size_t)16 << 20)

struct err;
struct loop;
struct http;
struct http_call;

struct http_reply {
	int status;      /* 0: no reply */
	struct buf body; /* of a stream only when status is not 2xx; on_done may buf_take it */
	int64_t retry_after_s;    /* -1 = no such header */
	int64_t date_ms;          /* Date header, ms since 1970 UTC; 0 = none */
	char content_type[96];    /* "" = none */
	char error_code[64];      /* X-Error-Code (Hugging Face) */
	char generation[32];      /* x-goog-generation */
	char metadata_flavor[16]; /* Metadata-Flavor: who says to be a metadata server */
	bool cut_off;             /* the connection ended inside the body */
	bool refused;             /* by our own rules or a limit: asking again cannot help */
	int fd; /* of a request that only connects: the socket, the receiver's; else -1 */
};

struct http_request {
	const char *method; /* NULL = GET */
	const char *url;
	const char *bearer;         /* without "Bearer "; NULL = none */
	const char *const *headers; /* "Name: value", NULL terminated; NULL = none */
	const char *range;          /* "0-99" or "-65536"; NULL = whole */
	const void *body;
	size_t body_n;
	const char *body_type; /* NULL = application/json */
	const char *ca_pem; /* the only trusted roots for this call; NULL = system and configured */
	const char *cert_pem, *key_pem; /* client certificate; NULL = none */
	const char *tls_name;           /* name to verify instead of the URL's host; NULL = host */
	/* A question to a machine's metadata server: plain http to link-local addresses is allowed,
	 * no proxy, and only such addresses (or loopback) are connected. */
	bool metadata;
	/* Only connects, without proxy, and hands the socket over; nothing is sent,
	 * http://HOST:PORT may name any host. */
	bool connect;
	size_t max_body; /* 0 = HTTP_BODY_MAX; more is an error */
	int connect_ms;  /* wall; 0 = 10 s */
	int idle_ms;     /* wall without a byte; 0 = 30 s, none for streams; -1 = none */
	int total_ms;    /* wall; 0 = none */
	/* A stream: bytes of a 2xx body as they come; on_head (may be NULL) before the first. */
	void (*on_head)(void *arg, const struct http_reply *r);
	void (*on_data)(void *arg, const char *data, size_t n);
	/* Always once, unless cancelled. e == NULL: a complete reply, whatever its status. With an
	 * error r holds what had come. The handle is dead afterwards. */
	void (*on_done)(void *arg, struct http_reply *r, const struct err *e);
	void *arg;
};

/* Reads proxies, CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE and RLPILOT_LOOPBACK_ONLY from the environment.
 */
struct http *http_new(struct loop *l);
/* Cancels what runs. */
void http_free(struct http *h);
struct loop *http_loop(const struct http *h);
/* Copies what it needs of r. Refusals (scheme, host) come by on_done as well. */
struct http_call *http_send(struct http *h, const struct http_request *r);
/* No callback any more; sets *c to NULL. */
void http_cancel(struct http_call **c);

/* Deep copy of a request, for sending it again; free with http_request_free. */
struct http_request *http_request_copy(const struct http_request *r);
void http_request_free(struct http_request *r);
/* True for 127.0.0.0/8, ::1 and localhost, with or without brackets. */
bool http_is_loopback(const char *host);
/* Percent-encodes everything but unreserved characters ('/' too). */
void http_escape(struct buf *out, const char *s);

#endif
