/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "sim/clock.h"
#include "sim/ctl.h"
#include "sim/ctl_pod_in.h"
#include "sim/fault_plan.h"
#include "sim/kube_call.h"
#include "sim/kube_log.h"
#include "sim/kube_types.h"
#include "sim/load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TERM_TIME 1800    /* from SIGTERM to the end of a container */
#define GRACE_MAX 1000000 /* seconds */

static void step(void *arg);

void ctl_run_free(void *p)
{
	struct pod_run *run = p;

	sim_cancel(run->k->sim, &run->timer);
	for (size_t i = 0; i < run->n; i++) {
		struct box *b = &run->items[i];

		sim_cancel(run->k->sim, &b->timer);
		load_stop(b->load);
		free(b->name);
		free(b->image);
		free(b->message);
		json_decref(b->last);
	}
	free(run->items);
	free(run->ns);
	free(run->name);
	free(run->uid);
	free(run->node);
	free(run->message);
	free(run);
}

void ctl_pod_forget(struct kube *k, const char *uid)
{
	map_del(&k->ctl->runs, uid);
}

static void add_boxes(struct pod_run *run, const json_t *list, bool init)
{
	json_t *c;
	size_t i;

	json_array_foreach(list, i, c)
	{
		struct box *b = VEC_PUSH(run);

		b->name = x_strdup(json_path_str_or(c, "name", ""));
		b->image = x_strdup(json_path_str_or(c, "image", ""));
		b->init = init;
		b->sidecar = init && !strcmp(json_path_str_or(c, "restartPolicy", ""), "Always");
		b->waiting = "PodInitializing";
	}
}

static const char *policy_of(const json_t *pod)
{
	const char *p = json_path_str_or(pod, "spec.restartPolicy", "Always");

	return !strcmp(p, "Never") ? "Never" : !strcmp(p, "OnFailure") ? "OnFailure" : "Always";
}

static struct pod_run *run_new(struct kube *k, const json_t *pod)
{
	struct pod_run *run = X_NEW(struct pod_run);

	run->k = k;
	run->ns = x_strdup(kstore_ns(pod));
	run->name = x_strdup(kstore_name(pod));
	run->uid = x_strdup(kstore_uid(pod));
	run->node = x_strdup(json_path_str_or(pod, "spec.nodeName", ""));
	run->restart = policy_of(pod);
	add_boxes(run, json_path(pod, "spec.initContainers"), true);
	add_boxes(run, json_path(pod, "spec.containers"), false);
	for (size_t i = 0; i < run->n; i++) {
		run->items[i].run = run;
		if (i == 0 || !run->items[0].init)
			run->items[i].waiting = "ContainerCreating";
	}
	map_set(&k->ctl->runs, run->uid, run);
	return run;
}

static void later(struct box *b, int64_t ms)
{
	sim_cancel(b->run->k->sim, &b->timer);
	b->timer = sim_after(b->run->k->sim, ms, step, b);
}

static bool pulled(const struct box *b)
{
	AUTO_FREE char *key = x_asprintf("%s %s", b->run->node, b->image);

	return map_get(&b->run->k->ctl->images, key) != NULL;
}

static void pull(struct box *b)
{
	struct kube *k = b->run->k;

	b->state = BOX_PULLING;
	b->started = kube_now(k);
	if (pulled(b)) {
		later(b, 300);
		return;
	}
	ctl_event(k, pod_run_pod(b->run), "Normal", "kubelet", "Pulling", "Pulling image \"%s\"",
		b->image);
	later(b, ctl_pull_time(k, b->image));
}

/* The plan keeps the image away; tried again later. */
static bool pull_fails(struct box *b)
{
	struct kube *k = b->run->k;
	const struct fault *f = fault_take(k->sim, AT_PULL, NULL, b->run->name);
	const char *why;

	if (!f)
		return false;
	why = ctl_pull_error(f->value);
	ctl_event(k, pod_run_pod(b->run), "Warning", "kubelet", "Failed",
		"Failed to pull image \"%s\": rpc error: code = Unknown desc = failed to pull and "
		"unpack image: %s",
		b->image, why);
	b->waiting = b->why ? "ImagePullBackOff" : "ErrImagePull";
	b->why = why;
	b->state = BOX_WAITING;
	ctl_event(k, pod_run_pod(b->run), "Warning", "kubelet", "Failed", "Error: %s", b->waiting);
	pod_run_publish(b->run);
	later(b, 20000);
	return true;
}

