/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/kube_columns.h"

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put(json_t *cells, const char *text)
{
	json_array_append_new(cells, json_string(text ? text : ""));
}

/* The names of the strings at `path` of each element, joined by commas. */
static void put_joined(json_t *cells, const json_t *list, const char *path)
{
	AUTO(buf_fini) struct buf b = {0};
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
		buf_addf(&b, "%s%s", i ? "," : "", json_path_str_or(o, path, ""));
	put(cells, buf_str(&b));
}

static bool sidecar(const json_t *pod, size_t i)
{
	json_t *c = json_array_get(json_path(pod, "spec.initContainers"), i);

	return !strcmp(json_path_str_or(c, "restartPolicy", ""), "Always");
}

struct pod_sum {
	int ready, all;
	int64_t restarts;
	const char *reason; /* what kubectl shows as STATUS */
	char *own;          /* memory of a composed reason */
};

static const char *state_reason(const json_t *status)
{
	const char *r = json_path_str(status, "state.waiting.reason");

	return r && *r ? r : json_path_str(status, "state.terminated.reason");
}

/* Init containers; true when the pod still is in them. */
static bool sum_init(const json_t *pod, struct pod_sum *sum)
{
	json_t *list = json_path(pod, "status.initContainerStatuses"), *st;
	size_t n = json_array_size(json_path(pod, "spec.initContainers")), i;

	json_array_foreach(list, i, st)
	{
		bool started = json_path_bool(st, "started", false);
		const char *waiting = json_path_str(st, "state.waiting.reason");

		sum->restarts += json_path_i64(st, "restartCount", 0);
		if (sidecar(pod, i)) {
			sum->ready += json_path_bool(st, "ready", false);
			if (started || json_path(st, "state.terminated"))
				continue;
		} else if (json_path_i64(st, "state.terminated.exitCode", 1) == 0) {
			continue;
		}
		if (waiting && *waiting && strcmp(waiting, "PodInitializing") != 0)
			sum->own = x_asprintf("Init:%s", waiting);
		else
			sum->own = x_asprintf("Init:%zu/%zu", i, n);
		sum->reason = sum->own;
		return true;
	}
	return false;
}

static void sum_main(const json_t *pod, struct pod_sum *sum)
{
	json_t *list = json_path(pod, "status.containerStatuses"), *st;
	bool running = false;

	for (size_t i = json_array_size(list); i-- > 0;) {
		const char *reason;

		st = json_array_get(list, i);
		reason = state_reason(st);
		sum->restarts += json_path_i64(st, "restartCount", 0);
		if (json_path_bool(st, "ready", false) && json_path(st, "state.running")) {
			running = true;
			sum->ready++;
		} else if (reason) {
			sum->reason = reason;
		}
	}
	if (running && !strcmp(sum->reason, "Completed"))
		sum->reason = "Running";
}

static void sum_pod(const json_t *pod, struct pod_sum *sum)
{
	size_t inits = json_array_size(json_path(pod, "spec.initContainers"));

	sum->all = (int)json_array_size(json_path(pod, "spec.containers"));
	for (size_t i = 0; i < inits; i++)
		sum->all += sidecar(pod, i);
	sum->reason = json_path_str(pod, "status.reason");
	if (!sum->reason)
		sum->reason = json_path_str_or(pod, "status.phase", "Pending");
	if (!sum_init(pod, sum))
		sum_main(pod, sum);
	if (json_path(pod, "metadata.deletionTimestamp"))
		sum->reason = "Terminating";
}

void kube_row_pod(struct kube *k, const json_t *o, json_t *cells)
{
	struct pod_sum sum = {0};

	sum_pod(o, &sum);
	json_array_append_new(cells, json_sprintf("%d/%d", sum.ready, sum.all));
	put(cells, sum.reason);
	json_array_append_new(cells, json_sprintf("%" PRId64, sum.restarts));
	json_array_append_new(
		cells, kube_cell_age(k, json_path_str(o, "metadata.creationTimestamp")));
	put(cells, json_path_str_or(o, "status.podIP", "<none>"));
	put(cells, json_path_str_or(o, "spec.nodeName", "<none>"));
	put(cells, "<none>");
	put(cells, "<none>");
	free(sum.own);
}

static const char *address(const json_t *node, const char *type)
{
	json_t *list = json_path(node, "status.addresses"), *a;
	size_t i;

	json_array_foreach(list, i, a)
	{
		if (!strcmp(json_path_str_or(a, "type", ""), type))
			return json_path_str_or(a, "address", "<none>");
	}
	return "<none>";
}

