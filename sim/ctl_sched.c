/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/ctl.h"
#include "sim/fault_plan.h"
#include "sim/kube_types.h"
#include "sim/world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define POOL_LABEL    "cloud.google.com/gke-nodepool"
#define TPU           "google.com/tpu"
#define SCALE_UP_SEEN 12000 /* until the autoscaler decides */
#define NODE_BOOT     68000 /* from its decision to a registered node */
#define NODE_READY    14000
#define LOOK_AGAIN    30000

enum fit { FIT_OK, FIT_NOT_READY, FIT_SELECTOR, FIT_CORDONED, FIT_TAINT, FIT_TPU, FIT_CPU, FITS };

static const char *const reasons[FITS] = {
	[FIT_NOT_READY] = "node(s) had untolerated taint {node.kubernetes.io/not-ready: }",
	[FIT_SELECTOR] = "node(s) didn't match Pod's node affinity/selector",
	[FIT_CORDONED] = "node(s) were unschedulable",
	[FIT_TAINT] = "node(s) had untolerated taint {google.com/tpu: present}",
	[FIT_TPU] = "Insufficient google.com/tpu",
	[FIT_CPU] = "Insufficient cpu",
};

static bool selector_met(const json_t *pod, const json_t *node)
{
	json_t *want = json_path(pod, "spec.nodeSelector"), *v;
	json_t *labels = json_path(node, "metadata.labels");
	const char *key;

	json_object_foreach(want, key, v)
	{
		if (!json_equal(json_object_get(labels, key), v))
			return false;
	}
	return true;
}

/* One matchExpression: In and NotIn are what the toolkit writes. */
static bool expression_met(const json_t *e, const json_t *labels)
{
	json_t *have = json_object_get(labels, json_path_str_or(e, "key", "")), *v;
	const char *op = json_path_str_or(e, "operator", "In");
	bool in = false;
	size_t i;

	json_array_foreach(json_path(e, "values"), i, v) in = in || json_equal(v, have);
	if (!strcmp(op, "In"))
		return in;
	if (!strcmp(op, "NotIn"))
		return !in;
	return !strcmp(op, "Exists") ? have != NULL : have == NULL;
}

static bool affinity_met(const json_t *pod, const json_t *node)
{
	json_t *terms = json_path(pod, "spec.affinity.nodeAffinity."
				       "requiredDuringSchedulingIgnoredDuringExecution."
				       "nodeSelectorTerms");
	json_t *labels = json_path(node, "metadata.labels"), *term, *e;
	size_t i, k;

	json_array_foreach(terms, i, term)
	{
		bool all = true;

		json_array_foreach(json_path(term, "matchExpressions"), k, e) all =
			all && expression_met(e, labels);
		if (all)
			return true;
	}
	return json_array_size(terms) == 0;
}

static bool tolerates(const json_t *pod, const json_t *node)
{
	json_t *taints = json_path(node, "spec.taints"), *list = json_path(pod, "spec.tolerations");
	json_t *taint, *t;
	size_t i, k;

	json_array_foreach(taints, i, taint)
	{
		const char *key = json_path_str_or(taint, "key", "");
		bool ok = false;

		json_array_foreach(list, k, t)
		{
			const char *want = json_path_str_or(t, "key", "");

			ok = ok || !*want || !strcmp(want, key);
		}
		if (!ok)
			return false;
	}
	return true;
}

static int64_t tpu_used(const struct kube *k, const char *node)
{
	size_t at = 0;
	int64_t sum = 0;
	json_t *pod;

	while ((pod = kstore_next(k->store, KUBE_PODS, NULL, &at))) {
		const char *phase = json_path_str_or(pod, "status.phase", "");

		if (!strcmp(json_path_str_or(pod, "spec.nodeName", ""), node) &&
			strcmp(phase, "Succeeded") != 0 && strcmp(phase, "Failed") != 0)
			sum += ctl_pod_limit(json_object_get(pod, "spec"), TPU);
	}
	return sum;
}

static enum fit fits(const struct kube *k, const json_t *pod, const json_t *node)
{
	int64_t want = ctl_pod_limit(json_object_get(pod, "spec"), TPU);
	const char *have =
		json_string_value(json_object_get(json_path(node, "status.allocatable"), TPU));

	if (!selector_met(pod, node) || !affinity_met(pod, node))
		return FIT_SELECTOR;
	if (json_path_bool(node, "spec.unschedulable", false))
		return FIT_CORDONED;
	/* GKE's admission gives pods that ask for TPUs the toleration */
	if (want == 0 && !tolerates(pod, node))
		return FIT_TAINT;
	if (want > 0 && (!have || tpu_used(k, kstore_name(node)) + want > 4))
		return FIT_TPU;
	return kube_condition_true(node, "Ready") ? FIT_OK : FIT_NOT_READY;
}

static void bind(struct kube *k, json_t *pod, const char *node)
{
	json_t *copy = json_deep_copy(pod);

	json_object_set_new(json_object_get(copy, "spec"), "nodeName", json_string(node));
	kube_set_condition(k, copy, "PodScheduled", "True", NULL, NULL);
	kube_put(k, KUBE_PODS, copy);
	ctl_event(k, pod, "Normal", "default-scheduler", "Scheduled",
		"Successfully assigned %s/%s to %s", kstore_ns(pod), kstore_name(pod), node);
}

