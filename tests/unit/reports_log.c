/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public reports about what a running job says, each as a test that carries its number: its lines
 * become the right alert and cause, and end nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/run/event.h"
#include "tests/unit/job_rig.h"

static void stage_runs(enum stage_id id)
{
	struct event ev = {.kind = EV_STAGE};

	ev.u.stage.id = id;
	ev.u.stage.move = MOVE_START;
	ev.u.stage.attempt = 1;
	run_apply(&st, &ev);
}

static void line_of(enum stage_id id, int64_t at, const char *line)
{
	struct trainlog_event log;
	struct event ev = {.kind = EV_TRAINLOG, .at = at};

	trainlog_parse(line, strlen(line), &log);
	ev.u.log.id = id;
	ev.u.log.line = &log;
	ev.u.log.time = at;
	run_apply(&st, &ev);
}

static void all_run(void)
{
	jobset(false);
	put_object(EV_JOBSET,
		"{\"metadata\":{\"name\":\"demo\",\"creationTimestamp\":\"2026-09-21T13:30:00Z\"},"
		"\"spec\":{\"replicatedJobs\":[{\"name\":\"main-job\",\"template\":{\"spec\":{"
		"\"parallelism\":1}}}]},\"status\":{}}");
	pod("demo-main-job-0-0-x", "main-job", "\"nodeName\":\"n\",",
		"\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}],"
		"\"containerStatuses\":[{\"name\":\"workload-container\",\"ready\":true,\"state\":{"
		"\"running\":{}}}]");
	assert_int_equal(st.phase, JOBSET_RUNNING);
}

static void R55_the_hubs_limit_is_an_alert_and_no_end(void **state)
{
	(void)state;
	stage_runs(STAGE_CONVERT);
	all_run();
	line_of(STAGE_CONVERT, NOW,
		"WARNING: HTTP Error 429 thrown while requesting HEAD https://huggingface.co/x/y");
	assert_non_null(raised("log-error"));
	assert_string_equal(alert_of("log-error")->cause, "hf-rate");
	assert_non_null(strstr(alert_of("log-error")->cure, "five minutes"));
	assert_int_equal(st.stages[STAGE_CONVERT].state, ST_RUNNING);
}

static void R56_a_download_that_stands_still(void **state)
{
	struct checkpoint_list trees = {0};
	struct checkpoint *c;
	struct event ev = {.kind = EV_CHECKPOINTS};

	(void)state;
	stage_runs(STAGE_CONVERT);
	all_run();
	line_of(STAGE_CONVERT, NOW,
		"Downloading (incomplete total...):  98%|#########8| 51.1G/52.0G");
	clock_fix(NOW + 14 * MINUTE);
	assert_null(raised("may-hang"));
	c = VEC_PUSH(&trees);
	c->uri = x_strdup("gs://demo-bkt/gemma4-26b/max-text-format/0/");
	c->last_ms = NOW + 10 * MINUTE;
	ev.u.checkpoints = &trees;
	run_apply(&st, &ev);
	checkpoint_list_fini(&trees);
	clock_fix(NOW + 16 * MINUTE);
	assert_null(raised("may-hang")); /* objects still come */
	clock_fix(NOW + 26 * MINUTE);
	assert_non_null(strstr(raised("may-hang"), "may hang"));
	assert_non_null(strstr(alert_of("may-hang")->cure, "HF_HUB_DISABLE_XET=1"));
	assert_int_equal(st.stages[STAGE_CONVERT].state, ST_RUNNING); /* nothing is killed */
}

static void R61_full_memory_is_an_alert_with_its_figures(void **state)
{
	(void)state;
	stage_runs(STAGE_TRAIN);
	all_run();
	line_of(STAGE_TRAIN, NOW,
		"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: XLA:TPU compile "
		"permanent "
		"error. Ran out of memory in memory space hbm. Used 63.80G of 30.75G hbm. Exceeded "
		"hbm capacity by 33.05G.");
	assert_non_null(strstr(raised("log-error"), "63.80G of 30.75G"));
	assert_non_null(strstr(alert_of("log-error")->cure, "train_micro_batch_size"));
}

static void R64_a_tpu_that_does_not_come_up(void **state)
{
	(void)state;
	stage_runs(STAGE_TRAIN);
	all_run();
	line_of(STAGE_TRAIN, NOW,
		"RuntimeError: Unable to initialize backend 'tpu': INTERNAL: Failed to get global "
		"TPU "
		"topology.");
	assert_non_null(raised("log-error"));
	assert_string_equal(alert_of("log-error")->cause, "tpu-init");
	assert_non_null(strstr(alert_of("log-error")->cure, "count the worker pods"));
}

static void R66_a_training_that_learned_nothing(void **state)
{
	static const char none[] =
		"Pre RL Training: corr=0, total=40, accuracy=0.0%, "
		"partial_accuracy=0.0%, format_accuracy=0.0%, mean_reward=0.0000";
	static const char end[] = "Post RL Training: corr=0, total=40, accuracy=0.0%, "
				  "partial_accuracy=0.0%, format_accuracy=0.0%, mean_reward=0.0000";
	static const char good[] =
		"Intermediate Eval (step=10): corr=3, total=40, mean_reward=0.1000";

	(void)state;
	stage_runs(STAGE_TRAIN);
	all_run();
	line_of(STAGE_TRAIN, NOW, none);
	assert_null(raised("learned-nothing")); /* it begins so */
	line_of(STAGE_TRAIN, NOW, end);
	assert_non_null(raised("learned-nothing"));
	assert_non_null(strstr(alert_of("learned-nothing")->cure, "rl.num_generations"));
	line_of(STAGE_TRAIN, NOW, good);
	assert_null(raised("learned-nothing"));
	assert_string_equal(alert_of("learned-nothing")->state, "cleared");
	assert_non_null(strstr(alert_of("learned-nothing")->text, "all 2 evaluations"));
}

#define ROW(f) cmocka_unit_test_setup_teardown(f, job_setup, state_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(R55_the_hubs_limit_is_an_alert_and_no_end),
		ROW(R56_a_download_that_stands_still),
		ROW(R61_full_memory_is_an_alert_with_its_figures),
		ROW(R64_a_tpu_that_does_not_come_up),
		ROW(R66_a_training_that_learned_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
