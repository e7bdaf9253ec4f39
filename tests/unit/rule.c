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
#include "core/recipe/command.h"
#include "core/recipe/recipe.h"
#include "core/recipe/rule.h"
#include "core/recipe/values.h"
#include "tests/unit/recipe_rig.h"

static struct recipe *recipe;

static int setup(void **state)
{
	(void)state;
	recipe = recipe_rig();
	return 0;
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

/* One row for each check of the facts (maxtext-run.md 5.2) that can be known before, with the words
 * in which the trainer would refuse. */
static const struct {
	const char *set[4]; /* NAME=VALUE */
	const char *check;  /* NULL: nothing blocking */
	const char *text, *says;
	bool warning;
} training_table[] = {
	{{NULL}, NULL, NULL, NULL, false},
	{{"rollout_tensor_parallelism=0"}, "rollout", "rollout_tensor_parallelism must be -1",
		"`rollout_tensor_parallelism` must be -1 or > 0, got 0.", false},
	{{"rollout_data_parallelism=-2"}, "rollout", "not -2",
		"`rollout_data_parallelism` must be -1 or > 0, got -2.", false},
	{{"rollout_tensor_parallelism=-1", "rollout_expert_parallelism=-1"}, "rollout", "only one",
		"At most one of rollout_tensor_parallelism, rollout_data_parallelism, "
		"rollout_expert_parallelism can be -1 (auto-derived).",
		false},
	{{"rollout_tensor_parallelism=3"}, "rollout", "16 sampler chips",
		"num_sampler_devices(16) must be divisible by rollout_tensor_parallelism(3) * "
		"rollout_expert_parallelism(1) when rollout_data_parallelism is -1.",
		false},
	{{"rollout_tensor_parallelism=-1", "rollout_data_parallelism=3"}, "rollout", "= 3",
		"num_sampler_devices(16) must be divisible by rollout_data_parallelism(3) * "
		"rollout_expert_parallelism(1) when rollout_tensor_parallelism is -1.",
		false},
	{{"rollout_expert_parallelism=-1", "rollout_data_parallelism=5"}, "rollout", "= 20",
		"num_sampler_devices(16) must be divisible by rollout_tensor_parallelism(4) * "
		"rollout_data_parallelism(5) when rollout_expert_parallelism is -1.",
		false},
	{{"rollout_data_parallelism=2"}, "rollout", "= 8, but there are 16",
		"rollout_tensor_parallelism(4) * rollout_data_parallelism(2) * "
		"rollout_expert_parallelism(1) != len(sampler_devices)(16)",
		false},
	{{"ici_fsdp_parallelism=1"}, "trainer", "product of the ici parallelisms, 8",
		"Number of devices per slice 16 does not match the product of the ICI parallelism "
		"8",
		false},
	{{"ici_expert_parallelism=3"}, "trainer", "product of the ici parallelisms, 6",
		"Unspecified value unable to be determined with the given", false},
	{{"ici_expert_parallelism=-1"}, "trainer", "only one of the ici",
		"Found unspecified values (-1) for more than one ICI", false},
	{{"ici_tensor_parallelism=0"}, "trainer", "ici_tensor_parallelism must be -1",
		"`ici_tensor_parallelism` must be -1 or > 0, got 0.", false},
	{{"trainer_devices_fraction=0.75"}, "trainer", "share chips", "", false},
	{{"trainer_devices_fraction=0"}, "trainer", "more than 0", "greater than 0", false},
	{{"sampler_devices_fraction=1.5"}, "trainer", "at most 1", "less than or equal to 1",
		false},
	{{"trainer_devices_fraction=1", "sampler_devices_fraction=1", "train_micro_batch_size=4",
		 "rollout_tensor_parallelism=8"},
		NULL, NULL, NULL, false},
	{{"ici_tensor_parallelism=4", "ici_expert_parallelism=2"}, "heads", "2 KV heads",
		"num_kv_heads (2) for ... attention layers must be divisible by 4, the combined "
		"size "
		"of the mesh axes [...] that shard KV heads.",
		false},
	{{"ici_tensor_parallelism=-1", "ici_fsdp_parallelism=1", "ici_expert_parallelism=4"},
		"heads", "ici_tensor_parallelism 4", "num_kv_heads (2)", false},
	{{"rollout_tensor_parallelism=3"}, "heads", "16 attention heads",
		"Total number of attention heads (16) must be divisible by tensor parallel size "
		"(3).",
		false},
	{{"train_micro_batch_size=3"}, "batch", "multiple of train_micro_batch_size 3",
		"self.mini_batch_size=4 must be a multiple of self.train_micro_batch_size=3.",
		false},
	{{"rollout_micro_batch_size=3"}, "batch", "multiple of rollout_micro_batch_size 3",
		"full_batch_size=4 must be a multiple of self._rollout_micro_batch_size=3.", false},
	{{"batch_size=0"}, "batch", "batch_size must be 1 or more",
		"batch_size must be a positive integer. Got: 0", false},
	{{"train_micro_batch_size=0"}, "batch", "train_micro_batch_size must be 1 or more",
		"train_micro_batch_size must be a positive integer. Got: 0", false},
	{{"num_batches=0"}, "batch", "num_batches must be 1 or more",
		"num_batches must be a positive integer. Got: 0", false},
	{{"rl.num_generations=1"}, "generations", "more than 1",
		"num_generations must be greater than 1. Received: 1", false},
	{{"rl.num_generations=2"}, "batch", "= 4 must be a multiple of the 8 chips",
		"divisible by 8, but it is equal to 4", false},
	{{"num_trainer_slices=1"}, "trainer", "num_samplers_slices must both",
		"`num_trainer_slices` and `num_samplers_slices` must be both -1 or both positive.",
		false},
	{{"num_trainer_slices=1", "num_samplers_slices=1"}, NULL, NULL, NULL, false},
	{{"max_target_length=256"}, "lengths", "nothing is left", "", false},
	{{"data_template_path=gsm8k"}, "lengths", "must name a .json file",
		"failed to load from gsm8k", false},
	{{"load_parameters_path=gs://elsewhere/0/items/"}, "trainer", "gs://elsewhere/0/items/",
		"No valid Orbax checkpoint found at 'gs://elsewhere/0/items/'", false},
	{{"scan_layers=True"}, "trainer", "scan_layers is True here, but False",
		"Your run specifies scan_layers=True, but the checkpoint was saved with "
		"scan_layers=False",
		false},
	{{"model_name=gemma3-4b"}, "trainer", "model_name is gemma3-4b here",
		"Checkpoint structure mismatch", false},
	{{"rollout_tensor_parallelism=2"}, "rollout", "23.5 GiB of every sampler chip",
		"23.50GiB exceeds 21.88GiB by 1.63GiB. Please consider increasing "
		"--gpu-memory-utilization",
		false},
	{{"rollout_tensor_parallelism=2", "hbm_utilization_vllm=0.9"}, NULL, NULL, NULL, false},
	{{"optimizer_memory_host_offload=True"}, "trainer", "optimizer_memory_host_offload",
		"optimizer_memory_host_offload=True is not supported...", false},
	{{"num_vocab_tiling=4"}, "trainer", "num_vocab_tiling", "Vocab Tiling is not supported",
		false},
	{{"num_batches=40"}, "lengths", "every 50 steps, but only 40", "", true},
	{{"num_batches=200"}, "lengths", "ends at step 100 of 200", "", true},
	{{"batch_size=8", "train_micro_batch_size=4"}, NULL, NULL, NULL, false},
};

static void judge_row(size_t i, const struct recipe *r)
{
	AUTO(values_fini) struct values v = {0};
	AUTO(rule_findings_fini) struct rule_findings found = {0};
	bool seen = false, any = false;

	values_start(&v, r, NULL);
	for (size_t k = 0; k < 4 && training_table[i].set[k]; k++) {
		const char *eq = strchr(training_table[i].set[k], '=');
		AUTO_FREE char *name = x_strndup(
			training_table[i].set[k], (size_t)(eq - training_table[i].set[k]));

		values_put(&v, name, eq + 1, VALUE_SET, false);
	}
	rule_training(r, &v, NULL, &found);
	for (size_t k = 0; k < found.n; k++) {
		const struct rule_finding *f = &found.items[k];

		any = any || f->blocking;
		seen = seen ||
		       (training_table[i].check && f->blocking != training_table[i].warning &&
			       !strcmp(f->check, training_table[i].check) &&
			       strstr(f->text, training_table[i].text) &&
			       strstr(f->says, training_table[i].says));
	}
	if (training_table[i].check ? !seen : any)
		fail_msg("row %zu: %s (%s)", i, found.n ? found.items[0].text : "nothing found",
			found.n ? found.items[0].says : "");
}

static void training_arithmetic(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(training_table); i++)
		judge_row(i, recipe);
}

