/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "sim/clock.h"
#include "sim/ctl.h"
#include "sim/kube_types.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define JS "jobset.sigs.k8s.io/"

/* One pass over one JobSet. */
struct pass {
	struct kube *k;
	json_t *js; /* a copy that is put back at the end */
	const char *ns, *name;
	int64_t restarts;
	bool suspended;
};

static char *job_name(const struct pass *p, const json_t *rjob, int64_t i)
{
	return x_asprintf("%s-%s-%" PRId64, p->name, json_path_str_or(rjob, "name", ""), i);
}

static void sha1_hex(const char *text, char out[41])
{
	unsigned char sum[20];

	gnutls_hash_fast(GNUTLS_DIG_SHA1, text, strlen(text), sum);
	for (size_t i = 0; i < sizeof(sum); i++) {
		out[2 * i] = "0123456789abcdef"[sum[i] >> 4];
		out[2 * i + 1] = "0123456789abcdef"[sum[i] & 15];
	}
	out[40] = '\0';
}

/* Labels that both the Job and its pods carry. */
static void put_labels(
	const struct pass *p, json_t *o, const json_t *rjob, const char *job, int64_t i)
{
	json_t *l = kube_child(kube_child(o, "metadata"), "labels");
	const char *r = json_path_str_or(rjob, "name", "");
	const char *coord = json_path_str(p->js, "spec.coordinator.replicatedJob");
	AUTO_FREE char *path = x_asprintf("%s/%s", p->ns, job);
	char key[41];

	sha1_hex(path, key);
	json_object_set_new(l, JS "jobset-name", json_string(p->name));
	json_object_set_new(l, JS "jobset-uid", json_string(kstore_uid(p->js)));
	json_object_set_new(l, JS "replicatedjob-name", json_string(r));
	json_object_set_new(l, JS "replicatedjob-replicas",
		json_sprintf("%" PRId64, json_path_i64(rjob, "replicas", 1)));
	json_object_set_new(l, JS "global-replicas",
		json_sprintf("%zu", json_array_size(json_path(p->js, "spec.replicatedJobs"))));
	json_object_set_new(l, JS "job-index", json_sprintf("%" PRId64, i));
	json_object_set_new(l, JS "job-global-index", json_sprintf("%" PRId64, i));
	json_object_set_new(l, JS "job-key", json_string(key));
	json_object_set_new(l, JS "restart-attempt", json_sprintf("%" PRId64, p->restarts));
	json_object_set_new(
		l, JS "group-name", json_string(json_path_str_or(rjob, "groupName", "default")));
	if (coord)
		json_object_set_new(
			l, JS "coordinator", json_sprintf("%s-%s-0-0.%s", p->name, coord, p->name));
}

static void create_job(const struct pass *p, const json_t *rjob, const char *name, int64_t i)
{
	json_t *tmpl = json_path(rjob, "template");
	json_t *job = json_pack("{s:s, s:s, s:{s:s, s:s, s:[o]}, s:o}", "apiVersion", "batch/v1",
		"kind", "Job", "metadata", "name", name, "namespace", p->ns, "ownerReferences",
		kube_owner_ref(p->js), "spec", json_deep_copy(json_path(tmpl, "spec")));
	json_t *meta = json_object_get(job, "metadata");
	json_t *exclusive = json_object_get(json_path(p->js, "metadata.annotations"),
		"alpha.jobset.sigs.k8s.io/exclusive-topology");
	json_t *extra = json_deep_copy(json_path(tmpl, "metadata")), *pod;

	json_object_update_missing(meta, extra);
	json_decref(extra);
	json_object_set_new(json_object_get(job, "spec"), "suspend", json_boolean(p->suspended));
	put_labels(p, job, rjob, name, i);
	pod = kube_child(json_object_get(job, "spec"), "template");
	put_labels(p, pod, rjob, name, i);
	if (exclusive)
		json_object_set(kube_child(json_object_get(pod, "metadata"), "annotations"),
			"alpha.jobset.sigs.k8s.io/exclusive-topology", exclusive);
	kube_add(p->k, KUBE_JOBS, job);
}

static json_t *find_job(const struct pass *p, const json_t *rjob, int64_t i)
{
	AUTO_FREE char *name = job_name(p, rjob, i);

	return kstore_get(p->k->store, KUBE_JOBS, p->ns, name);
}

/* Calls fn for each Job of the JobSet that exists, until it returns false. */
static bool each_job(const struct pass *p, bool (*fn)(const struct pass *, json_t *job))
{
	json_t *list = json_path(p->js, "spec.replicatedJobs"), *r;
	size_t k;

	json_array_foreach(list, k, r)
	{
		for (int64_t i = 0; i < json_path_i64(r, "replicas", 1); i++) {
			json_t *job = find_job(p, r, i);

			if (job && !fn(p, job))
				return false;
		}
	}
	return true;
}