void kube_row_node(struct kube *k, const json_t *o, json_t *cells)
{
	bool cordoned = json_path_bool(o, "spec.unschedulable", false);
	const char *ready = kube_condition_true(o, "Ready") ? "Ready" : "NotReady";

	json_array_append_new(
		cells, json_sprintf("%s%s", ready, cordoned ? ",SchedulingDisabled" : ""));
	put(cells, "<none>");
	json_array_append_new(
		cells, kube_cell_age(k, json_path_str(o, "metadata.creationTimestamp")));
	put(cells, json_path_str(o, "status.nodeInfo.kubeletVersion"));
	put(cells, address(o, "InternalIP"));
	put(cells, address(o, "ExternalIP"));
	put(cells, json_path_str(o, "status.nodeInfo.osImage"));
	put(cells, json_path_str(o, "status.nodeInfo.kernelVersion"));
	put(cells, json_path_str(o, "status.nodeInfo.containerRuntimeVersion"));
}

static const char *job_status(const json_t *job)
{
	static const char *const types[] = {"Complete", "Failed", "Suspended", "FailureTarget"};

	if (kube_condition_true(job, "Complete"))
		return "Complete";
	if (kube_condition_true(job, "Failed"))
		return "Failed";
	if (json_path(job, "metadata.deletionTimestamp"))
		return "Terminating";
	for (size_t i = 2; i < COUNT(types); i++) {
		if (kube_condition_true(job, types[i]))
			return types[i];
	}
	return "Running";
}

void kube_row_job(struct kube *k, const json_t *o, json_t *cells)
{
	json_t *containers = json_path(o, "spec.template.spec.containers");
	int64_t start = time_parse_ms(json_path_str(o, "status.startTime"));
	int64_t end = time_parse_ms(json_path_str(o, "status.completionTime"));
	char text[TIME_SIZE] = "";

	put(cells, job_status(o));
	json_array_append_new(
		cells, json_sprintf("%" PRId64 "/%" PRId64, json_path_i64(o, "status.succeeded", 0),
			       json_path_i64(o, "spec.completions", 1)));
	if (start != TIME_NONE)
		time_format_age((end == TIME_NONE ? kube_now(k) : end) - start, text);
	put(cells, text);
	json_array_append_new(
		cells, kube_cell_age(k, json_path_str(o, "metadata.creationTimestamp")));
	put_joined(cells, containers, "name");
	put_joined(cells, containers, "image");
	json_array_append_new(
		cells, json_sprintf("batch.kubernetes.io/controller-uid=%s", kstore_uid(o)));
}

static char *lower(const char *s)
{
	char *out = x_strdup(s);

	for (char *p = out; *p; p++)
		*p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
	return out;
}

void kube_row_event(struct kube *k, const json_t *o, json_t *cells)
{
	AUTO_FREE char *kind = lower(json_path_str_or(
		o, "involvedObject.kind", json_path_str_or(o, "regarding.kind", "")));
	const char *name = json_path_str_or(
		o, "involvedObject.name", json_path_str_or(o, "regarding.name", ""));
	const char *first = json_path_str(o, "firstTimestamp");
	const char *last = json_path_str(o, "lastTimestamp");
	json_t *age;

	if (!first)
		first = json_path_str(o, "deprecatedFirstTimestamp");
	if (!last)
		last = json_path_str(o, "deprecatedLastTimestamp");
	age = kube_cell_age(k, last);
	json_array_append_new(cells, age);
	put(cells, json_path_str(o, "type"));
	put(cells, json_path_str(o, "reason"));
	json_array_append_new(cells, json_sprintf("%s/%s", kind, name));
	put(cells, json_path_str(o, "involvedObject.fieldPath"));
	json_array_append_new(
		cells, json_sprintf("%s%s%s", json_path_str_or(o, "source.component", ""),
			       json_path(o, "source.host") ? ", " : "",
			       json_path_str_or(o, "source.host", "")));
	put(cells, json_path_str_or(o, "message", json_path_str_or(o, "note", "")));
	json_array_append_new(cells, kube_cell_age(k, first));
	json_array_append_new(cells, json_integer(json_path_i64(o, "count", 1)));
	put(cells, kstore_name(o));
}

void kube_row_deployment(struct kube *k, const json_t *o, json_t *cells)
{
	int64_t want = json_path_i64(o, "spec.replicas", 1);

	json_array_append_new(cells, json_sprintf("%" PRId64 "/%" PRId64,
					     json_path_i64(o, "status.readyReplicas", 0), want));
	json_array_append_new(cells, json_integer(json_path_i64(o, "status.updatedReplicas", 0)));
	json_array_append_new(cells, json_integer(json_path_i64(o, "status.availableReplicas", 0)));
	json_array_append_new(
		cells, kube_cell_age(k, json_path_str(o, "metadata.creationTimestamp")));
}
