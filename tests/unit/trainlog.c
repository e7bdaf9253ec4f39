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

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/fmt/cause.h"
#include "core/fmt/trainlog.h"
#include "core/model/training.h"

#define P "I0826 17:21:32.887077 139876543210496 "
#define W "W0826 17:21:32.887077 139876543210496 "
#define V "INFO 08-26 17:10:47 "

struct row {
	const char *line;
	enum trainlog_kind kind;
	int64_t step, done, total;
	double value;
	const char *name, *cause;
};

static const struct row rows[] = {
	{P "peft_trainer.py:735] Train step 31 training loss: -0.000021  - training perplexity: "
	   "0.99",
		TRAINLOG_STEP, 31, 0, 0, -0.000021, "", NULL},
	{P "peft_trainer.py:735] Train step 7 training loss: nan  - training perplexity: nan",
		TRAINLOG_STEP, 7, 0, 0, NAN, "", "loss-not-finite"},
	{P "peft_trainer.py:735] Train step 7 training loss: inf  - training perplexity: inf",
		TRAINLOG_STEP, 7, 0, 0, INFINITY, "", "loss-not-finite"},
	{P "rl_cluster.py:724] Rollout string metric trajectory_ids: ['196_0' '196_1'",
		TRAINLOG_TRAJECTORY, 0, 196, 0, NAN, "", NULL},
	{P "rl_cluster.py:724] Rollout string metric trajectory_ids: [['8_0' '8_1'",
		TRAINLOG_TRAJECTORY, 0, 8, 0, NAN, "", NULL},
	{P "rl_cluster.py:724] Rollout string metric completions: [['RESOURCE_EXHAUSTED 401 Client "
	   "Error'",
		TRAINLOG_NONE, 0, 0, 0, NAN, "", NULL},
	{W "train_rl.py:785] Pre RL Training: corr=14, total=20, accuracy=70.0%, "
	   "mean_reward=0.7750",
		TRAINLOG_EVAL, 0, 14, 20, 0.775, "pre", NULL},
	{W "train_rl.py:785] Pre RL Training: corr=14, total=20, accuracy=70.0%, "
	   "format_accuracy=75.0%",
		TRAINLOG_EVAL, 0, 14, 20, NAN, "pre", NULL},
	{W "hooks.py:98] Intermediate Eval (step=30): corr=17, total=20, accuracy=85.0%, "
	   "mean_reward=0.9050",
		TRAINLOG_EVAL, 30, 17, 20, 0.905, "intermediate", NULL},
	{W "train_rl.py:823] Post RL Training: corr=17, total=20, accuracy=85.0%, "
	   "mean_reward=0.9500",
		TRAINLOG_EVAL, -1, 17, 20, 0.95, "post", NULL},
	{"\r5it [02:11, 26.2s/it]" W
	 "train_rl.py:823] Post RL Training: corr=1, total=2, mean_reward=0.5",
		TRAINLOG_EVAL, -1, 1, 2, 0.5, "post", NULL},
	{W "hooks.py:99] [intermediate-eval] step=20 failed: timeout", TRAINLOG_EVAL_FAILED, 20, 0,
		0, NAN, "", NULL},
	{P "evaluate_rl.py:314] ===> corr=7, total=10, corr / total * 100=70.0", TRAINLOG_EVAL_PART,
		0, 10, 0, NAN, "", NULL},
	{P "evaluate_rl.py:129] Evaluation Question: Traceback (most recent call last):",
		TRAINLOG_MILESTONE, 0, 0, 0, NAN, "eval-question", NULL},
	{P "peft_trainer.py:1038] Train loop finished in: 8.0824 seconds", TRAINLOG_LOOP, 0, 0, 0,
		8.0824, "", NULL},
	{V "[kv_cache_manager.py:1035] Deleting kv-cache | num_layers=30", TRAINLOG_SYNC_START, 0,
		0, 0, NAN, "", NULL},
	{P "reshard.py:232] Reshard finished in 2.32s", TRAINLOG_SYNC_PART, 0, 0, 0, 2.32, "",
		NULL},
	{V "[kv_cache_manager.py:1069] Reinitializing kv-cache | hbm_before=[(4.02, 31.25)]Gb",
		TRAINLOG_SYNC_END, 0, 0, 0, NAN, "", NULL},
	{P "peft_trainer.py:865] Compiled train_step cache size: 0", TRAINLOG_COMPILE, 0, 0, 0, NAN,
		"train_step", NULL},
	{P "peft_trainer.py:865] Compiled train_step cache size: 1", TRAINLOG_COMPILE, 0, 1, 0, NAN,
		"train_step", NULL},
	{V "[compilation_manager.py:187] Compilation of backbone --> {'num_tokens': 16} finished "
	   "in 61.07 "
	   "[secs].",
		TRAINLOG_COMPILE, 0, 1, 0, 61.07, "backbone --> {'num_tokens': 16}", NULL},
	{P "checkpoint_manager.py:1526] [process=0] Saving checkpoint at step 50",
		TRAINLOG_SAVE_START, 50, 0, 0, NAN, "", NULL},
	{P "event_tracking.py:184] [process=0] [async] Finished save (blocking + background) in "
	   "148.90 "
	   "seconds @ gs://b/50",
		TRAINLOG_SAVE_END, 0, 0, 0, 148.9, "", NULL},
	{"INFO:absl:saved a checkpoint at step 0", TRAINLOG_SAVE_END, 0, 0, 0, NAN, "", NULL},
	{W "checkpoint_manager.py:1432] [process=0] Saving checkpoint at step 12 due to "
	   "preemption.",
		TRAINLOG_ERROR, 12, 0, 0, NAN, "", "preempted"},
	{P "pyconfig.py:584] Config param batch_size: 4", TRAINLOG_PARAM, 0, 0, 0, NAN,
		"batch_size", NULL},
	{P "train_rl.py:188] Loaded Hugging Face dataset openai/gsm8k with split train. Size: 7473",
		TRAINLOG_DATASET, 0, 7473, 0, NAN, "openai/gsm8k", NULL},
	{" 60%|######    | 412/687 [12:01<08:01,  1.75s/it, RAM: 88.1/708.6 GB]", TRAINLOG_BAR, 0,
		412, 687, NAN, "tensor", NULL},
	{"  1%|          | 4/687 [00:01<08:01]\r 60%|######    | 413/687 [12:01<08:01]",
		TRAINLOG_BAR, 0, 413, 687, NAN, "tensor", NULL},
	{"  3/657 [00:01, RAM: 60.0/708.6 GB]", TRAINLOG_BAR, 0, 3, 657, NAN, "tensor", NULL},
	{"Transforming weights: 100%|####| 687/687 [00:00<00:00, RAM: 5]", TRAINLOG_BAR, 0, 687,
		687, NAN, "weight", NULL},
	{"\rProcessed prompts:  25%|\xe2\x96\x88| 2/8 [00:41<02:03, 41.2s/it]\x1b[A\rProcessed "
	 "prompts: "
	 "100%|\xe2\x96\x88| 8/8 [00:50<00:00, 12s/it]",
		TRAINLOG_BAR, 0, 8, 8, NAN, "prompt", NULL},
	{"Generating train split: 100%|\xe2\x96\x88| 7473/7473 [00:00<00:00, 2 examples/s]",
		TRAINLOG_BAR, 0, 7473, 7473, NAN, "row", NULL},
	{P "utils.py:753] \xe2\x9c\x85 Uploaded /tmp/x/model-00003-of-00018.safetensors to "
	   "b/hf-trained/model-00003-of-00018.safetensors",
		TRAINLOG_UPLOAD, 0, 3, 18, NAN, "model-00003-of-00018.safetensors", NULL},
	{P "utils.py:753] \xe2\x9c\x85 Uploaded /tmp/x/config.json to b/hf-trained/config.json",
		TRAINLOG_UPLOAD, 0, 0, 0, NAN, "config.json", NULL},
	{"INFO:absl:Elapse for checkpoint sharding: 22.41 min", TRAINLOG_ELAPSE, 0, 0, 0, 22.41,
		"Elapse for checkpoint sharding", NULL},
	{"INFO:absl:Conversion complete. Checkpoint saved to gs://b/max-text-format/",
		TRAINLOG_DONE, 0, 0, 0, NAN, "to-maxtext", NULL},
	{P "to_huggingface.py:464] MaxText model successfully saved in HuggingFace format at "
	   "gs://b/hf",
		TRAINLOG_DONE, 0, 0, 0, NAN, "to-huggingface", NULL},
	{W "train_rl.py:810] RL Training Completed Successfully!", TRAINLOG_DONE, 0, 0, 0, NAN,
		"train", NULL},
	{"Exit code: 137", TRAINLOG_EXIT, 0, 137, 0, NAN, "", NULL},
	{"Loading Orbax checkpoint(s)...", TRAINLOG_MILESTONE, 0, 0, 0, NAN, "load-checkpoint",
		NULL},
	{"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory", TRAINLOG_ERROR,
		0, 0, 0, NAN, "", "hbm-full"},
	{"E0826 17:21:32.887077 1234 pyconfig.py:400] MAXTEXT CONFIG ERROR: bad", TRAINLOG_ERROR, 0,
		0, 0, NAN, "", "config"},
	{"E0826 17:21:32.887077 1234 some.cc:400] something new", TRAINLOG_ERROR, 0, 0, 0, NAN, "",
		NULL},
	{"Traceback (most recent call last):", TRAINLOG_ERROR, 0, 0, 0, NAN, "", NULL},
	{"huggingface_hub.errors.GatedRepoError: 403 Client Error.", TRAINLOG_ERROR, 0, 0, 0, NAN,
		"", "hf-gated"},
	{"  0%|          | 687/687 [00:01<08:01, RAM: 9.5GB]INFO:absl:Sharding axis 1. Tensor "
	 "shape (2)",
		TRAINLOG_BAR, 0, 687, 687, NAN, "tensor", NULL},
	/* continuation lines, dumps and known noise say nothing */
	{" '3_0' '3_1' '3_2' '3_3']", TRAINLOG_NONE, 0, 0, 0, NAN, "", NULL},
	{"  '<reasoning>RESOURCE_EXHAUSTED</reasoning>'", TRAINLOG_NONE, 0, 0, 0, NAN, "", NULL},
	{"TunixMaxTextAdapter( # Param: 25,233,141,790 (50.5 GB)", TRAINLOG_NONE, 0, 0, 0, NAN, "",
		NULL},
	{"E0826 17:21:32.887077 1 metrics_logger.py:1] WandbBackend skipped: none", TRAINLOG_NONE,
		0, 0, 0, NAN, "", NULL},
	{W "math_verify_pool.py:257] math_verify_pool: Processed 1/1 items (0 timed out).",
		TRAINLOG_NONE, 0, 0, 0, NAN, "", NULL},
	{W "math_verify_pool.py:257] math_verify_pool: Processed 1/1 items (1 timed out).",
		TRAINLOG_ERROR, 0, 0, 0, NAN, "", "grader"},
	{"the model said: Train step 9 training loss: 1  - training perplexity: 1", TRAINLOG_NONE,
		0, 0, 0, NAN, "", NULL},
	{"", TRAINLOG_NONE, 0, 0, 0, NAN, "", NULL},
};