/* Jobs of earlier attempts go, missing ones come. */
static void make_jobs(const struct pass *p)
{
	json_t *list = json_path(p->js, "spec.replicatedJobs"), *r;
	size_t k;

	json_array_foreach(list, k, r)
	{
		for (int64_t i = 0; i < json_path_i64(r, "replicas", 1); i++) {
			AUTO_FREE char *name = job_name(p, r, i);
			AUTO_FREE char *attempt = x_asprintf("%" PRId64, p->restarts);
			json_t *job = find_job(p, r, i);
			const char *have = kube_label(job, JS "restart-attempt");

			if (job && have && strcmp(have, attempt) != 0)
				kstore_delete(p->k->store, KUBE_JOBS, p->ns, name);
			else if (job)
				continue;
			create_job(p, r, name, i);
		}
	}
}

static void set_suspend(const struct pass *p, const json_t *rjob, bool suspend)
{
	for (int64_t i = 0; i < json_path_i64(rjob, "replicas", 1); i++) {
		json_t *job = find_job(p, rjob, i);

		if (!job || json_path_bool(job, "spec.suspend", false) == suspend)
			continue;
		job = json_deep_copy(job);
		json_object_set_new(json_object_get(job, "spec"), "suspend", json_boolean(suspend));
		kube_put(p->k, KUBE_JOBS, job);
	}
}

static bool rjob_ready(const struct pass *p, const json_t *rjob)
{
	for (int64_t i = 0; i < json_path_i64(rjob, "replicas", 1); i++) {
		json_t *job = find_job(p, rjob, i);
		int64_t up = json_path_i64(job, "status.ready", 0) +
			     json_path_i64(job, "status.succeeded", 0);

		if (!job || up < json_path_i64(job, "spec.parallelism", 1))
			return false;
	}
	return true;
}

static json_t *rjob_status(const struct pass *p, const json_t *rjob)
{
	int64_t n[5] = {0}; /* ready, succeeded, failed, active, suspended */

	for (int64_t i = 0; i < json_path_i64(rjob, "replicas", 1); i++) {
		json_t *job = find_job(p, rjob, i);
		int64_t up = json_path_i64(job, "status.ready", 0) +
			     json_path_i64(job, "status.succeeded", 0);

		if (!job)
			continue;
		if (kube_condition_true(job, "Complete"))
			n[1]++;
		else if (kube_condition_true(job, "Failed"))
			n[2]++;
		else if (json_path_bool(job, "spec.suspend", false))
			n[4]++;
		else
			n[3] += json_path_i64(job, "status.active", 0) > 0;
		n[0] += !kube_condition_true(job, "Failed") && up > 0 &&
			up >= json_path_i64(job, "spec.parallelism", 1);
	}
	return json_pack("{s:O?, s:I, s:I, s:I, s:I, s:I}", "name", json_object_get(rjob, "name"),
		"ready", (json_int_t)n[0], "succeeded", (json_int_t)n[1], "failed",
		(json_int_t)n[2], "active", (json_int_t)n[3], "suspended", (json_int_t)n[4]);
}

static void put_status(const struct pass *p)
{
	json_t *list = json_path(p->js, "spec.replicatedJobs"), *r, *out = json_array();
	json_t *st = kube_child(p->js, "status");
	size_t i;

	json_array_foreach(list, i, r) json_array_append_new(out, rjob_status(p, r));
	json_object_set_new(st, "restarts", json_integer((json_int_t)p->restarts));
	json_object_set_new(st, "replicatedJobsStatus", out);
	kube_put(p->k, KUBE_JOBSETS, json_incref(p->js));
}

