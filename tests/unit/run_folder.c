/* SPDX-License-Identifier: Apache-2.0 */
/* The run folder: journal, records, run.yaml, lock, environment, inbox, attempts, supervisor. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
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
#include "core/run/attempt.h"
#include "core/run/environment.h"
#include "core/run/folder.h"
#include "core/run/intent.h"
#include "core/run/journal.h"
#include "core/run/record.h"
#include "core/run/tfstate.h"
#include "tests/unit/dir_rig.h"

static char *in(const char *name)
{
	return path_join(dir, name);
}

static void write_text(const char *name, const char *text)
{
	AUTO_FREE char *file = in(name);

	assert_int_equal(path_write(file, text, strlen(text), NULL), 0);
}

static void append_text(const char *name, const char *text)
{
	AUTO_FREE char *file = in(name);
	int fd = open(file, O_WRONLY | O_APPEND);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static int replayed;
static enum stage_id last_stage;

static void count(void *arg, const struct event *ev)
{
	(void)arg;
	replayed++;
	if (ev->kind == EV_STAGE)
		last_stage = ev->u.stage.id;
}

static void put_stage(enum stage_id id)
{
	struct err e = {0};
	struct journal *j = journal_open(dir, &e);
	struct event ev = event_stage(id, MOVE_START, 1);

	assert_non_null(j);
	assert_int_equal(journal_append(j, &ev, &e), 0);
	journal_close(j);
}

static void a_torn_journal_line_is_cut_off(void **state)
{
	int64_t at = 0, seq = 0;

	(void)state;
	put_stage(STAGE_TOOLS);
	append_text("journal.jsonl", "{\"v\":1,\"seq\":2,\"ev\":\"stage-st");
	put_stage(STAGE_BUCKET);
	replayed = 0;
	assert_int_equal(journal_replay(dir, &at, count, NULL, &seq, NULL), 0);
	assert_int_equal(replayed, 2);
	assert_int_equal(seq, 2);
	assert_int_equal(last_stage, STAGE_BUCKET);
}

static void foreign_journal_lines_are_passed_over(void **state)
{
	int64_t at = 0;

	(void)state;
	put_stage(STAGE_TOOLS);
	append_text("journal.jsonl", "nonsense\n{\"v\":2,\"ev\":\"stage-start\"}\n"
				     "{\"v\":1,\"ev\":\"stage-start\",\"stage\":\"moon\"}\n");
	put_stage(STAGE_CONVERT);
	replayed = 0;
	assert_int_equal(journal_replay(dir, &at, count, NULL, NULL, NULL), 0);
	assert_int_equal(replayed, 2);
	/* Reading on from there gives nothing again. */
	assert_int_equal(journal_replay(dir, &at, count, NULL, NULL, NULL), 0);
	assert_int_equal(replayed, 2);
}

static void notes_are_lines_but_no_events(void **state)
{
	struct err e = {0};
	struct journal *j = journal_open(dir, &e);
	int64_t at = 0, seq = 0;

	(void)state;
	assert_int_equal(journal_note(j, "intent", STAGE_TRAIN, "retry", &e), 0);
	assert_int_equal(journal_seq(j), 1);
	journal_close(j);
	replayed = 0;
	assert_int_equal(journal_replay(dir, &at, count, NULL, &seq, NULL), 0);
	assert_int_equal(replayed, 0);
	assert_int_equal(seq, 1);
}

static void keep_point(void *arg, const struct event *ev)
{
	struct state *s = arg;

	run_apply(s, ev);
}

static void points_come_back_each_source_for_itself(void **state)
{
	struct state s, back;
	struct record_series r;
	struct event ev = {.kind = EV_POINT};
	int64_t at = 0;

	(void)state;
	state_init(&s);
	state_init(&back);
	record_series_init(&r, &s);
	ev.u.point.series = SERIES_LOSS;
	ev.u.point.at = (struct series_point){1, 0.5, 1000, SERIES_LOG};
	run_apply(&s, &ev);
	assert_int_equal(record_series_write(&r, dir, &s, NULL), 0);
	ev.u.point.at = (struct series_point){1, 0.25, 1000, SERIES_EVENT};
	run_apply(&s, &ev);
	assert_int_equal(record_series_write(&r, dir, &s, NULL), 0);
	assert_int_equal(record_series_write(&r, dir, &s, NULL), 0);
	assert_int_equal(record_series_read(dir, &at, keep_point, &back, NULL), 0);
	assert_true(series_find(&back.series, SERIES_LOSS)->items[0].value == 0.25);
	assert_int_equal(series_find(&back.series, SERIES_LOSS)->items[0].source, SERIES_EVENT);
	record_series_fini(&r);
	state_fini(&s);
	state_fini(&back);
}

