/* SPDX-License-Identifier: Apache-2.0 */
/* run_apply, what follows from the state, the journal form of events, alerts, deploy progress. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/run/alerts.h"
#include "core/run/curves.h"
#include "core/run/deploy.h"
#include "core/run/event.h"
#include "core/run/journal.h"
#include "core/run/spool.h"
#include "tests/unit/state_rig.h"

static void move(enum stage_id id, enum stage_move m, int attempt)
{
	struct event ev = event_stage(id, m, attempt);

	run_apply(&st, &ev);
}

static void stages_move_by_the_table(void **state)
{
	(void)state;
	assert_int_equal(st.stages[STAGE_TOOLS].state, ST_TODO);
	move(STAGE_TOOLS, MOVE_GATE, 0);
	assert_int_equal(st.stages[STAGE_TOOLS].state, ST_TODO);
	move(STAGE_TOOLS, MOVE_START, 1);
	assert_int_equal(st.stages[STAGE_TOOLS].state, ST_RUNNING);
	assert_int_equal(st.stages[STAGE_TOOLS].started, NOW);
	assert_int_equal(st.current, STAGE_TOOLS);
	move(STAGE_TOOLS, MOVE_VERIFY, 1);
	assert_int_equal(st.stages[STAGE_TOOLS].state, ST_VERIFYING);
	move(STAGE_TOOLS, MOVE_DONE, 1);
	assert_int_equal(st.stages[STAGE_TOOLS].ended, NOW);
	assert_int_equal(st.current, STAGE_TOOLKIT);
	move(STAGE_TOOLKIT, MOVE_SKIP, 0);
	assert_int_equal(st.current, STAGE_LOGIN);
	assert_true(state_take_changed(&st) & TOPIC_BIT(TOPIC_STAGES));
	assert_int_equal(state_take_changed(&st), 0);
}

static void a_new_attempt_forgets_the_failure(void **state)
{
	struct event ev = event_stage(STAGE_CONVERT, MOVE_FAILED, 1);

	(void)state;
	move(STAGE_CONVERT, MOVE_START, 1);
	ev.u.stage.cause = "no disk";
	ev.u.stage.cure = "a larger one";
	run_apply(&st, &ev);
	assert_string_equal(st.stages[STAGE_CONVERT].cause, "no disk");
	move(STAGE_CONVERT, MOVE_START, 2);
	assert_string_equal(st.stages[STAGE_CONVERT].cause, "");
	assert_int_equal(st.stages[STAGE_CONVERT].attempt, 2);
	assert_int_equal(st.stages[STAGE_CONVERT].exit_code, -1);
}

static void secrets_never_enter_the_state(void **state)
{
	struct event ev = {.kind = EV_VALUE};

	(void)state;
	ev.u.value.name = "HF_TOKEN";
	ev.u.value.value = "hf_ThisIsTheSecretItself";
	ev.u.value.origin = "environment";
	ev.u.value.secret = true;
	run_apply(&st, &ev);
	assert_null(strstr(state_value_find(&st, "HF_TOKEN")->value, "Secret"));
	assert_true(state_value_find(&st, "HF_TOKEN")->present);
	ev.u.value.value = "";
	run_apply(&st, &ev);
	assert_false(state_value_find(&st, "HF_TOKEN")->present);
	assert_int_equal(st.values.n, 1);
}

static void what_is_skipped_after_a_failure_says_why_and_ended_when_it_failed(void **state)
{
	struct event failed = event_stage(STAGE_CONVERT, MOVE_FAILED, 1);
	struct event skip = event_stage(STAGE_CONVERT, MOVE_SKIP, 1);
	const struct state_stage *s = &st.stages[STAGE_CONVERT];

	(void)state;
	move(STAGE_CONVERT, MOVE_START, 1);
	failed.at = s->started + 60000;
	failed.u.stage.cause = "out of memory";
	failed.u.stage.cause_id = "oom-killed";
	failed.u.stage.cure = "a larger machine";
	run_apply(&st, &failed);
	assert_string_equal(s->cure, "a larger machine");
	skip.at = failed.at + 3600000;
	skip.u.stage.note = "made by hand";
	for (int twice = 0; twice < 2; twice++) {
		run_apply(&st, &skip);
		assert_int_equal(s->state, ST_SKIPPED);
		assert_int_equal(s->ended, failed.at);
		assert_string_equal(s->note, "made by hand");
		assert_string_equal(s->cause, "");
		assert_string_equal(s->cause_id, "");
		assert_string_equal(s->cure, "");
	}
}

static void questions_follow_from_the_stages(void **state)
{
	struct event mode = {.kind = EV_MODE, .on = true};

	(void)state;
	for (unsigned i = STAGE_TOOLS; i <= STAGE_CLUSTER; i++)
		move((enum stage_id)i, MOVE_DONE, 1);
	assert_string_equal(st.question, "go-on");
	run_apply(&st, &mode);
	assert_string_equal(st.question, "");
	assert_true(st.go_on_alone);
	for (unsigned i = STAGE_CONVERT; i <= STAGE_EXPORT; i++)
		move((enum stage_id)i, MOVE_DONE, 1);
	assert_string_equal(st.question, "confirm-cleanup");
	move(STAGE_CLUSTER, MOVE_UNDO, 2); /* destroyed for today: that is no moment to ask */
	assert_string_equal(st.question, "");
	move(STAGE_CLUSTER, MOVE_UNDONE, 2);
	assert_string_equal(st.question, "");
	move(STAGE_CLUSTER, MOVE_DONE, 3);
	assert_string_equal(st.question, "confirm-cleanup");
	move(STAGE_CLEANUP, MOVE_DONE, 1);
	assert_string_equal(st.question, "");
	assert_int_equal(st.current, STAGE_NONE);
}

