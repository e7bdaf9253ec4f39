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

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/cli/out_checkpoints.h"
#include "core/cli/out_metrics.h"
#include "core/cli/out_status.h"
#include "core/fmt/time.h"
#include "core/run/event.h"

#define NOW    1789032720000 /* 2026-09-10T09:32:00Z */
#define MINUTE 60000

static const char jobset_text[] =
	"{\"metadata\":{\"name\":\"gemma4-training\",\"creationTimestamp\":\"2026-09-10T08:00:"
	"00Z\"},"
	"\"spec\":{\"suspend\":false,\"coordinator\":{\"replicatedJob\":\"pathways-head\"},"
	"\"startupPolicy\":{\"startupPolicyOrder\":\"InOrder\"},\"replicatedJobs\":["
	"{\"name\":\"pathways-head\",\"replicas\":1,\"template\":{\"spec\":{\"parallelism\":1}}},"
	"{\"name\":\"worker\",\"replicas\":1,\"template\":{\"spec\":{\"parallelism\":2}}}]},"
	"\"status\":{\"restarts\":0,\"conditions\":[{\"type\":\"Suspended\",\"status\":\"False\","
	"\"reason\":\"ResumeJobs\",\"lastTransitionTime\":\"2026-09-10T08:05:00Z\"}]}}";

static const char *const log_lines[] = {
	"I0910 08:06:00.000000 1 pyconfig.py:584] Config param steps: 50",
	"I0910 08:06:00.000000 1 pyconfig.py:584] Config param batch_size: 4",
	"I0910 08:06:00.000000 1 pyconfig.py:584] Config param checkpoint_period: 50",
	"W0910 08:06:01.000000 1 train_rl.py:785] Pre RL Training: corr=1, total=2, "
	"mean_reward=0.7750",
	"W0910 08:06:01.000000 1 train_rl.py:799] Starting RL training...",
	"I0910 08:06:02.000000 1 p.py:735] Train step 30 training loss: 0.5  - training "
	"perplexity: 1.6",
	"I0910 08:06:02.000000 1 p.py:735] Train step 31 training loss: 0.5  - training "
	"perplexity: 1.6",
	"INFO 09-10 08:06:03 [kv_cache_manager.py:1035] Deleting kv-cache | num_layers=30",
};

static json_t *parse(const char *text)
{
	json_t *j = json_parse(text, strlen(text), NULL);

	assert_non_null(j);
	return j;
}

static void apply_object(struct state *s, enum event_kind kind, const char *text)
{
	AUTO(json_auto) json_t *j = parse(text);
	struct event ev = {.kind = kind, .at = NOW};

	ev.u.object = j;
	run_apply(s, &ev);
}

static void apply_pod(struct state *s, const char *name, const char *role, const char *ready)
{
	AUTO_FREE char *text = x_asprintf(
		"{\"metadata\":{\"name\":\"%s\",\"labels\":{\"jobset.sigs.k8s.io/jobset-name\":"
		"\"gemma4-training\",\"jobset.sigs.k8s.io/replicatedjob-name\":\"%s\"}},\"spec\":{"
		"\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"Running\","
		"\"conditions\":[{\"type\":"
		"\"Ready\",\"status\":\"%s\"}],\"containerStatuses\":[{\"name\":\"c\",\"ready\":"
		"true,"
		"\"restartCount\":1,\"state\":{\"running\":{}}}]}}",
		name, role, ready);

	apply_object(s, EV_POD, text);
}

static void apply_lines(struct state *s)
{
	for (size_t i = 0; i < COUNT(log_lines); i++) {
		struct trainlog_event line;
		struct event ev = {.kind = EV_TRAINLOG, .at = NOW};

		trainlog_parse(log_lines[i], strlen(log_lines[i]), &line);
		ev.u.log.id = STAGE_TRAIN;
		ev.u.log.line = &line;
		ev.u.log.time = NOW - MINUTE * (int64_t)(COUNT(log_lines) - i);
		run_apply(s, &ev);
	}
}

