/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/fmt/time.h"
#include "core/model/foreign.h"
#include "core/model/jobset.h"
#include "core/model/kevent.h"
#include "core/model/node.h"
#include "core/model/pod.h"
#include "tests/unit/json_rig.h"

#define NOON 1789041600000 /* 2026-09-10T12:00:00Z */

struct pod_row {
	const char *spec, *status, *meta; /* members to add */
	const char *reason;
	int ready, want, restarts, exit_code;
};

#define RUNNING "'state':{'running':{'startedAt':'2026-09-10T08:03:58Z'}}"
#define ONE     "'containers':[{'name':'workload-container'}]"
#define SIDECARS                                                                                   \
	"'initContainers':[{'name':'pathways-proxy','restartPolicy':'Always'},{'name':'pathways-"  \
	"rm',"                                                                                     \
	"'restartPolicy':'Always'}]," ONE

static const struct pod_row pod_rows[] = {
	{ONE, "'phase':'Pending'", "", "Pending", 0, 1, 0, -1},
	{ONE,
		"'phase':'Pending','conditions':[{'type':'PodScheduled','status':'False','reason':"
		"'SchedulingGated','message':'gated'}]",
		"", "SchedulingGated", 0, 1, 0, -1},
	{ONE,
		"'phase':'Pending','containerStatuses':[{'name':'workload-container','restartCount'"
		":0,"
		"'state':{'waiting':{'reason':'ImagePullBackOff','message':'back off'}}}]",
		"", "ImagePullBackOff", 0, 1, 0, -1},
	{SIDECARS,
		"'phase':'Pending','initContainerStatuses':[{'name':'pathways-proxy','ready':true,"
		"'started':true,'restartCount':2," RUNNING
		"},{'name':'pathways-rm','restartCount':0,"
		"'state':{'waiting':{'reason':'PodInitializing'}}}]",
		"", "Init:1/2", 1, 3, 2, -1},
	{SIDECARS,
		"'phase':'Running','conditions':[{'type':'Ready','status':'True'}],"
		"'initContainerStatuses':[{'name':'pathways-proxy','ready':true,'started':true,"
		"'restartCount':0," RUNNING "},{'name':'pathways-rm','ready':true,'started':true,"
		"'restartCount':0," RUNNING "}],'containerStatuses':[{'name':'workload-container',"
		"'ready':true,'started':true,'restartCount':1," RUNNING "}]",
		"", "Running", 3, 3, 1, -1},
	{ONE,
		"'phase':'Succeeded','containerStatuses':[{'name':'workload-container','"
		"restartCount':0,"
		"'state':{'terminated':{'exitCode':0,'reason':'Completed'}}}]",
		"", "Completed", 0, 1, 0, 0},
	{ONE,
		"'phase':'Failed','containerStatuses':[{'name':'workload-container','restartCount':"
		"0,"
		"'state':{'terminated':{'exitCode':137,'reason':'OOMKilled'}}}]",
		"", "OOMKilled", 0, 1, 0, 137},
	{ONE,
		"'phase':'Failed','containerStatuses':[{'name':'workload-container','restartCount':"
		"0,"
		"'state':{'terminated':{'exitCode':3}}}]",
		"", "ExitCode:3", 0, 1, 0, 3},
	{ONE, "'phase':'Failed','reason':'Evicted','message':'The node was low on resource'", "",
		"Evicted", 0, 1, 0, -1},
	{ONE,
		"'phase':'Running','containerStatuses':[{'name':'workload-container','ready':true,"
		"'restartCount':0," RUNNING "}]",
		",'deletionTimestamp':'2026-09-10T09:00:00Z'", "Terminating", 1, 1, 0, -1},
};

static void test_pods(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(pod_rows); i++) {
		const struct pod_row *r = &pod_rows[i];
		AUTO_FREE char *text =
			x_asprintf("{'metadata':{'name':'p'%s},'spec':{%s},'status':{%s}}", r->meta,
				r->spec, r->status);
		AUTO(json_auto) json_t *j = json_rig(text);
		struct pod p;

		assert_true(pod_decode(&p, j));
		if (strcmp(p.reason, r->reason) || p.ready != r->ready || p.want != r->want ||
			p.restarts != r->restarts || p.exit_code != r->exit_code)
			fail_msg("row %zu: %s %d/%d restarts %d exit %d", i, p.reason, p.ready,
				p.want, p.restarts, p.exit_code);
		pod_fini(&p);
	}
}