static void spool_lines_have_a_stamp(void **state)
{
	static const char line[] = "2026-09-10T08:00:00.5Z hello";
	size_t n;
	int64_t ms;

	(void)state;
	assert_true(record_spool_split(line, sizeof(line) - 1, &n, &ms));
	assert_string_equal(line + n + 1, "hello");
	assert_int_equal(ms % 1000, 500);
	assert_false(record_spool_split("no stamp", 8, &n, &ms));
	assert_null(record_spool_open(dir, "../up", "c", NULL));
}

/* --- run.yaml */

static struct run *make(const char *name, const char *environment)
{
	struct run_new n = {.name = name, .prefix = "demo", .environment = environment};
	struct run *r = NULL;
	struct err e = {0};

	if (run_create(dir, &n, &r, &e) != 0)
		fail_msg("%s", e.what);
	return r;
}

static void runs_are_numbered_and_current(void **state)
{
	struct run *a = make(NULL, NULL);
	struct run *b = make(NULL, NULL);
	struct strvec all = {0};
	char *current;

	(void)state;
	assert_string_equal(a->name, "demo-1");
	assert_string_equal(b->name, "demo-2");
	assert_int_equal(run_current(dir, &current), 0);
	assert_string_equal(current, b->dir);
	assert_int_equal(run_list(dir, &all, NULL), 0);
	assert_int_equal(all.n, 2);
	strvec_fini(&all);
	free(current);
	run_close(a);
	run_close(b);
}

static void values_come_back_and_secrets_do_not(void **state)
{
	struct run *r = make("x", NULL);
	struct run *back = NULL;
	struct err e = {0};
	AUTO_FREE char *file = path_join(r->dir, "run.yaml");
	AUTO(buf_fini) struct buf text = {0};

	(void)state;
	assert_int_equal(
		values_put_checked(&r->values, r->recipe, "PROJECT", "rl-lab-7", VALUE_TYPED, &e),
		0);
	assert_true(
		values_put(&r->values, "HF_TOKEN", "hf_0123456789abcdefghijkl", VALUE_TYPED, true));
	assert_int_equal(run_save(r, &e), 0);
	assert_int_equal(path_read(file, 1 << 20, &text, &e), 0);
	assert_null(strstr(buf_str(&text), "hf_0123"));
	assert_int_equal(run_open(r->dir, &back, &e), 0);
	assert_string_equal(values_get(&back->values, "PROJECT"), "rl-lab-7");
	assert_int_equal(values_find(&back->values, "PROJECT")->origin, VALUE_TYPED);
	run_close(back);
	run_close(r);
}

static void a_frozen_run_does_not_take_the_environment(void **state)
{
	struct run *r = make("x", NULL);
	struct run *back = NULL;
	struct err e = {0};

	(void)state;
	values_put(&r->values, "PROJECT", "first-1", VALUE_ENV, false);
	r->frozen = true;
	assert_int_equal(run_save(r, &e), 0);
	setenv("PROJECT", "second-2", 1);
	assert_int_equal(run_open(r->dir, &back, &e), 0);
	assert_string_equal(values_get(&back->values, "PROJECT"), "first-1");
	unsetenv("PROJECT");
	run_close(back);
	run_close(r);
}

static void a_newer_format_is_refused_with_its_place(void **state)
{
	struct run *r = NULL;
	struct err e = {0};

	(void)state;
	write_text("run.yaml", "# of the future\nformat: 2\nrecipe: gemma4-26b-v6e\n");
	assert_int_equal(run_open(dir, &r, &e), -1);
	assert_int_equal(e.code, ERR_BAD_FILE);
	assert_non_null(strstr(e.what, "format 2"));
	assert_non_null(strstr(e.place, "run.yaml:2:"));
	assert_true(*e.hint);
}

