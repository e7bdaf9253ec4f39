/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public reports about queueing, pods and the cluster, each as a test that carries its number: what
 * the state says becomes the right alert, cause and patience.
 */
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
#include "core/fmt/cause.h"
#include "core/run/event.h"
#include "core/run/trouble.h"
#include "tests/unit/job_rig.h"

static void workload(const char *type, const char *status, const char *reason, const char *message)
{
	AUTO_FREE char *text = x_asprintf(
		"{\"metadata\":{\"name\":\"jobset-demo-1\"},\"status\":{\"conditions\":[{\"type\":"
		"\"%s\",\"status\":\"%s\",\"reason\":\"%s\",\"message\":\"%s\"}]}}",
		type, status, reason, message);

	put_object(EV_WORKLOAD, text);
}

static void event_about(const char *name, const char *reason, const char *message)
{
	AUTO_FREE char *text = x_asprintf(
		"{\"metadata\":{\"uid\":\"e-%s\",\"name\":\"e\"},\"involvedObject\":{\"kind\":"
		"\"Pod\",\"name\":\"%s\"},\"type\":\"Warning\",\"reason\":\"%s\",\"message\":"
		"\"%s\",\"count\":3,\"lastTimestamp\":\"2026-09-21T13:45:00Z\"}",
		reason, name, reason, message);

	put_object(EV_KEVENT, text);
}

static void want(const char *alert, const char *cause, bool lasting, const char *words)
{
	struct trouble t;
	AUTO_FREE char *cure = NULL;

	assert_true(trouble_find(&st, &t));
	assert_string_equal(t.alert, alert);
	assert_string_equal(t.hit.cause->id, cause);
	assert_int_equal(t.patience_ms > 0, lasting);
	cure = cause_cure(&t.hit);
	assert_true(*cure);
	assert_non_null(strstr(t.text, words));
	assert_non_null(raised(alert)); /* with the words it began with */
	assert_int_equal(trouble_stops(cause), lasting);
}

static void R32_a_webhook_that_is_down_is_tried_again(void **state)
{
	static const char said[] =
		"failed calling webhook \"mjob.kb.io\": failed to call webhook: Post "
		"\"https://kueue-webhook-service.kueue-system.svc:443/x\": dial tcp "
		"10.0.0.1:443: connect: connection refused";
	const struct cause *c = cause_of_text(said, sizeof(said) - 1);

	(void)state;
	assert_string_equal(c->id, "webhook");
	assert_true(trouble_passes(c->id));
	assert_false(trouble_passes("stockout"));
	assert_false(trouble_passes("quota-regional")); /* R16: a limit of nothing never helps */
	assert_false(trouble_passes(NULL));
}

static void R36_a_queue_that_never_fits_is_told_from_a_busy_one(void **state)
{
	(void)state;
	jobset(true);
	workload("QuotaReserved", "False", "Pending",
		"couldn't assign flavors to pod set job: resource cpu unavailable in ClusterQueue");
	want("queue-waits", "queue-never", true, "resource cpu unavailable in ClusterQueue");
	workload("QuotaReserved", "False", "Pending",
		"couldn't assign flavors to pod set worker: insufficient unused quota for "
		"google.com/tpu in flavor flavor-tpu-v6e-slice, 32 more needed");
	want("queue-waits", "queue-quota", false, "32 more needed");
}

static void R36_a_short_wait_in_the_queue_is_normal(void **state)
{
	struct trouble t;

	(void)state;
	clock_fix(INT64_C(1789997400000) + 2 * MINUTE); /* two minutes after the JobSet was made */
	jobset(true);
	workload("QuotaReserved", "False", "Pending", "insufficient unused quota");
	assert_false(trouble_find(&st, &t));
	assert_null(raised("queue-waits"));
}

static void R37_suspended_without_a_workload(void **state)
{
	(void)state;
	jobset(true);
	want("queue-waits", "queue-no-workload", true, "no Workload");
}

static void R37_admitted_and_still_suspended(void **state)
{
	(void)state;
	jobset(true);
	workload("Admitted", "True", "Admitted", "The workload is admitted");
	want("queue-waits", "queue-not-resumed", true,
		"Workload of demo: Admitted, but JobSet demo: still suspended");
}