static void test_pod_labels(void **state)
{
	AUTO(json_auto)
	json_t *j = json_rig(
		"{'metadata':{'name':'gemma4-training-worker-0-3-abcde','namespace':'default',"
		"'uid':'b2','resourceVersion':'41222','creationTimestamp':'2026-09-10T08:00:02Z',"
		"'labels':{'job-name':'gemma4-training-worker-0',"
		"'batch.kubernetes.io/job-completion-index':'3',"
		"'jobset.sigs.k8s.io/jobset-name':'gemma4-training',"
		"'jobset.sigs.k8s.io/replicatedjob-name':'worker',"
		"'jobset.sigs.k8s.io/restart-attempt':'1'}},"
		"'spec':{'nodeName':'n\\u001b[31m1','containers':[{'name':'pathways-worker',"
		"'command':['/bin/bash','-c','run hf_access_token=hf_abcdefghijklmnopqrstuvwx']}]},"
		"'status':{'phase':'Running'}}");
	struct pod p;
	AUTO_FREE char *label = NULL;

	(void)state;
	assert_true(pod_decode(&p, j));
	label = pod_label(&p);
	assert_string_equal(label, "worker/3");
	assert_string_equal(p.role, "worker");
	assert_string_equal(p.job, "gemma4-training-worker-0");
	assert_string_equal(p.jobset, "gemma4-training");
	assert_string_equal(p.node, "n1");
	assert_string_equal(p.main_container, "pathways-worker");
	assert_int_equal(p.attempt, 1);
	assert_int_equal(p.created_ms, 1789027202000);
	assert_null(strstr(p.args, "hf_abcdefghij"));
	assert_non_null(strstr(p.args, "/bin/bash -c run"));
	pod_fini(&p);
	AUTO(json_auto) json_t *none = json_rig("{'kind':'Status'}");
	assert_false(pod_decode(&p, none));
}

static void test_pod_order(void **state)
{
	struct pod head = {.role = "pathways-head", .index = "0", .name = "h"};
	struct pod w2 = {.role = "worker", .index = "2", .name = "w2"};
	struct pod w10 = {.role = "worker", .index = "10", .name = "w10"};
	struct pod other = {.role = "", .index = "", .name = "a"};

	(void)state;
	assert_true(pod_cmp(&head, &w2) < 0);
	assert_true(pod_cmp(&w2, &w10) < 0);
	assert_true(pod_cmp(&w10, &other) < 0);
	assert_int_equal(pod_cmp(&w2, &w2), 0);
}

#define PATHWAYS                                                                                   \
	"'coordinator':{'replicatedJob':'pathways-head'},'startupPolicy':{'startupPolicyOrder':"   \
	"'InOrder'},'replicatedJobs':[{'name':'pathways-head','replicas':1,'template':{'spec':"    \
	"{'parallelism':1}}},{'name':'worker','replicas':1,'template':{'spec':{'parallelism':8}}}" \
	"]"
#define PLAIN                                                                                      \
	"'startupPolicy':{'startupPolicyOrder':'AnyOrder'},'replicatedJobs':[{'name':'main-job',"  \
	"'replicas':1,'template':{'spec':{'parallelism':8}}}]"
#define COND(type, status, reason)                                                                 \
	"{'type':'" type "','status':'" status "','reason':'" reason "','message':'m " reason      \
	"','lastTransitionTime':'2026-09-10T08:00:05Z'}"
#define SUSPENDED COND("Suspended", "True", "SuspendedJobs")
#define RESUMED   COND("Suspended", "False", "ResumeJobs")

struct phase_row {
	const char *spec, *status;
	int admitted; /* -1 = no Workload */
	struct jobset_pods pods;
	enum jobset_phase phase;
};

