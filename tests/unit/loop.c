/* SPDX-License-Identifier: Apache-2.0 */
/* Timers under a factor, order, cancelling, deferring, turns, descriptors, signals. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/io/loop.h"

static struct loop *loop;
static char seen[64];

static int setup(void **state)
{
	(void)state;
	loop = loop_new();
	seen[0] = '\0';
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	loop_free(loop);
	unsetenv("RLPILOT_CLOCK");
	return 0;
}

static void note(void *arg)
{
	size_t n = strlen(seen);

	seen[n] = *(const char *)arg;
	seen[n + 1] = '\0';
}

static void stop(void *arg)
{
	(void)arg;
	loop_stop(loop);
}

static void timers_fire_in_order_of_time_then_of_asking(void **state)
{
	(void)state;
	loop_after_wall(loop, 45, note, "c");
	loop_after_wall(loop, 25, note, "a");
	loop_after_wall(loop, 25, note, "b");
	loop_after_wall(loop, 60, stop, NULL);
	loop_run(loop);
	assert_string_equal(seen, "abc");
}

static void many_timers_and_cancels_keep_the_heap(void **state)
{
	struct loop_timer *t[200];
	int64_t start = clock_wall();

	(void)state;
	for (int i = 0; i < 200; i++)
		t[i] = loop_after_wall(loop, 20 + (i * 7919) % 97, note, "x");
	for (int i = 0; i < 200; i++)
		if (i % 10)
			loop_timer_cancel(&t[i]);
	assert_null(t[1]);
	loop_after_wall(loop, 130, stop, NULL);
	loop_run(loop);
	assert_int_equal(strlen(seen), 20);
	assert_true(clock_wall() - start >= 130);
}

static void run_time_is_scaled_but_never_under_the_least_wait(void **state)
{
	struct err e;
	int64_t start = clock_wall(), took;

	(void)state;
	setenv("RLPILOT_CLOCK", "1000@1000*1000", 1);
	assert_int_equal(clock_init(&e), 0);
	loop_after(loop, 60000, stop, NULL); /* 60 ms of wall time */
	loop_after(loop, 1, note, "s");
	loop_run(loop);
	took = clock_wall() - start;
	assert_true(took >= 60 && took < 5000);
	start = clock_wall();
	loop_after(loop, 1, stop, NULL);
	loop_run(loop);
	assert_true(clock_wall() - start >= LOOP_MIN_MS);
	assert_string_equal(seen, "s");
	setenv("RLPILOT_CLOCK", "0@0*1", 1);
	assert_int_equal(clock_init(&e), 0);
}

static void defer_again(void *arg)
{
	note(arg);
	loop_defer(loop, note, "2");
	loop_defer(loop, stop, NULL);
}

static void deferred_calls_come_later_and_can_be_dropped(void **state)
{
	static char dropped[] = "d";

	(void)state;
	loop_defer(loop, note, dropped);
	loop_defer(loop, defer_again, "1");
	loop_defer_drop(loop, dropped);
	assert_string_equal(seen, "");
	loop_run(loop);
	assert_string_equal(seen, "12");
}

static int turns;
static void count_turn(void *arg)
{
	(void)arg;
	turns++;
}

static void note_and_stop_later(void *arg)
{
	note(arg);
	loop_after_wall(loop, 30, stop, NULL);
}

static void a_turn_without_work_is_not_told(void **state)
{
	(void)state;
	turns = 0;
	loop_on_turn(loop, count_turn, NULL);
	loop_after_wall(loop, 20, note, "a");
	loop_after_wall(loop, 20, note, "b");
	loop_after_wall(loop, 60, note_and_stop_later, "c"); /* a turn of its own, however late */
	loop_run(loop);
	assert_in_range(turns, 2, 4);
}

static int pipe_fds[2];
static struct loop_fd *watched;
static void readable(void *arg, int events)
{
	char c;

	(void)arg;
	assert_true(events & LOOP_READ);
	if (read(pipe_fds[0], &c, 1) == 1) {
		note(&c);
		return;
	}
	loop_fd_stop(&watched);
	loop_stop(loop);
}

static void descriptors_are_watched_and_keep_their_flags(void **state)
{
	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	watched = loop_fd_watch(loop, pipe_fds[0], LOOP_READ, readable, NULL);
	assert_non_null(watched);
	assert_int_equal(write(pipe_fds[1], "xy", 2), 2);
	close(pipe_fds[1]);
	loop_run(loop);
	assert_string_equal(seen, "xy");
	assert_null(watched);
	close(pipe_fds[0]);
}

static void a_regular_file_cannot_be_waited_for(void **state)
{
	FILE *f = tmpfile();

	(void)state;
	assert_non_null(f);
	assert_null(loop_fd_watch(loop, fileno(f), LOOP_READ, readable, NULL));
	fclose(f);
}

static void signals_come_through_the_loop(void **state)
{
	struct loop_signal *s = loop_signal(loop, SIGUSR1, stop, NULL);

	(void)state;
	raise(SIGUSR1);
	loop_run(loop);
	loop_signal_stop(&s);
	assert_null(s);
}

static int dropped;
static void drop(void *value)
{
	dropped += *(int *)value;
}

static void attached_values_live_as_long_as_the_loop(void **state)
{
	static const char key, other;
	int value = 7;
	struct loop *l = loop_new();

	(void)state;
	loop_attach(l, &key, &value, drop);
	assert_ptr_equal(loop_attached(l, &key), &value);
	assert_null(loop_attached(l, &other));
	loop_after_wall(l, 1000, note, "never");
	loop_free(l);
	assert_int_equal(dropped, 7);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(timers_fire_in_order_of_time_then_of_asking),
		T(many_timers_and_cancels_keep_the_heap),
		T(run_time_is_scaled_but_never_under_the_least_wait),
		T(deferred_calls_come_later_and_can_be_dropped),
		T(a_turn_without_work_is_not_told),
		T(descriptors_are_watched_and_keep_their_flags),
		T(a_regular_file_cannot_be_waited_for),
		T(signals_come_through_the_loop),
		T(attached_values_live_as_long_as_the_loop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
