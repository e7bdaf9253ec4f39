/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/fmt/time.h"
#include "core/model/checkpoint.h"
#include "core/model/cost.h"
#include "core/model/series.h"
#include "core/model/training.h"
#include "core/model/verdict.h"

#define MINUTE 60000
#define NOW    ((int64_t)1000 * MINUTE)
#define ACTOR  "m/trained/rl/checkpoints/actor/"
#define HF     "m/hf-trained/"

static const bool going[CHECKPOINT_TREE_COUNT];
static const bool ended[CHECKPOINT_TREE_COUNT] = {true, true, true};

static void add(struct checkpoint_list *l, const char *name, int64_t age)
{
	assert_true(checkpoint_list_add(l, CHECKPOINT_TRAINED, ACTOR, name, 10, NOW - age));
}

struct marker_row {
	bool step, params, state; /* markers there */
	int64_t age;
	const bool *ended;
	enum checkpoint_state step_is, params_is;
};

static const struct marker_row marker_rows[] = {
	{true, true, true, 0, going, CHECKPOINT_COMPLETE, CHECKPOINT_COMPLETE},
	{true, true, true, 500 * MINUTE, ended, CHECKPOINT_COMPLETE, CHECKPOINT_COMPLETE},
	{false, true, true, 0, going, CHECKPOINT_WRITING, CHECKPOINT_COMPLETE},
	{false, true, true, 10 * MINUTE, going, CHECKPOINT_WRITING, CHECKPOINT_COMPLETE},
	{false, true, true, 10 * MINUTE + 1, going, CHECKPOINT_ABANDONED, CHECKPOINT_COMPLETE},
	{false, true, true, 0, ended, CHECKPOINT_ABANDONED, CHECKPOINT_COMPLETE},
	{false, false, false, 0, going, CHECKPOINT_WRITING, CHECKPOINT_WRITING},
	{true, false, true, 0, going, CHECKPOINT_WRITING, CHECKPOINT_WRITING},
	{true, false, true, 0, ended, CHECKPOINT_ABANDONED, CHECKPOINT_ABANDONED},
};

static void test_markers(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(marker_rows); i++) {
		const struct marker_row *r = &marker_rows[i];
		struct checkpoint_list l;
		const struct checkpoint *c;

		checkpoint_list_init(&l, "b");
		add(&l, ACTOR "50/model_params/w/.zarray", r->age);
		add(&l, ACTOR "50/optimizer_state/v/0.0", r->age);
		add(&l, ACTOR "50/_CHECKPOINT_METADATA", r->age);
		if (r->step)
			add(&l, ACTOR "50/" CHECKPOINT_MARKER, r->age);
		if (r->params)
			add(&l, ACTOR "50/model_params/" CHECKPOINT_MARKER, r->age);
		if (r->state)
			add(&l, ACTOR "50/optimizer_state/" CHECKPOINT_MARKER, r->age);
		checkpoint_list_judge(&l, NOW, r->ended, NULL);
		c = checkpoint_find(&l, CHECKPOINT_TRAINED, 50);
		assert_non_null(c);
		if (c->state != r->step_is || c->items[0].state != r->params_is)
			fail_msg("row %zu: %s, %s", i, checkpoint_state_name(c->state),
				checkpoint_state_name(c->items[0].state));
		assert_string_equal(c->items[0].name, "model_params");
		assert_string_equal(c->uri, "gs://b/" ACTOR "50/");
		assert_int_equal(c->marker != NULL, r->step);
		assert_int_equal(checkpoint_safe_step(&l, CHECKPOINT_TRAINED, "model_params"),
			r->step_is == CHECKPOINT_COMPLETE ? 50 : -1);
		checkpoint_list_fini(&l);
	}
}

