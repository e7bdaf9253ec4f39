/* SPDX-License-Identifier: Apache-2.0 */
/* Stopping, undoing, logging in and a pool that nobody uses: what the state says about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/recipe/recipe.h"
#include "core/run/alerts.h"
#include "core/run/event.h"
#include "core/run/journal.h"
#include "core/run/person.h"
#include "core/run/undo.h"
#include "tests/unit/state_rig.h"

static struct recipe *recipe;

static void move(enum stage_id id, enum stage_move m, int64_t ago)
{
	struct event ev = event_stage(id, m, 1);

	ev.at = NOW - ago;
	if (m == MOVE_UNDO)
		ev.u.stage.undo = 1;
	run_apply(&st, &ev);
}

static void value(const char *name, const char *text)
{
	struct event ev = {.kind = EV_VALUE};

	ev.u.value.name = name;
	ev.u.value.value = text;
	ev.u.value.origin = "typed";
	run_apply(&st, &ev);
}

static void done_until(enum stage_id last)
{
	for (unsigned i = 0; i <= last; i++) {
		move((enum stage_id)i, MOVE_START, 200 * MINUTE);
		move((enum stage_id)i, MOVE_DONE, 100 * MINUTE);
	}
}

static void moves_of_a_stop_survive_the_journal(void **state)
{
	static const enum stage_move moves[] = {MOVE_STOP_ASKED, MOVE_STOP_SENT,
		MOVE_STOP_WITHDRAWN, MOVE_STOP_REFUSED, MOVE_CANCEL, MOVE_UNDO, MOVE_UNDONE,
		MOVE_UNDO_REFUSED, MOVE_BLOCKED, MOVE_DONE};
	(void)state;
	for (size_t i = 0; i < COUNT(moves); i++) {
		struct event ev = event_stage(STAGE_CLUSTER, moves[i], 2), back;
		int64_t seq = 0;
		AUTO_FREE char *line = NULL;

		ev.at = NOW;
		ev.u.stage.undo = moves[i] == MOVE_UNDO ? 3 : 0;
		line = journal_event_line(&ev, 7);
		assert_int_equal(journal_event_parse(line, strlen(line), &back, &seq), 1);
		assert_int_equal(back.kind, EV_STAGE);
		assert_int_equal(back.u.stage.move, moves[i]);
		assert_int_equal(back.u.stage.id, STAGE_CLUSTER);
		assert_int_equal(back.u.stage.undo, ev.u.stage.undo);
	}
}

static void a_stop_can_be_taken_back_until_it_is_told(void **state)
{
	(void)state;
	move(STAGE_CLUSTER, MOVE_START, MINUTE);
	move(STAGE_CLUSTER, MOVE_STOP_ASKED, 5000);
	assert_int_equal(st.stages[STAGE_CLUSTER].stop, STOP_ASKED);
	assert_int_equal(st.stages[STAGE_CLUSTER].state, ST_RUNNING);
	assert_non_null(strstr(st.stages[STAGE_CLUSTER].waiting, "second thoughts"));
	move(STAGE_CLUSTER, MOVE_STOP_WITHDRAWN, 4000);
	assert_int_equal(st.stages[STAGE_CLUSTER].stop, STOP_NONE);
	move(STAGE_CLUSTER, MOVE_STOP_ASKED, 3000);
	move(STAGE_CLUSTER, MOVE_STOP_SENT, 2000);
	assert_int_equal(st.stages[STAGE_CLUSTER].stop, STOP_SENT);
	assert_non_null(strstr(st.stages[STAGE_CLUSTER].waiting, "terraform"));
	move(STAGE_CLUSTER, MOVE_CANCEL, 1000);
	assert_int_equal(st.stages[STAGE_CLUSTER].stop, STOP_NONE);
	assert_int_equal(st.stages[STAGE_CLUSTER].state, ST_CANCELLED);
}

static void stop(enum stage_id id, enum stage_move m, const char *why)
{
	struct event ev = event_stage(id, m, 1);

	ev.at = NOW;
	ev.u.stage.note = why;
	run_apply(&st, &ev);
}

static void a_refused_stop_says_why_and_changes_nothing(void **state)
{
	const struct state_stage *cluster = &st.stages[STAGE_CLUSTER];

	(void)state;
	move(STAGE_CLUSTER, MOVE_START, MINUTE);
	stop(STAGE_CLUSTER, MOVE_STOP_REFUSED, "no name");
	assert_int_equal(cluster->stop, STOP_REFUSED);
	assert_string_equal(cluster->stop_why, "no name");
	assert_string_equal(cluster->note, "");
	assert_int_equal(cluster->state, ST_RUNNING);
	stop(STAGE_CLUSTER, MOVE_STOP_ASKED, NULL);
	assert_string_equal(cluster->stop_why, "");
	stop(STAGE_CLUSTER, MOVE_STOP_SENT, "not allowed");
	assert_string_equal(cluster->stop_why, "not allowed");
	move(STAGE_CLUSTER, MOVE_CANCEL, 0);
	assert_string_equal(cluster->stop_why, "");
}

/* Who wanted to stop does not want the next stage either. */
static void a_stop_that_comes_too_late_holds_the_next_stage(void **state)
{
	(void)state;
	done_until(STAGE_BUCKET);
	assert_int_equal(st.held, STAGE_NONE);
	move(STAGE_CLUSTER, MOVE_START, MINUTE);
	stop(STAGE_CLUSTER, MOVE_STOP_ASKED, NULL);
	stop(STAGE_CLUSTER, MOVE_STOP_WITHDRAWN, NULL); /* by a person */
	move(STAGE_CLUSTER, MOVE_DONE, 0);
	assert_int_equal(st.held, STAGE_NONE);
	move(STAGE_CONVERT, MOVE_START, MINUTE);
	stop(STAGE_CONVERT, MOVE_STOP_ASKED, NULL);
	move(STAGE_CONVERT, MOVE_DONE, 0);
	assert_int_equal(st.held, STAGE_CONVERT);
	assert_string_equal(st.question, "held");
	move(STAGE_TRAIN, MOVE_START, MINUTE);
	assert_int_equal(st.held, STAGE_NONE);
	assert_string_equal(st.question, "");
	stop(STAGE_TRAIN, MOVE_STOP_SENT, NULL);
	stop(STAGE_TRAIN, MOVE_STOP_WITHDRAWN, "its work had been done");
	assert_int_equal(st.held, STAGE_TRAIN);
	move(STAGE_TRAIN, MOVE_UNDO, 0);
	assert_int_equal(st.held, STAGE_NONE);
}

