/* SPDX-License-Identifier: Apache-2.0 */
#include "core/io/loop.h"

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <uv.h>

struct loop_timer {
	struct loop *loop;
	int64_t due; /* clock_wall */
	uint64_t order;
	size_t at; /* place in the heap */
	void (*fn)(void *arg);
	void *arg;
};

struct deferred {
	void (*fn)(void *arg);
	void *arg;
};

struct attached {
	const void *key;
	void *value;
	void (*drop)(void *value);
};

struct calls {
	struct deferred *items;
	size_t n, cap;
};

struct loop_fd {
	struct loop *loop;
	uv_poll_t poll;
	int events;
	void (*fn)(void *arg, int events);
	void *arg;
	struct loop_fd *prev, *next;
};

struct loop_signal {
	struct loop *loop;
	uv_signal_t signal;
	void (*fn)(void *arg);
	void *arg;
	struct loop_signal *prev, *next;
};

struct loop {
	uv_loop_t uv;
	uv_timer_t timer;
	uv_prepare_t turn_end; /* runs before the loop sleeps; also keeps the loop alive */
	uv_idle_t awake;       /* active while deferred calls wait: no sleep */
	struct loop_timer **heap;
	size_t heap_n, heap_cap;
	uint64_t next_order;
	struct calls deferred, turn;
	struct {
		struct attached *items;
		size_t n, cap;
	} attached;
	struct loop_fd *fds;
	struct loop_signal *signals;
	bool worked;
};

static bool timer_before(const struct loop_timer *a, const struct loop_timer *b)
{
	return a->due != b->due ? a->due < b->due : a->order < b->order;
}

static void heap_put(struct loop *l, size_t at, struct loop_timer *t)
{
	l->heap[at] = t;
	t->at = at;
}

