/* SPDX-License-Identifier: Apache-2.0 */
/* Is a result that is there the one that a stage would make? Values of commands, trees, records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "core/model/checkpoint.h"
#include "core/recipe/recipe.h"
#include "core/recipe/values.h"
#include "core/run/origin.h"
#include "core/run/same.h"
#include "tests/unit/recipe_rig.h"

#define GIB ((int64_t)1 << 30)

static void differs_as(const struct strvec *differs, const char *wanted)
{
	AUTO_FREE char *text = same_text(differs);

	assert_string_equal(text, wanted);
}

static void values_of_two_commands_are_compared(void **state)
{
	static const struct {
		const char *there, *here;
		bool known;
		size_t equal;
		const char *differs;
	} rows[] = {
		{"bash -c python3 -m a.b x=1 --y='q r' z", "python3 -m a.b x=1 --y=\"q r\" z", true,
			4, ""},
		/* in gcluster's wrapper, with what belongs to the shell behind it */
		{"trap _sigterm SIGTERM\n(cd /d && A=1 python3 -m a.b x=1 y=2) & PID=$!\nwait $PID",
			"A=1 python3 -m a.b x=1 y=2", true, 3, ""},
		{"python3 -m a.b x=1; echo x=2", "python3 -m a.b x=1", true, 2, ""},
		{"python3 -m a.b x=2 w=4", "python3 -m a.b x=1 y=3", true, 1,
			"x: 2 there, 1 here; y: missing there; and 1 more of them"},
		{"python3 -m a.c", "python3 -m a.b", true, 0, "module: a.c there, a.b here"},
		{"python3 -m a.b a=1 b=1 c=1 d=1 e=1", "python3 -m a.b a=2 b=2 c=2 d=2 e=2", true,
			1, "a: 1 there, 2 here; b: 1 there, 2 here; and 3 more of them"},
		{"sleep 10", "python3 -m a.b", false, 0, ""},
		/* secrets are not compared, nor told */
		{"python3 -m a.b hf_*** x=1", "python3 -m a.b x=1", true, 2, ""},
		{"python3 -m a.b x=1", "python3 -m a.b hf_***", true, 1, "x: only there"},
		{"", "", false, 0, ""},
		{"python3 -m a.b x='", "python3 -m a.b x=", true, 2, ""},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct same s = {0};

		same_words(rows[i].there, rows[i].here, &s);
		assert_int_equal(s.known, rows[i].known);
		assert_int_equal(s.equal, rows[i].equal);
		differs_as(&s.differs, rows[i].differs);
		same_fini(&s);
	}
}

/* One tree of `bytes` bytes; made at `at`. */
static void put_tree(struct checkpoint_list *l, enum checkpoint_tree tree, const char *step,
	const char *item, int64_t bytes, int64_t at)
{
	static const char *const files[] = {
		"commit_success.txt", "%s/commit_success.txt", "%s/0.0"};

	for (size_t i = 0; i < COUNT(files); i++) {
		AUTO_FREE char *file = i ? x_asprintf("%s/%s", item, strchr(files[i], '/') + 1)
					 : x_strdup(files[i]);
		AUTO_FREE char *name = x_asprintf("root/%s/%s", step, file);
		assert_true(checkpoint_list_add(l, tree, "root/", name, i == 2 ? bytes : 10, at));
	}
}

static void judge(const struct recipe *r, const char *tree, struct checkpoint_list *l, int64_t step,
	int64_t wanted, const char *differs)
{
	static const bool ended[CHECKPOINT_TREE_COUNT] = {true, true, true};
	AUTO(json_auto) json_t *index = json_parse("{\"weight_map\":{}}", 17, NULL);
	struct origin_told told = {0};

	checkpoint_list_judge(l, 1000000, ended, index);
	origin_judge_tree(&told, recipe_tree(r, tree), l, step, wanted);
	differs_as(&told.differs, differs);
	assert_true(strvec_find(&told.same, "the folder") >= 0);
	origin_told_fini(&told);
}

