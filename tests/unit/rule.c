/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of values and the arithmetic of training parameters, as tables. */
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
#include "core/recipe/recipe.h"
#include "core/recipe/rule.h"
#include "core/recipe/values.h"

static struct recipe *recipe;

static int setup(void **state)
{
	const char *srcdir = getenv("srcdir");
	AUTO_FREE char *file =
		x_asprintf("%s/assets/recipes/gemma4-26b-v6e.yaml", srcdir ? srcdir : ".");

	(void)state;
	return recipe_load(file, &recipe, NULL);
}

static int teardown(void **state)
{
	(void)state;
	recipe_free(recipe);
	return 0;
}

static const struct {
	const char *name, *text;
	const char *reason; /* NULL: good */
} values_table[] = {
	{"PROJECT", "rl-lab-7", NULL},
	{"PROJECT", "example.com:rl-lab", NULL},
	{"PROJECT", "Rl-lab", "lower-case"},
	{"PROJECT", "481516234200", "begins with"},
	{"PROJECT", "short", "6 to 30"},
	{"PROJECT", "ends-in-hyphen-", "end with a hyphen"},
	{"PROJECT", "", "needed"},
	{"PROJECT", "프로젝트-lab", "ASCII"},
	{"PROJECT", "rl lab 7", "blanks"},
	{"REGION", "us-east5", NULL},
	{"REGION", "us-east5-b", "this is a zone"},
	{"REGION", "useast", "looks like"},
	{"ZONE", "us-east5-b", NULL},
	{"ZONE", "us-central1-ai1a", NULL},
	{"ZONE", "us-east5", "this is a region"},
	{"CLUSTER_NAME", "a1-b2", NULL},
	{"CLUSTER_NAME", "abcdefghijklmnopqrst", NULL},
	{"CLUSTER_NAME", "abcdefghijklmnopqrstu", "at most 20"},
	{"CLUSTER_NAME", "1abc", "begins with"},
	{"CLUSTER_NAME", "a_b", "letters, digits and hyphens"},
	{"CLUSTER_NAME", "abc-", "end with a hyphen"},
	{"GCS_BUCKET", "x.y_z-9", NULL},
	{"GCS_BUCKET", "gs://rl-lab", "without gs://"},
	{"GCS_BUCKET", "rl-lab/folder", "without a folder"},
	{"GCS_BUCKET", "ab", "3 to 63"},
	{"GCS_BUCKET", "Rl-Lab", "lower-case"},
	{"GCS_BUCKET", "-rl-lab", "begins and ends"},
	{"GCS_BUCKET", "192.168.5.4", "IP address"},
	{"GCS_BUCKET", "google-data", "goog"},
	{"GCS_BUCKET", "my-g00gle-data", "goog"},
	{"GCS_BUCKET", "a..b", "between dots"},
	{"GCS_BUCKET", "abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvwxyz-0123456789",
		"3 to 63"},
	{"RESERVATION", "rl-v6e", NULL},
	{"RESERVATION", "projects/owner-1/reservations/shared-r", NULL},
	{"RESERVATION", "a,b", "no comma"},
	{"RESERVATION", "shared/r", "projects/OWNER"},
	{"CLOUD_IMAGE_NAME", "us-docker.pkg.dev/a/b:0.2.4", NULL},
	{"CLOUD_IMAGE_NAME", "image name", "blanks"},
	{"CLOUD_IMAGE_NAME", "$(reboot)", "looks like"},
	{"COMPUTE_TYPE", "ct6e-standard-4t", NULL},
	{"COMPUTE_TYPE", "n2-standard-8", "looks like"},
	{"TOPOLOGY", "4x8", NULL},
	{"TOPOLOGY", "4x9", "topologies"},
	{"TOPOLOGY", "4*8", "looks like 4x8"},
	{"CLUSTER_NODEPOOL_COUNT", "1", NULL},
	{"CLUSTER_NODEPOOL_COUNT", "0", "1 or more"},
	{"CLUSTER_TOOLKIT_VERSION", "v1.103.0", NULL},
	{"CLUSTER_TOOLKIT_VERSION", "1.103.0", "looks like"},
	{"MODEL_NAME", "gemma4-26b", NULL},
	{"MODEL_NAME", "a;b", "looks like"},
	{"HF_TOKEN", "hf_AbCdEf0123456789", NULL},
	{"HF_TOKEN", "AbCdEf0123456789", "begins with hf_"},
	{"HF_TOKEN", "hf_\"quoted\"", "letters and digits"},
	{"HF_TOKEN", "hf_1", "too short"},
	{"HF_TOKEN", "hf_AbCdEf0123\n456789", "blanks"},
};

