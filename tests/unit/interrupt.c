/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A terraform gets one SIGINT, whatever an earlier engine left behind when it died: each place
 * between its record, the stop, the signal and the going on is set up by hand here.
 */
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/run/interrupt.h"
#include "core/run/interrupt_guard.h"
#include "core/run/process.h"
#include "tests/unit/dir_rig.h"

/* Writes i for each SIGINT and u for each SIGUSR1, which the kernel delivers after SIGINT. */
struct tool {
	pid_t pid;
	int said;
};

static int to_test;

static void say(int signo)
{
	if (write(to_test, signo == SIGINT ? "i" : "u", 1) != 1)
		_exit(1);
}

static void be_tool(const char *name)
{
	struct sigaction sa = {.sa_handler = say};

	sigfillset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write(to_test, "r", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static char next(const struct tool *t)
{
	char c = '?';

	assert_int_equal(read(t->said, &c, 1), 1);
	return c;
}

/* leads: it begins a session, as the supervisor does. That of this test may have begun where its
 * leader has no id here (pid_namespaces(7)). */
static struct tool tool_of(const char *name, bool leads)
{
	struct tool t;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	t.pid = fork();
	assert_true(t.pid >= 0);
	to_test = fds[1];
	if (t.pid == 0) {
		if (leads && setsid() < 0)
			_exit(1);
		be_tool(name);
	}
	close(fds[1]);
	t.said = fds[0];
	assert_int_equal(next(&t), 'r');
	return t;
}

static struct tool tool_new(const char *name)
{
	return tool_of(name, false);
}

static void tool_end(const struct tool *t)
{
	(void)kill(t->pid, SIGKILL);
	assert_int_equal(waitpid(t->pid, NULL, 0), t->pid);
	close(t->said);
}

/* SIGINTs since the last time. */
static int interrupts(const struct tool *t)
{
	int n = 0;

	assert_int_equal(kill(t->pid, SIGUSR1), 0);
	while (next(t) == 'i')
		n++;
	return n;
}

static void freeze(const struct tool *t)
{
	assert_int_equal(kill(t->pid, SIGSTOP), 0);
	while (!process_frozen(t->pid))
		sched_yield();
}

static void record(const char *name, const struct tool *t, unsigned long long ticks)
{
	AUTO_FREE char *file = path_join(dir, name);
	char boot[PROCESS_BOOT];
	AUTO_FREE char *text = NULL;

	process_boot(boot);
	text = x_asprintf("%ld %llu %s\n", (long)t->pid, ticks, boot);
	assert_int_equal(path_write(file, text, strlen(text), NULL), 0);
}

static bool there(const char *name)
{
	AUTO_FREE char *file = path_join(dir, name);

	return path_exists(file);
}

static enum interrupt interrupt(void)
{
	struct err e = {0};

	return interrupt_terraform(dir, getpid(), &e);
}

static void it_is_told_once(void **state)
{
	struct tool t = tool_new("terraform");

	(void)state;
	assert_true(interrupt_finds(dir, getpid()));
	assert_int_equal(interrupt(), INTERRUPT_SENT);
	assert_int_equal(interrupts(&t), 1);
	assert_int_equal(interrupt(), INTERRUPT_SENT);
	assert_int_equal(interrupts(&t), 0);
	assert_true(there("interrupted"));
	assert_false(there("interrupt"));
	tool_end(&t);
	assert_int_equal(interrupt(), INTERRUPT_NOBODY);
}

/* What the last engine had done of it when it died, and what is still to be done. */
static const struct left {
	const char *record; /* "interrupt", "interrupted" or NULL */
	bool frozen, pending;
	int wanted; /* signals that terraform has got in the end */
} left[] = {
	{"interrupt", false, false, 1}, {"interrupt", true, false, 1}, {"interrupt", true, true, 1},
	{"interrupted", true, true, 1}, {"interrupted", true, false, 0},
	{"interrupted", false, false, 0}, {NULL, true, false, 1}, /* somebody else stopped it */
};

static void an_engine_that_died_half_way_is_gone_on_with(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(left); i++) {
		struct tool t = tool_new("terraform");
		if (left[i].record)
			record(left[i].record, &t, process_ticks(t.pid));
		if (left[i].frozen)
			freeze(&t);
		if (left[i].pending)
			assert_int_equal(kill(t.pid, SIGINT), 0);
		assert_int_equal(interrupt(), INTERRUPT_SENT);
		assert_int_equal(interrupts(&t), left[i].wanted);
		assert_int_equal(interrupt(), INTERRUPT_SENT);
		assert_int_equal(interrupts(&t), 0);
		tool_end(&t);
		assert_int_equal(path_remove_tree(dir, NULL), 0);
		assert_int_equal(path_mkdirs(dir, NULL), 0);
	}
}

/* An engine with a guard that has got so far, and is killed; the guard has done its work then. */
static void engine_dies(const struct tool *t, bool told)
{
	pid_t engine;

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	engine = fork();
	assert_true(engine >= 0);
	if (engine == 0) {
		AUTO_FREE char *about = path_join(dir, "interrupt");
		AUTO_FREE char *sent = path_join(dir, "interrupted");
		struct interrupt_guard g;
		struct process p;
		if (!process_read(t->pid, &p))
			_exit(1);
		interrupt_guard_open(&g, &p, about, sent);
		freeze(t);
		if (told && kill(t->pid, SIGINT) != 0)
			_exit(1);
		(void)kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(engine, NULL, 0), engine);
	assert_true(waitpid(-1, NULL, 0) > 0);
}

static void who_stands_still_is_woken_when_the_engine_dies(void **state)
{
	(void)state;
	for (int told = 0; told < 2; told++) {
		struct tool t = tool_new("terraform");
		record("interrupt", &t, process_ticks(t.pid));
		engine_dies(&t, told);
		assert_false(process_frozen(t.pid));
		assert_int_equal(interrupts(&t), told);
		assert_int_equal(there("interrupted"), told);
		assert_int_equal(interrupt(), INTERRUPT_SENT);
		assert_int_equal(interrupts(&t), !told);
		tool_end(&t);
		assert_int_equal(path_remove_tree(dir, NULL), 0);
		assert_int_equal(path_mkdirs(dir, NULL), 0);
	}
}

/* Nobody is woken who would get a second signal then. */
static void what_cannot_be_recorded_is_left_to_the_next_engine(void **state)
{
	struct tool t = tool_new("terraform");
	AUTO_FREE char *elsewhere = x_asprintf("%s-elsewhere", dir);

	(void)state;
	record("interrupt", &t, process_ticks(t.pid));
	assert_int_equal(rename(dir, elsewhere), 0);
	engine_dies(&t, true);
	assert_true(process_frozen(t.pid));
	assert_int_equal(rename(elsewhere, dir), 0);
	assert_int_equal(interrupt(), INTERRUPT_SENT);
	assert_int_equal(interrupts(&t), 1);
	tool_end(&t);
}

static void another_one_of_the_same_id_is_another_one(void **state)
{
	struct tool t = tool_new("terraform");

	(void)state;
	record("interrupted", &t, process_ticks(t.pid) - 1);
	assert_int_equal(interrupt(), INTERRUPT_SENT);
	assert_int_equal(interrupts(&t), 1);
	tool_end(&t);
}

static void a_further_terraform_gets_its_own(void **state)
{
	struct tool t = tool_new("terraform");

	(void)state;
	assert_int_equal(interrupt(), INTERRUPT_SENT);
	tool_end(&t);
	t = tool_new("terraform");
	assert_int_equal(interrupt(), INTERRUPT_SENT);
	assert_int_equal(interrupts(&t), 1);
	tool_end(&t);
}

static void nothing_is_sent_that_cannot_be_recorded(void **state)
{
	struct tool t = tool_new("terraform");
	AUTO_FREE char *nowhere = path_join(dir, "no/such/folder");
	struct err e = {0};

	(void)state;
	assert_int_equal(interrupt_terraform(nowhere, getpid(), &e), INTERRUPT_LATER);
	assert_string_not_equal(e.what, "");
	assert_int_equal(interrupts(&t), 0);
	tool_end(&t);
}

static void others_are_left_alone(void **state)
{
	struct tool gcluster = tool_new("gcluster"), plugin = tool_new("terraform-provi");

	(void)state;
	assert_false(interrupt_finds(dir, getpid()));
	assert_true(interrupt_shields(dir, getpid()));
	assert_int_equal(interrupt(), INTERRUPT_NOBODY);
	assert_int_equal(interrupts(&gcluster), 0);
	assert_int_equal(interrupts(&plugin), 0);
	tool_end(&gcluster);
	assert_false(interrupt_shields(dir, getpid()));
	tool_end(&plugin);
}

/* Not below the script, and of no session of this attempt. */
static void a_terraform_of_somebody_else_is_not_found(void **state)
{
	struct tool t = tool_new("terraform"), script = tool_new("script");
	struct err e = {0};

	(void)state;
	assert_int_equal(interrupt_terraform(dir, script.pid, &e), INTERRUPT_NOBODY);
	assert_int_equal(interrupt_terraform(dir, 0, &e), INTERRUPT_NOBODY);
	assert_int_equal(interrupts(&t), 0);
	tool_end(&t);
	tool_end(&script);
}

/* The script is gone: what it has started is still of the supervisor's session. */
static void the_session_tells_when_the_script_is_gone(void **state)
{
	AUTO_FREE char *claim = path_join(dir, "claim");
	struct tool t = tool_of("terraform", true);
	struct err e = {0};

	(void)state;
	assert_int_equal(path_mkdirs(claim, NULL), 0);
	record("claim/pid", &t, process_ticks(t.pid));
	assert_int_equal(interrupt_terraform(dir, 0, &e), INTERRUPT_SENT);
	assert_int_equal(interrupts(&t), 1);
	tool_end(&t);
}

static void a_name_with_brackets_is_read(void **state)
{
	struct tool t = tool_new("a) R (b");
	struct process p;

	(void)state;
	assert_true(process_read(t.pid, &p));
	assert_string_equal(p.name, "a) R (b");
	assert_int_equal(p.parent, getpid());
	assert_int_equal(p.session, getsid(0));
	assert_int_equal(process_depth(t.pid, getpid()), 1);
	assert_int_equal(process_depth(getpid(), getpid()), 0);
	assert_int_equal(process_depth(getpid(), t.pid), -1);
	tool_end(&t);
	assert_false(process_read(t.pid, &p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, dir_setup, dir_teardown)
		T(it_is_told_once),
		T(an_engine_that_died_half_way_is_gone_on_with),
		T(who_stands_still_is_woken_when_the_engine_dies),
		T(what_cannot_be_recorded_is_left_to_the_next_engine),
		T(another_one_of_the_same_id_is_another_one),
		T(a_further_terraform_gets_its_own),
		T(nothing_is_sent_that_cannot_be_recorded),
		T(others_are_left_alone),
		T(a_terraform_of_somebody_else_is_not_found),
		T(the_session_tells_when_the_script_is_gone),
		T(a_name_with_brackets_is_read),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
