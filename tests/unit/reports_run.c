/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public reports about deploying, queueing, training and cleaning up, each as a test that carries its
 * number: what the state says becomes the right alert, cause and patience.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/fmt/cause.h"
#include "core/run/alerts.h"
#include "core/run/event.h"
#include "core/run/tfstate.h"
#include "core/run/trouble.h"

#define NOW    INT64_C(1790000000000) /* 2026-09-21T13:46:40Z */
#define MINUTE INT64_C(60000)

static struct state st;

static int setup(void **state)
{
	struct event name = event_text(EV_JOBSET_NAME, "demo");

	(void)state;
	clock_fix(NOW);
	state_init(&st);
	run_apply(&st, &name);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	state_fini(&st);
	return 0;
}

static void put(enum event_kind kind, const char *text)
{
	json_t *j = json_parse(text, strlen(text), NULL);
	struct event ev = {.kind = kind};

	assert_non_null(j);
	ev.u.object = j;
	run_apply(&st, &ev);
	json_decref(j);
}

static void jobset(bool suspend)
{
	AUTO_FREE char *text = x_asprintf(
		"{\"metadata\":{\"name\":\"demo\",\"creationTimestamp\":\"2026-09-21T13:30:00Z\"},"
		"\"spec\":{\"suspend\":%s,\"coordinator\":{\"replicatedJob\":\"pathways-head\"},"
		"\"startupPolicy\":{\"startupPolicyOrder\":\"InOrder\"},\"replicatedJobs\":["
		"{\"name\":\"pathways-head\",\"template\":{\"spec\":{\"parallelism\":1}}},"
		"{\"name\":\"worker\",\"template\":{\"spec\":{\"parallelism\":8}}}]},\"status\":{}}",
		suspend ? "true" : "false");

	put(EV_JOBSET, text);
}

static void workload(const char *type, const char *status, const char *reason, const char *message)
{
	AUTO_FREE char *text = x_asprintf(
		"{\"metadata\":{\"name\":\"jobset-demo-1\"},\"status\":{\"conditions\":[{\"type\":"
		"\"%s\",\"status\":\"%s\",\"reason\":\"%s\",\"message\":\"%s\"}]}}",
		type, status, reason, message);

	put(EV_WORKLOAD, text);
}

static void pod(const char *name, const char *role, const char *spec, const char *status)
{
	AUTO_FREE char *text = x_asprintf(
		"{\"metadata\":{\"name\":\"%s\",\"uid\":\"%s\",\"creationTimestamp\":"
		"\"2026-09-21T13:30:00Z\",\"labels\":{\"jobset.sigs.k8s.io/jobset-name\":\"demo\","
		"\"jobset.sigs.k8s.io/replicatedjob-name\":\"%s\"}},\"spec\":{%s\"containers\":[{"
		"\"name\":\"workload-container\"}]},\"status\":{%s}}",
		name, name, role, spec, status);

	put(EV_POD, text);
}

static void event_about(const char *name, const char *reason, const char *message)
{
	AUTO_FREE char *text = x_asprintf(
		"{\"metadata\":{\"uid\":\"e-%s\",\"name\":\"e\"},\"involvedObject\":{\"kind\":"
		"\"Pod\",\"name\":\"%s\"},\"type\":\"Warning\",\"reason\":\"%s\",\"message\":"
		"\"%s\",\"count\":3,\"lastTimestamp\":\"2026-09-21T13:45:00Z\"}",
		reason, name, reason, message);

	put(EV_KEVENT, text);
}

static void apply(void *arg, const struct event *ev)
{
	(void)arg;
	run_apply(&st, ev);
}

/* The text of an alert that is raised now, or NULL. */
static const char *raised(const char *id)
{
	alerts_judge(&st, apply, NULL);
	for (size_t i = 0; i < st.alerts.n; i++)
		if (strcmp(st.alerts.items[i].id, id) == 0 &&
		    strcmp(st.alerts.items[i].state, "raised") == 0)
			return st.alerts.items[i].text;
	return NULL;
}

static void want(const char *alert, const char *cause, bool lasting, const char *words)
{
	struct trouble t;

	assert_true(trouble_find(&st, &t));
	assert_string_equal(t.alert, alert);
	assert_string_equal(t.cause, cause);
	assert_int_equal(t.patience_ms > 0, lasting);
	assert_true(*t.cure);
	assert_non_null(strstr(t.text, words));
	assert_non_null(raised(alert)); /* with the words it began with */
	assert_int_equal(trouble_stops(t.cause), lasting);
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
	want("queue-waits", "queue-not-resumed", true, "still suspended");
}