static void an_undone_stage_is_to_do_again(void **state)
{
	(void)state;
	done_until(STAGE_CONVERT);
	assert_int_equal(st.current, STAGE_TRAIN);
	move(STAGE_CONVERT, MOVE_UNDO, MINUTE);
	assert_int_equal(st.stages[STAGE_CONVERT].state, ST_RUNNING);
	assert_int_equal(st.stages[STAGE_CONVERT].undo, 1);
	move(STAGE_CONVERT, MOVE_UNDONE, 0);
	assert_int_equal(st.stages[STAGE_CONVERT].state, ST_TODO);
	assert_int_equal(st.stages[STAGE_CONVERT].undo, 0);
	assert_int_equal(st.current, STAGE_CONVERT);
}

static void a_refused_undo_says_why_and_changes_nothing(void **state)
{
	const struct state_stage *cluster = &st.stages[STAGE_CLUSTER];
	struct event ev = event_stage(STAGE_CLUSTER, MOVE_UNDO_REFUSED, 1);

	(void)state;
	done_until(STAGE_CONVERT);
	ev.u.stage.cause = "a job of others is at work";
	ev.u.stage.cause_id = "cluster-unused";
	ev.u.stage.cure = "wait for it";
	run_apply(&st, &ev);
	assert_int_equal(cluster->state, ST_DONE);
	assert_true(cluster->undo_refused);
	assert_int_equal(cluster->undo, 0);
	assert_string_equal(cluster->cause, "a job of others is at work");
	assert_string_equal(cluster->cure, "wait for it");
	assert_int_equal(st.current, STAGE_TRAIN);
	move(STAGE_TRAIN, MOVE_START, 0);
	assert_false(cluster->undo_refused);
	assert_string_equal(cluster->cause, "");
	assert_int_equal(cluster->state, ST_DONE);
	run_apply(&st, &ev);
	move(STAGE_CLUSTER, MOVE_UNDO, 0);
	assert_false(cluster->undo_refused);
	assert_string_equal(cluster->cause, "");
}

static void what_deletes_is_called_by_its_name(void **state)
{
	static const struct {
		enum stage_id id;
		const char *word;
	} words[] = {
		{STAGE_TOOLKIT, NULL},
		{STAGE_BUCKET, "my-bucket"},
		{STAGE_CLUSTER, "gemma-rl"},
		{STAGE_CONVERT, "max-text-format"},
		{STAGE_TRAIN, NULL},
		{STAGE_EXPORT, "hf-trained"},
	};
	(void)state;
	value("CLUSTER_NAME", "gemma-rl");
	value("GCS_BUCKET", "my-bucket");
	for (size_t i = 0; i < COUNT(words); i++) {
		const char *word = undo_word(recipe, &st, words[i].id);
		if (words[i].word)
			assert_string_equal(word, words[i].word);
		else
			assert_null(word);
	}
}