static void refuse(struct kube *k, json_t *pod, const size_t counts[FITS], size_t all)
{
	AUTO(buf_fini) struct buf b = {0};
	json_t *copy = json_deep_copy(pod);
	const char *comma = "";

	buf_addf(&b, "0/%zu nodes are available: ", all);
	for (size_t i = 1; i < FITS; i++) {
		if (!counts[i])
			continue;
		buf_addf(&b, "%s%zu %s", comma, counts[i], reasons[i]);
		comma = ", ";
	}
	buf_addf(&b,
		". preemption: 0/%zu nodes are available: %zu Preemption is not helpful for "
		"scheduling.",
		all, all);
	kube_set_condition(k, copy, "PodScheduled", "False", "Unschedulable", buf_str(&b));
	kube_put(k, KUBE_PODS, copy);
	ctl_event(k, pod, "Warning", "default-scheduler", "FailedScheduling", "%s", buf_str(&b));
	ctl_wake(k, CTL_SCALER, kstore_ns(pod), kstore_name(pod), SCALE_UP_SEEN);
}

void ctl_sched(struct kube *k, const char *ns, const char *name)
{
	json_t *pod = json_incref(kstore_get(k->store, KUBE_PODS, ns, name)), *node;
	size_t counts[FITS] = {0}, all = 0, at = 0;
	bool bound = false, full;

	if (!pod)
		return;
	if (json_path(pod, "spec.nodeName") || json_path(pod, "metadata.deletionTimestamp")) {
		json_decref(pod);
		return;
	}
	full = fault_take_one(k->sim, FAULT_FULL, name);
	while (!bound && (node = kstore_next(k->store, KUBE_NODES, NULL, &at))) {
		enum fit f = full ? FIT_CPU : fits(k, pod, node);

		all++;
		counts[f]++;
		if (f == FIT_OK) {
			bind(k, pod, kstore_name(node));
			bound = true;
		}
	}
	if (!bound)
		refuse(k, pod, counts, all);
	if (full)
		ctl_wake(k, CTL_SCHED, ns, name, LOOK_AGAIN);
	json_decref(pod);
}

/* A node on its way to a pool. */
struct boot {
	struct kube *k;
	char *pool;
	uint64_t timer;
};

static void boot_free(void *p)
{
	struct boot *b = p;

	sim_cancel(b->k->sim, &b->timer);
	free(b->pool);
	free(b);
}

static void boot_done(void *arg)
{
	struct boot *b = arg;
	struct kube *k = b->k;
	AUTO_FREE char *name = x_strdup(b->pool);
	const struct node_pool *pool = world_pool(k->sim->world, name);

	b->timer = 0;
	map_del(&k->ctl->scaling, name);
	if (pool && pool->state == RES_RUNNING)
		ctl_node_add(k, pool, NODE_READY);
}

static void scale_up(struct kube *k, const json_t *pod, const struct node_pool *pool)
{
	const struct world *w = k->sim->world;
	size_t have = ctl_node_count(k, pool->name);
	struct boot *b = X_NEW(struct boot);

	k->ctl->scaling.free_value = boot_free;
	b->k = k;
	b->pool = x_strdup(pool->name);
	map_set(&k->ctl->scaling, pool->name, b);
	b->timer = sim_after(k->sim, NODE_BOOT, boot_done, b);
	ctl_event(k, pod, "Normal", "cluster-autoscaler", "TriggeredScaleUp",
		"pod triggered scale-up: [{https://www.googleapis.com/compute/v1/projects/%s/"
		"zones/%s/instanceGroups/gke-%s-%s-grp %zu->%zu (max: %d)}]",
		w->project, w->zone, w->cluster.name ? w->cluster.name : "cluster", pool->name,
		have, have + 1, pool->max_nodes);
}

/* A node of the pool is there but not ready yet. */
static bool coming_up(const struct kube *k, const char *pool)
{
	size_t at = 0;
	json_t *node;

	while ((node = kstore_next(k->store, KUBE_NODES, NULL, &at))) {
		const char *p = kube_label(node, POOL_LABEL);

		if (p && !strcmp(p, pool) && !kube_condition_true(node, "Ready"))
			return true;
	}
	return false;
}

/* The plan lets no node come: never for this pod, or not after a try that failed. */
static bool not_now(struct kube *k, json_t *pod)
{
	if (fault_take_one(k->sim, FAULT_FULL, kstore_name(pod))) {
		ctl_event(k, pod, "Normal", "cluster-autoscaler", "NotTriggerScaleUp",
			"pod didn't trigger scale-up (it wouldn't fit if a new node is added)");
		return true;
	}
	if (!fault_take_one(k->sim, FAULT_BACKOFF, kstore_name(pod)))
		return false;
	ctl_event(k, pod, "Normal", "cluster-autoscaler", "NotTriggerScaleUp",
		"pod didn't trigger scale-up: 1 in backoff after failed scale-up");
	ctl_wake(k, CTL_SCALER, kstore_ns(pod), kstore_name(pod), LOOK_AGAIN);
	return true;
}

void ctl_scaler(struct kube *k, const char *ns, const char *name)
{
	json_t *pod = kstore_get(k->store, KUBE_PODS, ns, name);
	json_t *want = json_path(pod, "spec.nodeSelector");
	const char *pool_name = json_string_value(json_object_get(want, POOL_LABEL));
	const struct node_pool *pool = pool_name ? world_pool(k->sim->world, pool_name) : NULL;

	if (!pod || json_path(pod, "spec.nodeName") || not_now(k, pod))
		return;
	if (pool && (map_get(&k->ctl->scaling, pool->name) || coming_up(k, pool->name)))
		return;
	if (pool && pool->max_nodes > 0 && ctl_node_count(k, pool->name) < (size_t)pool->max_nodes)
		scale_up(k, pod, pool);
	else
		ctl_event(k, pod, "Normal", "cluster-autoscaler", "NotTriggerScaleUp",
			"pod didn't trigger scale-up: %s",
			pool ? "1 max node group size reached"
			     : "2 node(s) didn't match Pod's node affinity/selector");
}
