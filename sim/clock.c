/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/clock.h"

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/fmt/time.h"
#include "core/io/loop.h"
#include "sim/sim.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define BEGIN_BEFORE ((int64_t)30 * 24 * SIM_HOUR)

struct due {
	int64_t at;
	uint64_t id; /* ever growing: orders equal moments, names the timer */
	void (*fn)(void *arg);
	void *arg;
};

struct sim_clock {
	struct sim *sim;
	int64_t epoch, real;
	struct timespec mono;
	double factor;
	int64_t inside; /* moment of the running event, or -1 */
	uint64_t last_id;
	struct due *heap;
	size_t n, cap;
	struct loop_timer *wake;
};

static bool before(const struct due *a, const struct due *b)
{
	return a->at != b->at ? a->at < b->at : a->id < b->id;
}

static void heap_swap(struct due *a, struct due *b)
{
	struct due t = *a;
	*a = *b;
	*b = t;
}

static void heap_up(struct sim_clock *c, size_t i)
{
	while (i > 0 && before(&c->heap[i], &c->heap[(i - 1) / 2])) {
		heap_swap(&c->heap[i], &c->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
}

static void heap_down(struct sim_clock *c, size_t i)
{
	for (;;) {
		size_t least = i;
		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < c->n; k++)
			if (before(&c->heap[k], &c->heap[least]))
				least = k;
		if (least == i)
			return;
		heap_swap(&c->heap[i], &c->heap[least]);
		i = least;
	}
}

static void heap_remove(struct sim_clock *c, size_t i)
{
	c->heap[i] = c->heap[--c->n];
	if (i < c->n) {
		heap_down(c, i);
		heap_up(c, i);
	}
}

static int64_t flowing(const struct sim_clock *c)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	double ms = (double)(t.tv_sec - c->mono.tv_sec) * 1e3 +
		    (double)(t.tv_nsec - c->mono.tv_nsec) / 1e6;
	return c->epoch + (int64_t)floor(ms * c->factor);
}

static void on_wake(void *arg);

static void plan_wake(struct sim_clock *c)
{
	loop_timer_cancel(&c->wake);
	if (c->n == 0)
		return;
	double wall = (double)(c->heap[0].at - flowing(c)) / c->factor;
	int64_t ms = wall < 0 ? 0 : wall > 3.6e6 ? 3600000 : (int64_t)ceil(wall);
	c->wake = loop_after_wall(c->sim->loop, ms, on_wake, c);
}

static void on_wake(void *arg)
{
	struct sim_clock *c = arg;
	c->wake = NULL;
	sim_catch_up(c->sim);
	plan_wake(c);
}

void sim_clock_start(struct sim *sim, double factor)
{
	struct sim_clock *c = X_NEW(struct sim_clock);
	struct timespec real;
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &c->mono);
	c->sim = sim;
	c->real = (int64_t)real.tv_sec * 1000 + real.tv_nsec / 1000000;
	c->epoch = c->real - BEGIN_BEFORE;
	c->factor = factor;
	c->inside = -1;
	sim->clock = c;
}

void sim_clock_stop(struct sim *sim)
{
	if (!sim->clock)
		return;
	loop_timer_cancel(&sim->clock->wake);
	free(sim->clock->heap);
	free(sim->clock);
	sim->clock = NULL;
}

int64_t sim_now(const struct sim *sim)
{
	return sim->clock->inside >= 0 ? sim->clock->inside : flowing(sim->clock);
}

int64_t sim_epoch(const struct sim *sim)
{
	return sim->clock->epoch;
}

static struct due *heap_slot(struct sim_clock *c)
{
	c->heap = vec_grow(c->heap, c->n, &c->cap, sizeof(*c->heap));
	return &c->heap[c->n++];
}

uint64_t sim_after(struct sim *sim, int64_t pretend_ms, void (*fn)(void *arg), void *arg)
{
	struct sim_clock *c = sim->clock;
	struct due *d = heap_slot(c);
	*d = (struct due){.at = sim_now(sim) + (pretend_ms > 0 ? pretend_ms : 0),
		.id = ++c->last_id,
		.fn = fn,
		.arg = arg};
	uint64_t id = d->id;
	heap_up(c, c->n - 1);
	if (c->inside < 0 && c->heap[0].id == id)
		plan_wake(c);
	return id;
}

void sim_cancel(struct sim *sim, uint64_t *id)
{
	struct sim_clock *c = sim->clock;
	for (size_t i = 0; *id && i < c->n; i++) {
		if (c->heap[i].id != *id)
			continue;
		heap_remove(c, i);
		break;
	}
	*id = 0;
}

void sim_catch_up(struct sim *sim)
{
	struct sim_clock *c = sim->clock;
	if (c->inside >= 0)
		return;
	int64_t now = flowing(c);
	while (c->n > 0 && c->heap[0].at <= now) {
		struct due d = c->heap[0];
		heap_remove(c, 0);
		c->inside = d.at;
		d.fn(d.arg);
	}
	c->inside = -1;
}

char *sim_clock_text(const struct sim *sim)
{
	const struct sim_clock *c = sim->clock;
	return x_asprintf("%lld@%lld*%g", (long long)c->epoch, (long long)c->real, c->factor);
}

char *sim_time_ms(int64_t ms)
{
	char text[TIME_SIZE];
	return x_strdup(time_format_ms(ms, text));
}

char *sim_time_s(int64_t ms)
{
	char text[TIME_SIZE];
	return x_strdup(time_format(ms, text));
}
