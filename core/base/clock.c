/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "core/base/err.h"

static struct {
	int64_t epoch, real; /* ms */
	double factor;
	int64_t fixed; /* 0: runs */
} the = {.factor = 1.0};

static int64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int clock_init(struct err *e)
{
	const char *s = getenv("RLPILOT_CLOCK");
	char *end;
	long long epoch, real;
	double factor;

	if (!s || !*s)
		return 0;
	errno = 0;
	epoch = strtoll(s, &end, 10);
	if (errno || *end != '@')
		goto bad;
	real = strtoll(end + 1, &end, 10);
	if (errno || *end != '*')
		goto bad;
	factor = strtod(end + 1, &end);
	if (errno || *end || !(factor > 0 && factor <= 1e6))
		goto bad;
	the.epoch = epoch;
	the.real = real;
	the.factor = factor;
	return 0;
bad:
	return err_set(e, ERR_USAGE, "unset it, or give EPOCH_MS@REAL_MS*FACTOR",
		"RLPILOT_CLOCK is '%s', which is not a clock", s);
}

int64_t clock_wall(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_now(void)
{
	int64_t real;

	if (the.fixed)
		return the.fixed;
	real = read_clock(CLOCK_REALTIME);
	if (!the.real)
		return real;
	return the.epoch + (int64_t)((double)(real - the.real) * the.factor);
}

double clock_factor(void)
{
	return the.factor;
}

int64_t clock_wall_span(int64_t run_ms)
{
	return (int64_t)ceil((double)run_ms / the.factor);
}

void clock_fix(int64_t now_ms)
{
	the.fixed = now_ms;
}