static void variables_keep_their_rules(void **state)
{
	struct values none = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(values_table); i++) {
		AUTO(buf_fini) struct buf why = {0};
		const char *reason = values_table[i].reason;
		bool good = rule_variable(recipe, recipe_variable(recipe, values_table[i].name),
			values_table[i].text, &none, &why);

		if (good != !reason || (reason && !strstr(buf_str(&why), reason)))
			fail_msg("%s=%s: %s", values_table[i].name, values_table[i].text,
				good ? "taken" : buf_str(&why));
	}
}

static void job_names_keep_their_rule(void **state)
{
	AUTO(buf_fini) struct buf why = {0};

	(void)state;
	assert_true(rule_named("job", "gemma4-hf-to-mt", &why));
	assert_true(rule_named("job", "abcdefghijklmnopqrstuvwxyz-1", &why));
	assert_false(rule_named("job", "abcdefghijklmnopqrstuvwxyz-12", &why));
	assert_false(rule_named("job", "Gemma", &why));
	assert_false(rule_named("job", "gemma-", &why));
}

static void variables_agree_with_each_other(void **state)
{
	AUTO(values_fini) struct values v = {0};
	struct err e = {0};

	(void)state;
	values_put(&v, "ZONE", "us-east5-b", VALUE_TYPED, false);
	values_put(&v, "TOPOLOGY", "4x8", VALUE_TYPED, false);
	values_derive(&v, recipe);
	assert_string_equal(values_get(&v, "REGION"), "us-east5");
	assert_string_equal(values_get(&v, "CHIPS"), "32");
	assert_string_equal(values_get(&v, "HOSTS"), "8");
	assert_int_equal(
		values_put_checked(&v, recipe, "REGION", "europe-west4", VALUE_TYPED, &e), -1);
	assert_non_null(strstr(e.what, "us-east5"));
	assert_int_equal(values_put_checked(&v, recipe, "TPU_TYPE", "v6e-16", VALUE_TYPED, &e), -1);
	assert_non_null(strstr(e.what, "32 chips"));
	assert_int_equal(values_put_checked(&v, recipe, "TPU_TYPE", "v6e-32", VALUE_TYPED, &e), 0);
	assert_int_equal(values_put_checked(&v, recipe, "NO_SUCH", "1", VALUE_TYPED, &e), -1);
	assert_int_equal(e.code, ERR_USAGE);
	assert_int_equal(values_put_checked(&v, recipe, "run_name", "x", VALUE_TYPED, &e), -1);
	assert_int_equal(
		values_put_checked(&v, recipe, "num_batches", "fifty", VALUE_TYPED, &e), -1);
	assert_int_equal(
		values_put_checked(&v, recipe, "learning_rate", "3e-5", VALUE_TYPED, &e), 0);
}

static char *fake_environment(const char *name)
{
	static char zone[] = "us-east5-b", token[] = " hf_AbCdEf0123456789\r\n", step[] = "999";

	if (!strcmp(name, "ZONE"))
		return zone;
	if (!strcmp(name, "HF_TOKEN"))
		return token;
	return strcmp(name, "EXPORT_STEP") ? NULL : step;
}

static void stronger_origins_win(void **state)
{
	AUTO(values_fini) struct values v = {0};

	(void)state;
	values_start(&v, recipe, fake_environment);
	assert_string_equal(values_get(&v, "HF_TOKEN"), "hf_AbCdEf0123456789");
	assert_int_equal(values_find(&v, "ZONE")->origin, VALUE_ENV);
	assert_int_equal(values_find(&v, "TOPOLOGY")->origin, VALUE_DEFAULT);
	assert_int_equal(values_find(&v, "REGION")->origin, VALUE_DERIVED);
	assert_null(values_get(&v, "EXPORT_STEP"));
	assert_true(values_put(&v, "ZONE", "us-east5-a", VALUE_TYPED, false));
	assert_false(values_put(&v, "ZONE", "us-east5-b", VALUE_ENV, false));
	assert_true(values_put(&v, "ZONE", "us-east5-c", VALUE_SET, false));
	assert_false(values_put(&v, "ZONE", "us-east5-b", VALUE_TYPED, false));
	assert_string_equal(values_get(&v, "ZONE"), "us-east5-c");
	assert_string_equal(values_missing(&v, recipe), "PROJECT");
}

