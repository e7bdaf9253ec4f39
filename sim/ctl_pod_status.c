/* SPDX-License-Identifier: Apache-2.0 */
/* The status of a pod as its kubelet writes it: containers, conditions, phase. */
#include "sim/ctl_pod_in.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "sim/clock.h"
#include "sim/ctl.h"
#include "sim/kube_call.h"
#include "sim/kube_types.h"
#include "sim/load.h"

json_t *pod_run_pod(const struct pod_run *run)
{
	return kstore_get(run->k->store, KUBE_PODS, run->ns, run->name);
}

json_t *pod_box_ended(const struct box *b)
{
	json_t *t = json_pack("{s:i, s:s, s:o, s:o, s:o}", "exitCode", b->code, "reason",
		b->oom    ? "OOMKilled"
		: b->code ? "Error"
			  : "Completed",
		"startedAt", kube_time(b->started), "finishedAt", kube_time(b->ended),
		"containerID", json_sprintf("containerd://%s-%d", b->run->uid, b->restarts));

	if (b->message)
		json_object_set_new(t, "message", json_string(b->message));
	return json_pack("{s:o}", "terminated", t);
}

static json_t *box_state(const struct box *b)
{
	if (b->state == BOX_RUNNING)
		return json_pack("{s:{s:o}}", "running", "startedAt", kube_time(b->started));
	if (b->state == BOX_DONE)
		return pod_box_ended(b);
	return json_pack("{s:{s:s, s:s*}}", "waiting", "reason", b->waiting, "message", b->why);
}

static json_t *box_status(const struct box *b)
{
	bool running = b->state == BOX_RUNNING;
	bool ready = b->init && !b->sidecar ? b->state == BOX_DONE && b->code == 0 : running;
	json_t *s = json_pack("{s:s, s:b, s:b, s:i, s:s, s:s, s:o, s:o}", "name", b->name, "ready",
		ready, "started", running, "restartCount", b->restarts, "image", b->image,
		"imageID", b->state > BOX_PULLING ? b->image : "", "state", box_state(b),
		"lastState", b->last ? json_incref(b->last) : json_object());

	return s;
}

static bool inits_done(const struct pod_run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		const struct box *b = &run->items[i];

		if (b->init && b->state != (b->sidecar ? BOX_RUNNING : BOX_DONE) &&
			!(b->sidecar && b->state == BOX_DONE))
			return false;
	}
	return true;
}

bool pod_run_mains_are(const struct pod_run *run, enum box_state state)
{
	for (size_t i = 0; i < run->n; i++) {
		if (!run->items[i].init && run->items[i].state != state)
			return false;
	}
	return true;
}

static bool any_failed(const struct pod_run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		const struct box *b = &run->items[i];

		if (b->state == BOX_DONE && b->code != 0 && !b->sidecar)
			return true;
	}
	return false;
}

static void set_conditions(const struct pod_run *run, json_t *pod)
{
	bool init = inits_done(run), ready = init && pod_run_mains_are(run, BOX_RUNNING);
	bool over = run->ended;
	const char *why =
		over ? (any_failed(run) ? "PodFailed" : "PodCompleted") : "ContainersNotReady";

	kube_set_condition(
		run->k, pod, "PodReadyToStartContainers", over ? "False" : "True", NULL, NULL);
	kube_set_condition(run->k, pod, "Initialized", init ? "True" : "False",
		init ? (over && !any_failed(run) ? "PodCompleted" : NULL)
		     : "ContainersNotInitialized",
		NULL);
	kube_set_condition(
		run->k, pod, "ContainersReady", ready ? "True" : "False", ready ? NULL : why, NULL);
	kube_set_condition(
		run->k, pod, "Ready", ready ? "True" : "False", ready ? NULL : why, NULL);
}

static const char *node_ip(const struct pod_run *run)
{
	json_t *node = kstore_get(run->k->store, KUBE_NODES, NULL, run->node);

	return json_path_str_or(node, "status.addresses[0].address", "192.168.0.2");
}

static const char *phase_of(const struct pod_run *run)
{
	if (run->ended)
		return any_failed(run) || run->reason ? "Failed" : "Succeeded";
	for (size_t i = 0; i < run->n; i++) {
		const struct box *b = &run->items[i];

		if (!b->init && (b->state >= BOX_RUNNING || b->restarts > 0))
			return "Running";
	}
	return "Pending";
}

void pod_run_publish(struct pod_run *run)
{
	json_t *pod = kstore_edit(run->k->store, KUBE_PODS, run->ns, run->name);
	json_t *st, *inits = json_array(), *mains = json_array();
	const char *ip = node_ip(run);

	st = kube_child(pod, "status");
	for (size_t i = 0; i < run->n; i++)
		json_array_append_new(
			run->items[i].init ? inits : mains, box_status(&run->items[i]));
	json_object_set_new(st, "phase", json_string(phase_of(run)));
	json_object_set_new(st, "hostIP", json_string(ip));
	json_object_set_new(st, "hostIPs", json_pack("[{s:s}]", "ip", ip));
	json_object_set_new(st, "podIP", json_string(ip));
	json_object_set_new(st, "podIPs", json_pack("[{s:s}]", "ip", ip));
	if (!json_object_get(st, "startTime"))
		json_object_set_new(st, "startTime", kube_time(kube_now(run->k)));
	if (json_array_size(inits))
		json_object_set(st, "initContainerStatuses", inits);
	json_object_set(st, "containerStatuses", mains);
	json_decref(inits);
	json_decref(mains);
	if (run->reason) {
		json_object_set_new(st, "reason", json_string(run->reason));
		json_object_set_new(st, "message", json_string(run->message));
	}
	set_conditions(run, pod);
	kube_put(run->k, KUBE_PODS, pod);
}
