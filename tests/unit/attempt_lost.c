/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing is begun again or taken for ended whose supervisor, script, machine or files are gone. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/run/attempt.h"
#include "tests/unit/attempt_rig.h"
#include "tests/unit/dir_rig.h"

static void a_claim_of_the_dead_is_seen(void **state)
{
	AUTO_FREE char *attempt = attempt_with("#!/bin/sh\nexit 0\n");
	AUTO_FREE char *claim = path_join(attempt, "claim");

	(void)state;
	assert_int_equal(path_mkdirs(claim, NULL), 0);
	in_attempt("claim/pid", "1999999 1 no-such-boot\n");
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_NEVER);
	/* A pid that another process has now is not the script. */
	{
		AUTO_FREE char *mine = x_asprintf("%ld 1 no-such-boot\n", (long)getpid());
		in_attempt("pid", mine);
	}
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_LOST);
	in_attempt("exit", "3\n");
	assert_int_equal(attempt_look(attempt).exit, 3);
}

/* Where the system tells start ticks, a record without them names nobody. */
static void a_record_without_ticks_names_nobody(void **state)
{
	AUTO_FREE char *id = boot();
	AUTO_FREE char *attempt = claimed(id, NULL);
	AUTO_FREE char *script = x_asprintf("%ld 0 -\n", (long)getppid());

	(void)state;
	in_attempt("pid", script);
	begun(attempt);
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_LOST);
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
	AUTO_FREE char *script = x_asprintf("#!/bin/sh\nread line <'%s/fifo'\nexit 3\n", dir);
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

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, dir_setup, dir_teardown)
	const struct CMUnitTest tests[] = {
		T(a_claim_of_the_dead_is_seen),
		T(a_record_without_ticks_names_nobody),
		T(after_a_new_start_of_the_machine_attempts_are_lost),
		T(an_attempt_of_another_machine_cannot_be_seen),
		T(missing_supervisor_files_begin_nothing_again),
		T(a_beginning_is_never_taken_for_a_loss),
		T(every_loss_of_files_is_safe),
		T(a_supervisor_without_its_files_is_found),
		T(cloud_shell_is_one_machine_that_starts_anew),
		T(the_supervisor_knows_cloud_shell_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