static void a_cut_file_is_no_run(void **state)
{
	struct run *r = NULL;
	struct err e = {0};

	(void)state;
	write_text("run.yaml", "format: 1\nrecipe: gemma4-26b-v6e\nfrozen: false\n");
	assert_int_equal(run_open(dir, &r, &e), -1);
	assert_int_equal(e.code, ERR_BAD_FILE);
	assert_non_null(strstr(e.what, "values"));
}

static void bad_names_make_no_folder(void **state)
{
	static const char *const names[] = {"", ".", "..", "../x", "a/b", "current", "current.new",
		"-x", "a b", "a\nb", "a\033[31mb", "a\"b", "\xed\x95\x9c",
		"0123456789012345678901234567890123456789012345678901234567890123x"};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct run_new n = {.name = names[i], .prefix = "run"};
		struct run *r = NULL;
		struct err e = {0};
		assert_int_equal(run_create(dir, &n, &r, &e), -1);
		assert_int_equal(e.code, ERR_USAGE);
	}
}

static void one_engine_holds_a_run(void **state)
{
	struct run *a = make("x", NULL);
	struct run *b = NULL;
	struct err e = {0};
	char host[64];
	int64_t pid = 0;

	(void)state;
	assert_false(run_locked(a->dir, NULL, NULL, 0));
	assert_int_equal(run_lock(a, &e), 0);
	assert_int_equal(run_lock(a, &e), 0);
	assert_int_equal(run_open(a->dir, &b, &e), 0);
	assert_int_equal(run_lock(b, &e), -1);
	assert_int_equal(e.code, ERR_LOCKED);
	assert_true(run_locked(a->dir, &pid, host, sizeof(host)));
	assert_int_equal(pid, getpid());
	run_close(a);
	assert_int_equal(run_lock(b, &e), 0);
	run_close(b);
}

static void who_waited_for_the_lock_reads_again(void **state)
{
	struct run *a = make("x", NULL);
	struct run *b = NULL;
	struct err e = {0};

	(void)state;
	assert_int_equal(run_lock(a, &e), 0);
	assert_int_equal(run_open(a->dir, &b, &e), 0);
	assert_int_equal(values_put_checked(&a->values, a->recipe, "CLUSTER_NAME", "typed-later",
				 VALUE_TYPED, &e),
		0);
	assert_int_equal(run_save(a, &e), 0);
	run_close(a);
	assert_int_equal(run_lock(b, &e), 0);
	assert_int_equal(run_reopen(&b, &e), 0);
	assert_true(run_locked(b->dir, NULL, NULL, 0));
	assert_string_equal(values_get(&b->values, "CLUSTER_NAME"), "typed-later");
	run_close(b);
}

static void an_environment_file_is_applied(void **state)
{
	AUTO_FREE char *file = in("env");
	struct err e = {0};

	(void)state;
	setenv("RUN_TEST_OLD", "x", 1);
	write_text("env", "# a comment\nunset RUN_TEST_OLD\nexport RUN_TEST_A='it'\\''s'\n"
			  "export RLPILOT_CLOCK='1000@0*1000'\n");
	assert_int_equal(environment_apply(file, &e), 0);
	assert_string_equal(getenv("RUN_TEST_A"), "it's");
	assert_null(getenv("RUN_TEST_OLD"));
	assert_true(clock_factor() == 1000.0);
	write_text("env", "export A=1\nrm -rf /\n");
	assert_int_equal(environment_apply(file, &e), -1);
	assert_non_null(strstr(e.place, "env:2:"));
}

/* --- inbox */

static void intents_are_taken_in_order_once(void **state)
{
	struct intent got;

	(void)state;
	assert_int_equal(intent_take(dir, &got), 0);
	assert_int_equal(intent_post(dir, INTENT_RETRY, STAGE_CONVERT, NULL, NULL, NULL), 0);
	assert_int_equal(
		intent_post(dir, INTENT_CONFIRM_CLEANUP, STAGE_NONE, NULL, "gemma-rl", NULL), 0);
	assert_int_equal(intent_take(dir, &got), 1);
	assert_int_equal(got.kind, INTENT_RETRY);
	assert_int_equal(got.stage, STAGE_CONVERT);
	intent_fini(&got);
	assert_int_equal(intent_take(dir, &got), 1);
	assert_string_equal(got.text, "gemma-rl");
	intent_fini(&got);
	assert_int_equal(intent_take(dir, &got), 0);
}

