/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/kube.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/ctl.h"
#include "sim/kube_call.h"
#include "sim/kube_log.h"
#include "sim/kube_state.h"
#include "sim/kube_watch.h"
#include "sim/ledger.h"

#include <stdlib.h>
#include <string.h>

static int64_t store_now(void *arg)
{
	struct kube *k = arg;

	return sim_now(k->sim);
}

/* What the ledger counts: JobSets and pods. */
static void to_ledger(struct kube *k, const struct kevent *ev)
{
	const char *word = !strcmp(ev->res, KUBE_JOBSETS) ? "jobset"
			   : !strcmp(ev->res, KUBE_PODS)  ? "pod"
							  : NULL;
	AUTO_FREE char *what = NULL;

	if (!word || ev->type == KEVENT_MODIFIED)
		return;
	what = x_asprintf("%s/%s/%s", word, kstore_ns(ev->object), kstore_name(ev->object));
	if (ev->type == KEVENT_ADDED)
		ledger_create(k->sim, what);
	else
		ledger_delete(k->sim, what);
}

static void on_event(void *arg, const struct kevent *ev)
{
	struct kube *k = arg;

	to_ledger(k, ev);
	kube_watch_tell(k, ev);
	ctl_tell(k, ev);
}

/* Pods of a deleted owner end gently, as the garbage collector asks for. */
static bool on_cascade(void *arg, const char *res, json_t *object)
{
	struct kube *k = arg;

	if (strcmp(res, KUBE_PODS) != 0)
		return false;
	kube_pod_delete(k, object, -1);
	return true;
}

void kube_open(struct sim *sim)
{
	struct kube *k = X_NEW(struct kube);

	k->sim = sim;
	sim->kube = k;
	k->store = kstore_new(store_now, k, sim->seed);
	k->logs.free_value = klog_free;
	kstore_listen(k->store, on_event, k);
	kstore_on_cascade(k->store, on_cascade, k);
	ctl_open(k);
}

void kube_close(struct sim *sim)
{
	struct kube *k = sim->kube;

	if (!k)
		return;
	kube_watch_end_all(k);
	ctl_close(k);
	map_fini(&k->logs);
	map_fini(&k->groups);
	kstore_free(k->store);
	free(k);
	sim->kube = NULL;
}

static json_t *named(const char *api, const char *kind, const char *ns, const char *name)
{
	json_t *o = json_pack(
		"{s:s, s:s, s:{s:s}}", "apiVersion", api, "kind", kind, "metadata", "name", name);

	if (ns)
		json_object_set_new(json_object_get(o, "metadata"), "namespace", json_string(ns));
	return o;
}

static void add_namespace(struct kube *k, const char *name)
{
	json_t *ns = named("v1", "Namespace", NULL, name);

	json_object_set_new(ns, "status", json_pack("{s:s}", "phase", "Active"));
	kube_add(k, "namespaces", ns);
	kube_add(k, "serviceaccounts", named("v1", "ServiceAccount", name, "default"));
}

void kube_cluster_up(struct sim *sim)
{
	static const char *const names[] = {
		"default", "kube-system", "kube-public", "kube-node-lease", "gmp-system"};
	struct kube *k = sim->kube;
	json_t *svc = named("v1", "Service", "default", "kubernetes");

	for (size_t i = 0; i < COUNT(names); i++)
		add_namespace(k, names[i]);
	json_object_set_new(svc, "spec",
		json_pack("{s:s, s:s, s:[{s:s, s:i, s:s}]}", "type", "ClusterIP", "clusterIP",
			"34.118.224.1", "ports", "name", "https", "port", 443, "protocol", "TCP"));
	kube_add(k, "services", svc);
}

static void add_deployment(struct kube *k, const char *ns, const char *name)
{
	json_t *d = named("apps/v1", "Deployment", ns, name);

	if (!kstore_get(k->store, "namespaces", NULL, ns))
		add_namespace(k, ns);
	json_object_set_new(d, "spec",
		json_pack("{s:i, s:{s:{s:s}}}", "replicas", 1, "selector", "matchLabels",
			"control-plane", "controller-manager"));
	json_object_set_new(d, "status",
		json_pack("{s:i, s:i, s:i, s:i, s:i}", "observedGeneration", 1, "replicas", 1,
			"readyReplicas", 1, "updatedReplicas", 1, "availableReplicas", 1));
	kube_set_condition(k, d, "Available", "True", "MinimumReplicasAvailable",
		"Deployment has minimum availability.");
	kube_add(k, "deployments.apps", d);
}