static void trees_of_other_steps_sizes_and_ages_are_others(void **state)
{
	struct recipe *r = recipe_rig();
	struct checkpoint_list l;
	(void)state;

	checkpoint_list_init(&l, "b");
	put_tree(&l, CHECKPOINT_TRAINED, "50", "model_params", 40 * GIB, 5000);
	judge(r, "trained", &l, 50, 50, "");
	judge(r, "trained", &l, 50, 40, "step: 50 there, 40 here");
	checkpoint_list_fini(&l);

	checkpoint_list_init(&l, "b");
	put_tree(&l, CHECKPOINT_MAX_TEXT, "0", "items", 8 * GIB, 5000);
	judge(r, "max-text-format", &l, 0, -1, "size: 8.0 GiB there, about 47.0 GiB here");
	checkpoint_list_fini(&l);

	checkpoint_list_init(&l, "b");
	put_tree(&l, CHECKPOINT_TRAINED, "50", "model_params", 40 * GIB, 5000);
	assert_true(checkpoint_list_add(&l, CHECKPOINT_HF, "root/",
		"root/model-00001-of-00001.safetensors", 47 * GIB, 4000));
	assert_true(checkpoint_list_add(
		&l, CHECKPOINT_HF, "root/", "root/model.safetensors.index.json", 17, 6000));
	judge(r, "hf-trained", &l, -1, -1, "it is older than the checkpoint of step 50");
	checkpoint_list_fini(&l);
	recipe_free(r);
}

static void a_checkpoint_tells_its_layers_and_its_step(void **state)
{
	static const struct {
		const char *record, *differs;
		int64_t step;
		bool layers; /* were they compared, and the same? */
	} rows[] = {
		{"{\"custom_metadata\":{\"scan_layers\":false}}", "", 0, true},
		{"{\"custom_metadata\":{\"scan_layers\":true}}",
			"scan_layers: true there, False here", 0, false},
		{"{\"custom_metadata\":{\"global_step\":50,\"role\":\"actor\"}}", "", 50, false},
		{"{\"custom_metadata\":{\"global_step\":20}}",
			"the checkpoint calls itself step 20 in the folder of step 50", 50, false},
		{"{\"custom_metadata\":null}", "", 50, false},
		{"{\"custom_metadata\":{\"scan_layers\":\"no\",\"global_step\":[1]}}", "", 50,
			false},
		{"[]", "", 0, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		AUTO(json_auto)
		json_t *record = json_parse(rows[i].record, strlen(rows[i].record), NULL);
		struct origin_told told = {0};

		origin_judge_record(&told, record, "python3 -m m scan_layers=False", rows[i].step);
		differs_as(&told.differs, rows[i].differs);
		assert_int_equal(strvec_find(&told.same, "scan_layers") >= 0, rows[i].layers);
		origin_told_fini(&told);
	}
}

static void what_was_not_compared_is_said(void **state)
{
	struct origin_told told = {0};
	(void)state;

	strvec_push(&told.same, "the folder");
	strvec_push(&told.same, "step 50");
	strvec_push(&told.unknown, "the weights themselves");
	AUTO_FREE char *text = origin_text(&told);
	assert_string_equal(text,
		"compared and the same: the folder, step 50; not compared: the weights themselves");
	origin_told_fini(&told);
	AUTO_FREE char *none = origin_text(&told);
	assert_string_equal(none, "");
}

/* A training that stopped early has complete checkpoints too. */
static void the_step_that_counts_is_the_parameters(void **state)
{
	struct recipe *r = recipe_rig();
	struct err e = {0};
	struct values v = {0};
	AUTO(buf_fini) struct buf out = {0};
	(void)state;

	assert_int_equal(values_expand_fact(&v, r, "${num_batches}", &out, &e), 0);
	assert_string_equal(buf_str(&out), "50");
	values_put(&v, "num_batches", "40", VALUE_TYPED, false);
	buf_clear(&out);
	assert_int_equal(values_expand_fact(&v, r, "${num_batches}", &out, &e), 0);
	assert_string_equal(buf_str(&out), "40");
	for (size_t i = 0; i < r->stages.n; i++) {
		const struct recipe_facts *l = &r->stages.items[i].existing;
		for (size_t k = 0; k < l->n; k++)
			for (size_t a = 0; a < l->items[k].args.n; a++) {
				buf_clear(&out);
				(void)values_expand_fact(
					&v, r, l->items[k].args.items[a].value, &out, &e);
				assert_null(strstr(buf_str(&out), "${n"));
			}
	}
	values_fini(&v);
	recipe_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_two_commands_are_compared),
		cmocka_unit_test(trees_of_other_steps_sizes_and_ages_are_others),
		cmocka_unit_test(a_checkpoint_tells_its_layers_and_its_step),
		cmocka_unit_test(what_was_not_compared_is_said),
		cmocka_unit_test(the_step_that_counts_is_the_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
