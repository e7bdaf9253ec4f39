/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "core/fmt/quantity.h"
#include "sim/ctl.h"
#include "sim/fault_plan.h"
#include "sim/kube_types.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE_LABEL   "kueue.x-k8s.io/queue-name"
#define TPU_QUOTA     32
#define TPU_FLAVOR    "flavor-tpu-v6e-slice"
#define CPU_FLAVOR    "pathways-flavor"
#define CLUSTER_QUEUE "cluster-queue"
#define LOOK_AGAIN    30000

int64_t ctl_pod_limit(const json_t *pod_spec, const char *resource)
{
	json_t *list = json_path(pod_spec, "containers"), *c;
	double sum = 0;
	size_t i;

	json_array_foreach(list, i, c)
	{
		const char *text = json_string_value(
			json_object_get(json_path(c, "resources.limits"), resource));
		double v;

		if (text && quantity_parse(text, &v))
			sum += v;
		else
			sum += (double)json_integer_value(
				json_object_get(json_path(c, "resources.limits"), resource));
	}
	return (int64_t)sum;
}

static int64_t pods_of(const json_t *rjob)
{
	return json_path_i64(rjob, "replicas", 1) *
	       json_path_i64(rjob, "template.spec.parallelism", 1);
}

static int64_t tpu_of(const json_t *rjob)
{
	return pods_of(rjob) *
	       ctl_pod_limit(json_path(rjob, "template.spec.template.spec"), "google.com/tpu");
}

static int64_t tpu_of_jobset(const json_t *js)
{
	json_t *list = json_path(js, "spec.replicatedJobs"), *r;
	int64_t sum = 0;
	size_t i;

	json_array_foreach(list, i, r) sum += tpu_of(r);
	return sum;
}

static char *workload_name(const json_t *js)
{
	AUTO_FREE char *text =
		x_asprintf("JobSet\njobset.x-k8s.io\n%s\n%s", kstore_name(js), kstore_uid(js));
	unsigned char sum[20];

	gnutls_hash_fast(GNUTLS_DIG_SHA1, text, strlen(text), sum);
	return x_asprintf("jobset-%s-%02x%02x%x", kstore_name(js), sum[0], sum[1], sum[2] >> 4);
}

static json_t *jobset_of(const struct kube *k, const json_t *wl)
{
	const char *owner = kube_owner(wl, "JobSet");

	return owner ? kstore_get(k->store, KUBE_JOBSETS, kstore_ns(wl), owner) : NULL;
}

static json_t *pod_sets(const json_t *js)
{
	json_t *list = json_path(js, "spec.replicatedJobs"), *r, *out = json_array();
	size_t i;

	json_array_foreach(list, i, r) json_array_append_new(
		out, json_pack("{s:O?, s:I, s:O?}", "name", json_object_get(r, "name"), "count",
			     (json_int_t)pods_of(r), "template",
			     json_path(r, "template.spec.template")));
	return out;
}

static void create_workload(struct kube *k, json_t *js)
{
	AUTO_FREE char *name = workload_name(js);

	if (fault_take_one(k->sim, FAULT_NO_WORKLOAD, kstore_name(js))) {
		ctl_wake(k, CTL_KUEUE, "", "", LOOK_AGAIN);
		return;
	}
	if (kstore_get(k->store, KUBE_WORKLOADS, kstore_ns(js), name))
		return;
	kube_add(k, KUBE_WORKLOADS,
		json_pack("{s:s, s:s, s:{s:s, s:s, s:{s:s}, s:[o]}, s:{s:s, s:b, s:i, s:o}}",
			"apiVersion", "kueue.x-k8s.io/v1beta2", "kind", "Workload", "metadata",
			"name", name, "namespace", kstore_ns(js), "labels",
			"kueue.x-k8s.io/job-uid", kstore_uid(js), "ownerReferences",
			kube_owner_ref(js), "spec", "queueName", kube_label(js, QUEUE_LABEL),
			"active", 1, "priority", 0, "podSets", pod_sets(js)));
	ctl_event(k, js, "Normal", "jobset-kueue-controller", "CreatedWorkload",
		"Created Workload: %s/%s", kstore_ns(js), name);
}

static bool finished(const json_t *js)
{
	return kube_condition_true(js, "Completed") || kube_condition_true(js, "Failed");
}