/* An engine that dies before its journal knows of a stop has not lost it. */
static void a_cancel_stays_until_it_is_settled(void **state)
{
	struct intent got;

	(void)state;
	assert_int_equal(
		intent_post_for(dir, INTENT_CANCEL, STAGE_CLUSTER, 2, "gemma-rl", NULL), 0);
	for (int life = 0; life < 2; life++) {
		assert_int_equal(intent_take(dir, &got), 1);
		assert_int_equal(got.kind, INTENT_CANCEL);
		assert_int_equal(got.attempt, 2);
		assert_string_equal(got.text, "gemma-rl");
		if (life == 1)
			assert_true(intent_settle(&got));
		intent_fini(&got);
	}
	assert_int_equal(intent_take(dir, &got), 0);
}

static void a_bad_intent_is_dropped(void **state)
{
	static const char *const bad[] = {"", "{", "{\"v\":2,\"intent\":\"retry\"}",
		"{\"v\":1,\"intent\":\"explode\"}",
		"{\"v\":1,\"intent\":\"retry\",\"stage\":\"moon\"}"};
	struct intent got;
	AUTO_FREE char *inbox = in("inbox");

	(void)state;
	assert_int_equal(path_mkdirs(inbox, NULL), 0);
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct err e = {0};
		struct intent none;
		assert_int_equal(intent_from_json(bad[i], strlen(bad[i]), &none, &e), -1);
		write_text("inbox/0.json", bad[i]);
		assert_int_equal(intent_take(dir, &got), 0);
	}
	{
		AUTO_FREE char *file = in("inbox/0.json");
		assert_false(path_exists(file));
	}
}

/* --- attempts */

static char *supervisor;

static pid_t supervise(const char *attempt)
{
	pid_t pid = fork();

	if (pid == 0) {
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

static char *prepare(const char *script)
{
	char *attempt = attempt_dir(dir, STAGE_CONVERT, 1);

	supervisor = attempt_supervisor(NULL);
	assert_non_null(supervisor);
	assert_int_equal(attempt_prepare(attempt, script, NULL), 0);
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_NONE);
	assert_int_equal(attempt_last(dir, STAGE_CONVERT), 1);
	return attempt;
}

static void a_script_runs_once_and_its_code_is_kept(void **state)
{
	AUTO_FREE char *attempt =
		prepare("#!/bin/sh\necho out; echo err >&2; echo x >>ran; exit 7\n");
	AUTO_FREE char *log = path_join(attempt, "log");
	AUTO_FREE char *ran = path_join(attempt, "ran");
	AUTO(buf_fini) struct buf text = {0};
	AUTO(buf_fini) struct buf times = {0};

	(void)state;
	assert_int_equal(ends_with(supervise(attempt)), 0);
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_EXITED);
	assert_int_equal(attempt_look(attempt).exit, 7);
	assert_int_equal(ends_with(supervise(attempt)), 0);
	assert_int_equal(path_read(log, 4096, &text, NULL), 0);
	assert_string_equal(buf_str(&text), "out\nerr\n");
	assert_int_equal(path_read(ran, 4096, &times, NULL), 0);
	assert_string_equal(buf_str(&times), "x\n");
	free(supervisor);
}

static void a_script_half_prepared_becomes_runnable(void **state)
{
	AUTO_FREE char *attempt = prepare("#!/bin/sh\nexit 4\n");
	AUTO_FREE char *script = path_join(attempt, "script");

	(void)state;
	assert_int_equal(chmod(script, 0600), 0);
	assert_int_equal(attempt_prepare(attempt, "#!/bin/sh\nexit 5\n", NULL), 0);
	assert_int_equal(ends_with(supervise(attempt)), 0);
	assert_int_equal(attempt_look(attempt).exit, 4);
	free(supervisor);
}

