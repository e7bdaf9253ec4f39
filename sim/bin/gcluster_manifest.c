/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "sim/bin/gcluster.h"
#include "sim/bin/tool.h"
#include <string.h>

#define PROXY_IMAGE  "us-docker.pkg.dev/cloud-tpu-v2-images/pathways/proxy_server:latest"
#define SERVER_IMAGE "us-docker.pkg.dev/cloud-tpu-v2-images/pathways/server:latest"

/* Ends with the workload's verdict and hands a TERM on to it. */
#define WRAP                                                                                       \
	"_sigterm() { kill -SIGTERM $PID 2>/dev/null; }\ntrap _sigterm SIGTERM\n(%s) & PID=$!\n"   \
	"while kill -0 $PID 2>/dev/null; do sleep 5; done\nwait $PID\nEXIT_CODE=$?\n"              \
	"echo \"Exit code: $EXIT_CODE\"\nexit $EXIT_CODE\n"

static json_t *field(const char *name, const char *path)
{
	return json_pack(
		"{s:s,s:{s:{s:s}}}", "name", name, "valueFrom", "fieldRef", "fieldPath", path);
}

/* "KEY=VALUE" of a repeated option as env entries. */
static void add_env(json_t *env, const struct args *a, const char *option)
{
	const char *v;
	for (size_t i = 0; (v = args_next(a, option, &i));) {
		const char *eq = strchr(v, '=');
		if (!eq)
			continue;
		AUTO_FREE char *key = x_strndup(v, (size_t)(eq - v));
		json_array_append_new(env, json_pack("{s:s,s:s}", "name", key, "value", eq + 1));
	}
}

static json_t *volumes(void)
{
	return json_pack("[{s:s,s:{s:s}},{s:s,s:{s:s,s:s}}]", "name", "dshm", "emptyDir", "medium",
		"Memory", "name", "shared-tmp", "hostPath", "path", "/tmp", "type",
		"DirectoryOrCreate");
}

/* What every pod that sits on the slice asks of the scheduler. */
static void place_on_slice(const struct submit *s, json_t *pod)
{
	json_object_set_new(pod, "hostNetwork", json_true());
	json_object_set_new(pod, "dnsPolicy", json_string("ClusterFirstWithHostNet"));
	json_object_set_new(pod, "nodeSelector",
		json_pack("{s:s,s:s}", "cloud.google.com/gke-tpu-accelerator", s->accelerator,
			"cloud.google.com/gke-tpu-topology", s->topology));
	json_object_set_new(pod, "tolerations",
		json_pack("[{s:s,s:s}]", "key", "google.com/tpu", "operator", "Exists"));
	json_object_set_new(pod, "affinity",
		json_pack("{s:{s:{s:[{s:[{s:s,s:s,s:[s]}]}]}}}", "nodeAffinity",
			"requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms",
			"matchExpressions", "key", "cloud.google.com/gke-nodepool", "operator",
			"NotIn", "values", "default-pool"));
}

static json_t *template_of(const struct submit *s, json_t *pod, bool on_slice)
{
	json_t *meta = json_object();
	if (on_slice) {
		json_object_set_new(meta, "labels",
			json_pack("{s:s}", "gcluster.google.com/workload", s->name));
		json_object_set_new(meta, "annotations",
			json_pack("{s:s}", "cloud.google.com/gke-tpu-slice-topology", s->topology));
	}
	const char *priority = args_get(&s->args, "priority");
	if (priority && *priority)
		json_object_set_new(pod, "priorityClassName", json_string(priority));
	return json_pack("{s:o,s:o}", "metadata", meta, "spec", pod);
}

static json_t *main_container(const struct submit *s, const char *command, bool tpu)
{
	json_t *env = json_array();
	add_env(env, &s->args, "env");
	json_t *c = json_pack("{s:s,s:s,s:[s,s,s],s:o,s:{s:b},s:[{s:s,s:s}]}", "name",
		"workload-container", "image", args_get(&s->args, "image"), "command", "/bin/bash",
		"-c", command, "env", env, "securityContext", "privileged", 1, "volumeMounts",
		"mountPath", "/dev/shm", "name", "dshm");
	if (tpu)
		json_object_set_new(c, "resources",
			json_pack("{s:{s:s},s:{s:s}}", "limits", "google.com/tpu", "4", "requests",
				"google.com/tpu", "4"));
	return c;
}

static json_t *plain_job(const struct submit *s)
{
	json_t *pod = json_pack("{s:[o],s:s,s:i,s:o}", "containers",
		main_container(s, args_get(&s->args, "command"), true), "restartPolicy", "Never",
		"terminationGracePeriodSeconds", 30, "volumes", volumes());
	place_on_slice(s, pod);
	return json_pack("{s:s,s:I,s:{s:{s:i,s:I,s:I,s:o}}}", "name", "main-job", "replicas",
		(json_int_t)s->slices, "template", "spec", "backoffLimit", 0, "completions",
		(json_int_t)s->nodes, "parallelism", (json_int_t)s->nodes, "template",
		template_of(s, pod, true));
}

