/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked of another machine: addresses, the supervisor's answers as they are read, and that
 * it sees an attempt there as attempt_look sees it here.
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
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/io/ssh.h"
#include "core/run/attempt.h"
#include "core/run/look_there.h"
#include "core/run/there.h"
#include "core/run/there_words.h"
#include "tests/unit/dir_rig.h"

static char *attempt;

static int setup(void **state)
{
	int rc = dir_setup(state);

	attempt = attempt_dir(dir, STAGE_BUCKET, 2);
	return rc;
}

static int teardown(void **state)
{
	free(attempt);
	return dir_teardown(state);
}

static void put(const char *name, const char *text)
{
	AUTO_FREE char *file = path_join(attempt, name);

	assert_int_equal(path_write(file, text, strlen(text), NULL), 0);
}

static bool there_is_file(const char *name)
{
	AUTO_FREE char *file = path_join(attempt, name);

	return path_exists(file);
}

/* supervisor VERB DIR WORD in a session of its own, INPUT on its stdin: its code; out may be NULL.
 */
static int supervise(const char *verb, const char *word, const char *input, struct buf *out)
{
	AUTO_FREE char *supervisor = attempt_supervisor(NULL);
	AUTO_FREE char *in_file = path_join(dir, "in");
	AUTO_FREE char *out_file = path_join(dir, "out");
	int status;
	pid_t pid;

	assert_non_null(supervisor);
	assert_int_equal(path_write(in_file, input, strlen(input), NULL), 0);
	pid = fork();
	if (pid == 0) {
		int in = open(in_file, O_RDONLY),
		    to = open(out_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		(void)setsid();
		if (in < 0 || to < 0 || dup2(in, 0) < 0 || dup2(to, 1) < 0)
			_exit(126);
		execl("/bin/sh", "sh", supervisor, verb, attempt, word, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (out)
		assert_int_equal(path_read(out_file, 1 << 20, out, NULL), 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static struct look_there look_from(const char *from, struct buf *answer)
{
	struct look_there seen;

	assert_int_equal(supervise("--look", from, "", answer), 0);
	assert_true(look_there_parse(buf_str(answer), answer->len, &seen));
	return seen;
}

/* There and here see the same. */
static enum attempt_state both(void)
{
	AUTO(buf_fini) struct buf answer = {0};
	struct look_there seen = look_from("0", &answer);
	struct attempt_look far = attempt_judge(&seen.facts), near = attempt_look(attempt);

	assert_int_equal(far.state, near.state);
	assert_int_equal(far.exit, near.exit);
	assert_int_equal(far.pid, near.pid);
	assert_int_equal(far.elsewhere, near.elsewhere);
	return near.state;
}

static void prepare(const char *script)
{
	assert_int_equal(attempt_prepare(attempt, script, NULL), 0);
}

static char *holder(long pid, const char *boot)
{
	AUTO(buf_fini) struct buf own = {0};

	assert_int_equal(path_read("/proc/sys/kernel/random/boot_id", 64, &own, NULL), 0);
	return x_asprintf("%ld 1 %.36s\n", pid, boot ? boot : buf_str(&own));
}

static void claim(const char *who)
{
	AUTO_FREE char *folder = path_join(attempt, "claim");

	assert_int_equal(path_mkdirs(folder, NULL), 0);
	put("claim/pid", who);
}

/* --- attempts */

static void an_attempt_is_seen_the_same_from_afar(void **state)
{
	AUTO_FREE char *gone = holder(999999999, NULL);
	AUTO_FREE char *other_boot = holder((long)getpid(), "00000000-0000-0000-0000-000000000000");
	AUTO_FREE char *elsewhere =
		x_asprintf("%.*s another-machine\n", (int)strlen(gone) - 1, gone);
	AUTO_FREE char *go = path_join(attempt, "claim/go");

	(void)state;
	prepare("#!/bin/sh\n");
	assert_int_equal(both(), ATTEMPT_NONE);
	claim(gone);
	assert_int_equal(both(), ATTEMPT_NEVER);
	claim(other_boot);
	assert_int_equal(both(), ATTEMPT_NEVER);
	claim("rubbish\n");
	assert_int_equal(both(), ATTEMPT_NEVER);
	put("pid", gone);
	assert_int_equal(both(), ATTEMPT_LOST);
	assert_int_equal(symlink("../pid", go), 0);
	assert_int_equal(both(), ATTEMPT_LOST);
	claim(elsewhere);
	assert_int_equal(both(), ATTEMPT_LOST);
	put("exit", "rubbish\n");
	assert_int_equal(both(), ATTEMPT_LOST);
	put("exit", "");
	assert_int_equal(both(), ATTEMPT_LOST);
	put("exit", "143\n");
	assert_int_equal(both(), ATTEMPT_EXITED);
	put("exit", "7\n");
	assert_int_equal(both(), ATTEMPT_EXITED);
}

static void the_environment_comes_by_stdin_whole_or_not_at_all(void **state)
{
	AUTO(buf_fini) struct buf out = {0};
	AUTO(buf_fini) struct buf log = {0};
	AUTO_FREE char *file = path_join(attempt, "log");

	(void)state;
	prepare("#!/bin/sh\nprintf '%s|' \"$ONE\" \"$TWO\"\n");
	assert_int_equal(supervise("--there", NULL, "ONE=1\nTWO=half", NULL), 74);
	assert_int_equal(supervise("--there", NULL, "", NULL), 74);
	assert_false(there_is_file("claim"));
	assert_int_equal(both(), ATTEMPT_NONE);
	assert_int_equal(
		supervise("--there", NULL, "ONE= a $(id) `id` \\ 'b'\nTWO=\"x\"\n.\n", &out), 0);
	assert_string_equal(buf_str(&out), "going\n");
	assert_int_equal(both(), ATTEMPT_EXITED);
	assert_int_equal(path_read(file, 1024, &log, NULL), 0);
	assert_string_equal(buf_str(&log), " a $(id) `id` \\ 'b'|\"x\"|");
	/* Once. */
	assert_int_equal(supervise("--there", NULL, "ONE=2\nTWO=2\n.\n", NULL), 0);
	buf_clear(&log);
	assert_int_equal(path_read(file, 1024, &log, NULL), 0);
	assert_string_equal(buf_str(&log), " a $(id) `id` \\ 'b'|\"x\"|");
}

static void the_log_comes_in_pieces(void **state)
{
	AUTO(buf_fini) struct buf log = {0};
	AUTO(buf_fini) struct buf got = {0};

	(void)state;
	prepare("#!/bin/sh\n");
	for (int i = 0; i < 20000; i++)
		buf_addf(&log, "line %d\n", i);
	put("log", buf_str(&log));
	for (size_t n = 1; n;) {
		AUTO(buf_fini) struct buf answer = {0};
		AUTO_FREE char *from = x_asprintf("%zu", got.len);
		struct look_there seen = look_from(from, &answer);
		buf_add(&got, seen.log, seen.log_n);
		n = seen.log_n;
	}
	assert_int_equal(got.len, log.len);
	assert_memory_equal(got.data, log.data, log.len);
	{
		/* A log here that is longer than the one there: nothing more to come. */
		AUTO(buf_fini) struct buf answer = {0};
		assert_int_equal(look_from("99999999", &answer).log_n, 0);
	}
}

static void what_never_began_is_given_up_once(void **state)
{
	AUTO(buf_fini) struct buf out = {0};
	AUTO_FREE char *gone = holder(999999999, NULL);

	(void)state;
	prepare("#!/bin/sh\n");
	claim(gone);
	assert_int_equal(supervise("--give-up", NULL, "", &out), 0);
	assert_string_equal(buf_str(&out), "given\n");
	assert_int_equal(both(), ATTEMPT_NEVER);
	assert_true(attempt_give_up(attempt));
}

static void what_began_is_not_given_up(void **state)
{
	AUTO(buf_fini) struct buf out = {0};

	(void)state;
	prepare("#!/bin/sh\n");
	assert_int_equal(supervise("--there", NULL, ".\n", NULL), 0);
	assert_int_equal(supervise("--give-up", NULL, "", &out), 0);
	assert_string_equal(buf_str(&out), "begun\n");
}

/* An earlier attempt is at work: a later one waits; told to stop, it ends. */
static void an_earlier_attempt_is_waited_for_and_can_be_stopped(void **state)
{
	AUTO(buf_fini) struct buf out = {0};
	AUTO_FREE char *fifo = path_join(dir, "fifo");
	AUTO_FREE char *script = x_asprintf("#!/bin/sh\nread line <'%s/fifo'\n", dir);
	AUTO_FREE char *supervisor = attempt_supervisor(NULL);
	char *later = attempt;
	char *earlier = attempt_dir(dir, STAGE_BUCKET, 1);
	pid_t pid;
	int fd;

	(void)state;
	prepare("#!/bin/sh\n");
	attempt = earlier;
	prepare(script);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	pid = fork();
	if (pid == 0) {
		(void)setsid();
		execl("/bin/sh", "sh", supervisor, attempt, (char *)NULL);
		_exit(127);
	}
	fd = open(fifo, O_WRONLY); /* the script is at its line now */
	assert_true(fd >= 0);
	assert_int_equal(both(), ATTEMPT_RUNNING);
	attempt = later;
	assert_int_equal(supervise("--there", NULL, ".\n", &out), 0);
	assert_string_equal(buf_str(&out), "busy\n");
	assert_int_equal(both(), ATTEMPT_NONE);
	attempt = earlier;
	assert_int_equal(supervise("--signal", "TERM", "", NULL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(both(), ATTEMPT_EXITED);
	assert_int_equal(attempt_look(attempt).exit, 128 + SIGTERM);
	close(fd);
	attempt = later;
	buf_clear(&out);
	assert_int_equal(supervise("--there", NULL, ".\n", &out), 0);
	assert_string_equal(buf_str(&out), "going\n");
	free(earlier);
}

/* --- answers */

static void answers_that_are_not_whole_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"look",
		"look 1 1 1 open - 0 0 0 0 0",
		"look 2 1 1 open - 0 0 0 0 0\n",
		"look 1 1 1 open - 0 0 0 0 3\nab",
		"look 1 1 1 open - 0 0 0 0 1\nab",
		"look 1 1 1 moon - 0 0 0 0 0\n",
		"look 1 1 2 open - 0 0 0 0 0\n",
		"look 1 1 1 open - -1 0 0 0 0\n",
		"look 1 1 1 open - 0 0 0 0 65537\n",
		"look 1 1 1 open - 0 0 0 0\n",
		"look 1 1 1 open - 0 0 0 0 0 0\n",
		"Welcome!\nlook 1 1 1 open - 0 0 0 0 0\n",
	};
	struct look_there seen;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(look_there_parse(bad[i], strlen(bad[i]), &seen));
	assert_true(look_there_parse("look 1 1 1 begun 3 77 0 1 0 2\nab", 32, &seen));
	assert_int_equal(seen.facts.exit, 3);
	assert_int_equal(seen.facts.script, 77);
	assert_true(seen.facts.session_lives);
	assert_memory_equal(seen.log, "ab", 2);
}

static void addresses_are_read(void **state)
{
	static const struct {
		const char *text, *user, *host;
		int port;
	} good[] = {
		{"ann@example.org", "ann", "example.org", 22},
		{"ann.b-c_d@10.0.0.1:2222", "ann.b-c_d", "10.0.0.1", 2222},
		{"a@[::1]", "a", "::1", 22},
		{"a@[fe80::1%eth0]:65535", "a", "fe80::1%eth0", 65535},
	};
	static const char *const bad[] = {"", "host", "@host", "a@", "a@h:", "a@h:0", "a@h:65536",
		"a@h:2x", "a@[::1", "a@[]", "a@[::1]2", "-a@h", "a@-h", "a b@h", "a@h;id", "a@h/x",
		"a@b@c", "a@h\n"};
	struct ssh_address at;
	struct err e = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(ssh_address_parse(good[i].text, &at, &e), 0);
		assert_string_equal(at.user, good[i].user);
		assert_string_equal(at.host, good[i].host);
		assert_int_equal(at.port, good[i].port);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_int_equal(ssh_address_parse(bad[i], &at, &e), -1);
		assert_int_equal(e.code, ERR_USAGE);
	}
}

static void an_attempt_remembers_its_machine(void **state)
{
	AUTO_FREE char *other = attempt_dir(dir, STAGE_BUCKET, 3);
	AUTO_FREE char *file = path_join(attempt, "there");
	AUTO_FREE char *other_file = path_join(other, "there");
	AUTO(buf_fini) struct buf first = {0};
	AUTO(buf_fini) struct buf second = {0};
	struct err e = {0};

	(void)state;
	assert_false(there_is(attempt));
	assert_int_equal(there_mark(dir, attempt, "ann@host", &e), 0);
	assert_int_equal(there_mark(dir, other, "ann@host", &e), 0);
	assert_true(there_is(attempt));
	assert_true(there_ended(attempt)); /* nothing was sent yet */
	put("sent", "");
	assert_false(there_ended(attempt));
	put("exit", "0\n");
	assert_true(there_ended(attempt));
	assert_int_equal(path_read(file, 1024, &first, NULL), 0);
	assert_int_equal(path_read(other_file, 1024, &second, NULL), 0);
	assert_string_equal(buf_str(&first), buf_str(&second)); /* one folder a run */
	put("there", "ann@host ../../etc\n");
	assert_null(there_address(attempt));
	put("there", "ann@host ..\n");
	assert_null(there_address(attempt));
	put("there", "");
	assert_null(there_address(attempt));
}

/* The folder of all runs there, or one above it, is nobody's. */
static void a_damaged_folder_there_is_refused(void **state)
{
	static const char *const bad[] = {"", ".", "..", ".hidden", "../x", "a b", "a;b"};
	AUTO_FREE char *file = path_join(dir, "there");

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct err e = {0};

		assert_int_equal(path_write(file, bad[i], strlen(bad[i]), NULL), 0);
		assert_int_equal(there_mark(dir, attempt, "ann@host", &e), -1);
		assert_int_equal(e.code, ERR_BAD_FILE);
		assert_false(there_is(attempt));
	}
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void troubles_there_have_their_cures(void **state)
{
	static const struct {
		int code;
		const char *said, *cure;
	} cases[] = {
		{1, "cat: write error: No space left on device\n", "free some space"},
		{73, "mkdir: Disk quota exceeded", "free some space"},
		{73, "mkdir: Read-only file system", "writable"},
		{73, "mkdir: Permission denied", "writable"},
		{73, "sh: mkdir: not found", "install"},
		{127, "", "install"},
		{1, "", "look at its disk"},
		{255, "something else", "look at its disk"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err e = {0};

		assert_int_equal(there_trouble("cat", cases[i].code, cases[i].said, &e), -1);
		assert_non_null(strstr(e.what, "cat did not take"));
		assert_non_null(strstr(e.hint, cases[i].cure));
	}
}

/* Login scripts may print what they like before the answer. */
static void an_answer_is_found_behind_other_talk(void **state)
{
	static const struct {
		const char *out, *said, *answer, *says;
	} cases[] = {
		{"rlpilot answers:\ngoing\n", "", "going\n", NULL},
		{"rlpilot answers:\n", "", "", NULL},
		{"Welcome!\n\nno end: rlpilot answers:\nlook 1\n", "", "look 1\n", NULL},
		{"rlpilot answers:\nrlpilot answers:\n", "", "rlpilot answers:\n", NULL},
		{"This account is \033[31mnot available\r\nBye\n", "x", NULL, "is not available\""},
		{"", "sh: fork: no memory\n", NULL, "\"sh: fork: no memory\""},
		{"rlpilot answers:", "", NULL, "rlpilot answers:"},
		{"", "", NULL, "\"\""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO(buf_fini) struct buf b = {0};
		struct err e = {0};

		buf_adds(&b, cases[i].out);
		assert_int_equal(
			there_answer("cat", &b, cases[i].said, &e), cases[i].says ? -1 : 0);
		if (cases[i].says)
			assert_non_null(strstr(e.what, cases[i].says));
		else
			assert_string_equal(buf_str(&b), cases[i].answer);
	}
}

static void clocks_that_differ_are_told(void **state)
{
	AUTO_FREE char *fast = there_clock("cat", "1790000300\n", 1790000000);
	AUTO_FREE char *slow = there_clock("cat", "1789992800\n", 1790000000);

	(void)state;
	assert_non_null(strstr(fast, "cat is 5 minutes fast"));
	assert_non_null(strstr(slow, "cat is 120 minutes slow"));
	assert_null(there_clock("cat", "1790000299\n", 1790000000));
	assert_null(there_clock("cat", "", 1790000000));
	assert_null(there_clock("cat", "Welcome!\n", 1790000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(troubles_there_have_their_cures),
		cmocka_unit_test(an_answer_is_found_behind_other_talk),
		cmocka_unit_test(clocks_that_differ_are_told),
		T(an_attempt_is_seen_the_same_from_afar),
		T(the_environment_comes_by_stdin_whole_or_not_at_all),
		T(the_log_comes_in_pieces),
		T(what_never_began_is_given_up_once),
		T(what_began_is_not_given_up),
		T(an_earlier_attempt_is_waited_for_and_can_be_stopped),
		T(answers_that_are_not_whole_are_refused),
		T(addresses_are_read),
		T(an_attempt_remembers_its_machine),
		T(a_damaged_folder_there_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