static void apply_rest(struct state *s)
{
	struct event run = {.kind = EV_RUN, .at = NOW - 90 * MINUTE};
	struct event stage = event_stage(STAGE_TRAIN, MOVE_START, 1);
	struct event engine = {.kind = EV_ENGINE, .at = NOW};
	struct event heart = {.kind = EV_HEART, .number = HEART_LOG, .at = NOW - 2000};
	struct event point = {.kind = EV_POINT, .at = NOW};
	struct state_alert a = {.id = (char *)"length-limit",
		.state = (char *)"raised",
		.text = (char *)"answers reach the limit",
		.since = NOW - MINUTE};
	struct event alert = {.kind = EV_ALERT, .at = NOW};

	run.u.run.name = "demo-1";
	run.u.run.recipe = "gemma4-26b-v6e";
	run.u.run.label = "rehearsal";
	stage.at = NOW - 80 * MINUTE;
	engine.u.engine.host = "lab";
	engine.u.engine.pid = 4121;
	engine.u.engine.beat = NOW - 1000;
	point.u.point.series = SERIES_REWARD;
	point.u.point.at = (struct series_point){31, 0.93, NOW - MINUTE, SERIES_EVENT};
	alert.u.alert = &a;
	run_apply(s, &run);
	run_apply(s, &stage);
	run_apply(s, &engine);
	run_apply(s, &heart);
	run_apply(s, &point);
	run_apply(s, &alert);
	s->cost = (struct cost){.chips = 32, .since_ms = NOW - 90 * MINUTE};
}

static void fill(struct state *s)
{
	struct event name = event_text(EV_JOBSET_NAME, "gemma4-training");

	clock_fix(NOW);
	state_init(s);
	run_apply(s, &name);
	apply_object(s, EV_JOBSET, jobset_text);
	apply_pod(s, "h", "pathways-head", "True");
	apply_pod(s, "w0", "worker", "True");
	apply_pod(s, "w1", "worker", "False");
	apply_rest(s);
	apply_lines(s); /* after the stage began: a new attempt begins a new training */
}

/* Goldens stand in tests/unit/fixtures; GENERATE=1 writes them anew. */
static void same_as(const char *name, const char *text)
{
	const char *top = getenv("srcdir");
	AUTO_FREE char *path = x_asprintf("%s/tests/unit/fixtures/%s", top ? top : ".", name);
	AUTO(buf_fini) struct buf want = {0};
	struct err e = {0};

	if (getenv("GENERATE"))
		assert_int_equal(path_write(path, text, strlen(text), &e), 0);
	if (path_read(path, 1 << 20, &want, &e))
		fail_msg("%s", e.what);
	assert_string_equal(text, buf_str(&want));
}

static void test_status_json(void **state)
{
	struct state s;
	struct out_status o = {.state = &s, .now = NOW, .reachable = true};
	AUTO(json_auto) json_t *j = NULL;
	AUTO_FREE char *text = NULL;

	(void)state;
	fill(&s);
	j = out_status_json(&o);
	text = json_pretty(j);
	same_as("status.json", text);
	state_fini(&s);
}

static void test_status_texts(void **state)
{
	struct state s;
	struct out_status o = {.state = &s, .now = NOW, .reachable = true};
	AUTO(buf_fini) struct buf metrics = {0};
	AUTO(buf_fini) struct buf plain = {0};

	(void)state;
	fill(&s);
	out_status_openmetrics(&o, &metrics);
	same_as("status.openmetrics", buf_str(&metrics));
	out_status_plain(&o, &plain);
	same_as("status.txt", buf_str(&plain));
	state_fini(&s);
}

/* Nothing known: every key is there, nothing is invented. */
static void test_status_empty(void **state)
{
	struct state s;
	struct out_status o = {.state = &s, .now = NOW, .reachable = false};
	AUTO(json_auto) json_t *j = NULL;

	(void)state;
	state_init(&s);
	j = out_status_json(&o);
	assert_string_equal(json_path_str(j, "verdict"), "unknown");
	assert_string_equal(json_path_str(j, "jobset.phase"), "absent");
	assert_true(json_is_null(json_path(j, "jobset.name")));
	assert_true(json_is_null(json_path(j, "training.step")));
	assert_true(json_is_null(json_path(j, "training.reward")));
	assert_true(json_is_null(json_path(j, "checkpoint.safe_step")));
	assert_true(json_is_null(json_path(j, "engine")));
	assert_true(json_is_null(json_path(j, "heartbeats_s.log")));
	assert_int_equal(json_array_size(json_path(j, "stages")), STAGE_COUNT);
	state_fini(&s);
}