static bool same(double a, double b)
{
	return (isnan(a) && isnan(b)) || (a <= b && a >= b);
}

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *r = &rows[i];
		struct trainlog_event ev;

		trainlog_parse(r->line, strlen(r->line), &ev);
		if (ev.kind != r->kind || ev.step != r->step || ev.done != r->done ||
			ev.total != r->total || !same(ev.value, r->value) ||
			strcmp(ev.name, r->name))
			fail_msg("%s\n is %s step %lld %lld/%lld value %g name '%s'", r->line,
				trainlog_kind_name(ev.kind), (long long)ev.step, (long long)ev.done,
				(long long)ev.total, ev.value, ev.name);
		if (!r->cause != !ev.cause || (r->cause && strcmp(r->cause, ev.cause) != 0))
			fail_msg("%s\n has cause %s", r->line, ev.cause ? ev.cause : "none");
	}
}

/* Cutting, doubling and spoiling lines gives other events or none, never a crash or an overlong
 * text. */
static void test_any_bytes(void **state)
{
	uint32_t seed = 2463534242u;

	(void)state;
	for (size_t round = 0; round < 4000; round++) {
		const char *a = rows[round % COUNT(rows)].line;
		char line[1024];
		struct trainlog_event ev;
		size_t n = strlen(a) < sizeof(line) ? strlen(a) : sizeof(line);

		memcpy(line, a, n);
		for (int k = 0; n && k < 4; k++) {
			seed ^= seed << 13;
			seed ^= seed >> 17;
			seed ^= seed << 5;
			line[seed % n] = (char)(seed >> 24);
		}
		n = n ? seed % (n + 1) : 0;
		trainlog_parse(line, n, &ev);
		assert_true(memchr(ev.name, 0, sizeof(ev.name)) != NULL);
		assert_true(memchr(ev.text, 0, sizeof(ev.text)) != NULL);
	}
}

