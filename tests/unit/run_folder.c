/* SPDX-License-Identifier: Apache-2.0 */
/* The run folder: run.yaml, lock, environment, inbox, copies of terraform's state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/run/beat.h"
#include "core/run/environment.h"
#include "core/run/folder.h"
#include "core/run/intent.h"
#include "core/run/tfstate.h"
#include "tests/unit/dir_rig.h"

static char *in(const char *name)
{
	return path_join(dir, name);
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
	dir_put_text("run.yaml", "# of the future\nformat: 2\nrecipe: gemma4-26b-v6e\n");
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
	dir_put_text("run.yaml", "format: 1\nrecipe: gemma4-26b-v6e\nfrozen: false\n");
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

/* Runs are found to be deleted too: nothing else must ever be found. */
static void only_the_folder_of_a_run_is_found(void **state)
{
	static const char *const none[] = {"", ".", "..", "../runs", "/", "./", "other", "current"};
	AUTO_FREE char *other = in("other");
	AUTO_FREE char *made = in("rlpilot/runs/run-1");
	AUTO_FREE char *journal = in("rlpilot/runs/run-1/journal.jsonl");
	AUTO_FREE char *current = in("rlpilot/runs/current");
	AUTO_FREE char *found = NULL;
	AUTO_FREE char *last = NULL;
	struct err e = {0};

	(void)state;
	assert_int_equal(path_mkdirs(other, NULL), 0);
	assert_int_equal(path_mkdirs(made, NULL), 0);
	assert_int_equal(setenv("XDG_STATE_HOME", dir, 1), 0);
	for (size_t i = 0; i < COUNT(none); i++) {
		AUTO_FREE char *dir_of = NULL;

		assert_int_equal(run_find(none[i], &dir_of, &e), -1);
		assert_null(dir_of);
		assert_int_equal(e.code, ERR_FAILED);
	}
	assert_int_equal(run_find(other, &found, &e), -1);
	assert_int_equal(run_find(made, &found, &e), -1);
	assert_int_equal(path_write(journal, "", 0, NULL), 0);
	assert_int_equal(run_find(made, &found, &e), 0);
	assert_string_equal(found, made);
	assert_int_equal(symlink("run-1", current), 0);
	assert_int_equal(run_find("current", &last, &e), 0);
	assert_string_equal(last, made);
	{
		static const char *const elsewhere[] = {"..", ".", "../../other", "/"};

		for (size_t i = 0; i < COUNT(elsewhere); i++) {
			AUTO_FREE char *dir_of = NULL;

			assert_int_equal(unlink(current), 0);
			assert_int_equal(symlink(elsewhere[i], current), 0);
			assert_int_equal(run_find("current", &dir_of, &e), -1);
			assert_null(dir_of);
		}
	}
	unsetenv("XDG_STATE_HOME");
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

/* "rm lock" does not end the engine that holds the run. */
static void a_removed_lock_file_lets_nobody_in(void **state)
{
	struct run *a = make("x", NULL);
	struct run *b = NULL;
	struct err e = {0};
	AUTO_FREE char *lock = in("x/lock");

	(void)state;
	assert_int_equal(run_lock(a, &e), 0);
	assert_int_equal(unlink(lock), 0);
	assert_true(run_locked(a->dir, NULL, NULL, 0));
	assert_int_equal(run_open(a->dir, &b, &e), 0);
	assert_int_equal(run_lock(b, &e), -1);
	assert_int_equal(e.code, ERR_LOCKED);
	assert_true(run_locked(a->dir, NULL, NULL, 0)); /* now there is a file again */
	run_close(a);
	assert_false(run_locked(b->dir, NULL, NULL, 0));
	assert_int_equal(run_lock(b, &e), 0);
	run_close(b);
}

static void a_lock_that_is_a_link_writes_to_nothing_else(void **state)
{
	struct run *a = make("x", NULL);
	struct err e = {0};
	AUTO_FREE char *lock = in("x/lock");
	AUTO_FREE char *letter = in("letter");
	AUTO(buf_fini) struct buf b = {0};

	(void)state;
	dir_put_text("letter", "Dear Ada");
	assert_int_equal(symlink("../letter", lock), 0);
	assert_int_equal(run_lock(a, &e), -1);
	assert_int_equal(e.code, ERR_CANNOT_WRITE);
	assert_int_equal(path_read(letter, 64, &b, NULL), 0);
	assert_string_equal(buf_str(&b), "Dear Ada");
	run_close(a);
}

/* A lock file that was cut names no machine any more; the last sign of life does. */
static void a_cut_lock_file_hides_no_other_machine(void **state)
{
	struct run *a = make("x", NULL);
	struct err e = {0};

	(void)state;
	dir_put_text("x/lock", "");
	assert_int_equal(beat_write(a->dir, "another-machine", 7, clock_now(), NULL), 0);
	assert_int_equal(run_lock(a, &e), -1);
	assert_int_equal(e.code, ERR_LOCKED);
	run_close(a);
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
	dir_put_text("env", "# a comment\nunset RUN_TEST_OLD\nexport RUN_TEST_A='it'\\''s'\n"
			    "export RLPILOT_CLOCK='1000@0*1000'\n");
	assert_int_equal(environment_apply(file, &e), 0);
	assert_string_equal(getenv("RUN_TEST_A"), "it's");
	assert_null(getenv("RUN_TEST_OLD"));
	assert_true(clock_factor() == 1000.0);
	dir_put_text("env", "export A=1\nrm -rf /\n");
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
		dir_put_text("inbox/0.json", bad[i]);
		assert_int_equal(intent_take(dir, &got), 0);
	}
	{
		AUTO_FREE char *file = in("inbox/0.json");
		assert_false(path_exists(file));
	}
}