static const char jobset_text[] =
	"{\"metadata\":{\"name\":\"gemma4-training\",\"namespace\":\"default\",\"uid\":\"u1\","
	"\"creationTimestamp\":\"2026-09-10T08:00:00Z\"},\"spec\":{\"suspend\":false,"
	"\"coordinator\":{\"replicatedJob\":\"pathways-head\"},"
	"\"startupPolicy\":{\"startupPolicyOrder\":\"InOrder\"},\"replicatedJobs\":["
	"{\"name\":\"pathways-head\",\"replicas\":1,\"template\":{\"spec\":{\"parallelism\":1,"
	"\"completions\":1,\"template\":{}}}},"
	"{\"name\":\"worker\",\"replicas\":1,\"template\":{\"spec\":{\"parallelism\":8,"
	"\"completions\":8,\"template\":{}}}}]},\"status\":{\"conditions\":["
	"{\"type\":\"Suspended\",\"status\":\"True\"}]}}";

static void pod(const char *name, const char *role, bool ready)
{
	AUTO_FREE char *text = x_asprintf(
		"{\"metadata\":{\"name\":\"%s\",\"uid\":\"%s\",\"labels\":{"
		"\"jobset.sigs.k8s.io/jobset-name\":\"gemma4-training\","
		"\"jobset.sigs.k8s.io/replicatedjob-name\":\"%s\"}},\"spec\":{\"nodeName\":\"n\"},"
		"\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\","
		"\"status\":\"%s\"}]}}",
		name, name, role, ready ? "True" : "False");

	put_object(EV_POD, text);
}

static void the_phase_follows_pods_and_jobset(void **state)
{
	struct event gone = event_text(EV_POD_GONE, "w3");
	struct event named = event_text(EV_JOBSET_NAME, "gemma4-training");
	int want;

	(void)state;
	run_apply(&st, &named);
	assert_false(st.jobset_asked);
	put_object(EV_JOBSET, jobset_text);
	assert_int_equal(st.phase, JOBSET_HEAD_STARTING);
	pod("head", "pathways-head", true);
	pod("w3", "worker", false);
	assert_int_equal(st.phase, JOBSET_WORKERS_STARTING);
	assert_int_equal(state_pods_ready(&st, "worker", &want), 0);
	assert_int_equal(want, 1);
	run_apply(&st, &gone);
	assert_int_equal(state_pods_ready(&st, "worker", &want), 0);
	assert_int_equal(want, 0);
	named.text = "another";
	run_apply(&st, &named);
	assert_int_equal(st.phase, JOBSET_ABSENT);
	assert_int_equal(st.pods.live, 0);
}

static void a_running_job_says_what_it_waits_for(void **state)
{
	(void)state;
	put_object(EV_JOBSET, jobset_text);
	move(STAGE_TRAIN, MOVE_START, 1);
	assert_string_not_equal(st.stages[STAGE_TRAIN].waiting, "");
	assert_true(st.stages[STAGE_TRAIN].quiet_until > 0);
	move(STAGE_TRAIN, MOVE_DONE, 1);
	assert_string_equal(st.stages[STAGE_TRAIN].waiting, "");
	assert_int_equal(st.stages[STAGE_TRAIN].quiet_until, 0);
}

static void apply(void *arg, const struct event *ev)
{
	(void)arg;
	run_apply(&st, ev);
}