static json_t *resources(const char *cpu, const char *memory)
{
	return json_pack("{s:{s:s,s:s},s:{s:s,s:s}}", "limits", "cpu", cpu, "memory", memory,
		"requests", "cpu", cpu, "memory", memory);
}

static json_t *coordinator_env(void)
{
	json_t *env = json_array();
	json_array_append_new(
		env, field("PATHWAYS_HEAD", "metadata.labels['jobset.sigs.k8s.io/coordinator']"));
	json_array_append_new(env,
		field("JOBSET_NAME", "metadata.annotations['jobset.sigs.k8s.io/jobset-name']"));
	json_array_append_new(
		env, field("REPLICATED_JOB_NAME",
			     "metadata.annotations['jobset.sigs.k8s.io/replicatedjob-name']"));
	return env;
}

static json_t *proxy(const struct submit *s, const char *scratch)
{
	json_t *env = coordinator_env();
	const char *image = args_get(&s->args, "pathways-proxy-server-image");
	add_env(env, &s->args, "pathways-proxy-env");
	return json_pack("{s:s,s:s,s:[s,s,s],s:o,s:[{s:i}],s:o,s:s}", "name", "pathways-proxy",
		"image", image ? image : PROXY_IMAGE, "args", "--server_port=29000",
		"--resource_manager_address=$(PATHWAYS_HEAD):29001", scratch, "env", env, "ports",
		"containerPort", 29000, "resources", resources("16", "100Gi"), "restartPolicy",
		"Always");
}

static json_t *manager(const struct submit *s, const char *scratch)
{
	json_t *env = coordinator_env();
	const char *image = args_get(&s->args, "pathways-server-image");
	AUTO_FREE char *count = x_asprintf("--instance_count=%lld", (long long)s->slices);
	AUTO_FREE char *type = x_asprintf("--instance_type=tpuv6e:%s", s->topology);
	add_env(env, &s->args, "pathways-server-env");
	json_array_append_new(
		env, json_pack("{s:s,s:s}", "name", "TPU_SKIP_MDS_QUERY", "value", "true"));
	return json_pack("{s:s,s:s,s:[s,s,s,s,s],s:o,s:[{s:i},{s:i}],s:o,s:s,s:[{s:s,s:s}]}",
		"name", "pathways-rm", "image", image ? image : SERVER_IMAGE, "args",
		"--server_port=29001", scratch, "--node_type=resource_manager", count, type, "env",
		env, "ports", "containerPort", 29001, "containerPort", 29002, "resources",
		resources("8", "32Gi"), "restartPolicy", "Always", "volumeMounts", "mountPath",
		"/tmp", "name", "shared-tmp");
}

static json_t *head_job(const struct submit *s, const char *scratch)
{
	AUTO_FREE char *command = x_asprintf(WRAP, args_get(&s->args, "command"));
	json_t *env = main_container(s, command, false);
	json_array_append_new(json_object_get(env, "env"),
		field("PATHWAYS_HEAD", "metadata.labels['jobset.sigs.k8s.io/coordinator']"));
	json_array_append_new(
		json_object_get(env, "env"), json_pack("{s:s,s:s}", "name", "JAX_BACKEND_TARGET",
						     "value", "grpc://$(PATHWAYS_HEAD):29000"));
	json_t *pod =
		json_pack("{s:b,s:s,s:{s:s},s:[o,o],s:[o],s:s,s:o}", "hostNetwork", 1, "dnsPolicy",
			"ClusterFirstWithHostNet", "nodeSelector", "cloud.google.com/gke-nodepool",
			s->head_pool, "initContainers", proxy(s, scratch), manager(s, scratch),
			"containers", env, "restartPolicy", "Never", "volumes", volumes());
	json_t *template = template_of(s, pod, false);
	json_object_set_new(json_object_get(template, "metadata"), "annotations",
		json_pack("{s:s}", "alpha.jobset.sigs.k8s.io/exclusive-topology",
			"kubernetes.io/hostname"));
	return json_pack("{s:s,s:s,s:i,s:{s:{s:i,s:i,s:i,s:o}}}", "name", "pathways-head",
		"groupName", "default", "replicas", 1, "template", "spec", "backoffLimit", 0,
		"completions", 1, "parallelism", 1, "template", template);
}