static void test_names(void **state)
{
	static const struct {
		const char *name;
		bool taken;
	} rows[] = {
		{ACTOR "10/x/y", true},
		{ACTOR "10.orbax-checkpoint-tmp-7/x/commit_success.txt", true},
		{ACTOR "10", false},
		{ACTOR "10/", false},
		{ACTOR "latest/x", false},
		{ACTOR "10a/x", false},
		{"m/other/10/x", false},
		{ACTOR, false},
	};
	struct checkpoint_list l;

	(void)state;
	checkpoint_list_init(&l, "b");
	for (size_t i = 0; i < COUNT(rows); i++)
		if (checkpoint_list_add(&l, CHECKPOINT_TRAINED, ACTOR, rows[i].name, 1, NOW) !=
			rows[i].taken)
			fail_msg("%s", rows[i].name);
	checkpoint_list_judge(&l, NOW, going, NULL);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.items[0].state, CHECKPOINT_WRITING);
	assert_int_equal(l.items[0].objects, 2);
	checkpoint_list_fini(&l);
}

/* Order of the listing does not matter, sums do. */
static void test_many(void **state)
{
	struct checkpoint_list l;
	char name[128];

	(void)state;
	checkpoint_list_init(&l, "b");
	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), ACTOR "%d/model_params/w%d/0.0", (i * 7919) % 5 * 10,
			i);
		add(&l, name, i % 7 * MINUTE);
	}
	checkpoint_list_judge(&l, NOW, going, NULL);
	assert_int_equal(l.n, 5);
	for (size_t i = 0; i < l.n; i++) {
		assert_int_equal(l.items[i].step, (int64_t)i * 10);
		assert_int_equal(l.items[i].objects, 2000);
		assert_int_equal(l.items[i].bytes, 20000);
		assert_int_equal(l.items[i].last_ms, NOW);
		assert_int_equal(l.items[i].first_ms, NOW - 6 * MINUTE);
	}
	checkpoint_list_fini(&l);
}

/* The object that a browser's "make folder" leaves hides nothing and is no result. */
static void R24_a_zero_byte_folder_is_no_checkpoint(void **state)
{
	struct checkpoint_list l;

	(void)state;
	checkpoint_list_init(&l, "b");
	assert_false(checkpoint_list_add(&l, CHECKPOINT_HF, HF, HF, 0, NOW));
	assert_false(checkpoint_list_add(&l, CHECKPOINT_TRAINED, ACTOR, ACTOR "50/", 0, NOW));
	checkpoint_list_judge(&l, NOW, going, NULL);
	assert_null(checkpoint_find(&l, CHECKPOINT_HF, -1));
	assert_null(checkpoint_find(&l, CHECKPOINT_TRAINED, 50));
	checkpoint_list_fini(&l);
}

static void R26_names_are_kept_as_they_are(void **state)
{
	static const char *const names[] = {"a[1].safetensors", "x\r.safetensors",
		"b**27.safetensors", "c#123.safetensors", "d\ne.safetensors",
		"모델-가중치.safetensors"};
	const struct checkpoint *c;
	struct checkpoint_list l;

	(void)state;
	checkpoint_list_init(&l, "b");
	for (size_t i = 0; i < COUNT(names); i++) {
		AUTO_FREE char *full = x_asprintf("%s%s", HF, names[i]);

		assert_true(checkpoint_list_add(&l, CHECKPOINT_HF, HF, full, 7, NOW));
	}
	checkpoint_list_judge(&l, NOW, going, NULL);
	c = checkpoint_find(&l, CHECKPOINT_HF, -1);
	assert_int_equal(c->n, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++) {
		bool there = false;

		for (size_t k = 0; k < c->n; k++)
			there |= !strcmp(c->items[k].name, names[i]);
		if (!there)
			fail_msg("%s is not kept", names[i]);
	}
	checkpoint_list_fini(&l);
}