static void log_lines_become_steps_once(void **state)
{
	static const char *const lines[] = {
		"I0826 17:00:00.000000 1 pyconfig.py:581] Config param steps: 50",
		"I0826 17:21:00.090000 1 peft_trainer.py:737] Train step 1 training loss: 0.125000 "
		" - "
		"training perplexity: 1.133148",
	};

	(void)state;
	for (int twice = 0; twice < 2; twice++)
		for (size_t i = 0; i < COUNT(lines); i++)
			spool_line_event(STAGE_TRAIN, NOW, lines[i], strlen(lines[i]), apply, NULL);
	assert_int_equal(state_training(&st)->step, 1);
	assert_int_equal(st.stages[STAGE_TRAIN].progress.done, 1);
	assert_int_equal(st.stages[STAGE_TRAIN].progress.total, 50);
	assert_string_equal(st.stages[STAGE_TRAIN].progress.unit, "step");
	assert_int_equal(series_find(&st.series, SERIES_LOSS)->n, 1);
}

static void a_curve_ahead_of_the_log_tells_the_step(void **state)
{
	struct event ev = {.kind = EV_POINT};

	(void)state;
	move(STAGE_TRAIN, MOVE_START, 1);
	ev.u.point.series = "actor/train/kl";
	ev.u.point.at = (struct series_point){37, 0.1, NOW + 1000, SERIES_EVENT};
	run_apply(&st, &ev);
	assert_int_equal(state_training(&st)->step, 37);
	assert_int_equal(st.stages[STAGE_TRAIN].progress.done, 37);
	/* What an earlier attempt wrote, and other series, do not. */
	ev.u.point.at = (struct series_point){45, 0.1, NOW - 3600000, SERIES_EVENT};
	run_apply(&st, &ev);
	ev.u.point.series = "rewards/train/sum";
	ev.u.point.at = (struct series_point){46, 0.1, NOW + 1000, SERIES_EVENT};
	run_apply(&st, &ev);
	assert_int_equal(state_training(&st)->step, 37);
}

static void output_keeps_the_newest_lines(void **state)
{
	struct event ev = {.kind = EV_OUTPUT};

	(void)state;
	ev.u.output.id = STAGE_CLUSTER;
	for (int i = 0; i < 3 * STATE_OUTPUT_LINES; i++) {
		AUTO_FREE char *line = x_asprintf("line %d", i);
		ev.u.output.line = line;
		run_apply(&st, &ev);
	}
	assert_true(st.stages[STAGE_CLUSTER].output.n <= STATE_OUTPUT_LINES);
	assert_string_equal(
		st.stages[STAGE_CLUSTER].output.items[st.stages[STAGE_CLUSTER].output.n - 1],
		"line 1499");
	assert_int_equal(st.stages[STAGE_CLUSTER].output_seen, 1500);
}

static void node(const char *name, bool ready)
{
	AUTO_FREE char *text = x_asprintf(
		"{\"metadata\":{\"name\":\"%s\",\"creationTimestamp\":\"2026-09-10T08:00:00Z\","
		"\"labels\":{\"cloud.google.com/gke-nodepool\":\"gke-tpu-v6e-pool\","
		"\"cloud.google.com/gke-tpu-accelerator\":\"tpu-v6e-slice\"}},"
		"\"status\":{\"capacity\":{\"google.com/tpu\":\"4\"},"
		"\"allocatable\":{\"google.com/tpu\":\"4\"},"
		"\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\"}]}}",
		name, ready ? "True" : "False");

	put_object(EV_NODE, text);
}

static void the_cost_meter_follows_the_pool(void **state)
{
	struct event gone = {.kind = EV_CLUSTER_GONE};

	(void)state;
	node("a", true);
	node("b", false);
	assert_int_equal(st.tpu_nodes, 2);
	assert_int_equal(st.tpu_nodes_ready, 1);
	assert_int_equal(st.cost.chips, 8);
	run_apply(&st, &gone);
	assert_int_equal(st.cost.chips, 0);
	assert_true(cost_chip_hours(&st.cost, NOW) > 0);
}

