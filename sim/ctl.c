/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/ctl.h"

#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/kube_log.h"
#include "sim/kube_types.h"

#include <stdlib.h>
#include <string.h>

#define LATENCY 150 /* between a change and the controller that sees it */

struct wake {
	struct kube *k;
	enum ctl_loop loop;
	char *key, *ns, *name;
	int64_t due;
	uint64_t timer;
};

static void (*const loops[])(struct kube *, const char *, const char *) = {
#define X(name, fn) [name] = fn,
	CTL_LOOPS(X)
#undef X
};

static void wake_free(void *p)
{
	struct wake *w = p;

	sim_cancel(w->k->sim, &w->timer);
	free(w->key);
	free(w->ns);
	free(w->name);
	free(w);
}

void ctl_open(struct kube *k)
{
	k->ctl = X_NEW(struct ctl);
	k->ctl->queue.free_value = wake_free;
	k->ctl->events.free_value = free;
	k->ctl->holds.free_value = free;
	k->ctl->runs.free_value = ctl_run_free;
	k->ctl->random = k->sim->seed ^ 0x7b1c3a5d9e8f2461u;
}

void ctl_close(struct kube *k)
{
	struct ctl *c = k->ctl;

	if (!c)
		return;
	map_fini(&c->runs);
	map_fini(&c->queue);
	map_fini(&c->events);
	map_fini(&c->images);
	map_fini(&c->counted);
	map_fini(&c->scaling);
	map_fini(&c->holds);
	strvec_fini(&c->order);
	free(c);
	k->ctl = NULL;
}

static void fire(void *arg)
{
	struct wake *w = arg;
	struct kube *k = w->k;
	enum ctl_loop loop = w->loop;
	AUTO_FREE char *ns = x_strdup(w->ns);
	AUTO_FREE char *name = x_strdup(w->name);
	AUTO_FREE char *key = x_strdup(w->key);

	w->timer = 0;
	map_del(&k->ctl->queue, key);
	loops[loop](k, ns, name);
}

void ctl_wake(struct kube *k, enum ctl_loop loop, const char *ns, const char *name, int64_t after)
{
	AUTO_FREE char *key = x_asprintf("%d/%s/%s", (int)loop, ns, name);
	struct wake *w = map_get(&k->ctl->queue, key);
	int64_t due = kube_now(k) + after;

	if (w && w->due <= due)
		return;
	w = X_NEW(struct wake);
	*w = (struct wake){.k = k,
		.loop = loop,
		.key = x_strdup(key),
		.ns = x_strdup(ns),
		.name = x_strdup(name),
		.due = due};
	map_set(&k->ctl->queue, key, w);
	w->timer = sim_after(k->sim, after, fire, w);
}

/* Room may have come up: pods that wait for a node look again. */
static void wake_waiting(struct kube *k)
{
	size_t at = 0;
	json_t *pod;

	while ((pod = kstore_next(k->store, KUBE_PODS, NULL, &at))) {
		if (!json_path(pod, "spec.nodeName"))
			ctl_wake(k, CTL_SCHED, kstore_ns(pod), kstore_name(pod), LATENCY);
	}
}

static bool over(const json_t *pod)
{
	const char *phase = json_path_str_or(pod, "status.phase", "");

	return !strcmp(phase, "Succeeded") || !strcmp(phase, "Failed");
}

static void pod_changed(struct kube *k, const struct kevent *ev)
{
	json_t *pod = ev->object;
	const char *job = kube_owner(pod, "Job");
	const char *ns = kstore_ns(pod), *name = kstore_name(pod);

	if (job)
		ctl_wake(k, CTL_JOB, ns, job, LATENCY);
	if (ev->type == KEVENT_DELETED) {
		ctl_job_pod_gone(k, pod);
		ctl_pod_forget(k, kstore_uid(pod));
		klog_drop_pod(k, kstore_uid(pod));
		wake_waiting(k);
	} else if (json_path(pod, "spec.nodeName")) {
		ctl_wake(k, CTL_POD, ns, name, LATENCY);
	} else if (ev->type == KEVENT_ADDED) {
		ctl_wake(k, CTL_SCHED, ns, name, LATENCY);
	}
	if (ev->type == KEVENT_MODIFIED && over(pod) && !over(ev->before))
		wake_waiting(k);
}

void ctl_tell(struct kube *k, const struct kevent *ev)
{
	const char *ns = kstore_ns(ev->object), *name = kstore_name(ev->object);
	const char *jobset = kube_owner(ev->object, "JobSet");

	if (!strcmp(ev->res, KUBE_PODS)) {
		pod_changed(k, ev);
	} else if (!strcmp(ev->res, KUBE_NODES)) {
		if (ev->type == KEVENT_DELETED)
			ctl_node_lost(k, name);
		else
			wake_waiting(k);
	} else if (!strcmp(ev->res, KUBE_JOBS)) {
		ctl_wake(k, CTL_JOB, ns, name, LATENCY);
		if (jobset)
			ctl_wake(k, CTL_JOBSET, ns, jobset, LATENCY);
	} else if (!strcmp(ev->res, KUBE_JOBSETS)) {
		ctl_wake(k, CTL_JOBSET, ns, name, LATENCY);
		ctl_wake(k, CTL_KUEUE, "", "", LATENCY);
	} else if (!strcmp(ev->res, KUBE_WORKLOADS) || !strcmp(ev->res, KUBE_QUEUES)) {
		ctl_wake(k, CTL_KUEUE, "", "", LATENCY);
	}
}

uint64_t ctl_random(struct kube *k)
{
	uint64_t z = (k->ctl->random += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void ctl_suffix(struct kube *k, char *out, size_t n)
{
	static const char set[] = "bcdfghjklmnpqrstvwxz2456789";

	for (size_t i = 0; i < n; i++)
		out[i] = set[ctl_random(k) % (sizeof(set) - 1)];
	out[n] = '\0';
}
