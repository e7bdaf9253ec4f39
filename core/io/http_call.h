/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of http: one running call and how curl is told about it. Only http.c and http_call.c
 * include this. http.c owns lists, sockets, timers and ends; http_call.c owns options, trust rules
 * and what curl hands over (headers and body).
 */
#ifndef RLPILOT_IO_HTTP_CALL_H
#define RLPILOT_IO_HTTP_CALL_H

#include "core/io/http.h"

#include <curl/curl.h>

struct loop_timer;

struct http {
	struct loop *loop;
	CURLM *multi;
	struct loop_timer *timer;
	struct http_call *calls;
	bool loopback_only;
	char *ca_file;
	int depth; /* inside curl: no handle may be added or removed */
};

struct http_call {
	struct http *http;
	struct http_call *prev, *next;
	struct http_request *req;
	CURL *easy; /* NULL before the start */
	CURLU *url;
	struct curl_slist *headers, *connect_to;
	struct http_reply reply;
	struct loop_timer *idle;
	int64_t started, last; /* wall */
	bool cancelled, finishing, too_long, loopback, head_done;
	char detail[CURL_ERROR_SIZE];
};

/* Checks the address and sets every option of c->easy. -1 = refused. */
int http_call_setup(struct http_call *c, struct err *e);

#endif