static void create(struct box *b)
{
	struct kube *k = b->run->k;
	AUTO_FREE char *key = x_asprintf("%s %s", b->run->node, b->image);
	int64_t took = kube_now(k) - b->started;
	char text[TIME_SIZE];

	if (!pulled(b) && pull_fails(b))
		return;
	b->why = NULL;
	if (pulled(b)) {
		ctl_event(k, pod_run_pod(b->run), "Normal", "kubelet", "Pulled",
			"Container image \"%s\" already present on machine", b->image);
	} else {
		map_set(&k->ctl->images, key, k);
		ctl_event(k, pod_run_pod(b->run), "Normal", "kubelet", "Pulled",
			"Successfully pulled image \"%s\" in %s (%s including waiting).", b->image,
			time_format_duration(took, text), text);
	}
	ctl_event(k, pod_run_pod(b->run), "Normal", "kubelet", "Created", "Created container: %s",
		b->name);
	b->state = BOX_STARTING;
	later(b, 700);
}

static json_t *spec_of(const struct box *b, const json_t *pod)
{
	json_t *list = json_path(pod, b->init ? "spec.initContainers" : "spec.containers"), *c;
	size_t i;

	json_array_foreach(list, i, c)
	{
		if (!strcmp(json_path_str_or(c, "name", ""), b->name))
			return c;
	}
	return NULL;
}

static void advance(struct pod_run *run);
static void finish_pod(struct pod_run *run);

/* 10 s, doubled with each restart, at most 5 minutes. */
static int64_t back_off(int restarts)
{
	int64_t ms = (int64_t)10000 << (restarts > 6 ? 5 : restarts - 1);

	return ms < 300000 ? ms : 300000;
}

static void on_exit_code(void *arg, int code, const char *message)
{
	struct box *b = arg;
	struct pod_run *run = b->run;
	struct klog *log = klog_find(run->k, run->uid, b->name);
	bool again;

	b->load = NULL;
	b->state = BOX_DONE;
	b->ended = kube_now(run->k);
	b->code = code;
	b->oom = code == 137;
	free(b->message);
	b->message = x_strdup(message);
	if (log)
		klog_end(log);
	again = !run->killing && (b->sidecar || !strcmp(run->restart, "Always") ||
					 (code != 0 && !strcmp(run->restart, "OnFailure")));
	if (again && !(b->init && !b->sidecar && code == 0)) {
		json_decref(b->last);
		b->last = pod_box_ended(b);
		b->restarts++;
		b->state = BOX_WAITING;
		b->waiting = "CrashLoopBackOff";
		ctl_event(run->k, pod_run_pod(run), "Warning", "kubelet", "BackOff",
			"Back-off restarting failed container %s in pod %s_%s(%s)", b->name,
			run->name, run->ns, run->uid);
		pod_run_publish(run);
		later(b, back_off(b->restarts));
		return;
	}
	if (!run->killing && (pod_run_mains_are(run, BOX_DONE) || (b->init && code != 0)))
		finish_pod(run);
	else
		pod_run_publish(run);
	if (!run->killing && !run->ended)
		advance(run);
}

static void start(struct box *b)
{
	struct pod_run *run = b->run;
	json_t *pod = pod_run_pod(run);
	struct klog *log = klog_start(run->k, run->uid, b->name);

	b->state = BOX_RUNNING;
	b->started = kube_now(run->k);
	b->load = load_start(run->k, pod, spec_of(b, pod), log, on_exit_code, b);
	ctl_event(run->k, pod, "Normal", "kubelet", "Started", "Started container %s", b->name);
	pod_run_publish(run);
	advance(run);
}

/* The timer of one container: waiting -> pulling -> created -> started. */
static void step(void *arg)
{
	struct box *b = arg;

	b->timer = 0;
	if (!pod_run_pod(b->run))
		return;
	switch (b->state) {
	case BOX_WAITING:
		pull(b);
		break;
	case BOX_PULLING:
		create(b);
		break;
	case BOX_STARTING:
		start(b);
		break;
	case BOX_RUNNING:
	case BOX_DONE:
		break;
	}
}

/* Begins the next container if the one before lets it: inits one after the other, then the mains.
 */
static void advance(struct pod_run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		struct box *b = &run->items[i];

		if (b->state == BOX_PULLING || b->state == BOX_STARTING || b->timer)
			return;
		if (b->init && !b->sidecar && b->state == BOX_RUNNING)
			return;
		if (b->state == BOX_WAITING) {
			later(b, 400);
			return;
		}
	}
}

