/* SPDX-License-Identifier: Apache-2.0 */
/* Lines in any chunking; children: exit codes, missing programs, big output, input, stopping. */
#include <pthread.h>
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

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/io/child.h"
#include "core/io/lines.h"
#include "core/io/loop.h"

static struct loop *loop;
static struct buf out, err_out;
static size_t out_lines;
static int code;

static int setup(void **state)
{
	(void)state;
	loop = loop_new();
	buf_clear(&out);
	buf_clear(&err_out);
	out_lines = 0;
	code = -1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	loop_free(loop);
	buf_fini(&out);
	buf_fini(&err_out);
	return 0;
}

static void on_line(void *arg, const char *line, size_t n, bool cut)
{
	struct buf *b = arg;

	assert_int_equal(line[n], '\0');
	buf_addf(b, "%zu%s:", n, cut ? "!" : "");
	buf_add(b, line, n);
	buf_addc(b, '|');
}

static void R80_long_lines_are_cut_and_reading_goes_on(void **state)
{
	struct buf text = {0}, whole = {0}, parts = {0};
	struct lines l;
	unsigned seed = 1;

	(void)state;
	for (int i = 0; i < 40; i++) {
		seed = seed * 1103515245U + 12345U;
		for (unsigned k = 0; k < seed % 90; k++)
			buf_addc(&text, (char)('a' + (seed >> 8) % 26));
		buf_adds(&text, seed & 4096 ? "\r\n" : "\n");
	}
	for (size_t extra = 0; extra < 4; extra++) {
		for (size_t k = 0; k < LINES_MAX - 1 + extra; k++)
			buf_addc(&text, 'L');
		buf_adds(&text, extra & 1 ? "\r\n" : "\n");
	}
	buf_adds(&text, "no end");
	lines_init(&l, on_line, &whole);
	lines_feed(&l, text.data, text.len);
	lines_end(&l);
	lines_fini(&l);
	for (size_t step = 1; step < 40000; step = step * 3 + 1) {
		buf_clear(&parts);
		lines_init(&l, on_line, &parts);
		for (size_t at = 0; at < text.len; at += step)
			lines_feed(&l, text.data + at, text.len - at < step ? text.len - at : step);
		lines_end(&l);
		lines_fini(&l);
		assert_int_equal(parts.len, whole.len);
		assert_memory_equal(parts.data, whole.data, whole.len);
	}
	assert_non_null(strstr(whole.data, "65536!:L"));
	assert_non_null(strstr(whole.data, "65536:L"));
	assert_non_null(strstr(whole.data, "|6:no end|"));
	buf_fini(&text);
	buf_fini(&whole);
	buf_fini(&parts);
}

static void on_out(void *arg, const char *line, size_t n, bool cut)
{
	(void)arg;
	(void)cut;
	out_lines++;
	buf_add(&out, line, n);
	buf_addc(&out, '\n');
}

static void on_err(void *arg, const char *line, size_t n, bool cut)
{
	(void)arg;
	(void)cut;
	buf_add(&err_out, line, n);
	buf_addc(&err_out, '\n');
}

static void on_exit_stop(void *arg, int exit_code)
{
	(void)arg;
	code = exit_code;
	loop_stop(loop);
}

static void run_sh(const char *script, const char *input)
{
	const char *argv[] = {"sh", "-c", script, NULL};
	struct child_spec s = {
		.argv = argv, .on_out = on_out, .on_err = on_err, .on_exit = on_exit_stop};
	struct err e;

	if (input) {
		s.input = input;
		s.input_n = strlen(input);
	}
	assert_non_null(child_start(loop, &s, &e));
	loop_run(loop);
}

static void exit_codes_and_signals_are_told(void **state)
{
	(void)state;
	run_sh("exit 7", NULL);
	assert_int_equal(code, 7);
	run_sh("kill -TERM $$", NULL);
	assert_int_equal(code, 128 + SIGTERM);
	run_sh("echo one; echo two >&2; printf three", NULL);
	assert_int_equal(code, 0);
	assert_string_equal(buf_str(&out), "one\nthree\n");
	assert_string_equal(buf_str(&err_out), "two\n");
}

static void stdin_is_empty_or_what_was_given(void **state)
{
	struct buf big = {0};

	(void)state;
	run_sh("wc -c", NULL);
	assert_int_equal(strtol(buf_str(&out), NULL, 10), 0);
	buf_clear(&out);
	for (int i = 0; i < 300000; i++)
		buf_addc(&big, 'z');
	run_sh("wc -c", buf_str(&big));
	assert_int_equal(strtol(buf_str(&out), NULL, 10), 300000);
	buf_fini(&big);
}

static void big_output_is_complete_before_the_exit(void **state)
{
	(void)state;
	run_sh("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; exit 3", NULL);
	assert_int_equal(code, 3);
	assert_int_equal(out_lines, 20000);
	assert_non_null(strstr(buf_str(&out), "line 19999\n"));
}

static void a_missing_program_is_an_error_with_a_cure(void **state)
{
	const char *argv[] = {"no-such-program-here", NULL};
	const char *slash[] = {"./no-such-program-here", NULL};
	struct child_spec s = {.argv = argv, .on_exit = on_exit_stop};
	struct err e = {0};

	(void)state;
	assert_null(child_start(loop, &s, &e));
	assert_non_null(strstr(e.what, "no-such-program-here"));
	assert_string_not_equal(e.hint, "");
	s.argv = slash;
	err_clear(&e);
	assert_null(child_start(loop, &s, &e));
	assert_non_null(strstr(e.what, "./no-such-program-here"));
	argv[0] = "true";
	s.argv = argv;
	s.cwd = "/no/such/folder";
	err_clear(&e);
	assert_null(child_start(loop, &s, &e));
	assert_non_null(strstr(e.what, "/no/such/folder"));
}

