/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "sim/ctl.h"
#include "sim/kube_call.h"
#include "sim/kube_types.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_LABEL "batch.kubernetes.io/job-completion-index"
#define EXCLUSIVE   "alpha.jobset.sigs.k8s.io/exclusive-topology"

/* What one look at a Job's pods finds. */
struct tally {
	int64_t active, ready, succeeded, terminating;
	bool *done, *busy; /* by index */
	int64_t indexes;
	const char *leader; /* node of pod 0; NULL until it has one */
};

static int64_t index_of(const json_t *pod)
{
	const char *text = kube_label(pod, INDEX_LABEL);
	int64_t i;

	return text && text_to_i64(text, 0, 1 << 20, &i) == 0 ? i : -1;
}

static bool owned(const json_t *pod, const json_t *job)
{
	return !strcmp(
		json_path_str_or(pod, "metadata.ownerReferences[0].uid", ""), kstore_uid(job));
}

/* After a failure new pods wait 10 s, doubled with each one, at most 6 minutes. */
static void hold_back_off(struct kube *k, const json_t *job)
{
	int64_t failed = json_path_i64(job, "status.failed", 1);
	int64_t ms = (int64_t)10000 << (failed > 6 ? 6 : failed - 1);
	int64_t *until = X_NEW(int64_t);

	*until = kube_now(k) + (ms < 360000 ? ms : 360000);
	map_set(&k->ctl->holds, kstore_uid(job), until);
}

static bool on_hold(struct kube *k, const json_t *job)
{
	const int64_t *until = map_get(&k->ctl->holds, kstore_uid(job));

	if (!until || *until <= kube_now(k))
		return false;
	ctl_wake(k, CTL_JOB, kstore_ns(job), kstore_name(job), *until - kube_now(k));
	return true;
}

static void count_failure(struct kube *k, json_t *job, const json_t *pod)
{
	json_t *st = kube_child(job, "status");

	if (map_get(&k->ctl->counted, kstore_uid(pod)))
		return;
	map_set(&k->ctl->counted, kstore_uid(pod), k);
	json_object_set_new(st, "failed", json_integer(json_path_i64(st, "failed", 0) + 1));
	if (!json_path(pod, "metadata.deletionTimestamp"))
		hold_back_off(k, job);
}

static void look_at(struct kube *k, json_t *job, const json_t *pod, struct tally *t)
{
	const char *phase = json_path_str_or(pod, "status.phase", "");
	int64_t i = index_of(pod);
	bool indexed = i >= 0 && i < t->indexes;

	if (!strcmp(phase, "Failed")) {
		count_failure(k, job, pod);
		if (json_path(pod, "metadata.deletionTimestamp") && indexed)
			t->busy[i] = true;
		return;
	}
	if (indexed)
		t->busy[i] = true;
	if (i == 0)
		t->leader = json_path_str(pod, "spec.nodeName");
	if (!strcmp(phase, "Succeeded")) {
		t->succeeded++;
		if (indexed)
			t->done[i] = true;
	} else if (json_path(pod, "metadata.deletionTimestamp")) {
		t->terminating++;
	} else {
		t->active++;
		t->ready += kube_condition_true(pod, "Ready");
	}
}

static void tally_pods(struct kube *k, json_t *job, struct tally *t)
{
	size_t at = 0;
	json_t *pod;

	t->indexes = json_path_i64(job, "spec.completions", 1);
	if (t->indexes < 1 || t->indexes > 100000)
		t->indexes = 1;
	t->done = x_calloc((size_t)t->indexes, sizeof(bool));
	t->busy = x_calloc((size_t)t->indexes, sizeof(bool));
	while ((pod = kstore_next(k->store, KUBE_PODS, kstore_ns(job), &at))) {
		if (owned(pod, job))
			look_at(k, job, pod, t);
	}
}