/* SIGTERM and its consequence for whatever still runs; code: how such a container ends. */
static void kill_boxes(struct pod_run *run, bool sidecars_only, int code)
{
	for (size_t i = 0; i < run->n; i++) {
		struct box *b = &run->items[i];
		struct klog *log = klog_find(run->k, run->uid, b->name);

		sim_cancel(run->k->sim, &b->timer);
		if (b->state == BOX_DONE || (sidecars_only && !b->sidecar))
			continue;
		load_stop(b->load);
		b->load = NULL;
		if (b->state == BOX_RUNNING) {
			b->state = BOX_DONE;
			b->ended = kube_now(run->k);
			b->code = code;
		} else if (!sidecars_only) {
			b->state = BOX_DONE;
			b->started = b->ended = kube_now(run->k);
			b->code = 137;
		}
		if (log)
			klog_end(log);
	}
}

static void finish_pod(struct pod_run *run)
{
	kill_boxes(run, true, 0);
	run->ended = true;
	pod_run_publish(run);
}

static void remove_pod(void *arg)
{
	struct pod_run *run = arg;
	struct kube *k = run->k;
	AUTO_FREE char *ns = x_strdup(run->ns);
	AUTO_FREE char *name = x_strdup(run->name);

	run->timer = 0;
	kstore_delete(k->store, KUBE_PODS, ns, name);
}

static void killed(void *arg)
{
	struct pod_run *run = arg;

	run->timer = 0;
	kill_boxes(run, false, 143);
	run->ended = true;
	pod_run_publish(run);
	run->timer = sim_after(run->k->sim, 600, remove_pod, run);
}

static void kill_pod(struct pod_run *run)
{
	run->killing = true;
	for (size_t i = 0; i < run->n; i++) {
		if (run->items[i].state == BOX_RUNNING)
			ctl_event(run->k, pod_run_pod(run), "Normal", "kubelet", "Killing",
				"Stopping container %s", run->items[i].name);
	}
	sim_cancel(run->k->sim, &run->timer);
	run->timer = sim_after(run->k->sim, TERM_TIME, run->ended ? remove_pod : killed, run);
}

void ctl_pod_fail(
	struct kube *k, const char *ns, const char *name, const char *reason, const char *message)
{
	json_t *pod = kstore_get(k->store, KUBE_PODS, ns, name);
	struct pod_run *run = pod ? map_get(&k->ctl->runs, kstore_uid(pod)) : NULL;

	if (!run || run->ended)
		return;
	run->killing = true;
	kill_boxes(run, false, 137);
	run->ended = true;
	run->reason = reason;
	free(run->message);
	run->message = x_strdup(message);
	pod_run_publish(run);
}

void ctl_pod(struct kube *k, const char *ns, const char *name)
{
	json_t *pod = kstore_get(k->store, KUBE_PODS, ns, name);
	struct pod_run *run = pod ? map_get(&k->ctl->runs, kstore_uid(pod)) : NULL;

	if (!pod)
		return;
	if (!run) {
		run = run_new(k, pod);
		pod_run_publish(run);
		advance(run);
	}
	if (json_path(pod, "metadata.deletionTimestamp") && !run->killing)
		kill_pod(run);
}

void kube_pod_delete(struct kube *k, json_t *pod, int64_t grace)
{
	const char *phase = json_path_str_or(pod, "status.phase", "");
	json_t *copy;

	if (grace > GRACE_MAX)
		grace = GRACE_MAX;
	if (grace < 0)
		grace = json_path_i64(pod, "spec.terminationGracePeriodSeconds", 30);
	if (grace == 0 || !json_path(pod, "spec.nodeName") || !strcmp(phase, "Succeeded") ||
		!strcmp(phase, "Failed")) {
		kstore_delete(k->store, KUBE_PODS, kstore_ns(pod), kstore_name(pod));
		return;
	}
	if (json_path(pod, "metadata.deletionTimestamp"))
		return;
	copy = json_deep_copy(pod);
	json_object_set_new(json_object_get(copy, "metadata"), "deletionTimestamp",
		kube_time(kube_now(k) + grace * 1000));
	json_object_set_new(json_object_get(copy, "metadata"), "deletionGracePeriodSeconds",
		json_integer((json_int_t)grace));
	kube_put(k, KUBE_PODS, copy);
}
