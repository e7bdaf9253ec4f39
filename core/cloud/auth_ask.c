/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/auth_ask.h"

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/cloud/auth_error.h"
#include "core/fmt/json.h"
#include "core/io/http.h"
#include "core/io/loop.h"
#include "core/io/retry.h"

#include <stdlib.h>
#include <string.h>

struct auth_ask {
	struct http *http;
	struct http_request *req; /* callbacks are ours */
	struct http_call *call;
	struct loop_timer *timer;
	struct retry_policy policy;
	struct retry retry;
	void (*fn)(void *arg, struct http_reply *r, const json_t *j, const struct err *e);
	void *arg;
};

static void ask_free(struct auth_ask *a)
{
	loop_timer_cancel(&a->timer);
	http_cancel(&a->call);
	http_request_free(a->req);
	free(a);
}

static void again(void *arg)
{
	struct auth_ask *a = arg;

	a->timer = NULL;
	a->call = http_send(a->http, a->req);
}

static void answered(void *arg, struct http_reply *r, const struct err *e)
{
	struct auth_ask *a = arg;
	AUTO(json_auto) json_t *j = e ? NULL : json_parse(buf_str(&r->body), r->body.len, NULL);
	int64_t wait = -1;

	a->call = NULL;
	if (e ? !r->refused : auth_transient(r, j))
		wait = retry_next(&a->retry, r->retry_after_s);
	if (wait >= 0) {
		log_line("auth", "attempt=%d wait_ms=%lld status=%d", a->retry.failed,
			(long long)wait, r->status);
		a->timer = loop_after(http_loop(a->http), wait, again, a);
	} else {
		a->fn(a->arg, r, j, e);
		ask_free(a);
	}
	if (r->body.data)
		explicit_bzero(r->body.data, r->body.cap);
}

struct auth_ask *auth_ask(struct http *h, const struct http_request *req, int attempts,
	void (*fn)(void *arg, struct http_reply *r, const json_t *j, const struct err *e),
	void *arg)
{
	struct auth_ask *a = X_NEW(struct auth_ask);

	a->http = h;
	a->fn = fn;
	a->arg = arg;
	a->req = http_request_copy(req);
	a->req->on_done = answered;
	a->req->arg = a;
	a->policy = (struct retry_policy){
		.attempts = attempts, .base_ms = 1000, .cap_ms = 8000, .jitter_pct = 10};
	retry_init(&a->retry, &a->policy, (uint64_t)clock_wall() ^ (uint64_t)(uintptr_t)a);
	a->call = http_send(h, a->req);
	return a;
}

void auth_ask_cancel(struct auth_ask **a)
{
	if (*a)
		ask_free(*a);
	*a = NULL;
}
