/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/jobset.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/time.h"

#define PODS_MAX 30000

/* Pods and restarts, not more than a cluster can hold. */
static int count(const json_t *j, const char *path, int dflt)
{
	int64_t n = json_path_i64(j, path, dflt);

	return n < 0 ? dflt : n < PODS_MAX ? (int)n : PODS_MAX;
}

static char *text(const json_t *j, const char *path)
{
	const char *s = json_path_str(j, path);

	return text_clean_dup(s ? s : "");
}

static bool is(const json_t *j, const char *path, const char *value)
{
	return !strcmp(json_path_str_or(j, path, ""), value);
}

static const json_t *condition(const json_t *object, const char *type)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_path(object, "status.conditions"), i, item)
	{
		if (is(item, "type", type))
			return item;
	}
	return NULL;
}

/* 1 true, 0 false, -1 not there. */
static int holds(const json_t *object, const char *type)
{
	const json_t *c = condition(object, type);

	return c ? is(c, "status", "True") : -1;
}

static void add_role(struct jobset *js, const json_t *spec, const json_t *statuses)
{
	struct jobset_role *r;
	const json_t *status;
	size_t i;

	js->roles = vec_grow(js->roles, js->n, &js->cap, sizeof(*js->roles));
	r = &js->roles[js->n++];
	r->name = text(spec, "name");
	r->jobs = count(spec, "replicas", 1);
	r->pods = r->jobs * count(spec, "template.spec.parallelism", 1);
	json_array_foreach(statuses, i, status)
	{
		if (!is(status, "name", r->name))
			continue;
		r->ready = count(status, "ready", 0);
		r->succeeded = count(status, "succeeded", 0);
		r->failed = count(status, "failed", 0);
		r->active = count(status, "active", 0);
	}
}

static void words(struct buf *b, const json_t *array)
{
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item)
	{
		if (json_string_value(item))
			buf_addf(b, "%s%s", b->len ? " " : "", json_string_value(item));
	}
}

/* The container that works: workload-container, else the first of the main role. */
static const json_t *main_container(const struct jobset *js, const json_t *object)
{
	const struct jobset_role *role = jobset_main_role(js);
	const json_t *rjobs = json_path(object, "spec.replicatedJobs");
	const json_t *containers, *c, *best = NULL;
	size_t i;

	for (i = 0; role && i < js->n; i++)
		if (&js->roles[i] == role)
			break;
	containers = json_path(json_array_get(rjobs, i), "template.spec.template.spec.containers");
	best = json_array_get(containers, 0);
	json_array_foreach(containers, i, c)
	{
		if (is(c, "name", "workload-container"))
			best = c;
	}
	return best;
}

static void read_main(struct jobset *js, const json_t *object)
{
	const json_t *main = main_container(js, object);
	AUTO(buf_fini) struct buf b = {0};

	words(&b, json_path(main, "command"));
	words(&b, json_path(main, "args"));
	js->args = redact_dup(buf_str(&b));
	js->image = text(main, "image");
}

/* Reason, message and times from the conditions: the final one, else the newest true one. */
static void read_conditions(struct jobset *js, const json_t *object)
{
	const json_t *item, *best = NULL;
	size_t i;

	js->changed_ms = TIME_NONE;
	json_array_foreach(json_path(object, "status.conditions"), i, item)
	{
		int64_t at = time_parse_ms(json_path_str(item, "lastTransitionTime"));
		bool final = is(item, "type", "Completed") || is(item, "type", "Failed");

		if (!is(item, "status", "True") && !is(item, "type", "Suspended"))
			continue;
		if (final) {
			js->ended_ms = at;
			best = item;
		}
		if (at != TIME_NONE && at >= js->changed_ms) {
			js->changed_ms = at;
			if (js->ended_ms == TIME_NONE)
				best = item;
		}
	}
	js->reason = text(best, "reason");
	js->message = text(best, "message");
	js->completed = holds(object, "Completed") == 1 || !strcmp(js->terminal, "Completed");
	js->failed = holds(object, "Failed") == 1 || !strcmp(js->terminal, "Failed");
	js->started =
		holds(object, "Suspended") == 0 || holds(object, "StartupPolicyCompleted") == 1;
}

bool jobset_decode(struct jobset *js, const json_t *object)
{
	AUTO_FREE char *name = text(object, "metadata.name");
	const json_t *spec;
	size_t i;

	*js = (struct jobset){.ended_ms = TIME_NONE};
	if (!*name)
		return false;
	js->name = x_strdup(name);
	js->ns = text(object, "metadata.namespace");
	js->uid = text(object, "metadata.uid");
	js->resource_version = text(object, "metadata.resourceVersion");
	js->workload = text(object, "metadata.labels.'gcluster.google.com/workload'");
	js->queue = text(object, "metadata.labels.'kueue.x-k8s.io/queue-name'");
	js->coordinator = text(object, "spec.coordinator.replicatedJob");
	js->terminal = text(object, "status.terminalState");
	js->suspend = json_path_bool(object, "spec.suspend", false);
	js->in_order = is(object, "spec.startupPolicy.startupPolicyOrder", "InOrder");
	js->deleting = json_path_str(object, "metadata.deletionTimestamp") != NULL;
	js->restarts = count(object, "status.restarts", 0);
	js->max_restarts = count(object, "spec.failurePolicy.maxRestarts", 0);
	js->ttl_s = json_path_i64(object, "spec.ttlSecondsAfterFinished", -1);
	js->created_ms = time_parse_ms(json_path_str(object, "metadata.creationTimestamp"));
	json_array_foreach(json_path(object, "spec.replicatedJobs"), i, spec)
	{
		add_role(js, spec, json_path(object, "status.replicatedJobsStatus"));
	}
	read_conditions(js, object);
	read_main(js, object);
	return true;
}