static void R39_a_condition_in_the_list_is_not_a_fact(void **state)
{
	(void)state;
	jobset(true);
	put(EV_WORKLOAD,
	    "{\"metadata\":{\"name\":\"w\"},\"status\":{\"conditions\":[{\"type\":\"Evicted\","
	    "\"status\":\"False\",\"reason\":\"QuotaReserved\",\"message\":\"Previously: Exceeded "
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
	    "\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\","
	    "\"reason\":\"Unschedulable\",\"message\":\"0/11 nodes are available: 3 Insufficient "
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
			"\"phase\":\"Pending\",\"containerStatuses\":[{\"name\":\"workload-container"
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
	    "\"phase\":\"Failed\",\"reason\":\"Evicted\",\"message\":\"The node was low on resource: "
	    "ephemeral-storage. Threshold quantity: 2146223340, available: 1883424Ki. Container main "
	    "was using 73712Ki, request is 0, has larger consumption of ephemeral-storage. \"");
	id = trouble_of_pods(&st, text);
	assert_non_null(id);
	assert_string_equal(id, "node-disk");
	assert_non_null(strstr(text, "available: 1883424Ki"));
}

static void R51_a_host_under_maintenance(void **state)
{
	(void)state;
	put(EV_NODE, "{\"metadata\":{\"name\":\"n\",\"labels\":{\"cloud.google.com/gke-nodepool\":"
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

/* Another process holds terraform's lock of the state, as a terraform that lives does. */
static void R31_a_lock_that_somebody_holds_stops_the_deploy(void **state)
{
	const char *tmp = getenv("TMPDIR");
	AUTO_FREE char *dir = x_asprintf("%s/rlpilot-lock.XXXXXX", tmp ? tmp : "/tmp");
	AUTO_FREE char *primary = NULL, *file = NULL, *info = NULL;
	static const char who[] =
		"{\"ID\":\"545e1e3c\",\"Operation\":\"OperationTypeApply\",\"Who\":\"@host\","
		"\"Version\":\"1.12.2\",\"Created\":\"2026-07-13T12:50:09.335850704Z\"}";
	struct err e = {0};
	int ready[2];
	pid_t pid;
	char c;

	(void)state;
	assert_non_null(mkdtemp(dir));
	primary = path_join(dir, "primary");
	file = path_join(primary, "terraform.tfstate");
	info = path_join(primary, ".terraform.tfstate.lock.info");
	assert_int_equal(tfstate_unlocked(dir, &e), 0); /* nothing there */
	assert_int_equal(path_mkdirs(primary, &e), 0);
	assert_int_equal(path_write(file, "{}", 2, &e), 0);
	assert_int_equal(path_write(info, who, sizeof(who) - 1, &e), 0);
	assert_int_equal(tfstate_unlocked(dir, &e), 0); /* its owner is gone: no lock */
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
		int fd = open(file, O_RDWR);
		(void)!(fcntl(fd, F_SETLK, &lock) == 0 && write(ready[1], "x", 1) == 1);
		pause(); /* until it is killed */
		_exit(0);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(tfstate_unlocked(dir, &e), -1);
	assert_string_equal(e.cause, "state-lock");
	assert_non_null(strstr(e.what, "@host"));
	assert_non_null(strstr(e.what, "2026-07-13"));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(tfstate_unlocked(dir, &e), 0);
	path_remove_tree(dir, NULL);
}

static void R86_a_network_in_use_is_told_with_the_rule_and_the_cure(void **state)
{
	static const char text[] =
		"Error: Error waiting for Deleting Network: The network resource "
		"'projects/my-project/global/networks/demo-net-0' is already being used by "
		"'projects/my-project/global/firewalls/demo-net-0-iyvrmjzsszuzmmbd5kdofnu3-4'";
	const struct cause *c = cause_of_text(text, sizeof(text) - 1);

	(void)state;
	assert_non_null(c);
	assert_string_equal(c->id, "network-busy");
}

#define ROW(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(R31_a_lock_that_somebody_holds_stops_the_deploy),
		ROW(R34_R35_a_cluster_that_does_not_answer_is_one_alert),
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
		ROW(R86_a_network_in_use_is_told_with_the_rule_and_the_cure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
