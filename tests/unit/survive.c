/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must never be lost or done twice: a journal cut at any byte, foreign lines in it, attempts
 * whose supervisor, script, machine or files are gone.
 */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/run/attempt.h"
#include "core/run/event.h"
#include "core/run/journal.h"
#include "tests/unit/dir_rig.h"

static void put(const char *name, const char *text, size_t n)
{
	AUTO_FREE char *file = path_join(dir, name);
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), (ssize_t)n);
	close(fd);
}

static void put_text(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

/* --- journal */

static void fill_journal(struct buf *whole)
{
	static const enum stage_move moves[] = {MOVE_GATE, MOVE_BLOCKED, MOVE_GATE, MOVE_START,
		MOVE_EXIT, MOVE_UNKNOWN, MOVE_VERIFY, MOVE_FAILED, MOVE_START, MOVE_CANCEL,
		MOVE_SKIP};
	AUTO_FREE char *file = path_join(dir, "journal.jsonl");
	struct err e = {0};
	struct journal *j = journal_open(dir, &e);
	struct event mode = {.kind = EV_MODE, .on = true};
	struct event pool = {.kind = EV_POOL};

	assert_non_null(j);
	for (size_t i = 0; i < COUNT(moves); i++) {
		struct event ev = event_stage(STAGE_CONVERT, moves[i], 1 + (int)i / 8);
		ev.u.stage.note = "a \"note\" with \xea\xb0\x80 and \\";
		ev.u.stage.cause = moves[i] == MOVE_FAILED ? "why" : NULL;
		assert_int_equal(journal_append(j, &ev, &e), 0);
	}
	pool.u.pool.chips = 32;
	pool.u.pool.since = 1790000000000;
	assert_int_equal(journal_append(j, &mode, &e), 0);
	assert_int_equal(journal_append(j, &pool, &e), 0);
	assert_int_equal(journal_note(j, "intent", STAGE_NONE, "a note", &e), 0);
	journal_close(j);
	assert_int_equal(path_read(file, 65536, whole, NULL), 0);
}

struct seen {
	struct state state;
	int events;
};

static void apply(void *arg, const struct event *ev)
{
	struct seen *s = arg;

	s->events++;
	run_apply(&s->state, ev);
}

static void replay(struct seen *s, int64_t *at, int64_t *seq)
{
	*at = *seq = 0;
	memset(s, 0, sizeof(*s));
	state_init(&s->state);
	assert_int_equal(journal_replay(dir, at, apply, s, seq, NULL), 0);
	for (unsigned i = 0; i < STAGE_COUNT; i++)
		assert_in_range(s->state.stages[i].state, ST_TODO, ST_UNKNOWN);
	state_fini(&s->state);
}

static int lines_in(const char *text, size_t n)
{
	int lines = 0;

	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	return lines;
}

/* Every beginning of a journal is a journal: whole lines count, and the next one follows on them.
 */
static void a_journal_cut_at_any_byte_goes_on(void **state)
{
	AUTO(buf_fini) struct buf whole = {0};

	(void)state;
	fill_journal(&whole);
	for (size_t n = 0; n <= whole.len; n++) {
		int64_t lines = lines_in(buf_str(&whole), n), at, seq;
		struct event ev = event_stage(STAGE_TRAIN, MOVE_START, 1);
		struct err e = {0};
		struct journal *j;
		struct seen before, after;

		put("journal.jsonl", buf_str(&whole), n);
		replay(&before, &at, &seq);
		assert_int_equal(seq, lines);
		assert_true(at <= (int64_t)n);
		j = journal_open(dir, &e);
		assert_non_null(j);
		assert_int_equal(journal_append(j, &ev, &e), 0);
		journal_close(j);
		replay(&after, &at, &seq);
		assert_int_equal(seq, lines + 1);
		assert_int_equal(after.events, before.events + 1);
	}
}

static void foreign_lines_change_nothing(void **state)
{
	static const char *const foreign[] = {
		"",
		"hello",
		"{",
		"[]",
		"null",
		"{\"v\":2,\"ev\":\"stage-done\",\"stage\":\"train\"}",
		"{\"v\":1}",
		"{\"v\":1,\"ev\":\"stage-done\",\"stage\":\"moon\"}",
		"{\"v\":1,\"ev\":7,\"stage\":[]}",
		"{\"v\":1,\"ev\":\"party\",\"seq\":\"x\"}",
		"\xff\xfe\x01",
		"{\"v\":1,\"ev\":\"stage-done\",\"stage\":\"train\"} tail",
	};
	AUTO(buf_fini) struct buf whole = {0};
	struct seen plain, mixed;
	int64_t at, seq;

	(void)state;
	fill_journal(&whole);
	replay(&plain, &at, &seq);
	for (size_t i = 0; i < COUNT(foreign); i++) {
		AUTO(buf_fini) struct buf text = {0};
		const char *first = strchr(buf_str(&whole), '\n') + 1;

		buf_add(&text, buf_str(&whole), (size_t)(first - buf_str(&whole)));
		buf_addf(&text, "%s\n%s", foreign[i], first);
		put("journal.jsonl", buf_str(&text), text.len);
		replay(&mixed, &at, &seq);
		assert_int_equal(mixed.events, plain.events);
		assert_int_equal(at, (int64_t)text.len);
	}
}

static void a_clock_that_goes_back_is_taken(void **state)
{
	struct seen s;
	int64_t at, seq;

	(void)state;
	put_text("journal.jsonl", "{\"v\":1,\"seq\":1,\"t\":\"2026-09-10T08:00:00Z\",\"ev\":"
				  "\"stage-start\",\"stage\":\"train\",\"attempt\":1}\n"
				  "{\"v\":1,\"seq\":2,\"t\":\"2026-09-10T07:00:00Z\",\"ev\":"
				  "\"stage-done\",\"stage\":\"train\",\"attempt\":1}\n");
	at = seq = 0;
	memset(&s, 0, sizeof(s));
	state_init(&s.state);
	assert_int_equal(journal_replay(dir, &at, apply, &s, &seq, NULL), 0);
	assert_int_equal(s.state.stages[STAGE_TRAIN].state, ST_DONE);
	state_fini(&s.state);
}

/* --- attempts */

static char *attempt_with(const char *script)
{
	char *attempt = attempt_dir(dir, STAGE_CLUSTER, 1);

	assert_int_equal(attempt_prepare(attempt, script, NULL), 0);
	return attempt;
}

static pid_t supervise(const char *attempt)
{
	AUTO_FREE char *supervisor = attempt_supervisor(NULL);
	pid_t pid;

	assert_non_null(supervisor);
	pid = fork();
	if (pid == 0) {
		(void)setsid();
		execl("/bin/sh", "sh", supervisor, attempt, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static void in_attempt(const char *name, const char *text)
{
	AUTO_FREE char *file = x_asprintf("stages/cluster/1/%s", name);

	put_text(file, text);
}

static bool ran(void)
{
	AUTO_FREE char *file = path_join(dir, "ran");

	return path_exists(file);
}

static char *marking_script(void)
{
	return x_asprintf("#!/bin/sh\n: >'%s/ran'\n", dir);
}

static void an_attempt_that_began_cannot_be_given_up(void **state)
{
	AUTO_FREE char *script = marking_script();
	AUTO_FREE char *attempt = attempt_with(script);
	pid_t pid = supervise(attempt);

	(void)state;
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(ran());
	assert_false(attempt_give_up(attempt));
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_EXITED);
}

/* A supervisor that was slow and an engine that gave it up: whoever comes first decides. */
static void a_late_child_finds_the_attempt_given_up(void **state)
{
	AUTO_FREE char *script = marking_script();
	AUTO_FREE char *attempt = attempt_with(script);
	AUTO_FREE char *claim = path_join(attempt, "claim");
	AUTO_FREE char *exit_file = path_join(attempt, "exit");
	AUTO_FREE char *supervisor = attempt_supervisor(NULL);
	pid_t pid;

	(void)state;
	assert_int_equal(path_mkdirs(claim, NULL), 0);
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_NEVER);
	assert_true(attempt_give_up(attempt));
	assert_true(attempt_give_up(attempt));
	pid = fork();
	if (pid == 0) {
		execl("/bin/sh", "sh", supervisor, "--child", attempt, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(ran());
	assert_false(path_exists(exit_file));
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_NEVER);
}

/* The script is killed, what it has started lives on: the attempt has not ended. */
static void tools_that_outlive_the_script_are_waited_for(void **state)
{
	AUTO_FREE char *fifo = path_join(dir, "fifo");
	AUTO_FREE char *script =
		x_asprintf("#!/bin/sh\nsh -c 'read line <%s/fifo' &\nkill -9 $$\n", dir);
	AUTO_FREE char *attempt = attempt_with(script);
	struct attempt_look look;
	pid_t pid;
	int fd;

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	pid = supervise(attempt);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	look = attempt_look(attempt);
	assert_int_equal(look.state, ATTEMPT_RUNNING);
	assert_true(attempt_lingers(attempt));
	fd = open(fifo, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "end\n", 4), 4);
	close(fd);
	while (attempt_lingers(attempt))
		sched_yield();
	look = attempt_look(attempt);
	assert_int_equal(look.state, ATTEMPT_EXITED);
	assert_int_equal(look.exit, 128 + SIGKILL);
}

static char *boot(void)
{
	AUTO(buf_fini) struct buf b = {0};

	assert_int_equal(path_read("/proc/sys/kernel/random/boot_id", 64, &b, NULL), 0);
	return x_strndup(buf_str(&b), 36);
}

static char *claimed(const char *boot_id, const char *host)
{
	AUTO_FREE char *holder = x_asprintf(
		"%ld 1 %s%s%s\n", (long)getpid(), boot_id, host ? " " : "", host ? host : "");
	char *attempt = attempt_with("#!/bin/sh\n");
	AUTO_FREE char *claim = path_join(attempt, "claim");

	assert_int_equal(path_mkdirs(claim, NULL), 0);
	in_attempt("claim/pid", holder);
	return attempt;
}

static void begun(const char *attempt)
{
	AUTO_FREE char *go = path_join(attempt, "claim/go");

	assert_int_equal(symlink("../pid", go), 0);
}

/* Ids of an earlier boot belong to nobody now, even where a process has the same number. */
static void after_a_new_start_of_the_machine_attempts_are_lost(void **state)
{
	AUTO_FREE char *attempt = claimed("00000000-0000-0000-0000-000000000000", NULL);
	AUTO_FREE char *holder =
		x_asprintf("%ld 1 00000000-0000-0000-0000-000000000000\n", (long)getpid());

	(void)state;
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_NEVER);
	in_attempt("pid", holder);
	begun(attempt);
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_LOST);
	assert_false(attempt_look(attempt).elsewhere);
	in_attempt("exit", "0\n");
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_EXITED);
}