static json_t *worker_job(const struct submit *s, const char *scratch)
{
	static const int ports[] = {29005, 29006, 8471, 8080};
	json_t *env = coordinator_env(), *list = json_array();
	const char *image = args_get(&s->args, "pathways-worker-image");
	add_env(env, &s->args, "pathways-worker-env");
	json_array_append_new(
		env, json_pack("{s:s,s:s}", "name", "XCLOUD_ENVIRONMENT", "value", "GCP"));
	json_array_append_new(env,
		field("MEGASCALE_SLICE_ID", "metadata.labels['jobset.sigs.k8s.io/job-index']"));
	for (size_t i = 0; i < COUNT(ports); i++)
		json_array_append_new(list, json_pack("{s:i}", "containerPort", ports[i]));
	json_t *container = json_pack(
		"{s:s,s:s,s:[s,s,s],s:o,s:o,s:{s:{s:s},s:{s:s}},s:{s:b},s:[{s:s,s:s},{s:s,s:s}]}",
		"name", "pathways-worker", "image", image ? image : SERVER_IMAGE, "args",
		"--server_port=29005", "--resource_manager_address=$(PATHWAYS_HEAD):29001", scratch,
		"env", env, "ports", list, "resources", "limits", "google.com/tpu", "4", "requests",
		"google.com/tpu", "4", "securityContext", "privileged", 1, "volumeMounts",
		"mountPath", "/dev/shm", "name", "dshm", "mountPath", "/tmp", "name", "shared-tmp");
	json_t *pod = json_pack("{s:[o],s:s,s:o}", "containers", container, "restartPolicy",
		"OnFailure", "volumes", volumes());
	place_on_slice(s, pod);
	json_t *template = template_of(s, pod, true);
	json_t *annotations = json_object_get(json_object_get(template, "metadata"), "annotations");
	json_object_set_new(annotations, "alpha.jobset.sigs.k8s.io/exclusive-topology",
		json_string("cloud.google.com/gke-nodepool"));
	json_object_set_new(
		annotations, "cloud.google.com/skip-tpu-webhook-check", json_string("true"));
	return json_pack("{s:s,s:s,s:I,s:{s:{s:i,s:i,s:i,s:I,s:I,s:s,s:o}}}", "name", "worker",
		"groupName", "default", "replicas", (json_int_t)s->slices, "template", "spec",
		"backoffLimit", 2048000, "backoffLimitPerIndex", 4000, "maxFailedIndexes", 0,
		"completions", (json_int_t)s->nodes, "parallelism", (json_int_t)s->nodes,
		"podReplacementPolicy", "Failed", "template", template);
}

static json_t *failure_policy(const struct submit *s)
{
	return json_pack("{s:I,s:s,s:[{s:s,s:s,s:[s]}]}", "maxRestarts", (json_int_t)s->restarts,
		"restartStrategy", s->pathways ? "BlockingRecreate" : "Recreate", "rules", "name",
		"failurePolicyRule0", "action", "FailJobSet", "onJobFailureReasons",
		"PodFailurePolicy");
}

json_t *gcluster_manifest(const struct submit *s)
{
	const char *location = args_get(&s->args, "pathways-gcs-location");
	AUTO_FREE char *scratch = x_asprintf("--gcs_scratch_location=%s", location ? location : "");
	json_t *jobs = json_array();
	if (s->pathways) {
		json_array_append_new(jobs, head_job(s, scratch));
		json_array_append_new(jobs, worker_job(s, scratch));
	} else {
		json_array_append_new(jobs, plain_job(s));
	}
	json_t *spec = json_pack("{s:I,s:{s:s},s:o,s:{s:b,s:b},s:o}", "ttlSecondsAfterFinished",
		(json_int_t)s->ttl_s, "startupPolicy", "startupPolicyOrder",
		s->pathways ? "InOrder" : "AnyOrder", "failurePolicy", failure_policy(s), "network",
		"enableDNSHostnames", 1, "publishNotReadyAddresses", 1, "replicatedJobs", jobs);
	if (s->pathways) {
		json_object_set_new(
			spec, "coordinator", json_pack("{s:s}", "replicatedJob", "pathways-head"));
		json_object_set_new(spec, "successPolicy",
			json_pack("{s:s,s:[s]}", "operator", "All", "targetReplicatedJobs",
				"pathways-head"));
	}
	json_t *meta = json_pack("{s:s,s:s,s:{s:s,s:s}}", "name", s->name, "namespace", "default",
		"labels", "gcluster.google.com/workload", s->name, "kueue.x-k8s.io/queue-name",
		s->queue);
	if (!s->pathways)
		json_object_set_new(meta, "annotations",
			json_pack("{s:s}", "alpha.jobset.sigs.k8s.io/exclusive-topology",
				"cloud.google.com/gke-nodepool"));
	return json_pack("{s:s,s:s,s:o,s:o}", "apiVersion", "jobset.x-k8s.io/v1alpha2", "kind",
		"JobSet", "metadata", meta, "spec", spec);
}