static void R39_a_condition_in_the_list_is_not_a_fact(void **state)
{
	(void)state;
	jobset(true);
	put_object(EV_WORKLOAD,
		"{\"metadata\":{\"name\":\"w\"},\"status\":{\"conditions\":[{\"type\":\"Evicted\","
		"\"status\":\"False\",\"reason\":\"QuotaReserved\",\"message\":\"Previously: "
		"Exceeded "
		"the PodsReady timeout\"},{\"type\":\"Novel\",\"status\":\"True\"},{\"type\":"
		"\"QuotaReserved\",\"status\":\"False\",\"reason\":\"Pending\",\"message\":"
		"\"insufficient unused quota for google.com/tpu\"}]}}");
	assert_false(st.queue.evicted);
	assert_false(st.queue.admitted);
	want("queue-waits", "queue-quota", false, "insufficient unused quota");
}

static void R40_a_head_that_fits_no_machine_while_chips_are_billed(void **state)
{
	(void)state;
	jobset(false);
	pod("demo-pathways-head-0-0-x", "pathways-head", "",
		"\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":"
		"\"False\","
		"\"reason\":\"Unschedulable\",\"message\":\"0/11 nodes are available: 3 "
		"Insufficient "
		"cpu\"}]");
	want("head-pending", "unschedulable", false, "3 Insufficient cpu");
	event_about("demo-pathways-head-0-0-x", "NotTriggerScaleUp",
		"pod didn't trigger scale-up (it wouldn't fit if a new node is added)");
	want("head-pending", "autoscaler-never", true, "wouldn't fit");
}

static void R46_back_off_of_the_autoscaler_is_waited_for(void **state)
{
	(void)state;
	jobset(false);
	pod("demo-pathways-head-0-0-x", "pathways-head", "", "\"phase\":\"Pending\"");
	event_about("demo-pathways-head-0-0-x", "NotTriggerScaleUp",
		"pod didn't trigger scale-up: 1 in backoff after failed scale-up");
	want("head-pending", "autoscaler-backoff", false, "in backoff");
}

static void R41_a_head_without_workers(void **state)
{
	(void)state;
	jobset(false);
	pod("demo-pathways-head-0-0-x", "pathways-head", "\"nodeName\":\"n\",",
		"\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}],"
		"\"containerStatuses\":[{\"name\":\"workload-container\",\"ready\":true,\"state\":{"
		"\"running\":{}}}]");
	assert_int_equal(st.phase, JOBSET_WORKERS_STARTING);
	clock_fix(NOW + 10 * MINUTE);
	want("no-workers", "no-workers", true, "no worker pod");
}

static void R48_images_denied_missing_or_late(void **state)
{
	static const struct {
		const char *message, *cause;
	} cases[] = {
		{"failed to resolve reference: pulling from host us-docker.pkg.dev failed with "
		 "status code [manifests 1]: 403 Forbidden",
			"image-denied"},
		{"Permission artifactregistry.repositories.downloadArtifacts denied on resource",
			"image-denied"},
		{"failed to resolve reference: us-docker.pkg.dev/x/y/z:1: not found",
			"image-missing"},
		{"dial tcp 203.0.113.7:443: i/o timeout", "image-pull"},
	};

	(void)state;
	jobset(false);
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO_FREE char *status = x_asprintf(
			"\"phase\":\"Pending\",\"containerStatuses\":[{\"name\":\"workload-"
			"container"
			"\",\"state\":{\"waiting\":{\"reason\":\"ImagePullBackOff\",\"message\":"
			"\"%s\"}}}]",
			cases[i].message);
		pod("demo-main-job-0-0-x", "pathways-head", "\"nodeName\":\"n\",", status);
		want("image-pull", cases[i].cause, true, cases[i].message);
	}
}

static void R49_an_evicted_pod_tells_the_disk(void **state)
{
	char text[TROUBLE_TEXT];
	const char *id;

	(void)state;
	jobset(false);
	pod("demo-main-job-0-0-x", "pathways-head", "\"nodeName\":\"n\",",
		"\"phase\":\"Failed\",\"reason\":\"Evicted\",\"message\":\"The node was low on "
		"resource: "
		"ephemeral-storage. Threshold quantity: 2146223340, available: 1883424Ki. "
		"Container main "
		"was using 73712Ki, request is 0, has larger consumption of ephemeral-storage. \"");
	id = trouble_of_pods(&st, text);
	assert_non_null(id);
	assert_string_equal(id, "node-disk");
	assert_non_null(strstr(text, "available: 1883424Ki"));
}

