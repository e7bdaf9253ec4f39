/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "sim/ctl.h"
#include "sim/kube.h"
#include "sim/kube_call.h"
#include "sim/kube_types.h"
#include "sim/world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define POOL_LABEL "cloud.google.com/gke-nodepool"

static const struct machine {
	const char *name, *cpu, *cpu_free, *memory, *memory_free;
} machines[] = {
	{"ct6e-standard-4t", "180", "179400m", "743052008Ki", "727851752Ki"},
	{"n4-standard-64", "64", "63750m", "263966424Ki", "257345240Ki"},
	{"e2-standard-8", "8", "7910m", "32873456Ki", "29104624Ki"},
	{"n2-standard-8", "8", "7910m", "32873456Ki", "29104624Ki"},
};

static const struct machine *machine_of(const char *name)
{
	for (size_t i = 0; i < COUNT(machines); i++) {
		if (!strcmp(machines[i].name, name))
			return &machines[i];
	}
	return &machines[COUNT(machines) - 1];
}

static json_t *resources(const char *cpu, const char *memory, bool tpu)
{
	json_t *r = json_pack("{s:s, s:s, s:s, s:s}", "cpu", cpu, "memory", memory, "pods", "110",
		"ephemeral-storage", "98831908Ki");

	if (tpu)
		json_object_set_new(r, "google.com/tpu", json_string("4"));
	return r;
}

static json_t *labels(const struct world *w, const struct node_pool *pool, const char *name)
{
	json_t *l = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "beta.kubernetes.io/os",
		"linux", "kubernetes.io/arch", "amd64", "kubernetes.io/hostname", name,
		"kubernetes.io/os", "linux", "node.kubernetes.io/instance-type", pool->machine_type,
		"topology.kubernetes.io/region", w->region, "topology.kubernetes.io/zone", w->zone,
		POOL_LABEL, pool->name);

	if (pool->topology) {
		json_object_set_new(
			l, "cloud.google.com/gke-tpu-accelerator", json_string("tpu-v6e-slice"));
		json_object_set_new(
			l, "cloud.google.com/gke-tpu-topology", json_string(pool->topology));
	}
	if (pool->reservation)
		json_object_set_new(
			l, "cloud.google.com/reservation-name", json_string(pool->reservation));
	return l;
}

/* Addresses follow the count of nodes ever made, so that no two are the same. */
static json_t *addresses(struct kube *k, const char *name)
{
	uint64_t n = ctl_random(k);

	return json_pack("[{s:s, s:o}, {s:s, s:s}]", "type", "InternalIP", "address",
		json_sprintf("192.168.%d.%d", (int)(n >> 8 & 0x1f), (int)(n % 250) + 2), "type",
		"Hostname", "address", name);
}