static void heap_up(struct loop *l, size_t at)
{
	struct loop_timer *t = l->heap[at];

	while (at > 0 && timer_before(t, l->heap[(at - 1) / 2])) {
		heap_put(l, at, l->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	heap_put(l, at, t);
}

static void heap_down(struct loop *l, size_t at)
{
	struct loop_timer *t = l->heap[at];

	for (size_t kid; (kid = 2 * at + 1) < l->heap_n; at = kid) {
		if (kid + 1 < l->heap_n && timer_before(l->heap[kid + 1], l->heap[kid]))
			kid++;
		if (!timer_before(l->heap[kid], t))
			break;
		heap_put(l, at, l->heap[kid]);
	}
	heap_put(l, at, t);
}

static void heap_remove(struct loop *l, struct loop_timer *t)
{
	struct loop_timer *last = l->heap[--l->heap_n];

	if (last == t)
		return;
	heap_put(l, t->at, last);
	heap_up(l, last->at);
	heap_down(l, last->at);
}

static void timer_fired(uv_timer_t *timer);

static void timer_arm(struct loop *l)
{
	int64_t wait;

	if (l->heap_n == 0) {
		uv_timer_stop(&l->timer);
		return;
	}
	wait = l->heap[0]->due - clock_wall();
	uv_update_time(&l->uv);
	uv_timer_start(&l->timer, timer_fired, wait > 0 ? (uint64_t)wait : 0, 0);
}

static void timer_fired(uv_timer_t *timer)
{
	struct loop *l = timer->data;
	int64_t now = clock_wall();

	while (l->heap_n && l->heap[0]->due <= now) {
		struct loop_timer *t = l->heap[0];
		void (*fn)(void *) = t->fn;
		void *arg = t->arg;

		heap_remove(l, t);
		free(t);
		l->worked = true;
		fn(arg);
	}
	timer_arm(l);
}

struct loop_timer *loop_after_wall(
	struct loop *l, int64_t wall_ms, void (*fn)(void *arg), void *arg)
{
	struct loop_timer *t = X_NEW(struct loop_timer);

	t->loop = l;
	t->due = clock_wall() + (wall_ms < LOOP_MIN_MS ? LOOP_MIN_MS : wall_ms);
	t->order = l->next_order++;
	t->fn = fn;
	t->arg = arg;
	l->heap = vec_grow(l->heap, l->heap_n, &l->heap_cap, sizeof(*l->heap));
	heap_put(l, l->heap_n++, t);
	heap_up(l, t->at);
	if (t->at == 0)
		timer_arm(l);
	return t;
}

struct loop_timer *loop_after(struct loop *l, int64_t run_ms, void (*fn)(void *arg), void *arg)
{
	return loop_after_wall(l, run_ms > 0 ? clock_wall_span(run_ms) : 0, fn, arg);
}

void loop_timer_cancel(struct loop_timer **t)
{
	struct loop *l;
	bool first;

	if (!t || !*t)
		return;
	l = (*t)->loop;
	first = (*t)->at == 0;
	heap_remove(l, *t);
	free(*t);
	*t = NULL;
	if (first)
		timer_arm(l);
}

static void awake_idle(uv_idle_t *idle)
{
	(void)idle;
}

void loop_defer(struct loop *l, void (*fn)(void *arg), void *arg)
{
	*VEC_PUSH(&l->deferred) = (struct deferred){fn, arg};
	uv_idle_start(&l->awake, awake_idle);
}

void loop_defer_drop(struct loop *l, const void *arg)
{
	for (size_t i = 0; i < l->deferred.n; i++)
		if (l->deferred.items[i].arg == arg)
			l->deferred.items[i].fn = NULL;
}

/* What is deferred during these calls waits for the next turn, which does not sleep then. */
static void run_deferred(struct loop *l)
{
	size_t n = l->deferred.n;

	for (size_t i = 0; i < n; i++) {
		struct deferred d = l->deferred.items[i];

		l->deferred.items[i].fn = NULL;
		if (!d.fn)
			continue;
		l->worked = true;
		d.fn(d.arg);
	}
	for (size_t i = n; i < l->deferred.n; i++)
		l->deferred.items[i - n] = l->deferred.items[i];
	l->deferred.n -= n;
	if (l->deferred.n == 0)
		uv_idle_stop(&l->awake);
}

static void turn_ends(uv_prepare_t *prepare)
{
	struct loop *l = prepare->data;

	run_deferred(l);
	if (!l->worked)
		return;
	l->worked = false;
	for (size_t i = 0; i < l->turn.n; i++)
		if (l->turn.items[i].fn)
			l->turn.items[i].fn(l->turn.items[i].arg);
}

void loop_on_turn(struct loop *l, void (*fn)(void *arg), void *arg)
{
	*VEC_PUSH(&l->turn) = (struct deferred){fn, arg};
}

void loop_on_turn_stop(struct loop *l, void (*fn)(void *arg), void *arg)
{
	for (size_t i = 0; i < l->turn.n; i++)
		if (l->turn.items[i].fn == fn && l->turn.items[i].arg == arg)
			l->turn.items[i].fn = NULL;
}

static void fd_ready(uv_poll_t *poll, int status, int events)
{
	struct loop_fd *f = poll->data;
	int got = 0;

	if (events & UV_READABLE || status < 0)
		got |= LOOP_READ;
	if (events & UV_WRITABLE || status < 0)
		got |= LOOP_WRITE;
	f->loop->worked = true;
	f->fn(f->arg, got);
	/* libuv stops a watch on an error; only its receiver may do that. */
	if (status < 0 && !uv_is_closing((uv_handle_t *)poll))
		loop_fd_change(f, f->events);
}

void loop_fd_change(struct loop_fd *f, int events)
{
	int want = (events & LOOP_READ ? UV_READABLE : 0) | (events & LOOP_WRITE ? UV_WRITABLE : 0);

	f->events = events;
	if (want)
		uv_poll_start(&f->poll, want, fd_ready);
	else
		uv_poll_stop(&f->poll);
}

/* uv_poll_init makes the open file non-blocking, for every process that shares it. */
struct loop_fd *loop_fd_watch(
	struct loop *l, int fd, int events, void (*fn)(void *arg, int events), void *arg)
{
	int flags = fcntl(fd, F_GETFL);
	struct loop_fd *f = X_NEW(struct loop_fd);

	if (flags < 0 || uv_poll_init(&l->uv, &f->poll, fd) != 0) {
		free(f);
		return NULL;
	}
	if (!(flags & O_NONBLOCK))
		fcntl(fd, F_SETFL, flags);
	f->loop = l;
	f->fn = fn;
	f->arg = arg;
	f->poll.data = f;
	f->next = l->fds;
	if (l->fds)
		l->fds->prev = f;
	l->fds = f;
	loop_fd_change(f, events);
	return f;
}

static void free_data(uv_handle_t *handle)
{
	free(handle->data);
}

void loop_fd_stop(struct loop_fd **fp)
{
	struct loop_fd *f = *fp;

	if (!f)
		return;
	*fp = NULL;
	if (f->prev)
		f->prev->next = f->next;
	else
		f->loop->fds = f->next;
	if (f->next)
		f->next->prev = f->prev;
	uv_close((uv_handle_t *)&f->poll, free_data);
}

static void signal_came(uv_signal_t *signal, int signo)
{
	struct loop_signal *s = signal->data;

	(void)signo;
	s->loop->worked = true;
	s->fn(s->arg);
}

struct loop_signal *loop_signal(struct loop *l, int signo, void (*fn)(void *arg), void *arg)
{
	struct loop_signal *s = X_NEW(struct loop_signal);

	uv_signal_init(&l->uv, &s->signal);
	s->loop = l;
	s->fn = fn;
	s->arg = arg;
	s->signal.data = s;
	s->next = l->signals;
	if (l->signals)
		l->signals->prev = s;
	l->signals = s;
	if (uv_signal_start(&s->signal, signal_came, signo) != 0)
		die("signal %d cannot be watched", signo);
	return s;
}

void loop_signal_stop(struct loop_signal **sp)
{
	struct loop_signal *s = *sp;

	if (!s)
		return;
	*sp = NULL;
	if (s->prev)
		s->prev->next = s->next;
	else
		s->loop->signals = s->next;
	if (s->next)
		s->next->prev = s->prev;
	uv_close((uv_handle_t *)&s->signal, free_data);
}

void loop_attach(struct loop *l, const void *key, void *value, void (*drop)(void *value))
{
	*VEC_PUSH(&l->attached) = (struct attached){key, value, drop};
}

void *loop_attached(const struct loop *l, const void *key)
{
	for (size_t i = 0; i < l->attached.n; i++)
		if (l->attached.items[i].key == key)
			return l->attached.items[i].value;
	return NULL;
}

struct loop *loop_new(void)
{
	struct loop *l = X_NEW(struct loop);
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigaction(SIGPIPE, &ignore, NULL);
	if (uv_loop_init(&l->uv) != 0)
		die("the event loop cannot start");
	uv_timer_init(&l->uv, &l->timer);
	uv_prepare_init(&l->uv, &l->turn_end);
	uv_idle_init(&l->uv, &l->awake);
	l->timer.data = l;
	l->turn_end.data = l;
	uv_prepare_start(&l->turn_end, turn_ends);
	return l;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	for (size_t i = l->attached.n; i-- > 0;)
		if (l->attached.items[i].drop)
			l->attached.items[i].drop(l->attached.items[i].value);
	while (l->fds)
		loop_fd_stop(&(struct loop_fd *){l->fds});
	while (l->signals)
		loop_signal_stop(&(struct loop_signal *){l->signals});
	uv_close((uv_handle_t *)&l->timer, NULL);
	uv_close((uv_handle_t *)&l->turn_end, NULL);
	uv_close((uv_handle_t *)&l->awake, NULL);
	uv_run(&l->uv, UV_RUN_DEFAULT);
	uv_loop_close(&l->uv);
	for (size_t i = 0; i < l->heap_n; i++)
		free(l->heap[i]);
	free(l->heap);
	free(l->deferred.items);
	free(l->turn.items);
	free(l->attached.items);
	free(l);
}

int loop_run(struct loop *l)
{
	uv_run(&l->uv, UV_RUN_DEFAULT);
	return 0;
}

void loop_stop(struct loop *l)
{
	uv_stop(&l->uv);
}