static void an_attempt_of_another_machine_cannot_be_seen(void **state)
{
	AUTO_FREE char *id = boot();
	AUTO_FREE char *attempt = claimed(id, "another-machine");

	(void)state;
	begun(attempt);
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_LOST);
	assert_true(attempt_look(attempt).elsewhere);
}

/* With the claim gone a script that has begun is not begun again. */
static void missing_supervisor_files_begin_nothing_again(void **state)
{
	AUTO_FREE char *id = boot();
	AUTO_FREE char *attempt = claimed(id, NULL);
	AUTO_FREE char *claim = path_join(attempt, "claim");
	AUTO_FREE char *claim_pid = path_join(attempt, "claim/pid");
	AUTO_FREE char *holder = x_asprintf("%d 1 %s\n", 999999999, id);

	(void)state;
	in_attempt("pid", holder);
	begun(attempt);
	assert_int_equal(unlink(claim_pid), 0);
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_LOST);
	assert_true(attempt_look(attempt).elsewhere); /* nobody may say that it has ended */
	assert_int_equal(path_remove_tree(claim, NULL), 0);
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_LOST);
	in_attempt("exit", "rubbish\n");
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_LOST);
	in_attempt("exit", "");
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_LOST);
}

/* Looked at all the time while its supervisor begins, and to its end. */
static void a_beginning_is_never_taken_for_a_loss(void **state)
{
	(void)state;
	for (int round = 0; round < 30; round++) {
		AUTO_FREE char *attempt = attempt_with("#!/bin/sh\nexit 3\n");
		struct attempt_look look;
		pid_t pid = supervise(attempt);

		do {
			look = attempt_look(attempt);
			assert_int_not_equal(look.state, ATTEMPT_LOST);
		} while (look.state != ATTEMPT_EXITED);
		assert_int_equal(look.exit, 3);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_int_equal(path_remove_tree(attempt, NULL), 0);
	}
}

