/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocking HTTP for the stand-ins: one request, the whole reply or its lines as they come. Only
 * loopback addresses are called; nothing is followed; TLS is verified against the given authority.
 */
#ifndef RLPILOT_SIM_BIN_WEB_H
#define RLPILOT_SIM_BIN_WEB_H

#include "core/base/buf.h"
#include <jansson.h>
#include <stdbool.h>

struct web_call {
	const char *method, *url;
	const char *bearer;       /* token or NULL */
	const char *content_type; /* of the body */
	const char *body;         /* NULL: none */
	const char *ca_pem;       /* authority of a TLS address */
	/* Lines of a 2xx reply without their newline, as they come; false ends the call. NULL:
	 * whole body. */
	bool (*on_line)(void *arg, const char *line);
	void *arg;
};

struct web_reply {
	long status;
	struct buf body; /* also the body of an error reply to a call with on_line */
	char why[256];   /* why there was no reply at all */
};

/* 0: there was a reply, whatever its status; -1: none, see why. */
int web_do(const struct web_call *call, struct web_reply *reply);
void web_reply_fini(struct web_reply *reply);
/* The reply as JSON; NULL if it is none; the caller's. */
json_t *web_json(const struct web_reply *reply);
/* Percent-encoding of one path segment or query value; the caller's. */
char *web_escape(const char *s);
/* An endpoint of CLOUDSDK_API_ENDPOINT_OVERRIDES_NAME with default_path put in place of a lone "/";
 * ends with a slash; falls back to the simulator's address. The caller's. */
char *web_endpoint(const char *name, const char *default_path);

#endif
