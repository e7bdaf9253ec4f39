/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of auth: one question to a token service, asked at most three times as google-auth does:
 * after statuses and error words that mean trouble on the other side, 1 s doubled, 10 % jitter, in
 * run time. The answer's body is wiped after the callback.
 */
#ifndef RLPILOT_CLOUD_AUTH_ASK_H
#define RLPILOT_CLOUD_AUTH_ASK_H

#include <jansson.h>

struct auth_ask;
struct err;
struct http;
struct http_reply;
struct http_request;

/* fn is called once, from the loop: r is never NULL; j is the body, NULL when it is no JSON; e when
 * there was no complete answer. The handle is dead afterwards. */
struct auth_ask *auth_ask(struct http *h, const struct http_request *req, int attempts,
	void (*fn)(void *arg, struct http_reply *r, const json_t *j, const struct err *e),
	void *arg);
/* No callback any more; sets *a to NULL. */
void auth_ask_cancel(struct auth_ask **a);

#endif
