/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When and whether to ask again. The schedule is pure: policy, seed and attempt decide; truncated
 * exponential back-off with jitter, in run time, a Retry-After wins when it is longer. retry_send
 * repeats whole requests (never streams) under a policy; only for requests that may be repeated.
 */
#ifndef RLPILOT_IO_RETRY_H
#define RLPILOT_IO_RETRY_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct http;
struct http_reply;
struct http_request;
struct retry_call;

struct retry_policy {
	int attempts;    /* in all, the first included; 0 = without end */
	int64_t base_ms; /* before the second attempt */
	int64_t cap_ms;  /* longest step; a Retry-After may be longer, up to 10 minutes */
	int jitter_pct;  /* each step is moved by up to this, both ways */
};

extern const struct retry_policy retry_cloud;  /* 5 attempts, 1 s, 32 s, 10 % */
extern const struct retry_policy retry_stream; /* without end, 1 s, 30 s, 20 % */

struct retry {
	const struct retry_policy *policy;
	uint64_t seed;
	int failed; /* attempts that failed so far */
};

void retry_init(struct retry *r, const struct retry_policy *policy, uint64_t seed);
/* After a success. */
void retry_reset(struct retry *r);
/* One more attempt failed: ms of run time to wait, -1 = give up. retry_after_s -1 = none. */
int64_t retry_next(struct retry *r, int64_t retry_after_s);
/* Worth a second try: no reply (0), 408, 429, 500, 502, 503, 504. */
bool retry_worth(int status);

/* As http_send; on_done comes once, with the last attempt's result. */
struct retry_call *retry_send(
	struct http *h, const struct http_request *r, const struct retry_policy *policy);
void retry_cancel(struct retry_call **c);

#endif