/* Whichever of its files are lost: an attempt that left any trace of its script is not begun again,
 * and one whose code is there has ended with it. */
static void every_loss_of_files_is_safe(void **state)
{
	static const char *const files[] = {
		"claim/pid", "claim/go", "claim", "pid", "started", "log", "exit", "script"};
	enum { PID = 1, GO = 2, CLAIM = 4, SCRIPT_PID = 8, STARTED = 16, LOG = 32, EXIT = 64 };
	AUTO_FREE char *id = boot();
	AUTO_FREE char *holder = x_asprintf("%d 1 %s\n", 999999999, id);

	(void)state;
	for (unsigned kept = 0; kept < 1U << COUNT(files); kept++) {
		AUTO_FREE char *attempt = attempt_with("#!/bin/sh\n");
		AUTO_FREE char *claim = path_join(attempt, "claim");
		bool claimed_still = (kept & CLAIM) != 0;
		bool traces = kept & SCRIPT_PID || (claimed_still && kept & GO) ||
			      (!claimed_still && kept & (STARTED | LOG));
		enum attempt_state want = kept & EXIT     ? ATTEMPT_EXITED
					  : traces        ? ATTEMPT_LOST
					  : claimed_still ? ATTEMPT_NEVER
							  : ATTEMPT_NONE;

		assert_int_equal(path_mkdirs(claim, NULL), 0);
		in_attempt("claim/pid", holder);
		begun(attempt);
		in_attempt("pid", holder);
		in_attempt("started", "1790000000\n");
		in_attempt("log", "said\n");
		in_attempt("exit", "3\n");
		for (size_t i = 0; i < COUNT(files); i++) {
			AUTO_FREE char *file = path_join(attempt, files[i]);

			if (!(kept & 1U << i))
				assert_int_equal(path_remove_tree(file, NULL), 0);
		}
		if (attempt_look(attempt).state != want)
			fail_msg("with %#x the attempt is in state %d, %d expected", kept,
				(int)attempt_look(attempt).state, (int)want);
		assert_int_equal(path_remove_tree(attempt, NULL), 0);
	}
}