static void R51_a_host_under_maintenance(void **state)
{
	(void)state;
	put_object(EV_NODE,
		"{\"metadata\":{\"name\":\"n\",\"labels\":{\"cloud.google.com/gke-nodepool\":"
		"\"tpu\",\"cloud.google.com/gke-tpu-accelerator\":\"tpu-v6e-slice\","
		"\"cloud.google.com/active-node-maintenance\":\"ONGOING\"}},\"status\":{"
		"\"conditions\":[{\"type\":\"Ready\",\"status\":\"Unknown\",\"message\":"
		"\"Kubelet stopped posting node status.\"}]}}");
	assert_non_null(raised("maintenance"));
	assert_non_null(strstr(raised("maintenance"), "no checkpoint is safe"));
}

static void R34_R35_a_cluster_that_does_not_answer_is_one_alert(void **state)
{
	struct event beat = {.kind = EV_HEART, .number = HEART_WATCH, .at = NOW};

	(void)state;
	jobset(false);
	run_apply(&st, &beat);
	assert_null(raised("cluster-unreachable"));
	clock_fix(NOW + 6 * MINUTE);
	assert_non_null(raised("cluster-unreachable"));
	assert_true(st.jobset_there); /* the last state stays visible */
	beat.at = NOW + 6 * MINUTE;
	run_apply(&st, &beat);
	assert_null(raised("cluster-unreachable"));
}

static void away(const char *cause, const char *said)
{
	struct event ev = event_text(EV_AWAY, said);

	ev.u.away.cause = cause;
	run_apply(&st, &ev);
}

static void R06_R76_an_expired_login_is_told_and_nothing_is_lost(void **state)
{
	static const struct {
		const char *cause, *said, *cure;
	} cases[] = {
		{"cluster-login", "You must be logged in to the server (Unauthorized)",
			"gcloud auth login"},
		{"login-reauth", "reauth related error (invalid_rapt)",
			"gcloud auth application-default login"},
	};
	struct event beat = {.kind = EV_HEART, .number = HEART_WATCH, .at = NOW};

	(void)state;
	jobset(false);
	run_apply(&st, &beat);
	pod("demo-worker-0-0-x", "worker", "\"nodeName\":\"n\",", "\"phase\":\"Running\"");
	for (size_t i = 0; i < COUNT(cases); i++) {
		away(cases[i].cause, cases[i].said);
		assert_non_null(strstr(raised("logged-out"), cases[i].said));
		assert_string_equal(alert_of("logged-out")->cause, cases[i].cause);
		assert_non_null(strstr(alert_of("logged-out")->cure, cases[i].cure));
		assert_int_equal(st.pods.live, 1); /* never "no pods" */
		clock_fix(NOW + 30 * MINUTE);
		assert_null(raised("cluster-unreachable")); /* it answers: with a refusal */
		away(NULL, "");
		beat.at = NOW + 30 * MINUTE;
		run_apply(&st, &beat);
		assert_null(raised("logged-out"));
	}
}

/* What GKE says about it is in the alert, and whether it passes. */
static void R35_the_alert_says_what_gke_does(void **state)
{
	static const struct {
		const char *cause, *said, *cure;
		bool runs_on;
	} cases[] = {
		{"control-plane", "the cluster is RECONCILING: GKE changes or repairs it",
			"connects again by itself", true},
		{"cluster-leaves",
			"the cluster is STOPPING: it is being deleted, its jobs end "
			"with it",
			"deploy again", false},
		{"cluster-broken", "GKE says that the cluster is ERROR", "what GKE says", false},
	};
	struct event beat = {.kind = EV_HEART, .number = HEART_WATCH, .at = NOW};

	(void)state;
	jobset(false);
	for (size_t i = 0; i < COUNT(cases); i++) {
		beat.at = NOW + (int64_t)i * 10 * MINUTE;
		clock_fix(beat.at);
		run_apply(&st, &beat);
		away(cases[i].cause, cases[i].said);
		clock_fix(beat.at + 6 * MINUTE);
		assert_non_null(strstr(raised("cluster-unreachable"), cases[i].said));
		assert_string_equal(alert_of("cluster-unreachable")->cause, cases[i].cause);
		assert_non_null(strstr(alert_of("cluster-unreachable")->cure, cases[i].cure));
		assert_int_equal(cases[i].runs_on,
			strstr(raised("cluster-unreachable"), "keeps running") != NULL);
		away(NULL, "");
		beat.at += 6 * MINUTE;
		run_apply(&st, &beat);
		assert_null(raised("cluster-unreachable"));
	}
}