/* Each event that has a journal form means the same after it was written and read. */
static void events_survive_the_journal(void **state)
{
	static struct state_alert alert = {(char *)"restarts", (char *)"raised", (char *)"text", 0,
		(char *)"oom-killed", (char *)"use less"};
	struct event all[10] = {{.kind = EV_RUN}};
	struct state other;

	(void)state;
	state_init(&other);
	all[0].u.run.name = "demo-1";
	all[0].u.run.recipe = "r";
	all[0].u.run.label = "rehearsal";
	all[1] = (struct event){.kind = EV_VALUE};
	all[1].u.value.name = "ZONE";
	all[1].u.value.value = "us-east5-b";
	all[1].u.value.origin = "typed";
	all[2] = (struct event){.kind = EV_DEVIATION, .on = true};
	all[2].u.deviation.id = "no-await";
	all[3] = event_stage(STAGE_TRAIN, MOVE_START, 3);
	all[4] = event_stage(STAGE_TRAIN, MOVE_EXIT, 3);
	all[4].u.stage.exit = 7;
	all[5] = event_stage(STAGE_BUCKET, MOVE_BLOCKED, 0);
	all[5].u.stage.cause = "taken";
	all[6] = (struct event){.kind = EV_MODE, .on = true};
	all[7] = (struct event){.kind = EV_ALERT};
	all[7].u.alert = &alert;
	all[8] = event_text(EV_CLEANUP, "gone cluster x");
	all[9] = (struct event){.kind = EV_POOL};
	all[9].u.pool.chips = 32;
	all[9].u.pool.since = NOW - 3600000;
	for (size_t i = 0; i < COUNT(all); i++) {
		AUTO_FREE char *line = journal_event_line(&all[i], (int64_t)i + 1);
		struct event back;
		int64_t seq = 0;
		assert_non_null(line);
		assert_null(strchr(line, '\n'));
		assert_int_equal(journal_event_parse(line, strlen(line), &back, &seq), 1);
		assert_int_equal(seq, i + 1);
		run_apply(&st, &all[i]);
		run_apply(&other, &back);
	}
	assert_string_equal(other.name, st.name);
	assert_string_equal(other.label, "rehearsal");
	assert_string_equal(state_value_find(&other, "ZONE")->value, "us-east5-b");
	assert_true(other.deviations.items[0].on);
	assert_int_equal(other.stages[STAGE_TRAIN].exit_code, 7);
	assert_int_equal(other.stages[STAGE_TRAIN].attempt, 3);
	assert_int_equal(other.stages[STAGE_BUCKET].state, ST_BLOCKED);
	assert_string_equal(other.stages[STAGE_BUCKET].cause, "taken");
	assert_true(other.go_on_alone);
	assert_string_equal(other.alerts.items[0].text, "text");
	assert_string_equal(other.alerts.items[0].cause, "oom-killed");
	assert_string_equal(other.alerts.items[0].cure, "use less");
	assert_int_equal(other.cleanup.n, 1);
	assert_int_equal(other.cost.chips, 32);
	assert_true(cost_chip_hours(&other.cost, NOW) == 32.0);
	state_fini(&other);
}

static void a_secret_is_not_in_the_journal(void **state)
{
	struct event ev = {.kind = EV_VALUE};
	AUTO_FREE char *line = NULL;

	(void)state;
	ev.u.value.name = "HF_TOKEN";
	ev.u.value.value = "hf_ThisIsTheSecretItself";
	ev.u.value.secret = true;
	line = journal_event_line(&ev, 1);
	assert_null(strstr(line, "SecretItself"));
	assert_non_null(strstr(line, "\"present\":true"));
}

static int alerts_told;

static void count_alert(void *arg, const struct event *ev)
{
	(void)arg;
	alerts_told++;
	run_apply(&st, ev);
}

static void alerts_are_told_on_transitions_alone(void **state)
{
	(void)state;
	alerts_told = 0;
	alerts_judge(&st, count_alert, NULL);
	assert_int_equal(alerts_told, 0);
	put_object(EV_POD,
		"{\"metadata\":{\"name\":\"p\",\"uid\":\"p\"},\"spec\":{\"containers\":[{"
		"\"name\":\"c\"}]},\"status\":{\"phase\":\"Running\",\"containerStatuses\":[{"
		"\"name\":\"c\",\"restartCount\":2}]}}");
	alerts_judge(&st, count_alert, NULL);
	alerts_judge(&st, count_alert, NULL);
	assert_int_equal(alerts_told, 1);
	assert_int_equal(state_alerts_raised(&st), 1);
	put_object(EV_POD,
		"{\"metadata\":{\"name\":\"p\",\"uid\":\"p\"},\"spec\":{\"containers\":[{"
		"\"name\":\"c\"}]},\"status\":{\"phase\":\"Running\",\"containerStatuses\":[{"
		"\"name\":\"c\",\"restartCount\":0}]}}");
	alerts_judge(&st, count_alert, NULL);
	assert_int_equal(alerts_told, 2);
	assert_int_equal(state_alerts_raised(&st), 0);
	assert_string_equal(st.alerts.items[0].text, "containers have restarted 2 times");
}