static void templates_expand(void **state)
{
	AUTO(values_fini) struct values v = {0};
	AUTO(buf_fini) struct buf b = {0};
	struct err e = {0};

	(void)state;
	values_put(&v, "MODEL_NAME", "m", VALUE_TYPED, false);
	values_put(&v, "HF_TOKEN", "hf_AbCdEf0123456789", VALUE_TYPED, true);
	assert_int_equal(
		values_expand(&v, "$1 ${MODEL_NAME}/${EXPORT_STEP:-50} $(x) ${", &b, &e), 0);
	assert_string_equal(buf_str(&b), "$1 m/50 $(x) ${");
	buf_clear(&b);
	assert_int_equal(values_expand(&v, "${PROJECT}", &b, &e), -1);
	assert_int_equal(e.code, ERR_PERSON);
	assert_non_null(strstr(e.what, "PROJECT"));
	buf_clear(&b);
	values_show(&v, "${HF_TOKEN} ${PROJECT}", &b);
	assert_string_equal(buf_str(&b), "${HF_TOKEN} ${PROJECT}");
}

static const struct {
	const char *set[4]; /* NAME=VALUE */
	const char *check;  /* NULL: nothing blocking */
	const char *text;
} training_table[] = {
	{{NULL}, NULL, NULL},
	{{"rollout_tensor_parallelism=0"}, "rollout", "not 0"},
	{{"rollout_tensor_parallelism=-1", "rollout_expert_parallelism=-1"}, "rollout", "only one"},
	{{"rollout_tensor_parallelism=3"}, "rollout", "16 sampler chips"},
	{{"rollout_tensor_parallelism=3"}, "heads", "16 attention heads"},
	{{"ici_fsdp_parallelism=1"}, "trainer", "product of the ici parallelisms, 8"},
	{{"ici_expert_parallelism=-1"}, "trainer", "only one of the ici"},
	{{"trainer_devices_fraction=0.75"}, "trainer", "share chips"},
	{{"ici_tensor_parallelism=4", "ici_expert_parallelism=2"}, "heads", "2 KV heads"},
	{{"train_micro_batch_size=3"}, "batch", "multiple of train_micro_batch_size 3"},
	{{"rl.num_generations=1"}, "generations", "more than 1"},
	{{"rl.num_generations=2"}, "batch", "= 4 must be a multiple of the 8 chips"},
	{{"max_target_length=256"}, "lengths", "nothing is left"},
	{{"batch_size=8", "train_micro_batch_size=4"}, NULL, NULL},
};

static void training_arithmetic(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(training_table); i++) {
		AUTO(values_fini) struct values v = {0};
		AUTO(rule_findings_fini) struct rule_findings found = {0};
		bool seen = false, any = false;

		values_start(&v, recipe, NULL);
		for (size_t k = 0; training_table[i].set[k]; k++) {
			const char *eq = strchr(training_table[i].set[k], '=');
			AUTO_FREE char *name = x_strndup(
				training_table[i].set[k], (size_t)(eq - training_table[i].set[k]));

			values_put(&v, name, eq + 1, VALUE_SET, false);
		}
		rule_training(recipe, &v, &found);
		for (size_t k = 0; k < found.n; k++) {
			any = any || found.items[k].blocking;
			seen = seen ||
			       (training_table[i].check &&
				       !strcmp(found.items[k].check, training_table[i].check) &&
				       strstr(found.items[k].text, training_table[i].text));
		}
		if (training_table[i].check ? !seen : any)
			fail_msg("row %zu: %s", i, found.n ? found.items[0].text : "nothing found");
	}
}

static void chips_and_regions(void **state)
{
	char region[32];

	(void)state;
	assert_int_equal(rule_chips("4x8"), 32);
	assert_int_equal(rule_chips("2x2x4"), 16);
	assert_int_equal(rule_chips("4x"), 0);
	assert_int_equal(rule_chips("x8"), 0);
	assert_int_equal(rule_chips("99999x99999"), 0);
	assert_true(rule_region_of("europe-west4-a", region, sizeof(region)));
	assert_string_equal(region, "europe-west4");
	assert_false(rule_region_of("europe-west4", region, sizeof(region)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_keep_their_rules),
		cmocka_unit_test(job_names_keep_their_rule),
		cmocka_unit_test(variables_agree_with_each_other),
		cmocka_unit_test(stronger_origins_win),
		cmocka_unit_test(templates_expand),
		cmocka_unit_test(training_arithmetic),
		cmocka_unit_test(chips_and_regions),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