static void test_export(void **state)
{
	static const char map[] =
		"{\"weight_map\":{\"a\":\"model-00001-of-00002.safetensors\",\"b\":"
		"\"model-00002-of-00002.safetensors\",\"c\":"
		"\"model-00001-of-00002.safetensors\"}}";
	AUTO(json_auto) json_t *index = json_parse(map, strlen(map), NULL);
	struct checkpoint_list l;

	(void)state;
	for (int step = 0; step < 4; step++) {
		const json_t *known = step == 2 ? NULL : index;
		const struct checkpoint *c;

		checkpoint_list_init(&l, "b");
		checkpoint_list_add(&l, CHECKPOINT_HF, HF, HF "config.json", 5, NOW);
		checkpoint_list_add(
			&l, CHECKPOINT_HF, HF, HF "model-00001-of-00002.safetensors", 5, NOW);
		if (step > 0)
			checkpoint_list_add(&l, CHECKPOINT_HF, HF, HF CHECKPOINT_INDEX, 5, NOW);
		if (step > 1)
			checkpoint_list_add(&l, CHECKPOINT_HF, HF,
				HF "model-00002-of-00002.safetensors", 5, NOW);
		checkpoint_list_judge(&l, NOW, going, step ? known : NULL);
		c = checkpoint_find(&l, CHECKPOINT_HF, -1);
		assert_non_null(c);
		assert_int_equal(c->state, step == 3 ? CHECKPOINT_COMPLETE : CHECKPOINT_WRITING);
		assert_int_equal(c->missing.n, step == 1);
		assert_string_equal(c->uri, "gs://b/" HF);
		if (step == 1) {
			assert_string_equal(
				c->missing.items[0], "model-00002-of-00002.safetensors");
			assert_int_equal(c->items[1].state, CHECKPOINT_ABSENT);
		}
		if (step == 3)
			assert_string_equal(c->marker, "gs://b/" HF CHECKPOINT_INDEX);
		checkpoint_list_fini(&l);
	}
}

static void test_next_due(void **state)
{
	static const int64_t rows[][4] = {{0, 50, 50, 50}, {31, 10, 50, 40}, {40, 10, 50, 50},
		{50, 50, 50, -1}, {3, 0, 50, 50}, {48, 20, 50, 50}, {0, 50, 0, -1}};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(
			checkpoint_next_due(rows[i][0], rows[i][1], rows[i][2]), rows[i][3]);
	assert_int_equal(checkpoint_tree_from_name("hf-trained"), CHECKPOINT_HF);
	assert_int_equal(checkpoint_tree_from_name("x"), CHECKPOINT_TREE_COUNT);
}

static void test_csv(void **state)
{
	struct series_set s = {0};
	AUTO(buf_fini) struct buf b = {0};

	(void)state;
	assert_true(series_put(&s, SERIES_EVAL, 51, 0.95, 1789027200007, SERIES_LOG));
	assert_true(series_put(&s, SERIES_EVAL, 0, 0.775, 1789027200000, SERIES_LOG));
	assert_true(series_put(&s, SERIES_LOSS, 2, 0.1, 1, SERIES_LOG));
	assert_true(series_put(&s, SERIES_LOSS, 2, 0.123456789123, 1, SERIES_EVENT));
	assert_false(series_put(&s, SERIES_LOSS, 2, 0.2, 1, SERIES_LOG));
	assert_false(series_put(&s, SERIES_LOSS, 2, 0.123456789123, 1, SERIES_EVENT));
	assert_true(series_put(&s, SERIES_LOSS, 1, NAN, 1, SERIES_LOG));
	assert_false(series_put(&s, SERIES_LOSS, 1, NAN, 1, SERIES_LOG));
	series_put(&s, "a,\"b", 1, -INFINITY, 1000, SERIES_EVENT);
	series_csv(&s, &b);
	assert_string_equal(buf_str(&b), "series,step,wall_time,value,source\n"
					 "\"a,\"\"b\",1,1.000,-inf,event\n"
					 "actor/train/loss,1,0.001,nan,log\n"
					 "actor/train/loss,2,0.001,0.123456789,event\n"
					 "eval/mean_reward,0,1789027200.000,0.775,log\n"
					 "eval/mean_reward,51,1789027200.007,0.95,log\n");
	assert_int_equal(series_last(series_find(&s, SERIES_EVAL))->step, 51);
	assert_null(series_last(series_find(&s, "none")));
	assert_int_equal(series_event_step("rewards/train/sum", 0), 1);
	assert_int_equal(series_event_step("actor/train/kl", 1), 1);
	series_set_fini(&s);
}

