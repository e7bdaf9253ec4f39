/* SPDX-License-Identifier: Apache-2.0 */
/* The plan as lines for people, and its difference to the tutorial's own text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/recipe/plan.h"
#include "core/recipe/values.h"
#include "tests/unit/recipe_rig.h"

#define TOKEN "hf_AbCdEf0123456789AbCdEf0123"

static struct recipe *recipe;
static struct values values;

static int setup(void **state)
{
	(void)state;
	recipe = recipe_rig();
	values_start(&values, recipe, NULL);
	values_put(&values, "HF_TOKEN", TOKEN, VALUE_TYPED, true);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	values_fini(&values);
	recipe_free(recipe);
	return 0;
}

static struct render options(void)
{
	return (struct render){.recipe = recipe,
		.values = &values,
		.deviations = deviation_defaults(recipe),
		.names = true};
}

static void explained(const struct render *o, const char *stage, struct plan_lines *out)
{
	struct err e = {0};

	if (plan_stage(o, recipe_stage(recipe, stage), out, &e))
		fail_msg("%s", e.what);
}

static bool has(const struct plan_lines *l, enum plan_kind kind, const char *name, const char *text)
{
	for (size_t i = 0; i < l->n; i++) {
		if (l->items[i].kind == kind &&
			(!name || (l->items[i].name && !strcmp(l->items[i].name, name))) &&
			strstr(l->items[i].text, text))
			return true;
	}
	return false;
}

static void every_stage_is_explained_without_secrets(void **state)
{
	struct render o = options();

	(void)state;
	for (size_t i = 0; i < recipe->stages.n; i++) {
		AUTO(plan_lines_fini) struct plan_lines l = {0};
		size_t why = 0, shell = 0;

		explained(&o, recipe->stages.items[i].id, &l);
		for (size_t k = 0; k < l.n; k++) {
			why += l.items[k].kind == PLAN_WHY && *l.items[k].text;
			shell += l.items[k].kind == PLAN_SHELL;
			assert_null(strstr(l.items[k].text, TOKEN));
			assert_null(strchr(l.items[k].text, '\n'));
		}
		assert_true(why > 0);
		assert_true(shell >= why);
	}
}

static void flags_and_parameters_are_told(void **state)
{
	AUTO(plan_lines_fini) struct plan_lines l = {0};
	AUTO(plan_lines_fini) struct plan_lines theirs = {0};
	struct render o = options();

	(void)state;
	values_put(&values, "learning_rate", "1e-5", VALUE_TYPED, false);
	explained(&o, "train", &l);
	assert_true(has(&l, PLAN_FLAG, "--topology", "slice"));
	assert_true(has(&l, PLAN_PARAM, "learning_rate=1e-5", "Learning rate"));
	assert_true(has(&l, PLAN_PARAM, "hf_access_token=${HF_TOKEN}", "Hugging Face"));
	assert_false(has(&l, PLAN_PARAM, "checkpoint_period=10", ""));
	assert_true(has(&l, PLAN_SHELL, NULL, "learning_rate=1e-5"));
	o.as_written = true;
	explained(&o, "train", &theirs);
	assert_true(has(&theirs, PLAN_PARAM, "learning_rate=2e-5", ""));
	values_unset(&values, "learning_rate");
}

static void deviations_change_the_lines(void **state)
{
	AUTO(plan_lines_fini) struct plan_lines l = {0};
	struct render o = options();

	(void)state;
	assert_int_equal(
		deviation_switch(recipe, &o.deviations, "checkpoint-every-10", true, NULL), 0);
	assert_int_equal(
		deviation_switch(recipe, &o.deviations, "dataset-openmath", true, NULL), 0);
	explained(&o, "train", &l);
	assert_true(has(&l, PLAN_PARAM, "checkpoint_period=10", ""));
	assert_true(has(&l, PLAN_PARAM, "dataset_name=nvidia/OpenMathInstruct-2", ""));
}

static void cost_is_chips_times_hours(void **state)
{
	AUTO(buf_fini) struct buf b = {0};

	(void)state;
	assert_int_equal(plan_chips(recipe, &values), 32);
	assert_true(plan_chip_hours(32, 5400) == 48);
	plan_stage_cost(recipe_stage(recipe, "train"), 32, &b);
	assert_string_equal(buf_str(&b), "43 - 80 chip-hours");
	buf_clear(&b);
	plan_stage_cost(recipe_stage(recipe, "bucket"), 32, &b);
	assert_string_equal(buf_str(&b), "");
	plan_span(45, 5400, &b);
	assert_string_equal(buf_str(&b), "45 s - 1 h 30 min");
	buf_clear(&b);
	plan_span(3600, 3600, &b);
	assert_string_equal(buf_str(&b), "60 min");
}

static void the_difference_is_a_unified_diff(void **state)
{
	AUTO(buf_fini) struct buf b = {0};
	struct render o = options();

	(void)state;
	values_put(&values, "batch_size", "8", VALUE_TYPED, false);
	assert_int_equal(plan_diff(&o, &b, NULL), 0);
	values_unset(&values, "batch_size");
	assert_true(!strncmp(buf_str(&b), "--- tutorial\n+++ rlpilot\n@@ -1,", 30));
	assert_non_null(strstr(buf_str(&b), "\n-batch_size=4 \\\n"));
	assert_non_null(strstr(buf_str(&b), "\n+batch_size=8 \\\n"));
	assert_non_null(strstr(buf_str(&b), "\n-  -l IGNORE \\\n"));
	assert_non_null(strstr(buf_str(&b), "\n+  --restarts=0 \\\n"));
	assert_null(strstr(buf_str(&b), TOKEN));
	buf_clear(&b);
	o.as_written = true;
	assert_int_equal(plan_diff(&o, &b, NULL), 0);
	assert_string_equal(buf_str(&b), "");
}

static void lines_become_text(void **state)
{
	const struct plan_line flag = {PLAN_FLAG, (char *)"-w", (char *)"overwrite"},
			       edit = {PLAN_EDIT, (char *)"a", (char *)"b: because"},
			       shell = {PLAN_SHELL, NULL, (char *)"$ ls"};
	AUTO(buf_fini) struct buf b = {0};

	(void)state;
	plan_line_text(&flag, &b);
	plan_line_text(&edit, &b);
	plan_line_text(&shell, &b);
	assert_string_equal(buf_str(&b),
		"        -w                           overwrite\n        a -> b: because\n"
		"      $ ls\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_stage_is_explained_without_secrets),
		cmocka_unit_test(flags_and_parameters_are_told),
		cmocka_unit_test(deviations_change_the_lines),
		cmocka_unit_test(cost_is_chips_times_hours),
		cmocka_unit_test(the_difference_is_a_unified_diff),
		cmocka_unit_test(lines_become_text),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