static void create_workloads(struct kube *k)
{
	json_t *todo = json_array(), *js;
	size_t at = 0, i;

	while ((js = kstore_next(k->store, KUBE_JOBSETS, NULL, &at))) {
		if (kube_label(js, QUEUE_LABEL) && !finished(js))
			json_array_append(todo, js);
	}
	json_array_foreach(todo, i, js) create_workload(k, js);
	json_decref(todo);
}

/* Workloads whose JobSet has ended are Finished. */
static void finish_workloads(struct kube *k)
{
	json_t *todo = json_array(), *wl;
	size_t at = 0, i;

	while ((wl = kstore_next(k->store, KUBE_WORKLOADS, NULL, &at))) {
		json_t *js = jobset_of(k, wl);

		if (js && finished(js) && !kube_condition_true(wl, "Finished"))
			json_array_append(todo, wl);
	}
	json_array_foreach(todo, i, wl)
	{
		json_t *js = jobset_of(k, wl), *copy = json_deep_copy(wl);
		bool ok = kube_condition_true(js, "Completed");

		kube_set_condition(k, copy, "Finished", "True", ok ? "Succeeded" : "Failed",
			ok ? "jobset completed successfully"
			   : "jobset failed due to one or more job failures");
		kube_put(k, KUBE_WORKLOADS, copy);
		ctl_event(k, js, "Normal", "jobset-kueue-controller", "FinishedWorkload",
			"Workload '%s/%s' is declared finished", kstore_ns(wl), kstore_name(wl));
	}
	json_decref(todo);
}

static int64_t tpu_in_use(const struct kube *k)
{
	size_t at = 0;
	int64_t sum = 0;
	json_t *wl;

	while ((wl = kstore_next(k->store, KUBE_WORKLOADS, NULL, &at))) {
		if (kube_condition_true(wl, "Admitted") && !kube_condition_true(wl, "Finished"))
			sum += tpu_of_jobset(jobset_of(k, wl));
	}
	return sum;
}

static json_t *assignments(const json_t *js)
{
	json_t *list = json_path(js, "spec.replicatedJobs"), *r, *out = json_array();
	size_t i;

	json_array_foreach(list, i, r)
	{
		int64_t tpu = tpu_of(r);
		json_t *a = json_pack("{s:O?, s:I}", "name", json_object_get(r, "name"), "count",
			(json_int_t)pods_of(r));

		if (tpu > 0) {
			json_object_set_new(
				a, "flavors", json_pack("{s:s}", "google.com/tpu", TPU_FLAVOR));
			json_object_set_new(a, "resourceUsage",
				json_pack(
					"{s:o}", "google.com/tpu", json_sprintf("%" PRId64, tpu)));
		} else {
			json_object_set_new(a, "flavors",
				json_pack("{s:s, s:s}", "cpu", CPU_FLAVOR, "memory", CPU_FLAVOR));
		}
		json_array_append_new(out, a);
	}
	return out;
}

static void admit(struct kube *k, json_t *wl, json_t *js)
{
	json_t *copy = json_deep_copy(wl), *resumed = json_deep_copy(js);

	kube_set_condition(k, copy, "QuotaReserved", "True", "QuotaReserved",
		"Quota reserved in ClusterQueue " CLUSTER_QUEUE);
	kube_set_condition(k, copy, "Admitted", "True", "Admitted", "The workload is admitted");
	json_object_set_new(kube_child(copy, "status"), "admission",
		json_pack("{s:s, s:o}", "clusterQueue", CLUSTER_QUEUE, "podSetAssignments",
			assignments(js)));
	kube_put(k, KUBE_WORKLOADS, copy);
	if (fault_take_one(k->sim, FAULT_UNRESUMED, kstore_name(js))) {
		json_decref(resumed);
		return;
	}
	ctl_event(k, wl, "Normal", "kueue-admission", "QuotaReserved",
		"Quota reserved in ClusterQueue " CLUSTER_QUEUE ", wait time since queued "
		"was 1s");
	ctl_event(k, wl, "Normal", "kueue-admission", "Admitted",
		"Admitted by ClusterQueue " CLUSTER_QUEUE ", wait time since reservation was 0s");
	json_object_set_new(json_object_get(resumed, "spec"), "suspend", json_false());
	kube_put(k, KUBE_JOBSETS, resumed);
	ctl_event(k, js, "Normal", "jobset-kueue-controller", "Started",
		"Admitted by clusterQueue " CLUSTER_QUEUE);
}

static void keep_waiting(struct kube *k, json_t *wl, const char *reason, const char *why)
{
	json_t *copy = json_deep_copy(wl);

	kube_set_condition(k, copy, "QuotaReserved", "False", reason, why);
	kube_put(k, KUBE_WORKLOADS, copy);
	if (!*kube_condition(wl, "QuotaReserved"))
		ctl_event(k, wl, "Warning", "kueue-admission", "Pending", "%s", why);
}