/* Resumes what may run now; in order, each only after the one before is ready. */
static void start_up(const struct pass *p)
{
	json_t *list = json_path(p->js, "spec.replicatedJobs"), *r;
	bool in_order = !strcmp(
		json_path_str_or(p->js, "spec.startupPolicy.startupPolicyOrder", ""), "InOrder");
	size_t i;

	json_array_foreach(list, i, r)
	{
		set_suspend(p, r, false);
		if (!in_order || rjob_ready(p, r) ||
			kube_condition_true(p->js, "StartupPolicyCompleted"))
			continue;
		kube_set_condition(p->k, p->js, "StartupPolicyInProgress", "True",
			"InOrderStartupPolicyInProgress", "in order startup policy is in progress");
		return;
	}
	if (in_order && !kube_condition_true(p->js, "StartupPolicyCompleted")) {
		kube_set_condition(p->k, p->js, "StartupPolicyInProgress", "False",
			"InOrderStartupPolicyInProgress", "in order startup policy is in progress");
		kube_set_condition(p->k, p->js, "StartupPolicyCompleted", "True",
			"InOrderStartupPolicyCompleted", "in order startup policy has completed");
		ctl_event(p->k, p->js, "Normal", "jobset-controller",
			"InOrderStartupPolicyCompleted", "in order startup policy has completed");
	}
	if (strcmp(kube_condition(p->js, "Suspended"), "False") != 0) {
		kube_set_condition(
			p->k, p->js, "Suspended", "False", "ResumeJobs", "jobset is resumed");
		ctl_event(p->k, p->js, "Normal", "jobset-controller", "ResumeJobs",
			"jobset is resumed");
	}
}

static void hold(const struct pass *p)
{
	json_t *list = json_path(p->js, "spec.replicatedJobs"), *r;
	size_t i;

	json_array_foreach(list, i, r) set_suspend(p, r, true);
	kube_set_condition(
		p->k, p->js, "Suspended", "True", "SuspendedJobs", "jobset is suspended");
}

static void finish(const struct pass *p, bool ok, const char *reason, const char *message)
{
	kube_set_condition(p->k, p->js, ok ? "Completed" : "Failed", "True", reason, message);
	json_object_set_new(kube_child(p->js, "status"), "terminalState",
		json_string(ok ? "Completed" : "Failed"));
	ctl_event(
		p->k, p->js, ok ? "Normal" : "Warning", "jobset-controller", reason, "%s", message);
}

/* Name of the first failed Job; NULL if none. */
static json_t *failed_job(const struct pass *p)
{
	json_t *list = json_path(p->js, "spec.replicatedJobs"), *r;
	size_t k;

	json_array_foreach(list, k, r)
	{
		for (int64_t i = 0; i < json_path_i64(r, "replicas", 1); i++) {
			json_t *job = find_job(p, r, i);

			if (job && kube_condition_true(job, "Failed"))
				return job;
		}
	}
	return NULL;
}

static void on_failure(struct pass *p, const json_t *job)
{
	json_t *policy = json_path(p->js, "spec.failurePolicy");
	int64_t max = json_path_i64(policy, "maxRestarts", 0);
	AUTO_FREE char *first = x_asprintf("(first failed job: %s)", kstore_name(job));
	AUTO_FREE char *why = NULL;

	if (!policy) {
		why = x_asprintf("jobset failed due to one or more job failures %s", first);
		finish(p, false, "FailedJobs", why);
	} else if (p->restarts >= max) {
		why = x_asprintf("jobset failed due to reaching max number of restarts %s", first);
		finish(p, false, "ReachedMaxRestarts", why);
	} else {
		p->restarts++;
		json_object_set_new(kube_child(p->js, "status"), "restartsCountTowardsMax",
			json_integer((json_int_t)p->restarts));
		ctl_event(p->k, p->js, "Warning", "jobset-controller",
			"RestartJobSetFailurePolicyAction",
			"restarting jobset, attempt %" PRId64 " %s", p->restarts, first);
		make_jobs(p);
	}
}

static bool targeted(const struct pass *p, const char *rjob)
{
	json_t *list = json_path(p->js, "spec.successPolicy.targetReplicatedJobs"), *t;
	size_t i;

	json_array_foreach(list, i, t)
	{
		if (!strcmp(json_string_value(t), rjob))
			return true;
	}
	return json_array_size(list) == 0;
}

/* The success policy is met: all (or any) Jobs it names are complete. */
static bool succeeded(const struct pass *p)
{
	json_t *list = json_path(p->js, "spec.replicatedJobs"), *r;
	bool any = !strcmp(json_path_str_or(p->js, "spec.successPolicy.operator", "All"), "Any");
	size_t all = 0, done = 0, k;

	json_array_foreach(list, k, r)
	{
		if (!targeted(p, json_path_str_or(r, "name", "")))
			continue;
		for (int64_t i = 0; i < json_path_i64(r, "replicas", 1); i++) {
			json_t *job = find_job(p, r, i);

			all++;
			done += job && kube_condition_true(job, "Complete");
		}
	}
	return any ? done > 0 : all > 0 && done == all;
}

static bool drop_active(const struct pass *p, json_t *job)
{
	if (!kube_condition_true(job, "Complete") && !kube_condition_true(job, "Failed"))
		kstore_delete(p->k->store, KUBE_JOBS, p->ns, kstore_name(job));
	return true;
}

