/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "sim/kube_call.h"
#include "sim/kube_shape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void dflt(json_t *o, const char *key, json_t *value)
{
	if (json_object_get(o, key))
		json_decref(value);
	else
		json_object_set_new(o, key, value);
}

/* A DNS-1123 label (or subdomain with `dots`), at most max bytes. */
static bool dns_name(const char *s, size_t max, bool dots, bool letter_first)
{
	size_t n = strlen(s);

	if (n == 0 || n > max || s[0] == '-' || s[n - 1] == '-')
		return false;
	if (letter_first && !(s[0] >= 'a' && s[0] <= 'z'))
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = s[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
			    (dots && c == '.')))
			return false;
	}
	return true;
}

static void default_containers(json_t *list)
{
	json_t *c;
	size_t i;

	json_array_foreach(list, i, c)
	{
		dflt(c, "imagePullPolicy", json_string("IfNotPresent"));
		dflt(c, "terminationMessagePath", json_string("/dev/termination-log"));
		dflt(c, "terminationMessagePolicy", json_string("File"));
		dflt(c, "resources", json_object());
	}
}

static void default_pod_spec(json_t *spec)
{
	dflt(spec, "restartPolicy", json_string("Always"));
	dflt(spec, "terminationGracePeriodSeconds", json_integer(30));
	dflt(spec, "dnsPolicy", json_string("ClusterFirst"));
	dflt(spec, "schedulerName", json_string("default-scheduler"));
	dflt(spec, "serviceAccountName", json_string("default"));
	dflt(spec, "securityContext", json_object());
	default_containers(json_object_get(spec, "initContainers"));
	default_containers(json_object_get(spec, "containers"));
}

void kube_default_pod(json_t *pod)
{
	default_pod_spec(kube_child(pod, "spec"));
	kube_child(pod, "status");
}

static void default_job_spec(json_t *spec)
{
	dflt(spec, "parallelism", json_integer(1));
	dflt(spec, "completions", json_incref(json_object_get(spec, "parallelism")));
	dflt(spec, "backoffLimit", json_integer(6));
	dflt(spec, "completionMode", json_string("NonIndexed"));
	dflt(spec, "suspend", json_false());
	dflt(spec, "podReplacementPolicy", json_string("TerminatingOrFailed"));
}

static bool admit_jobset_rjob(const char *name, json_t *rjob, size_t i, char **why)
{
	json_t *job = kube_child(kube_child(rjob, "template"), "spec");
	json_t *pod = kube_child(kube_child(job, "template"), "spec");
	const char *rname = json_path_str_or(rjob, "name", "");
	AUTO_FREE char *pod_name = x_asprintf("%s-%s-%zu-%" PRId64 "-abcde", name, rname, i,
		json_path_i64(job, "parallelism", 1) - 1);

	dflt(rjob, "replicas", json_integer(1));
	dflt(rjob, "groupName", json_string("default"));
	dflt(job, "completionMode", json_string("Indexed"));
	default_job_spec(job);
	dflt(pod, "restartPolicy", json_string("OnFailure"));
	default_pod_spec(pod);
	if (!*rname || json_array_size(json_object_get(pod, "containers")) == 0) {
		*why = x_strdup("each replicated job needs a name and a container");
		return false;
	}
	if (dns_name(pod_name, 63, false, true))
		return true;
	*why = x_asprintf(
		"\"%s\": a DNS-1035 label must consist of lower case alphanumeric characters "
		"or '-', start with an alphabetic character, and end with an "
		"alphanumeric character; pod names of this jobset must be no more than "
		"63 characters",
		pod_name);
	return false;
}

static bool admit_jobset(json_t *o, const json_t *old, const char **field, char **why)
{
	json_t *spec = kube_child(o, "spec"), *list = json_object_get(spec, "replicatedJobs"), *r;
	size_t i;

	*field = "spec";
	if (!kube_shape_jobset(spec, why))
		return false;
	*field = "spec.replicatedJobs";
	if (json_array_size(list) == 0) {
		*why = x_strdup("Required value");
		return false;
	}
	json_array_foreach(list, i, r)
	{
		if (!admit_jobset_rjob(kstore_name(o), r, i, why))
			return false;
	}
	dflt(spec, "network",
		json_pack("{s:b, s:b}", "enableDNSHostnames", 1, "publishNotReadyAddresses", 1));
	dflt(spec, "successPolicy", json_pack("{s:s}", "operator", "All"));
	dflt(spec, "startupPolicy", json_pack("{s:s}", "startupPolicyOrder", "AnyOrder"));
	dflt(spec, "suspend", json_false());
	if (!old && kube_label(o, "kueue.x-k8s.io/queue-name"))
		json_object_set_new(spec, "suspend", json_true());
	if (!old || json_path_bool(old, "spec.suspend", false) ||
		json_equal(list, json_path(old, "spec.replicatedJobs")))
		return true;
	*why = x_strdup("Invalid value: field is immutable");
	return false;
}

static bool admit_job(json_t *o, const json_t *old, const char **field, char **why)
{
	json_t *spec = kube_child(o, "spec");
	json_t *pod = kube_child(kube_child(spec, "template"), "spec");

	(void)old;
	*field = "spec";
	if (!kube_shape_job(spec, why))
		return false;
	*field = "spec.template.spec.containers";
	if (json_array_size(json_object_get(pod, "containers")) == 0) {
		*why = x_strdup("Required value");
		return false;
	}
	default_job_spec(spec);
	default_pod_spec(pod);
	return true;
}

static bool admit_pod(json_t *o, const json_t *old, const char **field, char **why)
{
	(void)old;
	*field = "spec";
	if (!kube_shape_pod(json_object_get(o, "spec"), why))
		return false;
	*field = "spec.containers";
	if (json_array_size(json_path(o, "spec.containers")) == 0) {
		*why = x_strdup("Required value");
		return false;
	}
	kube_default_pod(o);
	dflt(json_object_get(o, "status"), "phase", json_string("Pending"));
	return true;
}

static const struct {
	const char *key;
	bool (*admit)(json_t *o, const json_t *old, const char **field, char **why);
} admissions[] = {
	{KUBE_JOBSETS, admit_jobset},
	{KUBE_JOBS, admit_job},
	{KUBE_PODS, admit_pod},
};

bool kube_admit(const struct kube_type *type, json_t *object, const json_t *old, const char **field,
	char **why)
{
	*field = "metadata.name";
	if (!dns_name(kstore_name(object), 253, true, false)) {
		*why = x_asprintf("Invalid value: \"%s\": a lowercase RFC 1123 subdomain must "
				  "consist of lower case alphanumeric characters, '-' or '.', and "
				  "must start and end with an alphanumeric character",
			kstore_name(object));
		return false;
	}
	if (!old)
		json_object_del(json_object_get(object, "metadata"), "resourceVersion");
	for (size_t i = 0; i < COUNT(admissions); i++) {
		if (!strcmp(admissions[i].key, type->key))
			return admissions[i].admit(object, old, field, why);
	}
	return true;
}