static void the_verdict_is_of_the_run(void **state)
{
	const char *why = NULL;

	(void)state;
	assert_int_equal(state_verdict(&st, true, NULL), VERDICT_UNKNOWN);
	st.jobset_there = true;
	st.phase = JOBSET_DONE;
	assert_int_equal(state_verdict(&st, true, NULL), VERDICT_DONE); /* a JobSet without a run */
	move(STAGE_TRAIN, MOVE_START, 1);
	/* Its result is not proved, and the export is to come. */
	assert_int_equal(state_verdict(&st, true, NULL), VERDICT_HEALTHY);
	move(STAGE_TRAIN, MOVE_CANCEL, 1);
	assert_int_equal(state_verdict(&st, true, &why), VERDICT_DEGRADED);
	assert_string_equal(why, "a stage was cancelled");
	move(STAGE_TRAIN, MOVE_START, 2);
	move(STAGE_TRAIN, MOVE_DONE, 2);
	move(STAGE_EXPORT, MOVE_START, 1);
	move(STAGE_EXPORT, MOVE_DONE, 1);
	assert_int_equal(state_verdict(&st, true, NULL), VERDICT_DONE);
}

static void a_new_life_is_not_stopped(void **state)
{
	struct event end = {.kind = EV_END, .number = 1};
	struct event open = {.kind = EV_RUN};

	(void)state;
	open.u.run.name = open.u.run.recipe = open.u.run.label = "";
	run_apply(&st, &end);
	assert_true(st.stopped);
	assert_int_equal(st.exit_code, 1);
	run_apply(&st, &open);
	assert_false(st.stopped);
	assert_int_equal(st.exit_code, -1);
}

static void a_deploy_says_how_long_silence_is_normal(void **state)
{
	static const struct deploy_busy busy[] = {{"a: helm_release.x", NOW - 60000},
		{"b: google_container_node_pool.y", NOW - 30000}};
	struct event ev = {.kind = EV_PROGRESS, .at = NOW};

	(void)state;
	move(STAGE_CLUSTER, MOVE_START, 1);
	ev.u.progress.id = STAGE_CLUSTER;
	ev.u.progress.done = 1;
	ev.u.progress.total = 9;
	ev.u.progress.unit = "resource";
	ev.u.progress.busy = busy;
	ev.u.progress.n = 2;
	run_apply(&st, &ev);
	assert_int_equal(st.stages[STAGE_CLUSTER].progress.n_busy, 2);
	assert_string_equal(
		st.stages[STAGE_CLUSTER].waiting, "a chart usually takes 1 to 5 minutes");
	assert_int_equal(st.stages[STAGE_CLUSTER].quiet_until, NOW - 30000 + 12 * 60000);
	ev.u.progress.n = 0;
	run_apply(&st, &ev);
	assert_int_equal(st.stages[STAGE_CLUSTER].quiet_until, 0);
	move(STAGE_CLUSTER, MOVE_START, 2);
	assert_int_equal(st.stages[STAGE_CLUSTER].progress.total, 0);
}

static void scalars_find_their_step(void **state)
{
	const char *name;
	int64_t step;

	(void)state;
	assert_false(curves_place(NULL, "jax/orbax/write", 0, &name, &step));
	assert_true(curves_place(NULL, "rewards/train/sum", 0, &name, &step));
	assert_int_equal(step, 1);
	assert_true(curves_place(NULL, "actor/train/loss", 1, &name, &step));
	assert_int_equal(step, 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, state_setup, state_teardown)
	const struct CMUnitTest tests[] = {
		T(stages_move_by_the_table),
		T(a_new_attempt_forgets_the_failure),
		T(secrets_never_enter_the_state),
		T(what_is_skipped_after_a_failure_says_why_and_ended_when_it_failed),
		T(questions_follow_from_the_stages),
		T(the_phase_follows_pods_and_jobset),
		T(a_running_job_says_what_it_waits_for),
		T(log_lines_become_steps_once),
		T(a_curve_ahead_of_the_log_tells_the_step),
		T(output_keeps_the_newest_lines),
		T(the_cost_meter_follows_the_pool),
		T(events_survive_the_journal),
		T(a_secret_is_not_in_the_journal),
		T(alerts_are_told_on_transitions_alone),
		T(the_verdict_is_of_the_run),
		T(a_new_life_is_not_stopped),
		T(a_deploy_says_how_long_silence_is_normal),
		T(scalars_find_their_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
