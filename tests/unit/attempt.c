/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attempts and their supervisor: a script runs once, its code is kept, and nothing is begun again
 * or taken for ended whose supervisor, script, machine or files are gone.
 */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
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
#include "core/base/text.h"
#include "core/run/attempt.h"
#include "core/run/process.h"
#include "tests/unit/dir_rig.h"

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

static int ends_with(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void in_attempt(const char *name, const char *text)
{
	AUTO_FREE char *file = x_asprintf("stages/cluster/1/%s", name);

	dir_put_text(file, text);
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

static void a_script_runs_once_and_its_code_is_kept(void **state)
{
	AUTO_FREE char *attempt =
		attempt_with("#!/bin/sh\necho out; echo err >&2; echo x >>ran; exit 7\n");
	AUTO_FREE char *log = path_join(attempt, "log");
	AUTO_FREE char *ran = path_join(attempt, "ran");
	AUTO(buf_fini) struct buf text = {0};
	AUTO(buf_fini) struct buf times = {0};

	(void)state;
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_NONE);
	assert_int_equal(attempt_last(dir, STAGE_CLUSTER), 1);
	assert_int_equal(ends_with(supervise(attempt)), 0);
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_EXITED);
	assert_int_equal(attempt_look(attempt).exit, 7);
	assert_int_equal(ends_with(supervise(attempt)), 0);
	assert_int_equal(path_read(log, 4096, &text, NULL), 0);
	assert_string_equal(buf_str(&text), "out\nerr\n");
	assert_int_equal(path_read(ran, 4096, &times, NULL), 0);
	assert_string_equal(buf_str(&times), "x\n");
}

static void a_script_half_prepared_becomes_runnable(void **state)
{
	AUTO_FREE char *attempt = attempt_with("#!/bin/sh\nexit 4\n");
	AUTO_FREE char *script = path_join(attempt, "script");

	(void)state;
	assert_int_equal(chmod(script, 0600), 0);
	assert_int_equal(attempt_prepare(attempt, "#!/bin/sh\nexit 5\n", NULL), 0);
	assert_int_equal(ends_with(supervise(attempt)), 0);
	assert_int_equal(attempt_look(attempt).exit, 4);
}

/* A fifo tells when the script lives and keeps it alive: no clock is needed. */
static void a_killed_supervisor_leaves_the_script(void **state)
{
	AUTO_FREE char *attempt =
		attempt_with("#!/bin/sh\necho up >../up; read line <../go; exit 0\n");
	AUTO_FREE char *up = path_join(dir, "stages/cluster/up");
	AUTO_FREE char *go = path_join(dir, "stages/cluster/go");
	char text[8];
	struct attempt_look look;
	pid_t pid;
	int fd;

	(void)state;
	assert_int_equal(mkfifo(up, 0600), 0);
	assert_int_equal(mkfifo(go, 0600), 0);
	pid = supervise(attempt);
	fd = open(up, O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text)), 3);
	close(fd);
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_RUNNING);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(ends_with(pid), 128 + SIGKILL);
	look = attempt_look(attempt);
	assert_int_equal(look.state, ATTEMPT_RUNNING);
	assert_true(look.pid > 1);
	fd = open(go, O_WRONLY);
	assert_int_equal(write(fd, "go\n", 3), 3);
	close(fd);
	while (attempt_look(attempt).state == ATTEMPT_RUNNING)
		;
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_LOST);
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
		x_asprintf("#!/bin/sh\nsh -c 'read line <\"%s/fifo\"' &\nkill -9 $$\n", dir);
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

/* A process that leads a session and waits; it is there when this returns. */
static pid_t waiting_session(void)
{
	int ready[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		(void)alarm(30);
		if (setsid() < 0 || write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

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

/* Its script has ended, and the id is a stranger's by now: whoever ends the attempt means its
 * tools. */
static void an_attempt_that_is_ended_ends_no_stranger(void **state)
{
	AUTO_FREE char *attempt = attempt_with("#!/bin/sh\n");
	AUTO_FREE char *claim = path_join(attempt, "claim");
	AUTO_FREE char *id = boot();
	pid_t tools = waiting_session(), stranger = waiting_session();
	AUTO_FREE char *leader = x_asprintf("%ld %llu %s\n", (long)tools, process_ticks(tools), id);
	AUTO_FREE char *script = x_asprintf("%ld 1 %s\n", (long)stranger, id);
	struct attempt_look look;

	(void)state;
	assert_int_equal(path_mkdirs(claim, NULL), 0);
	in_attempt("claim/pid", leader);
	in_attempt("pid", script);
	begun(attempt);
	look = attempt_look(attempt);
	assert_int_equal(look.state, ATTEMPT_RUNNING);
	assert_int_equal(look.pid, 0);
	attempt_end(attempt, &look);
	assert_int_equal(ends_with(tools), 128 + SIGTERM);
	assert_int_equal(kill(stranger, SIGKILL), 0);
	assert_int_equal(ends_with(stranger), 128 + SIGKILL);
}

/* Leads a session with the script in it; ends well when the script has been ended by SIGTERM. */
static void serve(int to_test)
{
	int status = 0;
	pid_t script;

	(void)setsid();
	(void)alarm(30);
	script = fork();
	if (script == 0) {
		(void)alarm(30);
		for (;;)
			pause();
	}
	if (write(to_test, &script, sizeof(script)) != sizeof(script) ||
		waitpid(script, &status, 0) != script)
		_exit(1);
	_exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 0 : 1);
}

static void signalled(const char *attempt)
{
	AUTO_FREE char *supervisor = attempt_supervisor(NULL);
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/sh", "sh", supervisor, "--signal", attempt, "TERM", (char *)NULL);
		_exit(127);
	}
	assert_int_equal(ends_with(pid), 0);
}

/* A server that gives its commands no session of their own: the script alone is told. */
static void only_a_group_of_its_own_is_signalled(void **state)
{
	AUTO_FREE char *attempt = attempt_with("#!/bin/sh\n");
	AUTO_FREE char *claim = path_join(attempt, "claim");
	AUTO_FREE char *id = boot();
	int alive[2];
	pid_t server, script = 0;

	(void)state;
	assert_int_equal(pipe(alive), 0);
	server = fork();
	if (server == 0)
		serve(alive[1]);
	assert_int_equal(read(alive[0], &script, sizeof(script)), sizeof(script));
	assert_int_equal(path_mkdirs(claim, NULL), 0);
	{
		AUTO_FREE char *record =
			x_asprintf("%ld %llu %s\n", (long)script, process_ticks(script), id);
		in_attempt("pid", record);
		in_attempt("claim/pid", record);
	}
	signalled(attempt);
	assert_int_equal(ends_with(server), 0);
	close(alive[0]);
	close(alive[1]);
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
		T(a_script_runs_once_and_its_code_is_kept),
		T(a_script_half_prepared_becomes_runnable),
		T(a_killed_supervisor_leaves_the_script),
		T(a_claim_of_the_dead_is_seen),
		T(an_attempt_that_began_cannot_be_given_up),
		T(a_late_child_finds_the_attempt_given_up),
		T(tools_that_outlive_the_script_are_waited_for),
		T(an_attempt_that_is_ended_ends_no_stranger),
		T(only_a_group_of_its_own_is_signalled),
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