static void feed(struct training *t, struct series_set *series, int64_t at, const char *line)
{
	struct trainlog_event ev;

	trainlog_parse(line, strlen(line), &ev);
	training_apply(t, &ev, at, series);
}

static const struct {
	int64_t at; /* s */
	const char *line;
	int64_t step;
	enum training_phase phase;
} story[] = {
	{1, P "pyconfig.py:584] Config param steps: 50", 0, TRAINING_NO_PHASE},
	{1, P "pyconfig.py:584] Config param batch_size: 4", 0, TRAINING_NO_PHASE},
	{2, P "pyconfig.py:584] Config param steps: 999", 0, TRAINING_NO_PHASE},
	{3, V "[c.py:235] Precompile all the subgraphs with possible input shapes.", 0,
		TRAINING_COMPILE},
	{60, V "[k.py:1035] Deleting kv-cache | x", 0, TRAINING_SYNC},
	{61, P "reshard.py:232] Reshard finished in 2.32s", 0, TRAINING_SYNC},
	{62, P "reshard.py:232] Reshard finished in 2.32s", 0, TRAINING_SYNC},
	{63, V "[k.py:1069] Reinitializing kv-cache | x", 0, TRAINING_NO_PHASE},
	{70, "\rProcessed prompts:   0%|   | 0/4 [00:00<?]", 0, TRAINING_EVAL},
	{80, P "evaluate_rl.py:314] ===> corr=7, total=10, corr", 0, TRAINING_EVAL},
	{90, W "train_rl.py:785] Pre RL Training: corr=14, total=20, mean_reward=0.7750", 0,
		TRAINING_NO_PHASE},
	{91, W "train_rl.py:799] Starting RL training...", 0, TRAINING_ROLLOUT},
	{95, "\rProcessed prompts:  50%|   | 4/8 [00:00<?]", 0, TRAINING_ROLLOUT},
	{99, "\rProcessed prompts: 100%|###| 8/8 [00:00<?]", 0, TRAINING_TRAIN},
	{100, P "peft_trainer.py:865] Compiled train_step cache size: 0", 0, TRAINING_COMPILE},
	{110, "\rProcessed prompts: 100%|###| 8/8 [00:00<?]", 0, TRAINING_COMPILE},
	{500, P "peft_trainer.py:1038] Train loop finished in: 402.8 seconds", 0, TRAINING_TRAIN},
	{501, V "[k.py:1035] Deleting kv-cache | x", 0, TRAINING_SYNC},
	{502, P "reshard.py:232] Reshard finished in 0.33s", 0, TRAINING_SYNC},
	{510, V "[k.py:1069] Reinitializing kv-cache | x", 0, TRAINING_ROLLOUT},
	{511, P "rl_cluster.py:724] Rollout string metric trajectory_ids: ['0_0'", 1,
		TRAINING_ROLLOUT},
	{560, P "p.py:735] Train step 1 training loss: 0.5  - training perplexity: 1.6", 1,
		TRAINING_ROLLOUT},
	{581, P "rl_cluster.py:724] Rollout string metric trajectory_ids: ['4_0'", 2,
		TRAINING_ROLLOUT},
	{661, P "rl_cluster.py:724] Rollout string metric trajectory_ids: ['8_0'", 3,
		TRAINING_ROLLOUT},
	{663, W "hooks.py:98] Intermediate Eval (step=3): corr=9, total=20, mean_reward=0.8", 3,
		TRAINING_ROLLOUT},
	{900, P "rl_cluster.py:724] Rollout string metric trajectory_ids: ['12_0'", 4,
		TRAINING_ROLLOUT},
};

