/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts and their supervisor: a script runs once, its code is kept, and whoever ends it ends
 * nobody else. */
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
#include "core/run/attempt.h"
#include "core/run/process.h"
#include "tests/unit/attempt_rig.h"
#include "tests/unit/dir_rig.h"

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

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, dir_setup, dir_teardown)
	const struct CMUnitTest tests[] = {
		T(a_script_runs_once_and_its_code_is_kept),
		T(a_script_half_prepared_becomes_runnable),
		T(a_killed_supervisor_leaves_the_script),
		T(an_attempt_that_began_cannot_be_given_up),
		T(a_late_child_finds_the_attempt_given_up),
		T(tools_that_outlive_the_script_are_waited_for),
		T(an_attempt_that_is_ended_ends_no_stranger),
		T(only_a_group_of_its_own_is_signalled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