static void output_goes_to_files_with_private_mode(void **state)
{
	const char *tmp = getenv("TMPDIR");
	AUTO_FREE char *dir = x_asprintf("%s/rlpilot-child-XXXXXX", tmp ? tmp : "/tmp");
	AUTO_FREE char *file = NULL;
	const char *argv[] = {
		"sh", "-c", "echo out; echo err >&2; ls -l \"$0\" | cut -c1-10", NULL, NULL};
	struct child_spec s = {.argv = argv, .on_exit = on_exit_stop, .detached = true};
	struct buf text = {0};
	struct err e;

	(void)state;
	assert_non_null(mkdtemp(dir));
	file = path_join(dir, "log");
	argv[3] = file;
	s.out_file = s.err_file = file;
	assert_non_null(child_start(loop, &s, &e));
	loop_run(loop);
	assert_int_equal(path_read(file, 4096, &text, &e), 0);
	assert_string_equal(buf_str(&text), "out\nerr\n-rw-------\n");
	buf_fini(&text);
	assert_int_equal(path_remove_tree(dir, &e), 0);
}

static void stopping_reaches_the_group_and_then_kills(void **state)
{
	const char *argv[] = {"sh", "-c", "trap '' TERM; echo up; sleep 60 & wait; sleep 60", NULL};
	struct child_spec s = {.argv = argv, .on_out = on_out, .on_exit = on_exit_stop};
	struct err e;
	struct child *c = child_start(loop, &s, &e);

	(void)state;
	assert_non_null(c);
	child_stop(c, 100);
	loop_run(loop);
	assert_true(code == 128 + SIGKILL || code == 128 + SIGTERM);
}

static void no_descriptor_above_two_is_inherited(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	run_sh("ls /proc/self/fd 2>/dev/null | wc -l", NULL);
	/* 0 1 2 and the folder that ls reads. */
	assert_in_range(strtol(buf_str(&out), NULL, 10), 0, 4);
	close(fds[0]);
	close(fds[1]);
}

static void a_forgotten_child_says_nothing(void **state)
{
	const char *argv[] = {"sh", "-c", "echo never", NULL};
	struct child_spec s = {.argv = argv, .on_out = on_out, .on_exit = on_exit_stop};
	struct err e;
	struct child *c = child_start(loop, &s, &e);

	(void)state;
	assert_non_null(c);
	child_forget(&c);
	assert_null(c);
	run_sh("exit 9", NULL);
	assert_int_equal(code, 9);
	assert_string_equal(buf_str(&out), "");
}

static pid_t sharing;

static void interrupted(void *arg)
{
	(void)arg;
	buf_addf(&out, "signal at %d", code);
	if (code >= 0)
		loop_stop(loop);
}

static void ended_with(void *arg, int status)
{
	(void)arg;
	code = status;
	if (out.len)
		loop_stop(loop);
}

/* Its end is seen; now the signal comes that was on its way before. */
static void let_signal_through(void *arg)
{
	sigset_t *held = arg;

	if (kill(sharing, 0) != 0)
		(void)sigprocmask(SIG_UNBLOCK, held, NULL);
}

static void a_key_for_both_is_told_before_the_end_of_who_shares_the_terminal(void **state)
{
	const char *argv[] = {"sh", "-c", "exit 7", NULL};
	struct child_spec s = {.argv = argv, .on_terminal = true, .on_exit = ended_with};
	struct loop_signal *sigint = loop_signal(loop, SIGINT, interrupted, NULL);
	sigset_t held;
	struct child *c;
	struct err e;

	(void)state;
	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	assert_int_equal(sigprocmask(SIG_BLOCK, &held, NULL), 0);
	assert_int_equal(raise(SIGINT), 0);
	c = child_start(loop, &s, &e);
	assert_non_null(c);
	sharing = child_pid(c);
	loop_on_turn(loop, let_signal_through, &held);
	loop_run(loop);
	assert_int_equal(code, 7);
	assert_string_equal(buf_str(&out), "signal at -1");
	loop_signal_stop(&sigint);
}

static bool stop_in_child;

/* Runs in the child, first of all: as if ^Z had been pressed just now. */
static void forked(void)
{
	if (stop_in_child)
		(void)raise(SIGTSTP);
}

static void a_stop_key_while_one_starts_stops_nobody(void **state)
{
	(void)state;
	assert_int_equal(pthread_atfork(NULL, NULL, forked), 0);
	(void)alarm(30); /* a parent that waits for a sleeping child waits for ever */
	stop_in_child = true;
	run_sh("exit 3", NULL);
	stop_in_child = false;
	(void)alarm(0);
	assert_int_equal(code, 3);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(R80_long_lines_are_cut_and_reading_goes_on),
		T(exit_codes_and_signals_are_told),
		T(stdin_is_empty_or_what_was_given),
		T(big_output_is_complete_before_the_exit),
		T(a_missing_program_is_an_error_with_a_cure),
		T(output_goes_to_files_with_private_mode),
		T(stopping_reaches_the_group_and_then_kills),
		T(no_descriptor_above_two_is_inherited),
		T(a_forgotten_child_says_nothing),
		T(a_key_for_both_is_told_before_the_end_of_who_shares_the_terminal),
		T(a_stop_key_while_one_starts_stops_nobody),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