static const struct phase_row phase_rows[] = {
	{"'suspend':true," PATHWAYS, "'conditions':[" SUSPENDED "]", 0, {0}, JOBSET_QUEUED},
	{"'suspend':true," PATHWAYS, "", -1, {0}, JOBSET_QUEUED},
	{"'suspend':true," PATHWAYS, "", 1, {0}, JOBSET_HEAD_STARTING},
	{"'suspend':false," PATHWAYS, "'conditions':[" SUSPENDED "]", 1, {0, 1, 0, 0},
		JOBSET_HEAD_STARTING},
	{"'suspend':false," PATHWAYS, "'conditions':[" SUSPENDED "]", 1, {1, 1, 3, 8},
		JOBSET_WORKERS_STARTING},
	{"'suspend':false," PATHWAYS,
		"'conditions':[" SUSPENDED "],'replicatedJobsStatus':[{'name':'pathways-head','"
		"ready':1},{'name':'worker','ready':0}]",
		1, {0}, JOBSET_WORKERS_STARTING},
	{"'suspend':false," PATHWAYS, "'conditions':[" RESUMED "]", 1, {1, 1, 8, 8},
		JOBSET_RUNNING},
	{"'suspend':false," PATHWAYS,
		"'conditions':[" SUSPENDED "," COND("StartupPolicyCompleted", "True", "x") "]", 1,
		{1, 1, 8, 8}, JOBSET_RUNNING},
	{"'suspend':false," PATHWAYS,
		"'conditions':[" COND("Completed", "True", "AllJobsCompleted") "]", -1, {0},
		JOBSET_DONE},
	{"'suspend':false," PATHWAYS, "'terminalState':'Failed'", -1, {0}, JOBSET_FAILED},
	{"'suspend':false," PATHWAYS,
		"'conditions':[" COND("Completed", "False", "x") "," RESUMED "]", -1, {0},
		JOBSET_RUNNING},
	{"'suspend':false," PLAIN, "'conditions':[" RESUMED "]", 1, {0, 0, 5, 8},
		JOBSET_WORKERS_STARTING},
	{"'suspend':false," PLAIN, "'conditions':[" RESUMED "]", 1, {0, 0, 8, 8}, JOBSET_RUNNING},
	{"'suspend':false," PLAIN,
		"'conditions':[" RESUMED "],'replicatedJobsStatus':[{'name':'main-job','ready':1}]",
		1, {0}, JOBSET_RUNNING},
};

static void test_phases(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(phase_rows); i++) {
		const struct phase_row *r = &phase_rows[i];
		AUTO_FREE char *text = x_asprintf("{'metadata':{'name':'gemma4-training',"
						  "'creationTimestamp':'2026-09-10T08:00:00Z'},"
						  "'spec':{%s},'status':{%s}}",
			r->spec, r->status);
		AUTO(json_auto) json_t *j = json_rig(text);
		struct jobset js;
		struct jobset_queue q = {.known = r->admitted >= 0,
			.admitted = r->admitted > 0,
			.reason = "",
			.message = ""};

		assert_true(jobset_decode(&js, j));
		if (jobset_phase(&js, &q, &r->pods) != r->phase)
			fail_msg("row %zu is %s", i,
				jobset_phase_name(jobset_phase(&js, &q, &r->pods)));
		assert_int_equal(jobset_phase_from_name(jobset_phase_name(r->phase)), r->phase);
		jobset_fini(&js);
	}
	assert_int_equal(jobset_phase(NULL, NULL, NULL), JOBSET_ABSENT);
	assert_int_equal(jobset_phase_from_name("suspended"), JOBSET_PHASE_COUNT);
}

static void test_queue(void **state)
{
	AUTO(json_auto)
	json_t *w = json_rig(
		"{'metadata':{'name':'jobset-a-12345'},'status':{'conditions':[{'type':"
		"'QuotaReserved','status':'False','reason':'Pending','message':'insufficient "
		"unused quota for google.com/tpu'}]}}");
	AUTO(json_auto)
	json_t *a = json_rig(
		"{'metadata':{'name':'x'},'status':{'conditions':[{'type':'QuotaReserved',"
		"'status':'True'},{'type':'Admitted','status':'True','reason':'Admitted'}]}}");
	AUTO(json_auto)
	json_t *j = json_rig("{'metadata':{'name':'a'},'spec':{'suspend':true," PATHWAYS "}}");
	struct jobset js;
	struct jobset_queue q;

	(void)state;
	assert_true(jobset_decode(&js, j));
	assert_string_equal(jobset_queue_reason(&js, NULL), "waiting for Kueue");
	assert_true(jobset_queue_decode(&q, w));
	assert_false(q.admitted);
	assert_string_equal(
		jobset_queue_reason(&js, &q), "insufficient unused quota for google.com/tpu");
	jobset_queue_fini(&q);
	assert_true(jobset_queue_decode(&q, a));
	assert_true(q.reserved && q.admitted);
	assert_null(jobset_queue_reason(&js, &q));
	assert_string_equal(jobset_main_role(&js)->name, "pathways-head");
	assert_int_equal(js.roles[1].pods, 8);
	jobset_queue_fini(&q);
	jobset_fini(&js);
}