void jobset_fini(struct jobset *js)
{
	char *all[] = {js->name, js->ns, js->uid, js->resource_version, js->workload, js->queue,
		js->coordinator, js->terminal, js->reason, js->message, js->args, js->image};

	for (size_t i = 0; i < js->n; i++)
		free(js->roles[i].name);
	free(js->roles);
	for (size_t i = 0; i < COUNT(all); i++)
		free(all[i]);
	*js = (struct jobset){0};
}

bool jobset_queue_decode(struct jobset_queue *q, const json_t *workload)
{
	const json_t *why;

	*q = (struct jobset_queue){0};
	if (!json_path_str(workload, "metadata.name"))
		return false;
	q->known = true;
	q->reserved = holds(workload, "QuotaReserved") == 1;
	q->admitted = holds(workload, "Admitted") == 1;
	q->finished = holds(workload, "Finished") == 1;
	q->evicted = holds(workload, "Evicted") == 1;
	why = q->evicted ? condition(workload, "Evicted") : condition(workload, "QuotaReserved");
	if (q->reserved && !q->admitted && !q->evicted)
		why = condition(workload, "Admitted");
	q->reason = text(why, "reason");
	q->message = text(why, "message");
	return true;
}

void jobset_queue_fini(struct jobset_queue *q)
{
	free(q->reason);
	free(q->message);
	*q = (struct jobset_queue){0};
}

/* With one role only, its pods are the head: nothing starts before anything else. */
static enum jobset_phase starting(const struct jobset *js, const struct jobset_pods *pods)
{
	const struct jobset_role *head = jobset_main_role(js);
	bool head_ready = head && head->ready + head->succeeded >= head->jobs;

	if (!js->in_order || js->n < 2) {
		bool all_up =
			pods && pods->worker_want > 0 && pods->worker_ready >= pods->worker_want;

		return head_ready || all_up ? JOBSET_RUNNING : JOBSET_WORKERS_STARTING;
	}
	if (js->started)
		return JOBSET_RUNNING;
	if (pods && pods->head_want > 0 && pods->head_ready >= pods->head_want)
		head_ready = true;
	return head_ready ? JOBSET_WORKERS_STARTING : JOBSET_HEAD_STARTING;
}

enum jobset_phase jobset_phase(
	const struct jobset *js, const struct jobset_queue *q, const struct jobset_pods *pods)
{
	if (!js)
		return JOBSET_ABSENT;
	if (js->completed)
		return JOBSET_DONE;
	if (js->failed)
		return JOBSET_FAILED;
	if (js->suspend && !(q && q->known && q->admitted))
		return JOBSET_QUEUED;
	return starting(js, pods);
}

int64_t jobset_since(const struct jobset *js, enum jobset_phase phase)
{
	if (!js)
		return TIME_NONE;
	if (jobset_ended(phase) && js->ended_ms != TIME_NONE)
		return js->ended_ms;
	if (phase == JOBSET_QUEUED || js->changed_ms == TIME_NONE)
		return js->created_ms;
	return js->changed_ms;
}

const char *jobset_queue_reason(const struct jobset *js, const struct jobset_queue *q)
{
	if (jobset_phase(js, q, NULL) != JOBSET_QUEUED)
		return NULL;
	if (q && q->known && q->message[0])
		return q->message;
	if (q && q->known && q->reason[0])
		return q->reason;
	return N_("waiting for Kueue");
}

bool jobset_names_bucket(const struct jobset *js, const char *bucket)
{
	static const char more[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";
	AUTO_FREE char *root = x_asprintf("gs://%s", bucket);
	size_t n = strlen(root);

	for (const char *at = js->args; *bucket && (at = strstr(at, root)); at += n)
		if (!at[n] || !strchr(more, at[n]))
			return true;
	return false;
}

bool jobset_is_of(const struct jobset *js, const char *bucket)
{
	return strcmp(js->workload, js->name) == 0 && jobset_names_bucket(js, bucket);
}

const struct jobset_role *jobset_main_role(const struct jobset *js)
{
	for (size_t i = 0; i < js->n; i++)
		if (!strcmp(js->roles[i].name, js->coordinator))
			return &js->roles[i];
	return js->n ? &js->roles[0] : NULL;
}

bool jobset_ended(enum jobset_phase phase)
{
	return phase == JOBSET_DONE || phase == JOBSET_FAILED;
}

static const char *const phase_names[] = {
#define X(name, word) [name] = word,
	JOBSET_PHASES(X)
#undef X
};

const char *jobset_phase_name(enum jobset_phase phase)
{
	return (size_t)phase < COUNT(phase_names) ? phase_names[phase] : "absent";
}

enum jobset_phase jobset_phase_from_name(const char *word)
{
	size_t i = 0;

	while (i < COUNT(phase_names) && strcmp(phase_names[i], word))
		i++;
	return (enum jobset_phase)i;
}