static void set_node_conditions(struct kube *k, json_t *node, bool ready)
{
	static const char *const fine[][3] = {
		{"MemoryPressure", "KubeletHasSufficientMemory",
			"kubelet has sufficient memory available"},
		{"DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
		{"PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
	};

	for (size_t i = 0; i < COUNT(fine); i++)
		kube_set_condition(k, node, fine[i][0], "False", fine[i][1], fine[i][2]);
	kube_set_condition(k, node, "Ready", ready ? "True" : "False",
		ready ? "KubeletReady" : "KubeletNotReady",
		ready ? "kubelet is posting ready status"
		      : "container runtime network not ready: NetworkReady=false");
}

static json_t *node_object(struct kube *k, const struct node_pool *pool, const char *name)
{
	const struct machine *m = machine_of(pool->machine_type);
	bool tpu = pool->topology != NULL;
	const struct world *w = k->sim->world;
	json_t *node = json_pack("{s:s, s:s, s:{s:s, s:o}, s:{s:o}, s:{s:o, s:o, s:o, s:o}}",
		"apiVersion", "v1", "kind", "Node", "metadata", "name", name, "labels",
		labels(w, pool, name), "spec", "providerID",
		json_sprintf("gce://%s/%s/%s", w->project, w->zone, name), "status", "capacity",
		resources(m->cpu, m->memory, tpu), "allocatable",
		resources(m->cpu_free, m->memory_free, tpu), "addresses", addresses(k, name),
		"nodeInfo",
		json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "kubeletVersion",
			"v1.35.2-gke.1842000", "osImage", "Container-Optimized OS from Google",
			"kernelVersion", "6.12.55+", "containerRuntimeVersion",
			"containerd://2.1.5", "operatingSystem", "linux", "architecture", "amd64",
			"kubeProxyVersion", ""));

	if (tpu)
		json_object_set_new(json_object_get(node, "spec"), "taints",
			json_pack("[{s:s, s:s, s:s}]", "key", "google.com/tpu", "value", "present",
				"effect", "NoSchedule"));
	set_node_conditions(k, node, false);
	return node;
}

size_t ctl_node_count(const struct kube *k, const char *pool)
{
	size_t at = 0, n = 0;
	json_t *node;

	while ((node = kstore_next(k->store, KUBE_NODES, NULL, &at))) {
		const char *p = kube_label(node, POOL_LABEL);

		n += p && !strcmp(p, pool);
	}
	return n;
}

void ctl_node_add(struct kube *k, const struct node_pool *pool, int64_t ready_ms)
{
	const char *cluster = k->sim->world->cluster.name;
	char tail[5];
	uint64_t h = k->sim->seed;
	AUTO_FREE char *name = NULL;
	json_t *node;

	for (const char *p = pool->name; *p; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3u;
	ctl_suffix(k, tail, 4);
	name = x_asprintf("gke-%s-%.14s-%08x-%s", cluster ? cluster : "cluster", pool->name,
		(unsigned)(h >> 16), tail);
	node = node_object(k, pool, name);
	if (!kube_add(k, KUBE_NODES, node))
		return;
	node = kstore_get(k->store, KUBE_NODES, NULL, name);
	ctl_event(k, node, "Normal", "node-controller", "RegisteredNode",
		"Node %s event: Registered Node %s in Controller", name, name);
	ctl_wake(k, CTL_NODE, "", name, ready_ms);
}

/* The node's kubelet has its network. */
void ctl_node(struct kube *k, const char *ns, const char *name)
{
	json_t *node = kstore_edit(k->store, KUBE_NODES, ns, name);

	if (!node)
		return;
	set_node_conditions(k, node, true);
	kube_put(k, KUBE_NODES, node);
	ctl_event(k, kstore_get(k->store, KUBE_NODES, NULL, name), "Normal", "kubelet", "NodeReady",
		"Node %s status is now: NodeReady", name);
}

void ctl_node_lost(struct kube *k, const char *node)
{
	json_t *doomed = json_array(), *pod;
	size_t at = 0, i;

	while ((pod = kstore_next(k->store, KUBE_PODS, NULL, &at))) {
		if (!strcmp(json_path_str_or(pod, "spec.nodeName", ""), node))
			json_array_append(doomed, pod);
	}
	json_array_foreach(doomed, i, pod)
		kstore_delete(k->store, KUBE_PODS, kstore_ns(pod), kstore_name(pod));
	json_decref(doomed);
}

void kube_nodes_add(struct sim *sim, const struct node_pool *pool)
{
	struct kube *k = sim->kube;

	for (size_t have = ctl_node_count(k, pool->name); have < (size_t)pool->nodes; have++)
		ctl_node_add(k, pool, 8000 + (int64_t)(ctl_random(k) % 9000));
}

void kube_nodes_remove(struct sim *sim, const struct node_pool *pool)
{
	struct kube *k = sim->kube;
	json_t *doomed = json_array(), *node;
	size_t at = 0, i;

	while ((node = kstore_next(k->store, KUBE_NODES, NULL, &at))) {
		const char *p = kube_label(node, POOL_LABEL);

		if (p && !strcmp(p, pool->name))
			json_array_append(doomed, node);
	}
	json_array_foreach(doomed, i, node)
		kstore_delete(k->store, KUBE_NODES, NULL, kstore_name(node));
	json_decref(doomed);
}