static void what_may_be_undone(void **state)
{
	const char *why;

	(void)state;
	assert_false(undo_possible(recipe, &st, STAGE_CONVERT, &why));
	assert_string_not_equal(why, "");
	done_until(STAGE_CONVERT);
	assert_true(undo_possible(recipe, &st, STAGE_CONVERT, &why));
	assert_string_equal(why, "");
	assert_false(undo_possible(recipe, &st, STAGE_TOOLS, NULL));
	assert_false(undo_possible(recipe, &st, STAGE_LOGIN, NULL));
	/* The folder of the toolkit holds terraform's state while the cluster is there. */
	assert_false(undo_possible(recipe, &st, STAGE_TOOLKIT, NULL));
	move(STAGE_TRAIN, MOVE_START, MINUTE);
	assert_false(undo_possible(recipe, &st, STAGE_CONVERT, NULL));
	move(STAGE_TRAIN, MOVE_CANCEL, 0);
	move(STAGE_CLUSTER, MOVE_UNDO, 0);
	move(STAGE_CLUSTER, MOVE_UNDONE, 0);
	assert_true(undo_possible(recipe, &st, STAGE_TOOLKIT, NULL));
}

static void blocked(enum stage_id id, const char *cause)
{
	struct event ev = event_stage(id, MOVE_BLOCKED, 1);

	ev.at = NOW;
	ev.u.stage.cause = "said";
	ev.u.stage.cause_id = cause;
	run_apply(&st, &ev);
}

static void a_missing_login_is_asked_for_in_any_stage(void **state)
{
	(void)state;
	done_until(STAGE_BUCKET);
	blocked(STAGE_CLUSTER, "login-reauth");
	assert_string_equal(st.question, "login");
	move(STAGE_CLUSTER, MOVE_START, 0);
	assert_string_equal(st.question, "");
	blocked(STAGE_CLUSTER, "quota-regional");
	assert_string_equal(st.question, "");
	blocked(STAGE_CLUSTER, "adc-token");
	assert_string_equal(st.question, "login");
}

static void the_logins_are_left_out_when_they_are_there(void **state)
{
	AUTO_FREE char *text = person_logins(recipe);
	const char *first = strstr(text, "gcloud auth login"),
		   *guard = strstr(text, "print-access-token");

	(void)state;
	assert_true(strncmp(text, "set -e\n", 7) == 0);
	assert_non_null(first);
	assert_non_null(guard);
	assert_true(guard < first);
	assert_non_null(strstr(text, "gcloud auth application-default login --no-launch-browser"));
	assert_null(strstr(text, "configure-docker"));
}

static void keep(void *arg, const struct event *ev)
{
	(void)arg;
	run_apply(&st, ev);
}

static const char *alert(const char *id)
{
	alerts_judge(&st, keep, NULL);
	for (size_t i = 0; i < st.alerts.n; i++)
		if (strcmp(st.alerts.items[i].id, id) == 0)
			return st.alerts.items[i].state;
	return "none";
}

static void pool(int64_t chips, int64_t ago)
{
	struct event ev = {.kind = EV_POOL};

	ev.u.pool.chips = chips;
	ev.u.pool.since = chips ? NOW - ago : 0;
	ev.at = NOW;
	run_apply(&st, &ev);
}

static void a_pool_that_nobody_uses_is_reminded_of(void **state)
{
	(void)state;
	done_until(STAGE_BUCKET);
	move(STAGE_CLUSTER, MOVE_START, 30 * MINUTE);
	pool(32, 20 * MINUTE);
	assert_string_equal(alert("pool-idle"), "none"); /* the deploy itself works */
	move(STAGE_CLUSTER, MOVE_DONE, 10 * MINUTE);
	assert_string_equal(alert("pool-idle"), "none"); /* not for long yet */
	clock_fix(NOW + 6 * MINUTE);
	assert_string_equal(alert("pool-idle"), "raised");
	move(STAGE_CONVERT, MOVE_START, 0);
	assert_string_equal(alert("pool-idle"), "cleared");
	move(STAGE_CONVERT, MOVE_FAILED, -MINUTE);
	clock_fix(NOW + 30 * MINUTE);
	assert_string_equal(alert("pool-idle"), "raised");
	pool(0, 0);
	assert_string_equal(alert("pool-idle"), "cleared");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, state_setup, state_teardown)
		T(moves_of_a_stop_survive_the_journal),
		T(a_stop_can_be_taken_back_until_it_is_told),
		T(a_refused_stop_says_why_and_changes_nothing),
		T(a_stop_that_comes_too_late_holds_the_next_stage),
		T(an_undone_stage_is_to_do_again),
		T(a_refused_undo_says_why_and_changes_nothing),
		T(what_deletes_is_called_by_its_name),
		T(what_may_be_undone),
		T(a_missing_login_is_asked_for_in_any_stage),
		T(the_logins_are_left_out_when_they_are_there),
		T(a_pool_that_nobody_uses_is_reminded_of),
#undef T
	};
	struct err e = {0};
	int rc;

	if (recipe_find("gemma4-26b-v6e", &recipe, &e) != 0)
		fail_msg("%s", e.what);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	recipe_free(recipe);
	return rc;
}