static void R34_R35_a_refusal_and_no_answer_have_their_own_cures(void **state)
{
	static const struct {
		const char *said, *id, *cure;
	} cases[] = {
		{"dial tcp 203.0.113.7:443: i/o timeout", "authorized-networks",
			"authorized networks"},
		{"The connection to the server 203.0.113.7 was refused - did you specify the right "
		 "host or port?",
			"control-plane", "connects again by itself"},
	};
	struct event beat = {.kind = EV_HEART, .number = HEART_WATCH, .at = NOW};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct cause *c = cause_of_text(cases[i].said, strlen(cases[i].said));

		assert_string_equal(c->id, cases[i].id);
		clock_fix(beat.at);
		jobset(false);
		run_apply(&st, &beat);
		assert_null(raised("cluster-unreachable"));
		away(c->id, cases[i].said);
		clock_fix(beat.at + 6 * MINUTE);
		assert_non_null(strstr(raised("cluster-unreachable"), cases[i].said));
		assert_non_null(strstr(alert_of("cluster-unreachable")->cure, cases[i].cure));
		beat.at += 20 * MINUTE;
	}
}

static void R88_a_removed_jobset_is_remembered(void **state)
{
	struct event gone = {.kind = EV_JOBSET};

	(void)state;
	put_object(EV_JOBSET,
		"{\"metadata\":{\"name\":\"demo\",\"creationTimestamp\":\"2026-09-20T10:00:00Z\"},"
		"\"spec\":{\"ttlSecondsAfterFinished\":86400,\"replicatedJobs\":[{\"name\":\"main-"
		"job\","
		"\"template\":{\"spec\":{\"parallelism\":1}}}]},\"status\":{\"terminalState\":"
		"\"Completed\",\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\","
		"\"lastTransitionTime\":\"2026-09-20T12:00:00Z\"}]}}");
	assert_int_equal(st.phase, JOBSET_DONE);
	run_apply(&st, &gone); /* more than 24 h after its end */
	assert_false(st.jobset_there);
	assert_string_equal(st.past.terminal, "Completed");
	assert_int_equal(st.past.ended, INT64_C(1789905600000));
	assert_true(st.past.by_ttl);
	run_apply(&st, &gone);
	assert_string_equal(st.past.terminal, "Completed"); /* told twice, still known */
	assert_null(raised("jobset-failed"));
	jobset(false);
	assert_null(st.past.terminal); /* a new one of the name */
}

#define ROW(f) cmocka_unit_test_setup_teardown(f, job_setup, state_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(R06_R76_an_expired_login_is_told_and_nothing_is_lost),
		ROW(R35_the_alert_says_what_gke_does),
		ROW(R34_R35_a_refusal_and_no_answer_have_their_own_cures),
		ROW(R88_a_removed_jobset_is_remembered),
		ROW(R34_R35_a_cluster_that_does_not_answer_is_one_alert),
		ROW(R32_a_webhook_that_is_down_is_tried_again),
		ROW(R36_a_queue_that_never_fits_is_told_from_a_busy_one),
		ROW(R36_a_short_wait_in_the_queue_is_normal),
		ROW(R37_suspended_without_a_workload),
		ROW(R37_admitted_and_still_suspended),
		ROW(R39_a_condition_in_the_list_is_not_a_fact),
		ROW(R40_a_head_that_fits_no_machine_while_chips_are_billed),
		ROW(R41_a_head_without_workers),
		ROW(R46_back_off_of_the_autoscaler_is_waited_for),
		ROW(R48_images_denied_missing_or_late),
		ROW(R49_an_evicted_pod_tells_the_disk),
		ROW(R51_a_host_under_maintenance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