/* A JobSet that has ended: its active Jobs go, later it goes itself. */
static void after_end(const struct pass *p)
{
	json_t *ttl = json_path(p->js, "spec.ttlSecondsAfterFinished"), *c;
	json_t *list = json_path(p->js, "status.conditions");
	int64_t due = TIME_NONE;
	size_t i;

	each_job(p, drop_active);
	json_array_foreach(list, i, c)
	{
		const char *type = json_path_str_or(c, "type", "");

		if (!strcmp(type, "Completed") || !strcmp(type, "Failed"))
			due = time_parse_ms(json_path_str(c, "lastTransitionTime")) +
			      json_integer_value(ttl) * 1000;
	}
	if (!json_is_integer(ttl))
		return;
	if (due <= kube_now(p->k))
		kstore_delete(p->k->store, KUBE_JOBSETS, p->ns, p->name);
	else
		ctl_wake(p->k, CTL_JOBSET, p->ns, p->name, due - kube_now(p->k));
}

void ctl_jobset(struct kube *k, const char *ns, const char *name)
{
	json_t *js = kstore_edit(k->store, KUBE_JOBSETS, ns, name), *job;
	struct pass p = {.k = k, .js = js, .ns = ns, .name = name};

	if (!js)
		return;
	if (json_path(js, "metadata.deletionTimestamp")) { /* its dependents are going */
		json_decref(js);
		return;
	}
	p.restarts = json_path_i64(js, "status.restarts", 0);
	p.suspended = json_path_bool(js, "spec.suspend", false);
	if (kube_condition_true(js, "Completed") || kube_condition_true(js, "Failed")) {
		after_end(&p);
		json_decref(js);
		return;
	}
	make_jobs(&p);
	job = failed_job(&p);
	if (job)
		on_failure(&p, job);
	else if (succeeded(&p))
		finish(&p, true, "AllJobsCompleted", "jobset completed successfully");
	else if (p.suspended)
		hold(&p);
	else
		start_up(&p);
	put_status(&p);
	json_decref(js);
}

/* --- foreground deletion: the object stays until what it owns is gone */

#define FOREGROUND "foregroundDeletion"

struct leaving {
	struct kube *k;
	char *ns, *name, *uid;
};

/* Without finalizers of others it goes. */
static void left(void *arg)
{
	struct leaving *l = arg;
	json_t *js = kstore_edit(l->k->store, KUBE_JOBSETS, l->ns, l->name);

	if (js && strcmp(kstore_uid(js), l->uid) == 0) {
		json_t *list = json_path(js, "metadata.finalizers");
		for (size_t i = json_array_size(list); i-- > 0;)
			if (strcmp(json_string_value(json_array_get(list, i)), FOREGROUND) == 0)
				json_array_remove(list, i);
		if (json_array_size(list))
			kube_put(l->k, KUBE_JOBSETS, json_incref(js));
		else
			kstore_delete(l->k->store, KUBE_JOBSETS, l->ns, l->name);
	}
	json_decref(js);
	free(l->ns);
	free(l->name);
	free(l->uid);
	free(l);
}

static void delete_jobs(struct kube *k, const char *ns, const char *name)
{
	json_t *doomed = json_array(), *job;
	size_t at = 0, i;

	while ((job = kstore_next(k->store, KUBE_JOBS, ns, &at)))
		if (strcmp(kube_label(job, "jobset.sigs.k8s.io/jobset-name"), name) == 0)
			json_array_append(doomed, job);
	json_array_foreach(doomed, i, job) kstore_delete(k->store, KUBE_JOBS, ns, kstore_name(job));
	json_decref(doomed);
}

void ctl_jobset_leave(struct kube *k, const char *ns, const char *name)
{
	json_t *js = kstore_edit(k->store, KUBE_JOBSETS, ns, name);
	struct leaving *l;

	if (!js || json_path(js, "metadata.deletionTimestamp")) {
		json_decref(js);
		return;
	}
	l = X_NEW(struct leaving);
	*l = (struct leaving){k, x_strdup(ns), x_strdup(name), x_strdup(kstore_uid(js))};
	json_object_set_new(
		kube_child(js, "metadata"), "deletionTimestamp", kube_time(kube_now(k)));
	if (!json_is_array(json_path(js, "metadata.finalizers")))
		json_object_set_new(kube_child(js, "metadata"), "finalizers", json_array());
	json_array_append_new(json_path(js, "metadata.finalizers"), json_string(FOREGROUND));
	kube_put(k, KUBE_JOBSETS, js);
	delete_jobs(k, ns, name);
	sim_after(k->sim, 45 * SIM_S, left, l); /* a pod has 30 s to end */
}