/* maxtext_config of vllm_additional_config is a matter of the recipe's text. */
static void vllm_must_be_told_of_maxtext(void **state)
{
	struct recipe_param *p = (struct recipe_param *)(uintptr_t)recipe_parameter(
		recipe, "vllm_additional_config");
	AUTO(values_fini) struct values v = {0};
	AUTO(rule_findings_fini) struct rule_findings found = {0};
	size_t n = p->object->n;

	(void)state;
	p->object->n = 0;
	rule_training(recipe, &v, NULL, &found);
	p->object->n = n;
	assert_int_equal(found.n, 1);
	assert_string_equal(found.items[0].check, "rollout");
	assert_string_equal(found.items[0].says,
		"Direct weight synchronization is currently supported only for MaxText models.");
}

/* A parameter with a condition counts only when its deviation is on. */
static void conditions_of_parameters_count(void **state)
{
	AUTO(values_fini) struct values v = {0};
	struct deviations d = deviation_defaults(recipe);

	(void)state;
	values_put(&v, "num_batches", "40", VALUE_TYPED, false);
	for (int on = 0; on < 2; on++) {
		AUTO(rule_findings_fini) struct rule_findings found = {0};

		assert_int_equal(
			deviation_switch(recipe, &d, "checkpoint-every-10", on == 1, NULL), 0);
		rule_training(recipe, &v, &d, &found);
		assert_int_equal(found.n, on ? 0 : 1);
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
		cmocka_unit_test(vllm_must_be_told_of_maxtext),
		cmocka_unit_test(conditions_of_parameters_count),
		cmocka_unit_test(chips_and_regions),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