static void test_story(void **state)
{
	struct training t = {0};
	struct series_set series = {0};

	(void)state;
	for (int round = 0; round < 2; round++) /* a log read again changes nothing */
		for (size_t i = 0; i < COUNT(story); i++) {
			feed(&t, &series, story[i].at * 1000, story[i].line);
			if (round == 0 && (t.step != story[i].step || t.phase != story[i].phase))
				fail_msg("%s\n step %lld phase %s", story[i].line,
					(long long)t.step, training_phase_name(t.phase));
		}
	assert_int_equal(t.step, 4);
	assert_int_equal(t.steps, 50);
	assert_int_equal(t.sync_parts, 2);
	assert_int_equal(
		training_step_ms(&t), 75000); /* 70 and 80; not the step with an evaluation */
	assert_int_equal(training_eta_ms(&t), 46 * 75000);
	assert_int_equal(series_find(&series, SERIES_EVAL)->n, 2);
	assert_int_equal(series_find(&series, SERIES_LOSS)->n, 1);
	feed(&t, &series, 901000,
		W "t.py:823] Post RL Training: corr=1, total=2, mean_reward=0.95");
	assert_int_equal(series_last(series_find(&series, SERIES_EVAL))->step, 51);
	feed(&t, &series, 902000, "Exit code: 0");
	assert_true(t.exited);
	series_set_fini(&series);
}

