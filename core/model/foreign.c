/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/foreign.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"

#define JOBSET_LABEL "metadata.labels.'jobset.sigs.k8s.io/jobset-name'"

/* Namespaces of GKE and of what the deployment installs (Kueue, JobSet, cert-manager). */
static bool of_system(const char *ns)
{
	static const char *const known[] = {"kube-", "gke-", "gmp-"};

	for (size_t i = 0; i < COUNT(known); i++)
		if (text_starts(ns, known[i]))
			return true;
	return text_ends(ns, "-system") || strcmp(ns, "cert-manager") == 0;
}

/* The object that made it and keeps it, NULL = nobody. */
static const json_t *controller(const json_t *object)
{
	size_t i;
	json_t *owner;

	json_array_foreach(json_path(object, "metadata.ownerReferences"), i,
		owner) if (json_path_bool(owner, "controller", false)) return owner;
	return NULL;
}

static bool counts(const json_t *object, struct foreign *out)
{
	*out = (struct foreign){.ns = json_path_str_or(object, "metadata.namespace", "default"),
		.name = json_path_str_or(object, "metadata.name", "")};
	return *out->name && !of_system(out->ns) && !json_path(object, JOBSET_LABEL) &&
	       !json_path(object, "metadata.deletionTimestamp");
}

static bool job_ended(const json_t *object)
{
	static const char *const ends[] = {"Complete", "Failed"};
	size_t i;
	json_t *c;

	json_array_foreach(json_path(object, "status.conditions"), i, c)
	{
		const char *type = json_path_str_or(c, "type", "");

		for (size_t k = 0; k < COUNT(ends); k++)
			if (strcmp(type, ends[k]) == 0 &&
				strcmp(json_path_str_or(c, "status", ""), "True") == 0)
				return true;
	}
	return false;
}

bool foreign_job(const json_t *object, struct foreign *out)
{
	const json_t *owner = controller(object);

	if (!counts(object, out) || job_ended(object) ||
		strcmp(json_path_str_or(owner, "kind", ""), "JobSet") == 0)
		return false;
	out->kind = "job";
	out->owner = x_strdup(out->name);
	return true;
}

/* A Replicaset is made again by its Deployment, whose name it carries before its hash. */
static void name_owner(const json_t *object, const json_t *owner, struct foreign *out)
{
	const char *kind = json_path_str_or(owner, "kind", "");
	const char *name = json_path_str_or(owner, "name", "");
	const char *hash = json_path_str_or(object, "metadata.labels.pod-template-hash", "");
	size_t n = strlen(name), tail = strlen(hash) + 1;

	out->kind = "pod";
	out->owner = NULL;
	if (strcmp(kind, "StatefulSet") == 0)
		out->kind = "statefulset";
	else if (strcmp(kind, "ReplicaSet") == 0)
		out->kind = "replicaset";
	else
		name = out->name;
	if (strcmp(kind, "ReplicaSet") == 0 && *hash && text_ends(name, hash) && n > tail) {
		out->kind = "deployment";
		out->owner = x_strndup(name, n - tail);
	}
	if (!out->owner)
		out->owner = x_strdup(name);
}

bool foreign_pod(const json_t *object, struct foreign *out)
{
	static const char *const others[] = {"Job", "DaemonSet", "Node"};
	const char *phase = json_path_str_or(object, "status.phase", "");
	const json_t *owner = controller(object);
	const char *kind = json_path_str_or(owner, "kind", "");

	if (!counts(object, out) || strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0)
		return false;
	for (size_t i = 0; i < COUNT(others); i++)
		if (strcmp(kind, others[i]) == 0)
			return false;
	name_owner(object, owner, out);
	return true;
}