/* Its record is gone, but the supervisor is at work: it is found, and its code is recorded. */
static void a_supervisor_without_its_files_is_found(void **state)
{
	AUTO_FREE char *fifo = path_join(dir, "fifo");
	AUTO_FREE char *script = x_asprintf("#!/bin/sh\nread line <%s/fifo\nexit 3\n", dir);
	AUTO_FREE char *attempt = attempt_with(script);
	AUTO_FREE char *claim_pid = path_join(attempt, "claim/pid");
	AUTO_FREE char *script_pid = path_join(attempt, "pid");
	pid_t pid;
	int fd;

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	pid = supervise(attempt);
	fd = open(fifo, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(unlink(claim_pid), 0);
	assert_int_equal(unlink(script_pid), 0);
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_RUNNING);
	assert_false(attempt_look(attempt).elsewhere);
	assert_int_equal(write(fd, "end\n", 4), 4);
	close(fd);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_EXITED);
	assert_int_equal(attempt_look(attempt).exit, 3);
}

/* --- Cloud Shell */

static void set_cloud_shell(const char *user)
{
	assert_int_equal(setenv("CLOUD_SHELL", "true", 1), 0);
	assert_int_equal(setenv("USER", user, 1), 0);
}

/* A new VM of the same person: another boot, perhaps another host name, the same home. */
static void cloud_shell_is_one_machine_that_starts_anew(void **state)
{
	AUTO_FREE char *attempt =
		claimed("00000000-0000-0000-0000-000000000000", "cloud-shell-ann");

	(void)state;
	set_cloud_shell("ann");
	begun(attempt);
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_LOST);
	assert_false(attempt_look(attempt).elsewhere); /* its processes are gone for certain */
	set_cloud_shell("bob");
	assert_true(attempt_look(attempt).elsewhere);
	unsetenv("CLOUD_SHELL");
	assert_true(attempt_look(attempt).elsewhere);
}

/* The supervisor names the machine as we do. */
static void the_supervisor_knows_cloud_shell_too(void **state)
{
	AUTO_FREE char *script = marking_script();
	AUTO_FREE char *attempt = attempt_with(script);
	AUTO_FREE char *file = path_join(attempt, "claim/pid");
	AUTO(buf_fini) struct buf claim = {0};
	pid_t pid;

	(void)state;
	set_cloud_shell("ann");
	pid = supervise(attempt);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	unsetenv("CLOUD_SHELL");
	assert_int_equal(path_read(file, 512, &claim, NULL), 0);
	assert_non_null(strstr(buf_str(&claim), " cloud-shell-ann\n"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, dir_setup, dir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_journal_cut_at_any_byte_goes_on),
		T(foreign_lines_change_nothing),
		T(a_clock_that_goes_back_is_taken),
		T(an_attempt_that_began_cannot_be_given_up),
		T(a_late_child_finds_the_attempt_given_up),
		T(tools_that_outlive_the_script_are_waited_for),
		T(after_a_new_start_of_the_machine_attempts_are_lost),
		T(an_attempt_of_another_machine_cannot_be_seen),
		T(missing_supervisor_files_begin_nothing_again),
		T(every_loss_of_files_is_safe),
		T(a_beginning_is_never_taken_for_a_loss),
		T(a_supervisor_without_its_files_is_found),
		T(cloud_shell_is_one_machine_that_starts_anew),
		T(the_supervisor_knows_cloud_shell_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
