/* SPDX-License-Identifier: Apache-2.0 */
/* Recipes: the one that is shipped, and files with one fault each: place and expectation are told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/recipe/recipe.h"

static char shipped[4096];
static char *text;

static int setup(void **state)
{
	const char *srcdir = getenv("srcdir");
	struct buf b = {0};

	(void)state;
	snprintf(shipped, sizeof(shipped), "%s/assets/recipes/gemma4-26b-v6e.yaml",
		srcdir ? srcdir : ".");
	if (path_read(shipped, 1 << 20, &b, NULL))
		return -1;
	text = buf_take(&b);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(text);
	return 0;
}

static struct recipe *load(void)
{
	struct err e = {0};
	struct recipe *r = NULL;

	if (recipe_load(shipped, &r, &e))
		fail_msg("%s %s (%s)", e.place, e.what, e.hint);
	return r;
}

static void shipped_recipe_is_complete(void **state)
{
	static const char *const asked[] = {"PROJECT", "REGION", "ZONE", "CLUSTER_NAME",
		"GCS_BUCKET", "CLOUD_IMAGE_NAME", "COMPUTE_TYPE", "TPU_TYPE", "TOPOLOGY",
		"CLUSTER_NODEPOOL_COUNT", "RESERVATION", "MODEL_NAME", "CLUSTER_TOOLKIT_VERSION",
		"HF_TOKEN"};
	static const char *const stages[] = {"tools", "toolkit", "login", "bucket", "cluster",
		"convert", "train", "export", "cleanup"};
	struct recipe *r = load();
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < r->variables.n; i++)
		n += !r->variables.items[i].derived_only;
	assert_int_equal(n, COUNT(asked));
	for (size_t i = 0; i < COUNT(asked); i++)
		assert_string_equal(r->variables.items[i].name, asked[i]);
	assert_int_equal(r->stages.n, COUNT(stages));
	for (size_t i = 0; i < COUNT(stages); i++)
		assert_string_equal(r->stages.items[i].id, stages[i]);
	assert_int_equal(recipe_variable(r, "HF_TOKEN")->how.n, 4);
	assert_true(recipe_variable(r, "HF_TOKEN")->secret);
	assert_string_equal(recipe_parameter(r, "learning_rate")->value, "2e-5");
	assert_int_equal(recipe_stage(r, "cluster")->usual_min_s, 900);
	recipe_free(r);
}

static void a_gate_knows_which_stage_makes_what_it_asks_for(void **state)
{
	static const char *const rows[][3] = {
		{"cluster", "gcluster-version", "toolkit"},
		{"cluster", "bucket", "bucket"},
		{"convert", "nodes-ready", "cluster"},
		{"convert", "jobset-absent", NULL},
		{"train", "marker", "convert"},
		{"export", "newest-step", "train"},
		{"toolkit", "tool", "tools"},
		{"tools", "tool", NULL},
	};
	struct recipe *r = load();

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct recipe_stage *of = recipe_stage(r, rows[i][0]), *maker;
		const struct recipe_fact any = {.id = rows[i][1]}, *wanted = &any;
		for (size_t k = 0; k < of->gate.n; k++)
			if (strcmp(of->gate.items[k].id, rows[i][1]) == 0)
				wanted = &of->gate.items[k];
		maker = recipe_maker(r, of, wanted);
		if (rows[i][2])
			assert_string_equal(maker ? maker->id : "none", rows[i][2]);
		else
			assert_null(maker);
	}
	recipe_free(r);
}

static void deviations_are_the_closed_list(void **state)
{
	static const char *const on[] = {"no-await", "restarts-0", "ttl-24h", "explicit-target",
		"own-kubeconfig", "edits-in-c", "validators-on", "json-output",
		"download-dependencies", "robust-destroy", "wait-by-watch", "step-from-bucket",
		"stdin-closed"};
	static const char *const off[] = {"cidr-own", "dataset-openmath", "checkpoint-every-10"};
	struct recipe *r = load();

	(void)state;
	assert_int_equal(r->deviations.n, COUNT(on) + COUNT(off));
	for (size_t i = 0; i < COUNT(on); i++)
		assert_true(recipe_deviation(r, on[i])->dflt);
	for (size_t i = 0; i < COUNT(off); i++)
		assert_false(recipe_deviation(r, off[i])->dflt);
	recipe_free(r);
}

static bool holds_hangul(const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s >= 0xea && (unsigned char)*s <= 0xed)
			return true;
	}
	return false;
}

static void korean_texts_are_korean(void **state)
{
	struct recipe *r = load();

	(void)state;
	for (size_t i = 0; i < r->variables.n; i++)
		assert_true(holds_hangul(r->variables.items[i].why.ko));
	for (size_t i = 0; i < r->stages.n; i++) {
		const struct recipe_stage *s = &r->stages.items[i];

		assert_true(holds_hangul(s->does.ko));
		for (size_t k = 0; k < s->commands.n; k++)
			assert_true(holds_hangul(s->commands.items[k].why.ko));
	}
	for (size_t i = 0; i < r->checks.n; i++)
		assert_true(holds_hangul(r->checks.items[i].question.ko));
	for (size_t i = 0; i < r->deviations.n; i++)
		assert_true(holds_hangul(r->deviations.items[i].why.ko));
	recipe_free(r);
}

/* The shipped text with the first `from` behind `after` replaced, loaded; must fail there. */
/* item: the place told is the line before that begins with it, NULL = the changed line. */
static void broken_in(const char *item, const char *after, const char *from, const char *to,
	const char *what, const char *hint)
{
	AUTO(buf_fini) struct buf b = {0};
	char dir[4096];
	const char *at = strstr(text, after);
	size_t line = 1;
	struct recipe *r = NULL;
	struct err e = {0};
	AUTO_FREE char *file = NULL, *place = NULL;
	int rc;

	assert_non_null(at);
	at = strstr(at, from);
	assert_non_null(at);
	buf_add(&b, text, (size_t)(at - text));
	buf_adds(&b, to);
	buf_adds(&b, at + strlen(from));
	while (item && strncmp(at, item, strlen(item)) != 0)
		at--;
	for (const char *s = text; s < at; s++)
		line += *s == '\n';
	for (const char *s = item ? item : from; *s == '\n' || *s == ' '; s++)
		line += *s == '\n';
	snprintf(dir, sizeof(dir), "%s/rlpilot-recipe-XXXXXX",
		getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	assert_non_null(mkdtemp(dir));
	file = x_asprintf("%s/r.yaml", dir);
	assert_int_equal(path_write(file, b.data, b.len, NULL), 0);
	rc = recipe_load(file, &r, &e);
	path_remove_tree(dir, NULL);
	recipe_free(r);
	if (rc == 0)
		fail_msg("loaded although %s became %s", from, to);
	assert_int_equal(e.code, ERR_BAD_FILE);
	if (!strstr(e.what, what))
		fail_msg("said \"%s\", not \"%s\"", e.what, what);
	if (!strstr(e.hint, hint))
		fail_msg("advised \"%s\", not \"%s\"", e.hint, hint);
	place = x_asprintf("%s:%zu:", file, line);
	if (strncmp(e.place, place, strlen(place)))
		fail_msg("%s: place %s, not %s", e.what, e.place, place);
}

static void broken(
	const char *after, const char *from, const char *to, const char *what, const char *hint)
{
	broken_in(NULL, after, from, to, what, hint);
}

static void faults_are_told_with_their_place(void **state)
{
	(void)state;
	broken("recipe: 1", "recipe: 1", "recipe: 2", "format 1", "newer");
	broken("id: toolkit", "    usual:", "    usally:", "unknown key \"usally\"", "usual");
	broken("id: toolkit", "20s-3m", "soon", "\"soon\" is not a time", "20m-45m");
	broken("id: toolkit", "fact: tool", "fact: toll", "there is no fact called \"toll\"",
		"gcluster-version");
	broken("id: bucket", ", location: \"${REGION}\"}", "}", "has no \"location\"",
		"name, project, location");
	broken("name: ZONE", "rule: zone", "rule: zoon", "there is no rule called \"zoon\"",
		"match");
	broken("name: ZONE", "[PROJECT]", "[PROJEKT]", "\"PROJEKT\" is named here", "variables");
	broken("id: train\n", "when: explicit-target", "when: explicit-goal", "\"explicit-goal\"",
		"deviations");
	broken("id: train\n", "gs://${GCS_BUCKET}/", "gs://${BUCKET}/", "\"BUCKET\" is named here",
		"variables");
	broken("id: train\n", "ko: \"강화 학습\"", "kr: \"x\"", "unknown key \"kr\"", "en, ko");
	broken("id: train\n", "{en: \"Train\", ko: \"강화 학습\"}", "{en: \"Train\"}", "no \"ko\"",
		"ko:");
	broken("id: train\n", "jobset: gemma4-training", "jobset: ../../gemma4", "a job name holds",
		"another value");
	broken("id: train\n", "holds_tpu: true", "holds_tpu: maybe", "true or false",
		"true, false");
	broken("id: bucket-get", "match: \"", "match: \"(", "", "PCRE2");
	broken("id: bucket-get", "severity: fatal", "severity: bad", "\"bad\" is not known",
		"info, warning");
	broken("id: cidr-own", "cidr-own", "stdin-closed", "stands here twice", "own name");
	broken("id: hf-trained", "kind: huggingface", "kind: hugging", "\"hugging\" is not known",
		"orbax");
	broken("id: convert\n", "tree: max-text-format", "tree: no-tree", "\"no-tree\"",
		"watch.trees");
}

static const char command[] = "- program: ";

static void R41_pathways_takes_no_restart_rules(void **state)
{
	(void)state;
	broken_in(command, "id: train\n", "{flag: --restarts,", "{flag: --restart-on-exit-codes,",
		"the workers are refused", "agree");
}

static void R60_commands_agree_on_the_checkpoint(void **state)
{
	(void)state;
	broken_in(command, "id: export\n", "{key: scan_layers, value: \"False\"}",
		"{key: scan_layers, value: \"True\"}", "scan_layers is True here", "agree");
	broken("key: load_parameters_path", "/0/items/", "/0/", "must end with /items/", "agree");
	broken_in(command, "id: export\n", "{key: hardware, value: cpu}",
		"{key: hardware, value: tpu}", "hardware=cpu", "agree");
	broken_in(command, "id: convert\n", "{key: skip_jax_distributed_system, value: \"true\"}",
		"{key: skip_jax_distributed_system, value: \"false\"}", "skip_jax", "agree");
}

static void R84_the_export_reads_model_params_of_a_step(void **state)
{
	(void)state;
	broken_in(command, "id: export\n", "actor/${EXPORT_STEP:-50}/model_params/",
		"actor/${EXPORT_STEP:-50}/", "must end with /model_params/", "agree");
}

static void wrong_shapes_are_told(void **state)
{
	(void)state;
	broken("id: toolkit",
		"    gate:\n      - {fact: tool, name: curl}\n      - {fact: tool, name: tar}",
		"    gate: tool", "a list is expected", "- ");
	broken("name: ZONE", "label: {en: \"Zone\", ko: \"영역\"}", "label: Zone", "both languages",
		"{en:");
	broken("chips:", "per_host: 4", "per_host: four", "whole number", "whole number");
	broken("name: ZONE", "name: ZONE", "name: [ZONE]", "a text is expected", "one value");
	broken("id: tools", "    commands:", "    x:", "unknown key", "commands");
}

static void a_missing_file_is_told(void **state)
{
	struct recipe *r = NULL;
	struct err e = {0};

	(void)state;
	assert_int_equal(recipe_find("./no-such-file.yaml", &r, &e), -1);
	assert_non_null(strstr(e.what, "no-such-file"));
	assert_int_equal(recipe_find("no-such-recipe", &r, &e), -1);
	assert_non_null(strstr(e.what, "no-such-recipe"));
	assert_int_equal(e.code, ERR_BAD_FILE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_recipe_is_complete),
		cmocka_unit_test(deviations_are_the_closed_list),
		cmocka_unit_test(a_gate_knows_which_stage_makes_what_it_asks_for),
		cmocka_unit_test(korean_texts_are_korean),
		cmocka_unit_test(faults_are_told_with_their_place),
		cmocka_unit_test(R41_pathways_takes_no_restart_rules),
		cmocka_unit_test(R60_commands_agree_on_the_checkpoint),
		cmocka_unit_test(R84_the_export_reads_model_params_of_a_step),
		cmocka_unit_test(wrong_shapes_are_told),
		cmocka_unit_test(a_missing_file_is_told),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