/* Admits what fits, says why the rest does not. */
static void judge(struct kube *k, json_t *wl, json_t *js)
{
	int64_t want = tpu_of_jobset(js), left = TPU_QUOTA - tpu_in_use(k);
	const char *queue = json_path_str_or(wl, "spec.queueName", "");
	json_t *list = json_path(js, "spec.replicatedJobs"), *r;
	const char *set = "main";
	AUTO_FREE char *why = NULL;
	size_t i;

	json_array_foreach(list, i, r) set = tpu_of(r) > 0 ? json_path_str_or(r, "name", set) : set;
	if (!kstore_get(k->store, KUBE_QUEUES, kstore_ns(wl), queue)) {
		why = x_asprintf("LocalQueue %s doesn't exist", queue);
		keep_waiting(k, wl, "Inadmissible", why);
	} else if (fault_take_one(k->sim, FAULT_NEVER, kstore_name(js))) {
		why = x_asprintf(
			"couldn't assign flavors to pod set %s: resource cpu unavailable in "
			"ClusterQueue",
			set);
		keep_waiting(k, wl, "Pending", why);
		ctl_wake(k, CTL_KUEUE, "", "", LOOK_AGAIN);
	} else if (want > left || fault_take_one(k->sim, FAULT_WAITS, kstore_name(js))) {
		if (want <= left) {
			ctl_wake(k, CTL_KUEUE, "", "", LOOK_AGAIN);
			left = 0;
		}
		why = x_asprintf("couldn't assign flavors to pod set %s: insufficient unused quota "
				 "for google.com/tpu in flavor " TPU_FLAVOR ", %" PRId64
				 " more needed",
			set, want - left);
		keep_waiting(k, wl, "Pending", why);
	} else {
		admit(k, wl, js);
	}
}

/* Older first; of one second, in order of version. */
static bool older(const json_t *a, const json_t *b)
{
	int c = strcmp(json_path_str_or(a, "metadata.creationTimestamp", ""),
		json_path_str_or(b, "metadata.creationTimestamp", ""));

	return c < 0 || (c == 0 && strcmp(kstore_uid(a), kstore_uid(b)) < 0);
}

static json_t *next_waiting(const struct kube *k, struct map *judged)
{
	size_t at = 0;
	json_t *wl, *first = NULL;

	while ((wl = kstore_next(k->store, KUBE_WORKLOADS, NULL, &at))) {
		json_t *js = jobset_of(k, wl);

		if (!js || kube_condition_true(wl, "Admitted") || finished(js) ||
			map_get(judged, kstore_uid(wl)))
			continue;
		if (!first || older(wl, first))
			first = wl;
	}
	return first;
}

static void set_count(json_t *o, const char *name, int64_t n)
{
	json_object_set_new(kube_child(o, "status"), name, json_integer((json_int_t)n));
}

/* There is one queue of each kind: all workloads count for it. */
static void count_queue(struct kube *k, const char *key)
{
	json_t *o, *wl;
	int64_t pending = 0, admitted = 0;
	size_t at = 0, first = 0;

	o = kstore_next(k->store, key, NULL, &first);
	if (!o)
		return;
	while ((wl = kstore_next(k->store, KUBE_WORKLOADS, NULL, &at))) {
		if (kube_condition_true(wl, "Finished"))
			continue;
		if (kube_condition_true(wl, "Admitted"))
			admitted++;
		else
			pending++;
	}
	o = json_deep_copy(o);
	set_count(o, "pendingWorkloads", pending);
	set_count(o, "reservingWorkloads", admitted);
	set_count(o, "admittedWorkloads", admitted);
	kube_put(k, key, o);
}

void ctl_kueue(struct kube *k, const char *ns, const char *name)
{
	AUTO(map_fini) struct map judged = {0};
	json_t *wl;

	(void)ns;
	(void)name;
	if (!map_get(&k->groups, "kueue"))
		return;
	create_workloads(k);
	finish_workloads(k);
	while ((wl = next_waiting(k, &judged))) {
		map_set(&judged, kstore_uid(wl), k);
		json_incref(wl);
		judge(k, wl, jobset_of(k, wl));
		json_decref(wl);
	}
	count_queue(k, KUBE_QUEUES);
	count_queue(k, "clusterqueues.kueue.x-k8s.io");
}