/* Any order of arrival gives the same curve. */
static void test_any_order(void **state)
{
	(void)state;
	for (int64_t stride = 1; stride < 50; stride++) {
		struct series_set s = {0};
		const struct series *one;

		for (int64_t i = 0; i < 53; i++)
			series_put(
				&s, "x", i * stride % 53, (double)(i * stride % 53), 0, SERIES_LOG);
		one = series_find(&s, "x");
		assert_int_equal(one->n, 53);
		for (size_t i = 0; i < one->n; i++)
			assert_int_equal(one->items[i].step, i);
		series_set_fini(&s);
	}
}

static void test_smooth(void **state)
{
	struct series_set s = {0};
	double out[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		series_put(&s, "x", i, i == 2 ? NAN : 1.0, 0, SERIES_LOG);
	series_smooth(series_find(&s, "x"), 0.6, out);
	assert_true(fabs(out[0] - 1) < 1e-12 && fabs(out[3] - 1) < 1e-12);
	assert_true(isnan(out[2]));
	series_set_fini(&s);
}

static void test_cost(void **state)
{
	struct cost c = {0};

	(void)state;
	assert_true(fabs(cost_chip_hours(&c, NOW)) < 1e-12);
	cost_pool(&c, 32, 0, 30 * MINUTE);
	cost_pool(&c, 32, 0, 45 * MINUTE);
	assert_true(fabs(cost_chip_hours(&c, 60 * MINUTE) - 32) < 1e-9);
	cost_pool(&c, 0, 0, 90 * MINUTE);
	cost_pool(&c, 0, 0, 99 * MINUTE);
	assert_true(fabs(cost_chip_hours(&c, NOW) - 48) < 1e-9);
	assert_true(fabs(cost_money(&c, NOW, 2.0) - 96) < 1e-9);
	assert_true(isnan(cost_money(&c, NOW, NAN)));
}

static void test_verdicts(void **state)
{
	static const struct {
		struct verdict_input in;
		enum verdict v;
		int code;
		bool says;
	} rows[] = {
		{{.has_run = false}, VERDICT_UNKNOWN, 3, true},
		{{.has_run = true, .reachable = true}, VERDICT_HEALTHY, 0, false},
		{{.has_run = true, .reachable = false}, VERDICT_UNKNOWN, 3, true},
		{{.has_run = true, .stages_done = true}, VERDICT_DONE, 0, false},
		{{.has_run = true, .stage_failed = true, .reachable = true}, VERDICT_FAILED, 2,
			true},
		{{.has_run = true, .jobset_known = true, .jobset_failed = true, .reachable = true},
			VERDICT_FAILED, 2, true},
		{{.has_run = true, .alerts = 1, .reachable = true}, VERDICT_DEGRADED, 1, true},
		{{.has_run = true, .engine_lost = true, .reachable = true}, VERDICT_DEGRADED, 1,
			true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *why = "?";
		enum verdict v = verdict_judge(&rows[i].in, &why);

		if (v != rows[i].v || (why != NULL) != rows[i].says)
			fail_msg("row %zu is %s", i, verdict_name(v));
		assert_int_equal(verdict_exit_code(v), rows[i].code);
		assert_int_equal(verdict_from_name(verdict_name(v)), v);
	}
}

static void told(struct training *t, int64_t at, const char *line)
{
	struct trainlog_event ev;

	trainlog_parse(line, strlen(line), &ev);
	(void)training_apply(t, &ev, at, NULL);
}

static void a_conversion_has_parts_and_a_speed(void **state)
{
	const int64_t minute = 60000, at = INT64_C(1790000000000);
	struct training t = {0};

	(void)state;
	assert_int_equal(training_bar_eta_ms(&t), -1);
	told(&t, at, "INFO:absl:Loading index file: model.safetensors.index.json");
	told(&t, at + minute, "INFO:absl:Starting weight transformation...");
	told(&t, at + minute, "Transforming weights: 100%|####| 687/687 [00:00<00:00, RAM: 5]");
	assert_int_equal(t.total, 0); /* instant in lazy mode: that is not the work */
	told(&t, at + 2 * minute, "INFO:absl:Shard weights across 16 devices");
	told(&t, at + 3 * minute, "  1%|          | 7/687 [00:01<08:01, RAM: 60.0/708.6 GB]");
	assert_true(training_bar_rate(&t) <= 0); /* one look is no speed */
	told(&t, at + 8 * minute, " 15%|#    | 107/687 [12:01<08:01,  1.75s/it]");
	assert_float_equal(training_bar_rate(&t), 20.0, 1e-9);
	assert_int_equal(training_bar_eta_ms(&t), 29 * minute);
	assert_int_equal(t.parts[PART_INDEX], at);
	assert_int_equal(t.parts[PART_LOAD], at + 2 * minute);
	assert_int_equal(t.parts[PART_WRITE], 0);
	told(&t, at + 37 * minute, "100%|#####| 687/687 [12:01<00:00,  1.75s/it]");
	assert_int_equal(training_bar_eta_ms(&t), 0);
	told(&t, at + 38 * minute, "INFO:absl:[process=0] Saving checkpoint at step 0");
	assert_int_equal(t.parts[PART_WRITE], at + 38 * minute);
	told(&t, at + 39 * minute, "INFO:absl:Loading index file: again");
	assert_int_equal(t.parts[PART_INDEX], at); /* when it began first */
}

/* Another bar is measured by itself: tensors first, then files. */
static void an_export_counts_files_after_tensors(void **state)
{
	const int64_t minute = 60000, at = INT64_C(1790000000000);
	struct training t = {0};

	(void)state;
	told(&t, at, "INFO:absl:Processing weights...");
	told(&t, at, "  1/657 [00:01, RAM: 60.0/708.6 GB]");
	told(&t, at + minute, "657/657 [00:01, RAM: 60.0/708.6 GB]");
	told(&t, at + minute, "INFO:absl:Saving HuggingFace model...");
	told(&t, at + 2 * minute,
		"Uploaded /tmp/x/model-00001-of-00018.safetensors to "
		"b/h/model-00001-of-00018.safetensors");
	assert_true(training_bar_rate(&t) <= 0);
	told(&t, at + 4 * minute,
		"Uploaded /tmp/x/model-00002-of-00018.safetensors to "
		"b/h/model-00002-of-00018.safetensors");
	assert_string_equal(t.unit, "file");
	assert_float_equal(training_bar_rate(&t), 0.5, 1e-9);
	assert_int_equal(t.parts[PART_UPLOAD], at + minute);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_markers),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_many),
		cmocka_unit_test(R24_a_zero_byte_folder_is_no_checkpoint),
		cmocka_unit_test(R26_names_are_kept_as_they_are),
		cmocka_unit_test(test_export),
		cmocka_unit_test(test_next_due),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_any_order),
		cmocka_unit_test(test_smooth),
		cmocka_unit_test(test_cost),
		cmocka_unit_test(a_conversion_has_parts_and_a_speed),
		cmocka_unit_test(an_export_counts_files_after_tensors),
		cmocka_unit_test(test_verdicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