static void test_jobset_end(void **state)
{
	AUTO(json_auto)
	json_t *j = json_rig(
		"{'metadata':{'name':'a','creationTimestamp':'2026-09-10T07:00:00Z'},'spec':{" PLAIN
		"},'status':{'restarts':1,'terminalState':'Failed','conditions':[" RESUMED
		",{'type':'Failed','status':'True','reason':'ReachedMaxRestarts','message':'jobset "
		"failed','lastTransitionTime':'2026-09-10T12:00:00Z'}]}}");
	struct jobset js;

	(void)state;
	assert_true(jobset_decode(&js, j));
	assert_string_equal(js.reason, "ReachedMaxRestarts");
	assert_int_equal(js.ended_ms, NOON);
	assert_int_equal(jobset_since(&js, JOBSET_FAILED), NOON);
	assert_int_equal(js.restarts, 1);
	assert_true(jobset_ended(jobset_phase(&js, NULL, NULL)));
	jobset_fini(&js);
}

/* Whose a job is hangs on its bucket: gs://run-1 is not gs://run-10. */
static void a_bucket_is_named_whole_or_not(void **state)
{
	static const struct {
		const char *args, *bucket;
		bool names;
	} rows[] = {
		{"python3 -m x dir=gs://run-1/out/", "run-1", true},
		{"python3 -m x dir=gs://run-1", "run-1", true},
		{"python3 -m x 'gs://run-1'", "run-1", true},
		{"python3 -m x dir=gs://run-10/out/", "run-1", false},
		{"python3 -m x dir=gs://run-10/a gs://run-1/b", "run-1", true},
		{"python3 -m x dir=gs://run-1.eu/out/", "run-1", false},
		{"python3 -m x dir=gs://my-run-1/out/", "run-1", false},
		{"python3 -m x model_name=gemma4-26b gs://other/", "gemma4-26b", false},
		{"python3 -m x dir=gs://run-1/out/", "", false},
		{"", "run-1", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct jobset js = {.args = (char *)rows[i].args};

		if (jobset_names_bucket(&js, rows[i].bucket) != rows[i].names)
			fail_msg("%s in %s", rows[i].bucket, rows[i].args);
	}
}

static void test_nodes(void **state)
{
	static const struct {
		const char *conditions, *reason;
		bool ready;
	} rows[] = {
		{"{'type':'Ready','status':'True','reason':'KubeletReady'},{'type':'DiskPressure','"
		 "status':"
		 "'False'}",
			"", true},
		{"{'type':'Ready','status':'Unknown','reason':'NodeStatusUnknown'}",
			"NodeStatusUnknown", false},
		{"{'type':'DiskPressure','status':'True'},{'type':'Ready','status':'True'}",
			"DiskPressure", true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		AUTO_FREE char *text = x_asprintf(
			"{'metadata':{'name':'n','labels':{'cloud.google.com/gke-nodepool':'pool',"
			"'cloud.google.com/"
			"gke-tpu-accelerator':'tpu-v6e-slice'}},'status':{'allocatable':"
			"{'google.com/tpu':'4'},'conditions':[%s]}}",
			rows[i].conditions);
		AUTO(json_auto) json_t *j = json_rig(text);
		struct node n;

		assert_true(node_decode(&n, j));
		assert_int_equal(n.ready, rows[i].ready);
		assert_string_equal(n.reason, rows[i].reason);
		assert_int_equal(n.tpu, 4);
		assert_true(node_is_tpu(&n));
		node_fini(&n);
	}
}

static void test_events(void **state)
{
	AUTO(json_auto)
	json_t *old = json_rig(
		"{'metadata':{'name':'a','uid':'u1','creationTimestamp':'2026-09-10T08:00:00Z'},"
		"'involvedObject':{'kind':'Pod','name':'p'},'reason':'Pulled','type':'Normal',"
		"'message':'m','count':3,'lastTimestamp':'2026-09-10T09:00:00Z',"
		"'firstTimestamp':null,'source':{'component':'kubelet'}}");
	AUTO(json_auto)
	json_t *newer = json_rig(
		"{'metadata':{'name':'b','creationTimestamp':'2026-09-10T08:00:00Z'},"
		"'regarding':{'kind':'Job','name':'j'},'reason':'FailedCreate','type':'Warning',"
		"'note':'leader pod not yet scheduled, not creating follower pod. ',"
		"'eventTime':'2026-09-10T08:30:00.5Z','series':{'count':9,"
		"'lastObservedTime':'2026-09-10T12:00:00.000001Z'}}");
	struct kevent a, b;

	(void)state;
	assert_true(kevent_decode(&a, old));
	assert_true(kevent_decode(&b, newer));
	assert_int_equal(a.last_ms, time_parse_ms("2026-09-10T09:00:00Z"));
	assert_int_equal(a.first_ms, time_parse_ms("2026-09-10T08:00:00Z"));
	assert_int_equal(a.count, 3);
	assert_int_equal(b.last_ms, NOON);
	assert_int_equal(b.count, 9);
	assert_string_equal(b.object, "j");
	assert_true(b.warning && b.benign);
	assert_true(kevent_cmp(&a, &b) < 0);
	b.benign = false;
	assert_true(kevent_cmp_importance(&b, &a) < 0);
	kevent_fini(&a);
	kevent_fini(&b);
}

/* --- work of others */

#define OWNED(kind, name)                                                                          \
	",'ownerReferences':[{'kind':'" kind "','name':'" name "','controller':true}]"
#define OF_JOBSET ",'labels':{'jobset.sigs.k8s.io/jobset-name':'gemma4-training'}"

struct foreign_row {
	const char *ns, *meta, *status;
	const char *says; /* kind and name of what ends it; "" = it does not count */
};

static const struct foreign_row foreign_jobs[] = {
	{"default", "", "'active':1", "job one"},
	{"team", "", "'conditions':[{'type':'Suspended','status':'True'}]", "job one"},
	{"team", "", "'conditions':[{'type':'Complete','status':'False'}]", "job one"},
	{"team", OWNED("CronJob", "nightly"), "'active':1", "job one"},
	{"default", "", "'conditions':[{'type':'Complete','status':'True'}]", ""},
	{"default", "", "'conditions':[{'type':'Failed','status':'True'}]", ""},
	{"default", OF_JOBSET, "'active':1", ""},
	{"default", OWNED("JobSet", "gemma4-training"), "'active':1", ""},
	{"cert-manager", "", "'active':1", ""},
	{"default", ",'deletionTimestamp':'2026-09-10T09:00:00Z'", "'active':1", ""},
};

static const struct foreign_row foreign_pods[] = {
	{"default", "", "'phase':'Running'", "pod one"},
	{"default", "", "'phase':'Pending'", "pod one"},
	{"serving", ",'labels':{'pod-template-hash':'6d5'}" OWNED("ReplicaSet", "chat-6d5"),
		"'phase':'Running'", "deployment chat"},
	{"serving", OWNED("ReplicaSet", "chat-6d5"), "'phase':'Running'", "replicaset chat-6d5"},
	{"serving", OWNED("StatefulSet", "db"), "'phase':'Running'", "statefulset db"},
	{"serving", OWNED("RayCluster", "ray"), "'phase':'Running'", "pod one"},
	{"default", "", "'phase':'Succeeded'", ""},
	{"default", "", "'phase':'Failed'", ""},
	{"default", OF_JOBSET, "'phase':'Running'", ""},
	{"default", OWNED("Job", "one"), "'phase':'Running'", ""},
	{"agents", OWNED("DaemonSet", "agent"), "'phase':'Running'", ""},
	{"default", OWNED("Node", "node-1"), "'phase':'Running'", ""},
	{"default", ",'deletionTimestamp':'2026-09-10T09:00:00Z'", "'phase':'Running'", ""},
	{"kube-system", OWNED("ReplicaSet", "dns-6d5"), "'phase':'Running'", ""},
	{"gke-managed-cim", "", "'phase':'Running'", ""},
	{"gmp-system", "", "'phase':'Running'", ""},
	{"kueue-system", "", "'phase':'Running'", ""},
	{"jobset-system", "", "'phase':'Running'", ""},
	{"cert-manager", "", "'phase':'Running'", ""},
};

static void check_foreign(
	const struct foreign_row *rows, size_t n, bool (*is)(const json_t *, struct foreign *))
{
	for (size_t i = 0; i < n; i++) {
		AUTO_FREE char *text =
			x_asprintf("{'metadata':{'name':'one','namespace':'%s'%s},'status':{%s}}",
				rows[i].ns, rows[i].meta, rows[i].status);
		AUTO_FREE char *said = NULL;
		struct foreign found = {0};
		json_t *object = json_rig(text);

		said = is(object, &found) ? x_asprintf("%s %s", found.kind, found.owner)
					  : x_strdup("");
		assert_string_equal(said, rows[i].says);
		if (*said)
			assert_string_equal(found.ns, rows[i].ns);
		free(found.owner);
		json_decref(object);
	}
}

static void test_foreign(void **state)
{
	(void)state;
	check_foreign(foreign_jobs, COUNT(foreign_jobs), foreign_job);
	check_foreign(foreign_pods, COUNT(foreign_pods), foreign_pod);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pods),
		cmocka_unit_test(test_pod_labels),
		cmocka_unit_test(test_pod_order),
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_jobset_end),
		cmocka_unit_test(a_bucket_is_named_whole_or_not),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_foreign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
