/* SPDX-License-Identifier: Apache-2.0 */
#include "core/io/retry.h"

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/io/http.h"
#include "core/io/loop.h"

#include <stdlib.h>

#define RETRY_AFTER_MAX_S 600

const struct retry_policy retry_cloud = {
	.attempts = 5, .base_ms = 1000, .cap_ms = 32000, .jitter_pct = 10};
const struct retry_policy retry_stream = {
	.attempts = 0, .base_ms = 1000, .cap_ms = 30000, .jitter_pct = 20};

struct retry_call {
	struct http *http;
	struct http_request *req; /* callbacks are ours */
	struct http_call *call;
	struct loop_timer *timer;
	struct retry retry;
	void (*on_done)(void *arg, struct http_reply *r, const struct err *e);
	void *arg;
};

/* splitmix64: a well mixed number for each (seed, attempt). */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15U;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
	return x ^ (x >> 31);
}

void retry_init(struct retry *r, const struct retry_policy *policy, uint64_t seed)
{
	*r = (struct retry){.policy = policy, .seed = seed};
}

void retry_reset(struct retry *r)
{
	r->failed = 0;
}

int64_t retry_next(struct retry *r, int64_t retry_after_s)
{
	const struct retry_policy *p = r->policy;
	int64_t step = p->base_ms, spread, ask;

	r->failed++;
	if (p->attempts && r->failed >= p->attempts)
		return -1;
	for (int i = 1; i < r->failed && step < p->cap_ms; i++)
		step *= 2;
	if (step > p->cap_ms)
		step = p->cap_ms;
	spread = step * p->jitter_pct / 100;
	if (spread > 0)
		step += (int64_t)(mix(r->seed + (uint64_t)r->failed) % (uint64_t)(2 * spread + 1)) -
			spread;
	ask = retry_after_s > RETRY_AFTER_MAX_S ? RETRY_AFTER_MAX_S : retry_after_s;
	return ask * 1000 > step ? ask * 1000 : step;
}

bool retry_worth(int status)
{
	return status == 0 || status == 408 || status == 429 || status == 500 || status == 502 ||
	       status == 503 || status == 504;
}

static void retry_free(struct retry_call *c)
{
	loop_timer_cancel(&c->timer);
	http_cancel(&c->call);
	http_request_free(c->req);
	free(c);
}

static void again(void *arg)
{
	struct retry_call *c = arg;

	c->timer = NULL;
	c->call = http_send(c->http, c->req);
}

static void attempt_done(void *arg, struct http_reply *r, const struct err *e)
{
	struct retry_call *c = arg;
	int64_t wait = -1;

	c->call = NULL;
	/* A refused address has no status either, but asking again cannot help. */
	if (e ? e->code == ERR_UNREACHABLE && (r->status == 0 || r->cut_off) && !r->refused
	      : retry_worth(r->status))
		wait = retry_next(&c->retry, r->retry_after_s);
	if (wait >= 0) {
		log_line("retry", "attempt=%d wait_ms=%lld status=%d", c->retry.failed,
			(long long)wait, r->status);
		c->timer = loop_after(http_loop(c->http), wait, again, c);
		return;
	}
	if (c->on_done)
		c->on_done(c->arg, r, e);
	retry_free(c);
}

struct retry_call *retry_send(
	struct http *h, const struct http_request *r, const struct retry_policy *policy)
{
	struct retry_call *c = X_NEW(struct retry_call);

	c->http = h;
	c->req = http_request_copy(r);
	c->on_done = r->on_done;
	c->arg = r->arg;
	c->req->on_done = attempt_done;
	c->req->arg = c;
	retry_init(&c->retry, policy, (uint64_t)clock_wall() ^ (uint64_t)(uintptr_t)c);
	c->call = http_send(h, c->req);
	return c;
}

void retry_cancel(struct retry_call **c)
{
	if (*c)
		retry_free(*c);
	*c = NULL;
}