static json_t *pod_object(struct kube *k, const json_t *job, int64_t i)
{
	json_t *tmpl = json_path(job, "spec.template");
	json_t *meta = json_deep_copy(json_path(tmpl, "metadata")), *labels;
	char tail[6];

	if (!meta)
		meta = json_object();
	ctl_suffix(k, tail, 5);
	labels = kube_child(meta, "labels");
	json_object_set_new(labels, "job-name", json_string(kstore_name(job)));
	json_object_set_new(labels, "batch.kubernetes.io/job-name", json_string(kstore_name(job)));
	json_object_set_new(labels, "controller-uid", json_string(kstore_uid(job)));
	json_object_set_new(
		labels, "batch.kubernetes.io/controller-uid", json_string(kstore_uid(job)));
	json_object_set_new(meta, "namespace", json_string(kstore_ns(job)));
	json_object_set_new(meta, "ownerReferences", json_pack("[o]", kube_owner_ref(job)));
	if (i >= 0) {
		json_object_set_new(labels, INDEX_LABEL, json_sprintf("%" PRId64, i));
		json_object_set_new(
			kube_child(meta, "annotations"), INDEX_LABEL, json_sprintf("%" PRId64, i));
		json_object_set_new(
			meta, "name", json_sprintf("%s-%" PRId64 "-%s", kstore_name(job), i, tail));
	} else {
		json_object_set_new(meta, "name", json_sprintf("%s-%s", kstore_name(job), tail));
	}
	return json_pack("{s:s, s:s, s:o, s:o, s:{s:s, s:s}}", "apiVersion", "v1", "kind", "Pod",
		"metadata", meta, "spec", json_deep_copy(json_path(tmpl, "spec")), "status",
		"phase", "Pending", "qosClass", "Burstable");
}

static void create_pod(struct kube *k, const json_t *job, int64_t i)
{
	json_t *pod = pod_object(k, job, i);
	AUTO_FREE char *name = x_strdup(kstore_name(pod));

	kube_default_pod(pod);
	if (kube_add(k, KUBE_PODS, pod))
		ctl_event(k, job, "Normal", "job-controller", "SuccessfulCreate", "Created pod: %s",
			name);
}

/* Pods 1… of an exclusive placement wait until pod 0 has a node: the webhook refuses them. */
static bool held_back(struct kube *k, const json_t *job, int64_t i, const struct tally *t)
{
	json_t *a = json_path(job, "spec.template.metadata.annotations");

	if (i <= 0 || t->leader || t->done[0] || !json_object_get(a, EXCLUSIVE))
		return false;
	ctl_event(k, job, "Warning", "job-controller", "FailedCreate",
		"Error creating: admission webhook \"vpod.kb.io\" denied the request: "
		"leader pod not yet scheduled, not creating follower pod. this is an "
		"expected, transient error");
	ctl_wake(k, CTL_JOB, kstore_ns(job), kstore_name(job), 1000);
	return true;
}

static void create_pods(struct kube *k, const json_t *job, struct tally *t)
{
	bool indexed = !strcmp(json_path_str_or(job, "spec.completionMode", ""), "Indexed");
	int64_t room = json_path_i64(job, "spec.parallelism", 1) - t->active - t->terminating;
	int64_t left = t->indexes - t->succeeded - t->active - t->terminating;

	for (int64_t i = 0; indexed && i < t->indexes && room > 0; i++) {
		if (t->busy[i])
			continue;
		if (held_back(k, job, i, t))
			return;
		create_pod(k, job, i);
		t->active++;
		room--;
	}
	for (; !indexed && room > 0 && left > 0; room--, left--) {
		create_pod(k, job, -1);
		t->active++;
	}
}

static void delete_active(struct kube *k, const json_t *job)
{
	json_t *doomed = json_array(), *pod;
	size_t at = 0, i;

	while ((pod = kstore_next(k->store, KUBE_PODS, kstore_ns(job), &at))) {
		const char *phase = json_path_str_or(pod, "status.phase", "");

		if (owned(pod, job) && strcmp(phase, "Succeeded") != 0 &&
			strcmp(phase, "Failed") != 0)
			json_array_append(doomed, pod);
	}
	json_array_foreach(doomed, i, pod) kube_pod_delete(k, pod, -1);
	json_decref(doomed);
}

static void put_completed(json_t *st, const struct tally *t)
{
	AUTO(buf_fini) struct buf b = {0};

	for (int64_t i = 0; i < t->indexes; i++) {
		int64_t from = i;

		if (!t->done[i])
			continue;
		while (i + 1 < t->indexes && t->done[i + 1])
			i++;
		buf_addf(&b, "%s%" PRId64, b.len ? "," : "", from);
		if (i > from)
			buf_addf(&b, "%s%" PRId64, i == from + 1 ? "," : "-", i);
	}
	if (b.len)
		json_object_set_new(st, "completedIndexes", json_string(buf_str(&b)));
}