static void terraform_states_are_kept_and_read(void **state)
{
	AUTO_FREE char *deployment = in("d");
	AUTO_FREE char *primary = in("d/primary");

	(void)state;
	assert_int_equal(tfstate_keep(dir, deployment, NULL), 0); /* nothing there, nothing kept */
	assert_int_equal(path_mkdirs(primary, NULL), 0);
	dir_put_text("d/primary/terraform.tfstate",
		"{\"resources\":[{\"mode\":\"managed\",\"type\":\"net\",\"name\":\"a\","
		"\"instances\":[{},{}]},{\"mode\":\"data\",\"type\":\"zone\",\"name\":\"z\","
		"\"instances\":[{}]}]}");
	assert_int_equal(tfstate_keep(dir, deployment, NULL), 0);
	assert_int_equal(tfstate_keep(dir, deployment, NULL), 0); /* the same: kept once */
	dir_put_text("d/primary/terraform.tfstate",
		"{\"resources\":[{\"mode\":\"managed\",\"type\":\"pool\",\"name\":\"b\","
		"\"instances\":[{}]}]}");
	assert_int_equal(tfstate_keep(dir, deployment, NULL), 0);
	dir_put_text("d/primary/terraform.tfstate", "{\"resources\":[]}");
	assert_int_equal(tfstate_keep(dir, deployment, NULL), 0);
	assert_int_equal(tfstate_resources(dir), 1); /* the newest copy is empty */
	{
		AUTO_FREE char *third = in("tfstate/3/terraform.tfstate");
		AUTO_FREE char *fourth = in("tfstate/4");
		assert_true(path_exists(third));
		assert_false(path_exists(fourth));
	}
}

#define STATE_OF_ONE "{\"resources\":[{\"mode\":\"managed\",\"type\":\"t\",\"instances\":[{}]}]}"

/* A full disk leaves a copy's folder empty, a killed terraform half a state. */
static void the_newest_whole_copy_of_a_state_counts(void **state)
{
	AUTO_FREE char *first = NULL;
	AUTO_FREE char *empty = path_join(dir, "tfstate/2");
	AUTO_FREE char *torn = path_join(dir, "tfstate/3");
	AUTO_FREE char *last = path_join(dir, "tfstate/4");

	(void)state;
	{
		AUTO_FREE char *folder = path_join(dir, "tfstate/1");
		assert_int_equal(path_mkdirs(folder, NULL), 0);
	}
	dir_put_text("tfstate/1/terraform.tfstate", STATE_OF_ONE);
	first = tfstate_newest(dir);
	assert_non_null(first);
	assert_int_equal(path_mkdirs(empty, NULL), 0);
	assert_false(tfstate_damaged(dir));
	assert_int_equal(path_mkdirs(torn, NULL), 0);
	dir_put_text("tfstate/3/terraform.tfstate", "{\"resources\":[{\"mo");
	{
		AUTO_FREE char *now = tfstate_newest(dir);
		assert_non_null(now);
		assert_string_equal(now, first);
	}
	assert_true(tfstate_damaged(dir));
	assert_int_equal(path_mkdirs(last, NULL), 0);
	dir_put_text("tfstate/4/terraform.tfstate", "{\"resources\":[]}");
	assert_null(tfstate_newest(dir)); /* all of it was destroyed */
	assert_false(tfstate_damaged(dir));
}

static void a_state_is_found_in_whichever_deployment(void **state)
{
	AUTO_FREE char *kit = path_join(dir, "kit");
	AUTO_FREE char *primary = path_join(dir, "kit/other-name/primary");

	(void)state;
	assert_false(tfstate_within(kit));
	assert_int_equal(path_mkdirs(primary, NULL), 0);
	assert_false(tfstate_within(kit));
	dir_put_text("kit/other-name/primary/terraform.tfstate", "{\"resources\":[]}");
	assert_false(tfstate_within(kit));
	dir_put_text("kit/other-name/primary/terraform.tfstate", STATE_OF_ONE);
	assert_true(tfstate_within(kit));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, dir_setup, dir_teardown)
	const struct CMUnitTest tests[] = {
		T(runs_are_numbered_and_current),
		T(values_come_back_and_secrets_do_not),
		T(a_frozen_run_does_not_take_the_environment),
		T(a_newer_format_is_refused_with_its_place),
		T(a_cut_file_is_no_run),
		T(bad_names_make_no_folder),
		T(only_the_folder_of_a_run_is_found),
		T(one_engine_holds_a_run),
		T(a_removed_lock_file_lets_nobody_in),
		T(a_lock_that_is_a_link_writes_to_nothing_else),
		T(a_cut_lock_file_hides_no_other_machine),
		T(who_waited_for_the_lock_reads_again),
		T(an_environment_file_is_applied),
		T(intents_are_taken_in_order_once),
		T(a_cancel_stays_until_it_is_settled),
		T(a_bad_intent_is_dropped),
		T(terraform_states_are_kept_and_read),
		T(the_newest_whole_copy_of_a_state_counts),
		T(a_state_is_found_in_whichever_deployment),
	};

	unsetenv("PROJECT");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
