/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One HTTP request while it is being received and answered: the private half of struct req. Shared
 * by server.c (sockets), route.c (which handler) and reply.c (answers); nobody else includes it.
 */
#ifndef RLPILOT_SIM_CONN_H
#define RLPILOT_SIM_CONN_H

#include "core/base/buf.h"
#include "core/base/vec.h"
#include "sim/route.h"
#include <microhttpd.h>

struct server;

#define CONN_CAPTURES 8

struct server_conn {
	struct req req;
	struct server *server;
	struct MHD_Connection *mhd;
	bool tls;
	char *method, *url;
	struct buf body;
	bool body_full;      /* more came than is kept */
	struct strvec query; /* name, value, name, value …, decoded */
	struct {
		char name[24];
		char *value;
	} captures[CONN_CAPTURES];
	size_t n_captures;
	json_t *json;
	struct strvec headers; /* of the reply: name, value … */
	bool replied;
	bool waited; /* --delay-ms is over for it */
	bool late;   /* the delay of a fault is over for it */
	enum { BODY_WHOLE, BODY_CUT, BODY_DRIPS } body_fault; /* what happens to the answer */
	int64_t drip_ms;                                      /* wall, between pieces */
	bool held;                                            /* no answer yet */
	struct server_conn *next_held, **link;
	enum MHD_Result queued;
};

/* Percent-decodes n bytes; a broken escape stays as it is; the caller's. */
char *conn_decode(const char *s, size_t n);
bool conn_is_utf8(const char *s);
/* Finds the handler and calls it. */
void route_dispatch(struct server_conn *c);
/* Sends r (dropped here) with the reply's extra headers. */
void reply_queue(struct req *req, int status, struct MHD_Response *r, const char *content_type);
/* Looked at again after this much of real time. */
void server_delay(struct server_conn *c, int64_t ms);
/* The connection is reset without an answer. */
void server_reset(struct server_conn *c);
/* No answer as long as the server runs. */
void server_hold(struct server_conn *c);
/* Lets the listeners work in this turn: something was written or resumed. */
void server_kick(struct server *s);
/* Every open stream whose client hung up while nothing was sent ends; all: every one. */
void reply_sweep(struct server *s, bool all);
/* Head of the list of open streams. */
struct stream **server_streams(struct server *s);

#endif