/* A fifo tells when the script lives and keeps it alive: no clock is needed. */
static void a_killed_supervisor_leaves_the_script(void **state)
{
	AUTO_FREE char *attempt = prepare("#!/bin/sh\necho up >../up; read line <../go; exit 0\n");
	AUTO_FREE char *up = in("stages/convert/up");
	AUTO_FREE char *go = in("stages/convert/go");
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
	free(supervisor);
}

static void a_claim_of_the_dead_is_seen(void **state)
{
	AUTO_FREE char *attempt = prepare("#!/bin/sh\nexit 0\n");
	AUTO_FREE char *claim = path_join(attempt, "claim");

	(void)state;
	assert_int_equal(path_mkdirs(claim, NULL), 0);
	write_text("stages/convert/1/claim/pid", "1999999 1 no-such-boot\n");
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_NEVER);
	/* A pid that another process has now is not the script. */
	{
		AUTO_FREE char *mine = x_asprintf("%ld 1 no-such-boot\n", (long)getpid());
		write_text("stages/convert/1/pid", mine);
	}
	assert_int_equal(attempt_look(attempt).state, ATTEMPT_LOST);
	write_text("stages/convert/1/exit", "3\n");
	assert_int_equal(attempt_look(attempt).exit, 3);
	free(supervisor);
}

static void terraform_states_are_kept_and_read(void **state)
{
	AUTO_FREE char *deployment = in("d");
	AUTO_FREE char *primary = in("d/primary");

	(void)state;
	assert_int_equal(tfstate_keep(dir, deployment, NULL), 0); /* nothing there, nothing kept */
	assert_int_equal(path_mkdirs(primary, NULL), 0);
	write_text("d/primary/terraform.tfstate",
		"{\"resources\":[{\"mode\":\"managed\",\"type\":\"net\",\"name\":\"a\","
		"\"instances\":[{},{}]},{\"mode\":\"data\",\"type\":\"zone\",\"name\":\"z\","
		"\"instances\":[{}]}]}");
	assert_int_equal(tfstate_keep(dir, deployment, NULL), 0);
	assert_int_equal(tfstate_keep(dir, deployment, NULL), 0); /* the same: kept once */
	write_text("d/primary/terraform.tfstate",
		"{\"resources\":[{\"mode\":\"managed\",\"type\":\"pool\",\"name\":\"b\","
		"\"instances\":[{}]}]}");
	assert_int_equal(tfstate_keep(dir, deployment, NULL), 0);
	write_text("d/primary/terraform.tfstate", "{\"resources\":[]}");
	assert_int_equal(tfstate_keep(dir, deployment, NULL), 0);
	assert_int_equal(tfstate_resources(dir), 1); /* the newest copy is empty */
	{
		AUTO_FREE char *third = in("tfstate/3/terraform.tfstate");
		AUTO_FREE char *fourth = in("tfstate/4");
		assert_true(path_exists(third));
		assert_false(path_exists(fourth));
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, dir_setup, dir_teardown)
	const struct CMUnitTest tests[] = {
		T(a_torn_journal_line_is_cut_off),
		T(foreign_journal_lines_are_passed_over),
		T(notes_are_lines_but_no_events),
		T(points_come_back_each_source_for_itself),
		T(spool_lines_have_a_stamp),
		T(runs_are_numbered_and_current),
		T(values_come_back_and_secrets_do_not),
		T(a_frozen_run_does_not_take_the_environment),
		T(a_newer_format_is_refused_with_its_place),
		T(a_cut_file_is_no_run),
		T(bad_names_make_no_folder),
		T(one_engine_holds_a_run),
		T(who_waited_for_the_lock_reads_again),
		T(an_environment_file_is_applied),
		T(intents_are_taken_in_order_once),
		T(a_cancel_stays_until_it_is_settled),
		T(a_bad_intent_is_dropped),
		T(a_script_runs_once_and_its_code_is_kept),
		T(a_script_half_prepared_becomes_runnable),
		T(a_killed_supervisor_leaves_the_script),
		T(a_claim_of_the_dead_is_seen),
		T(terraform_states_are_kept_and_read),
	};

	unsetenv("PROJECT");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