static void add_crds(struct kube *k, const char *needs)
{
	for (size_t i = 0; i < kube_types_n; i++) {
		const struct kube_type *t = &kube_types[i];
		json_t *crd;

		if (!t->needs || strcmp(t->needs, needs) != 0 || kube_type_of_key(t->key) != t)
			continue;
		crd = named("apiextensions.k8s.io/v1", "CustomResourceDefinition", NULL, t->key);
		json_object_set_new(crd, "spec",
			json_pack("{s:s, s:{s:s, s:s, s:s}, s:s, s:[{s:s, s:b, s:b}]}", "group",
				t->group, "names", "kind", t->kind, "plural", t->plural, "singular",
				t->singular, "scope", t->namespaced ? "Namespaced" : "Cluster",
				"versions", "name", t->version, "served", 1, "storage", 1));
		kube_set_condition(
			k, crd, "NamesAccepted", "True", "NoConflicts", "no conflicts found");
		kube_set_condition(k, crd, "Established", "True", "InitialNamesAccepted",
			"the initial names have been accepted");
		kube_add(k, "customresourcedefinitions.apiextensions.k8s.io", crd);
	}
}

/* Queues and flavours as the toolkit writes them (facts/gcluster.md section 3). */
static void add_queues(struct kube *k)
{
	json_t *cq = named("kueue.x-k8s.io/v1beta2", "ClusterQueue", NULL, "cluster-queue");
	json_t *lq = named("kueue.x-k8s.io/v1beta2", "LocalQueue", "default", "user-queue");
	json_t *tpu =
		named("kueue.x-k8s.io/v1beta2", "ResourceFlavor", NULL, "flavor-tpu-v6e-slice");
	json_t *cpu = named("kueue.x-k8s.io/v1beta2", "ResourceFlavor", NULL, "pathways-flavor");

	json_object_set_new(cq, "spec",
		json_pack("{s:{}, s:s, s:[{s:[s,s,s], s:[{s:s, s:[{s:s, s:s}]}, {s:s, "
			  "s:[{s:s, s:s}, {s:s, s:s}, {s:s, s:s}]}]}]}",
			"namespaceSelector", "queueingStrategy", "BestEffortFIFO", "resourceGroups",
			"coveredResources", "google.com/tpu", "cpu", "memory", "flavors", "name",
			"flavor-tpu-v6e-slice", "resources", "name", "google.com/tpu",
			"nominalQuota", "32", "name", "pathways-flavor", "resources", "name",
			"google.com/tpu", "nominalQuota", "0", "name", "cpu", "nominalQuota", "480",
			"name", "memory", "nominalQuota", "2000G"));
	json_object_set_new(lq, "spec", json_pack("{s:s}", "clusterQueue", "cluster-queue"));
	json_object_set_new(tpu, "spec",
		json_pack("{s:{s:s}}", "nodeLabels", "cloud.google.com/gke-tpu-accelerator",
			"tpu-v6e-slice"));
	json_object_set_new(cpu, "spec",
		json_pack("{s:{s:s}}", "nodeLabels", "cloud.google.com/gke-nodepool", "cpu-np"));
	kube_set_condition(k, cq, "Active", "True", "Ready", "Can admit new workloads");
	kube_set_condition(
		k, lq, "Active", "True", "Ready", "Can submit new workloads to localQueue");
	kube_add(k, "resourceflavors.kueue.x-k8s.io", tpu);
	kube_add(k, "resourceflavors.kueue.x-k8s.io", cpu);
	kube_add(k, "clusterqueues.kueue.x-k8s.io", cq);
	kube_add(k, KUBE_QUEUES, lq);
}

void kube_crds_up(struct sim *sim, const char *what)
{
	struct kube *k = sim->kube;

	if (map_get(&k->groups, what))
		return;
	map_set(&k->groups, what, k);
	if (!strcmp(what, "kueue")) {
		add_crds(k, what);
		add_deployment(k, "kueue-system", "kueue-controller-manager");
	} else if (!strcmp(what, "jobset")) {
		add_crds(k, what);
		add_deployment(k, "jobset-system", "jobset-controller-manager");
	} else if (!strcmp(what, "cert-manager")) {
		add_deployment(k, "cert-manager", "cert-manager");
		add_deployment(k, "cert-manager", "cert-manager-webhook");
	} else if (!strcmp(what, "kueue-config")) {
		add_queues(k);
	}
}

/* JobSets and pods that go down with the cluster are gone for the ledger too. */
static void ledger_rest(struct kube *k, const char *key, const char *word)
{
	size_t at = 0;
	json_t *o;

	while ((o = kstore_next(k->store, key, NULL, &at))) {
		AUTO_FREE char *what = x_asprintf("%s/%s/%s", word, kstore_ns(o), kstore_name(o));

		ledger_delete(k->sim, what);
	}
}

void kube_cluster_down(struct sim *sim)
{
	struct kube *k = sim->kube;

	kube_watch_end_all(k);
	ledger_rest(k, KUBE_JOBSETS, "jobset");
	ledger_rest(k, KUBE_PODS, "pod");
	ctl_close(k);
	map_fini(&k->logs);
	k->logs.free_value = klog_free;
	map_fini(&k->groups);
	kstore_clear(k->store);
	ctl_open(k);
}
