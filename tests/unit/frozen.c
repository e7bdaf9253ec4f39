/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a run stay as they are once a stage that costs money has begun. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/run/event.h"
#include "core/run/frozen.h"
#include "tests/unit/dir_rig.h"

static struct run *make(void)
{
	struct run_new n = {.name = "x", .prefix = "run"};
	struct run *r = NULL;
	struct err e = {0};

	if (run_create(dir, &n, &r, &e) != 0)
		fail_msg("%s", e.what);
	return r;
}

/* A bucket whose name somebody else has can be called otherwise. */
static void only_what_costs_freezes(void **state)
{
	struct run *r = make(), *back = NULL;

	(void)state;
	for (unsigned i = 0; i < STAGE_CLUSTER; i++) {
		assert_int_equal(frozen_begin(r, (enum stage_id)i, NULL), 0);
		assert_false(r->frozen);
	}
	assert_int_equal(frozen_begin(r, STAGE_CLUSTER, NULL), 0);
	assert_true(r->frozen);
	assert_int_equal(run_open(r->dir, &back, NULL), 0);
	assert_true(back->frozen);
	run_close(back);
	run_close(r);
}

static void the_state_says_the_same(void **state)
{
	struct state s;
	struct event ev = event_stage(STAGE_BUCKET, MOVE_START, 1);

	(void)state;
	state_init(&s);
	ev.at = 1;
	run_apply(&s, &ev);
	ev = event_stage(STAGE_CLUSTER, MOVE_BLOCKED, 0);
	ev.at = 2;
	run_apply(&s, &ev);
	assert_false(state_frozen(&s));
	ev = event_stage(STAGE_CLUSTER, MOVE_START, 1);
	ev.at = 3;
	run_apply(&s, &ev);
	assert_true(state_frozen(&s));
	state_fini(&s);
}

/* The same again and a token are no change. */
static void what_would_change_is_named(void **state)
{
	struct run *r = make();
	struct values wanted = {0};

	(void)state;
	values_put(&r->values, "PROJECT", "first-1", VALUE_SET, false);
	values_copy(&wanted, &r->values);
	values_put(&wanted, "HF_TOKEN", "hf_0123456789abcdefghijkl", VALUE_SET, true);
	r->frozen = true;
	assert_null(frozen_change(r, &wanted));
	values_put(&wanted, "PROJECT", "other-2", VALUE_SET, false);
	assert_string_equal(frozen_change(r, &wanted), "PROJECT");
	r->frozen = false;
	assert_null(frozen_change(r, &wanted));
	values_fini(&wanted);
	run_close(r);
}

static char *environment(const char *name)
{
	static const char *const all[][2] = {{"PROJECT", " other-2 "}, {"ZONE", "us-east5-b"},
		{"GCS_BUCKET", ""}, {"CHIPS", "7"}, {"HF_TOKEN", "hf_0123456789abcdefghijkl"}};

	for (size_t i = 0; i < COUNT(all); i++)
		if (strcmp(all[i][0], name) == 0)
			return (char *)(uintptr_t)all[i][1];
	return NULL;
}

/* The one that differs: not what is the same, empty, derived or secret. */
static void a_differing_environment_is_told(void **state)
{
	struct run *r = make();
	struct strvec told = {0};

	(void)state;
	values_put(&r->values, "PROJECT", "first-1", VALUE_SET, false);
	values_put(&r->values, "ZONE", "us-east5-b", VALUE_SET, false);
	frozen_differs(r, environment, &told);
	assert_int_equal(told.n, 0);
	r->frozen = true;
	frozen_differs(r, environment, &told);
	assert_int_equal(told.n, 1);
	assert_string_equal(
		told.items[0], "PROJECT is other-2 in the environment; the run keeps first-1");
	strvec_fini(&told);
	run_close(r);
}

#define T(name) cmocka_unit_test_setup_teardown(name, dir_setup, dir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(only_what_costs_freezes),
		T(the_state_says_the_same),
		T(what_would_change_is_named),
		T(a_differing_environment_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