static void fill_list(struct checkpoint_list *l)
{
	static const bool going[CHECKPOINT_TREE_COUNT];
	static const struct {
		enum checkpoint_tree tree;
		const char *root, *rest;
	} objects[] = {
		{CHECKPOINT_MAX_TEXT, "m/max-text-format/", "0/items/w"},
		{CHECKPOINT_MAX_TEXT, "m/max-text-format/", "0/items/commit_success.txt"},
		{CHECKPOINT_MAX_TEXT, "m/max-text-format/", "0/commit_success.txt"},
		{CHECKPOINT_TRAINED, "m/actor/", "50/model_params/w"},
		{CHECKPOINT_HF, "m/hf/", "model-00001-of-00002.safetensors"},
		{CHECKPOINT_HF, "m/hf/", "model.safetensors.index.json"},
	};
	static const char index[] =
		"{\"weight_map\":{\"a\":\"model-00001-of-00002.safetensors\",\"b\":"
		"\"model-00002-of-00002.safetensors\"}}";
	AUTO(json_auto) json_t *map = parse(index);

	checkpoint_list_init(l, "b");
	for (size_t i = 0; i < COUNT(objects); i++) {
		AUTO_FREE char *name = x_asprintf("%s%s", objects[i].root, objects[i].rest);

		assert_true(checkpoint_list_add(
			l, objects[i].tree, objects[i].root, name, 1 << 20, NOW - 5 * MINUTE));
	}
	checkpoint_list_judge(l, NOW, going, map);
}

static void test_checkpoints(void **state)
{
	struct checkpoint_list l;
	AUTO(json_auto) json_t *j = NULL;
	AUTO_FREE char *text = NULL;
	AUTO(buf_fini) struct buf csv = {0};
	AUTO(buf_fini) struct buf plain = {0};

	(void)state;
	fill_list(&l);
	j = out_checkpoints_json(&l);
	text = json_pretty(j);
	same_as("checkpoints.json", text);
	out_checkpoints_csv(&l, &csv);
	same_as("checkpoints.csv", buf_str(&csv));
	out_checkpoints_plain(&l, NOW, &plain);
	same_as("checkpoints.txt", buf_str(&plain));
	checkpoint_list_fini(&l);
}

static void test_metrics(void **state)
{
	struct series_set s = {0};
	AUTO(json_auto) json_t *j = NULL;
	AUTO_FREE char *text = NULL;
	AUTO(buf_fini) struct buf plain = {0};

	(void)state;
	series_put(&s, SERIES_REWARD, 2, 0.5, 2500, SERIES_EVENT);
	series_put(&s, SERIES_REWARD, 1, (double)NAN, 1500, SERIES_EVENT);
	j = out_metrics_json(&s);
	text = json_line(j);
	assert_string_equal(text, "[{\"series\":\"rewards/train/"
				  "sum\",\"step\":1,\"wall_time\":1.5,\"value\":null,\"source\":"
				  "\"event\"},{\"series\":\"rewards/train/"
				  "sum\",\"step\":2,\"wall_time\":2.5,\"value\":0.5,"
				  "\"source\":\"event\"}]");
	out_metrics_plain(&s, &plain);
	assert_non_null(strstr(buf_str(&plain), "rewards/train/sum"));
	series_set_fini(&s);
}

/* A failed stage says in lines what the page of stages says: why, and what to do. */
static void test_status_tells_the_cure(void **state)
{
	struct state s;
	struct out_status o = {.state = &s, .now = NOW, .reachable = true};
	struct event ev = event_stage(STAGE_CLUSTER, MOVE_FAILED, 1);
	AUTO(buf_fini) struct buf plain = {0};

	(void)state;
	clock_fix(NOW);
	state_init(&s);
	ev.u.stage.cause = "no free machines:\n (1) Expected 8, running 0";
	ev.u.stage.cure = "try later";
	run_apply(&s, &ev);
	out_status_plain(&o, &plain);
	assert_non_null(strstr(buf_str(&plain),
		"  no free machines:  (1) Expected 8, running 0\n    -> try later\n  convert "));
	state_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status_json),
		cmocka_unit_test(test_status_texts),
		cmocka_unit_test(test_status_tells_the_cure),
		cmocka_unit_test(test_status_empty),
		cmocka_unit_test(test_checkpoints),
		cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