static void test_conversion(void **state)
{
	struct training t = {0};

	(void)state;
	feed(&t, NULL, 1000, "Transforming weights: 100%|####| 687/687 [00:00<00:00]");
	assert_null(t.unit);
	feed(&t, NULL, 2000, " 60%|######    | 412/687 [12:01<08:01]");
	feed(&t, NULL, 2100, " 60%|######    | 411/687 [12:01<08:01]");
	assert_string_equal(t.unit, "tensor");
	assert_int_equal(t.done, 412);
	assert_int_equal(t.total, 687);
	for (int round = 0; round < 2; round++) {
		feed(&t, NULL, 3000,
			P "u.py:1] Uploaded /t/a to b/model-00002-of-00003.safetensors");
		feed(&t, NULL, 3000,
			P "u.py:1] Uploaded /t/a to b/model-00001-of-00003.safetensors");
	}
	assert_string_equal(t.unit, "file");
	assert_int_equal(t.done, 2);
	assert_int_equal(t.total, 3);
	assert_false(t.finished);
	feed(&t, NULL, 4000, "INFO:absl:Conversion complete. Checkpoint saved to gs://b/");
	assert_true(t.finished);
}

static void test_causes(void **state)
{
	const struct cause *c;

	(void)state;
	assert_string_equal(cause_of_reason("OOMKilled")->id, "oom-killed");
	assert_string_equal(cause_of_reason("SERVICE_DISABLED")->id, "api-off");
	assert_string_equal(cause_of_http(403)->id, "permission");
	assert_null(cause_of_http(200));
	assert_null(cause_of_reason("Completed"));
	assert_null(cause_of_reason(NULL));
	assert_string_equal(cause_who_name(cause_by_id("billing")->who), "administrator");
	assert_null(cause_by_id("no-such"));
	for (size_t i = 0; (c = cause_at(i)) != NULL; i++) {
		assert_true(c->id[0] && c->match[0] && c->meaning[0] && c->cure[0]);
		assert_int_equal(
			strspn(c->id, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(c->id));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_story),
		cmocka_unit_test(test_conversion),
		cmocka_unit_test(test_causes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
