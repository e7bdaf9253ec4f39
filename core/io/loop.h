/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one loop of a process; everything that waits, waits here. Owns one timer heap (run-time and
 * wall timers together) over one uv_timer, the watched descriptors, signals and deferred calls.
 * Invariants: no callback runs inside the function that registered it; no timer is shorter than
 * LOOP_MIN_MS of wall time; a cancelled or stopped thing never calls again. Not thread safe.
 */
#ifndef RLPILOT_IO_LOOP_H
#define RLPILOT_IO_LOOP_H

#include <stdint.h>

#define LOOP_MIN_MS 20

enum { LOOP_READ = 1, LOOP_WRITE = 2 };

struct loop;
struct loop_timer;
struct loop_fd;
struct loop_signal;

/* SIGPIPE is ignored from here on (children get it back). */
struct loop *loop_new(void);
/* Drops every timer, descriptor watch, signal and attached value without calling back. */
void loop_free(struct loop *l);
/* Runs until loop_stop; 0. May be entered again afterwards, never from a callback. */
int loop_run(struct loop *l);
/* The current turn is finished first. */
void loop_stop(struct loop *l);

/* Calls fn once, in this turn's end or the next one. */
void loop_defer(struct loop *l, void (*fn)(void *arg), void *arg);
/* Forgets deferred calls with this argument. */
void loop_defer_drop(struct loop *l, const void *arg);

/* One-shot timers. The handle is dead once fn has been called: clear your copy there. */
struct loop_timer *loop_after(struct loop *l, int64_t run_ms, void (*fn)(void *arg), void *arg);
struct loop_timer *loop_after_wall(
	struct loop *l, int64_t wall_ms, void (*fn)(void *arg), void *arg);
/* Cancels and sets *t to NULL; NULL and *t == NULL are fine. */
void loop_timer_cancel(struct loop_timer **t);

/* Watches fd, whose flags stay as they are; at most one watch a descriptor. Hang-up and errors come
 * as LOOP_READ|LOOP_WRITE as far as asked for. NULL when the descriptor cannot be waited for
 * (regular file, /dev/null): it is always ready. */
struct loop_fd *loop_fd_watch(
	struct loop *l, int fd, int events, void (*fn)(void *arg, int events), void *arg);
void loop_fd_change(struct loop_fd *f, int events); /* 0 = wait for nothing */
/* Stop before closing the descriptor; sets *f to NULL. */
void loop_fd_stop(struct loop_fd **f);

/* Several watchers of one signal are allowed. fn runs in the loop, not in the handler. */
struct loop_signal *loop_signal(struct loop *l, int signo, void (*fn)(void *arg), void *arg);
void loop_signal_stop(struct loop_signal **s);

/* fn is called at the end of each turn in which any other callback ran, before the loop sleeps. */
void loop_on_turn(struct loop *l, void (*fn)(void *arg), void *arg);
void loop_on_turn_stop(struct loop *l, void (*fn)(void *arg), void *arg);

/* A value that lives as long as the loop, found by the address of `key`; `drop` may be NULL. */
void loop_attach(struct loop *l, const void *key, void *value, void (*drop)(void *value));
void *loop_attached(const struct loop *l, const void *key);

#endif
