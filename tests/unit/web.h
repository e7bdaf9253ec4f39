/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scripted web server on the tested loop: one handler sees each complete request and writes raw
 * bytes, at once or later. For tests only: small answers, no checks. Speaks whatever it is told, so
 * it can also cut, stall and reset.
 */
#ifndef RLPILOT_UNIT_WEB_H
#define RLPILOT_UNIT_WEB_H

#include <stddef.h>

struct loop;
struct web;
struct web_conn;

struct web *web_new(struct loop *l,
	void (*handler)(void *arg, struct web_conn *c, const char *head, const char *body),
	void *arg);
void web_free(struct web *w);
const char *web_url(const struct web *w); /* http://127.0.0.1:PORT */
int web_requests(const struct web *w);    /* so far */

void web_write(struct web_conn *c, const char *data);
void web_write_n(struct web_conn *c, const char *data, size_t n);
/* Whole answer; headers "A: b\r\n" or "". The connection stays open. */
void web_reply(struct web_conn *c, int status, const char *headers, const char *body);
void web_chunk(struct web_conn *c, const char *data); /* "" = last */
void web_close(struct web_conn *c);
void web_reset(struct web_conn *c);

#endif