static void put_status(json_t *job, const struct tally *t)
{
	json_t *st = kube_child(job, "status");

	json_object_set_new(st, "active", json_integer((json_int_t)t->active));
	json_object_set_new(st, "ready", json_integer((json_int_t)t->ready));
	json_object_set_new(st, "succeeded", json_integer((json_int_t)t->succeeded));
	json_object_set_new(st, "failed", json_integer(json_path_i64(st, "failed", 0)));
	json_object_set_new(st, "terminating", json_integer((json_int_t)t->terminating));
	json_object_set_new(st, "uncountedTerminatedPods", json_object());
	put_completed(st, t);
}

static void fail(struct kube *k, json_t *job)
{
	kube_set_condition(k, job, "FailureTarget", "True", "BackoffLimitExceeded",
		"Job has reached the specified backoff limit");
	kube_set_condition(k, job, "Failed", "True", "BackoffLimitExceeded",
		"Job has reached the specified backoff limit");
	ctl_event(k, job, "Warning", "job-controller", "BackoffLimitExceeded",
		"Job has reached the specified backoff limit");
	delete_active(k, job);
}

static void complete(struct kube *k, json_t *job)
{
	kube_set_condition(k, job, "SuccessCriteriaMet", "True", "CompletionsReached",
		"Reached expected number of succeeded pods");
	kube_set_condition(k, job, "Complete", "True", "CompletionsReached",
		"Reached expected number of succeeded pods");
	json_object_set_new(kube_child(job, "status"), "completionTime", kube_time(kube_now(k)));
	ctl_event(k, job, "Normal", "job-controller", "Completed", "Job completed");
}

static void suspend(struct kube *k, json_t *job)
{
	if (kube_condition_true(job, "Suspended"))
		return;
	kube_set_condition(k, job, "Suspended", "True", "JobSuspended", "Job suspended");
	json_object_del(json_object_get(job, "status"), "startTime");
	ctl_event(k, job, "Normal", "job-controller", "Suspended", "Job suspended");
	delete_active(k, job);
}

static void resume(struct kube *k, json_t *job)
{
	json_t *st = kube_child(job, "status");

	if (kube_condition_true(job, "Suspended")) {
		kube_set_condition(k, job, "Suspended", "False", "JobResumed", "Job resumed");
		ctl_event(k, job, "Normal", "job-controller", "Resumed", "Job resumed");
	}
	if (!json_object_get(st, "startTime"))
		json_object_set_new(st, "startTime", kube_time(kube_now(k)));
}

void ctl_job(struct kube *k, const char *ns, const char *name)
{
	json_t *job = kstore_edit(k->store, KUBE_JOBS, ns, name);
	struct tally t = {0};

	if (!job || kube_condition_true(job, "Complete") || kube_condition_true(job, "Failed")) {
		json_decref(job);
		return;
	}
	tally_pods(k, job, &t);
	if (json_path_bool(job, "spec.suspend", false)) {
		suspend(k, job);
	} else {
		resume(k, job);
		if (json_path_i64(job, "status.failed", 0) >
			json_path_i64(job, "spec.backoffLimit", 6))
			fail(k, job);
		else if (t.succeeded >= t.indexes)
			complete(k, job);
		else if (!on_hold(k, job))
			create_pods(k, job, &t);
	}
	put_status(job, &t);
	kube_put(k, KUBE_JOBS, job);
	free(t.done);
	free(t.busy);
}

void ctl_job_pod_gone(struct kube *k, const json_t *pod)
{
	const char *owner = kube_owner(pod, "Job");
	const char *phase = json_path_str_or(pod, "status.phase", "");
	json_t *job = owner ? kstore_edit(k->store, KUBE_JOBS, kstore_ns(pod), owner) : NULL;

	if (!job)
		return;
	if (!strcmp(phase, "Succeeded") || !owned(pod, job) ||
		kube_condition_true(job, "Suspended")) {
		json_decref(job);
		return;
	}
	count_failure(k, job, pod);
	kube_put(k, KUBE_JOBS, job);
}
