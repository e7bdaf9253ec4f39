/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/kube_types.h"

#include "core/base/mem.h"

#include <string.h>

#define CRD_KUEUE(ver, plural_, singular_, kind_, ns, shorts_)                                     \
	{                                                                                          \
		.group = "kueue.x-k8s.io", .version = ver, .plural = plural_,                      \
		.singular = singular_, .kind = kind_, .key = plural_ ".kueue.x-k8s.io",            \
		.needs = "kueue", .namespaced = ns, .shorts = shorts_                              \
	}
#define CORE(plural_, singular_, kind_, ns, shorts_, all_)                                         \
	{                                                                                          \
		.group = "", .version = "v1", .plural = plural_, .singular = singular_,            \
		.kind = kind_, .key = plural_, .namespaced = ns, .shorts = shorts_, .all = all_    \
	}
#define APPS(plural_, singular_, kind_, shorts_)                                                   \
	{                                                                                          \
		.group = "apps", .version = "v1", .plural = plural_, .singular = singular_,        \
		.kind = kind_, .key = plural_ ".apps", .namespaced = true, .shorts = shorts_,      \
		.all = "all"                                                                       \
	}
#define REVIEW(group_, plural_, kind_)                                                             \
	{                                                                                          \
		.group = group_, .version = "v1", .plural = plural_, .singular = plural_,          \
		.kind = kind_, .key = "", .review = true                                           \
	}

const struct kube_type kube_types[] = {
	CORE("pods", "pod", "Pod", true, "po", "all"),
	CORE("nodes", "node", "Node", false, "no", NULL),
	CORE("events", "event", "Event", true, "ev", NULL),
	CORE("namespaces", "namespace", "Namespace", false, "ns", NULL),
	CORE("services", "service", "Service", true, "svc", "all"),
	CORE("serviceaccounts", "serviceaccount", "ServiceAccount", true, "sa", NULL),
	CORE("configmaps", "configmap", "ConfigMap", true, "cm", NULL),
	CORE("secrets", "secret", "Secret", true, NULL, NULL),
	CORE("persistentvolumes", "persistentvolume", "PersistentVolume", false, "pv", NULL),
	CORE("persistentvolumeclaims", "persistentvolumeclaim", "PersistentVolumeClaim", true,
		"pvc", NULL),
	APPS("deployments", "deployment", "Deployment", "deploy"),
	APPS("replicasets", "replicaset", "ReplicaSet", "rs"),
	APPS("statefulsets", "statefulset", "StatefulSet", "sts"),
	APPS("daemonsets", "daemonset", "DaemonSet", "ds"),
	{.group = "batch",
		.version = "v1",
		.plural = "jobs",
		.singular = "job",
		.kind = "Job",
		.key = KUBE_JOBS,
		.namespaced = true,
		.all = "all"},
	{.group = "events.k8s.io",
		.version = "v1",
		.plural = "events",
		.singular = "event",
		.kind = "Event",
		.key = KUBE_EVENTS,
		.namespaced = true,
		.shorts = "ev"},
	REVIEW("authorization.k8s.io", "selfsubjectaccessreviews", "SelfSubjectAccessReview"),
	REVIEW("authentication.k8s.io", "selfsubjectreviews", "SelfSubjectReview"),
	{.group = "apiextensions.k8s.io",
		.version = "v1",
		.plural = "customresourcedefinitions",
		.singular = "customresourcedefinition",
		.kind = "CustomResourceDefinition",
		.key = "customresourcedefinitions.apiextensions.k8s.io",
		.shorts = "crd crds"},
	{.group = "scheduling.k8s.io",
		.version = "v1",
		.plural = "priorityclasses",
		.singular = "priorityclass",
		.kind = "PriorityClass",
		.key = "priorityclasses.scheduling.k8s.io",
		.shorts = "pc"},
	{.group = "coordination.k8s.io",
		.version = "v1",
		.plural = "leases",
		.singular = "lease",
		.kind = "Lease",
		.key = "leases.coordination.k8s.io",
		.namespaced = true},
	{.group = "jobset.x-k8s.io",
		.version = "v1alpha2",
		.plural = "jobsets",
		.singular = "jobset",
		.kind = "JobSet",
		.key = KUBE_JOBSETS,
		.needs = "jobset",
		.namespaced = true},
	CRD_KUEUE("v1beta2", "workloads", "workload", "Workload", true, "wl"),
	CRD_KUEUE("v1beta2", "localqueues", "localqueue", "LocalQueue", true, "queue queues lq"),
	CRD_KUEUE("v1beta2", "clusterqueues", "clusterqueue", "ClusterQueue", false, "cq"),
	CRD_KUEUE("v1beta2", "resourceflavors", "resourceflavor", "ResourceFlavor", false,
		"flavor flavors rf"),
	CRD_KUEUE("v1beta1", "workloads", "workload", "Workload", true, "wl"),
	CRD_KUEUE("v1beta1", "localqueues", "localqueue", "LocalQueue", true, "queue queues lq"),
	CRD_KUEUE("v1beta1", "clusterqueues", "clusterqueue", "ClusterQueue", false, "cq"),
	CRD_KUEUE("v1beta1", "resourceflavors", "resourceflavor", "ResourceFlavor", false,
		"flavor flavors rf"),
};
const size_t kube_types_n = COUNT(kube_types);

const struct kube_type *kube_type_find(const char *group, const char *version, const char *plural)
{
	for (size_t i = 0; i < kube_types_n; i++) {
		const struct kube_type *t = &kube_types[i];

		if (!strcmp(t->group, group) && !strcmp(t->version, version) &&
			!strcmp(t->plural, plural))
			return t;
	}
	return NULL;
}

const struct kube_type *kube_type_of_key(const char *key)
{
	for (size_t i = 0; i < kube_types_n; i++) {
		if (!strcmp(kube_types[i].key, key))
			return &kube_types[i];
	}
	return NULL;
}
