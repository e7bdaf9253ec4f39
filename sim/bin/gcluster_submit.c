/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "sim/bin/gcluster.h"
#include "sim/bin/tool.h"
#include "sim/bin/yml.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOBSETS        "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets"
#define NAME_MAX_BYTES 28

static const struct arg_flag flags[] = {
	{"image", 'i', true},
	{"base-image", 'B', true},
	{"build-context", 'b', true},
	{"command", 'e', true},
	{"compute-type", 0, true},
	{"dry-run-out", 'o', true},
	{"platform", 'f', true},
	{"mount", 0, true},
	{"name", 'n', true},
	{"queue", 'q', true},
	{"num-nodes", 0, true},
	{"num-slices", 0, true},
	{"restarts", 0, true},
	{"gke-ttl-after-finished", 0, true},
	{"grace-period", 0, true},
	{"topology", 0, true},
	{"await-job-completion", 0, false},
	{"timeout", 0, true},
	{"priority", 0, true},
	{"verbose", 0, false},
	{"env", 0, true},
	{"service-account", 0, true},
	{"gke-nap-provisioning", 0, true},
	{"gke-nap-reservation", 0, true},
	{"pathways", 0, false},
	{"pathways-proxy-server-image", 0, true},
	{"pathways-server-image", 0, true},
	{"pathways-worker-image", 0, true},
	{"pathways-headless", 0, false},
	{"pathways-gcs-location", 0, true},
	{"pathways-head-np", 0, true},
	{"pathways-proxy-env", 0, true},
	{"pathways-server-env", 0, true},
	{"pathways-worker-env", 0, true},
	{"pathways-proxy-args", 0, true},
	{"pathways-server-args", 0, true},
	{"pathways-worker-args", 0, true},
	{0},
};

static int check_required(const struct args *a)
{
	static const char *const required[] = {"compute-type", "name"};
	AUTO(buf_fini) struct buf b = {0};
	for (size_t i = 0; i < COUNT(required); i++)
		if (!args_get(a, required[i]))
			buf_addf(&b, "%s\"%s\"", b.len ? ", " : "", required[i]);
	if (b.len)
		return gcluster_usage("required flag(s) %s not set", buf_str(&b));
	return args_get(a, "command") ? 0 : gcluster_usage("required flag(s) \"command\" not set");
}

static int check_flags(const struct args *a)
{
	const char *name = args_get(a, "name"), *image = args_get(a, "image");
	if (strlen(name) > NAME_MAX_BYTES)
		return gcluster_usage("workload name cannot exceed %d characters", NAME_MAX_BYTES);
	if (!image && !args_get(a, "base-image"))
		return gcluster_usage("either --image or --base-image must be provided");
	if (image && args_get(a, "build-context"))
		return gcluster_usage("--build-context cannot be provided when --image is used as "
				      "no build is performed");
	if (!image)
		return gcluster_usage("a --build-context must be provided when --base-image is "
				      "used for a Crane build");
	if (args_has(a, "pathways"))
		return args_get(a, "pathways-gcs-location")
			       ? 0
			       : gcluster_usage(
					 "pathways-gcs-location is required when using --pathways");
	for (const struct arg_flag *f = flags; f->name; f++)
		if (text_starts(f->name, "pathways-") && args_get(a, f->name))
			return gcluster_usage(
				"pathways flags specified but --pathways flag is missing");
	return 0;
}

static bool is_env(const char *v)
{
	if (!isalpha((unsigned char)*v) && *v != '_')
		return false;
	while (isalnum((unsigned char)*v) || *v == '_')
		v++;
	return *v == '=';
}

static int check_env(const struct args *a)
{
	static const char *const options[] = {
		"env", "pathways-proxy-env", "pathways-server-env", "pathways-worker-env"};
	const char *v;
	for (size_t o = 0; o < COUNT(options); o++)
		for (size_t i = 0; (v = args_next(a, options[o], &i));)
			if (!is_env(v))
				return gcluster_usage("invalid environment variable format for "
						      "--%s: \"%s\". Expected KEY=VALUE",
					options[o], v);
	return 0;
}

static int seconds_of(const struct args *a, const char *option, const char *dflt, int64_t *ms)
{
	const char *v = args_get(a, option);
	if (time_parse_duration(v ? v : dflt, ms))
		return 0;
	return gcluster_usage(
		"invalid duration format for --%s: %s. Expected formats: 1h, 30m, 3600", option, v);
}

static int number_of(const struct args *a, const char *option, int64_t dflt, int64_t *out)
{
	const char *v = args_get(a, option);
	*out = dflt;
	if (!v || !text_to_i64(v, 0, 100000, out))
		return 0;
	return gcluster_usage("invalid argument \"%s\" for \"--%s\" flag: strconv.ParseInt: "
			      "parsing \"%s\": invalid syntax",
		v, option, v);
}

static int check_values(struct submit *s)
{
	static const char *const classes[] = {"very-low", "low", "medium", "high", "very-high"};
	const struct args *a = &s->args;
	const char *priority = args_get(a, "priority"), *timeout = args_get(a, "timeout");
	int64_t ttl_ms, grace_ms;
	bool known = !priority || !*priority;
	for (size_t i = 0; i < COUNT(classes) && !known; i++)
		known = !strcmp(classes[i], priority);
	if (!known)
		return gcluster_usage("invalid value for --priority: %s. Allowed values are: "
				      "very-low, low, medium, high, "
				      "very-high",
			priority);
	if (check_env(a) || seconds_of(a, "gke-ttl-after-finished", "1h", &ttl_ms) ||
		seconds_of(a, "grace-period", "30s", &grace_ms) ||
		seconds_of(a, "timeout", "-1s", &s->timeout_ms) ||
		number_of(a, "num-slices", 1, &s->slices) ||
		number_of(a, "restarts", 1, &s->restarts))
		return 1;
	s->ttl_s = ttl_ms / 1000;
	s->await = args_has(a, "await-job-completion") || (timeout && strcmp(timeout, "-1s") != 0);
	if (args_get(a, "num-nodes"))
		return gcluster_usage("--num-nodes cannot be used with TPU jobs (it is calculated "
				      "automatically from topology)");
	return 0;
}

/* "4x8" -> 32; 0 when it is none. */
static int64_t chips_of(const char *topology)
{
	int a = 0, b = 0, used = 0;
	if (!topology || sscanf(topology, "%dx%d%n", &a, &b, &used) < 2 || topology[used] ||
		a < 1 || b < 1)
		return 0;
	return (int64_t)a * b;
}

/* The pool whose machine the job asks for; fills accelerator, nodes and the head's pool. */
static int judge_cluster(struct submit *s, const json_t *cluster)
{
	const char *type = args_get(&s->args, "compute-type"),
		   *wanted = args_get(&s->args, "pathways-head-np");
	const char *found = NULL;
	size_t i;
	json_t *p;
	json_array_foreach(json_path(cluster, "nodePools"), i, p)
	{
		const char *name = tool_str(p, "name");
		if (!strcmp(tool_str(p, "config.machineType"), type))
			found = tool_str(p, "placementPolicy.tpuTopology");
		if (wanted ? !strcmp(name, wanted)
			   : (!strcmp(name, "cpu-np") || !strcmp(name, "pathways-np"))) {
			free(s->head_pool);
			s->head_pool = x_strdup(name);
		}
	}
	if (s->pathways && !s->head_pool)
		return gcluster_usage("failed to auto-detect a suitable CPU node pool (expected "
				      "'cpu-np' or 'pathways-np') for "
				      "Pathways head job. You can explicitly specify your head "
				      "node pool name using the "
				      "--pathways-head-np flag");
	if (!found)
		return gcluster_usage("compute type '%s' is neither a known accelerator shorthand "
				      "nor a machine type of cluster "
				      "'%s'",
			type, s->where.cluster);
	if (!chips_of(s->topology) || (*found && strcmp(found, s->topology) != 0))
		return gcluster_usage(
			"requested topology %s is not valid for cluster %s (found: %s)",
			s->topology, s->where.cluster, *found ? found : "none");
	s->accelerator = x_strdup("tpu-v6e-slice");
	s->nodes = chips_of(s->topology) / 4;
	return 0;
}

static int describe(struct submit *s)
{
	AUTO(buf_fini) struct buf out = {0}, err = {0};
	char *argv[] = {"gcloud", "container", "clusters", "describe", s->where.cluster,
		"--location", s->where.location, "--project", s->where.project, "--format=json",
		NULL};
	gcluster_info("Fetching GKE cluster metadata for '%s'...", s->where.cluster);
	if (tool_run(argv, &out, &err))
		return gcluster_usage(
			"failed to describe GKE cluster %s: %s", s->where.cluster, buf_str(&err));
	json_t *j = json_parse(buf_str(&out), out.len, NULL);
	int rc =
		j ? judge_cluster(s, j) : gcluster_usage("failed to parse GKE cluster description");
	json_decref(j);
	return rc;
}

/* True when a GET answers with 2xx. */
static bool there(struct kapi *k, const char *path)
{
	long status;
	json_t *j = kapi_call(k, "GET", path, NULL, &status);
	json_decref(j);
	return status >= 200 && status < 300;
}

/* A [Y/n] question: Enter is yes, the end of input an error. */
static int ask(const char *question)
{
	fprintf(stdout, "%s [Y/n]: ", question);
	fflush(stdout);
	AUTO_FREE char *answer = tool_read_line();
	if (!answer)
		return gcluster_usage("failed to read user input: EOF");
	return !*answer || *answer == 'y' || *answer == 'Y' ? 0 : 1;
}

static int check_cluster(struct kapi *k)
{
	gcluster_info("Checking cluster connectivity...");
	if (!there(k, "/version"))
		return gcluster_usage(
			"failed to connect to GKE cluster. Please verify your IP is allowed: %s",
			*k->why ? k->why : "the server does not answer");
	if (!there(k, "/apis/kueue.x-k8s.io/v1beta2")) {
		if (ask("Kueue is not installed or not healthy. Do you want to install it? This "
			"deletes all queued workloads."))
			return 1;
		return gcluster_usage(
			"failed to install Kueue: the cluster's blueprint did not install it");
	}
	gcluster_info("Kueue is already installed.");
	if (!there(k, "/apis/jobset.x-k8s.io/v1alpha2"))
		return gcluster_usage("JobSet CRD is not installed in the cluster");
	gcluster_info("JobSet Webhook is healthy.");
	return 0;
}

static int find_queue(struct submit *s, struct kapi *k)
{
	const char *given = args_get(&s->args, "queue");
	long status;
	if (given) {
		s->queue = x_strdup(given);
		return 0;
	}
	json_t *j = kapi_call(k, "GET",
		"/apis/kueue.x-k8s.io/v1beta2/namespaces/default/localqueues", NULL, &status);
	json_t *items = json_path(j, "items");
	const char *name = tool_str(json_array_get(items, 0), "metadata.name");
	for (size_t i = 0; i < json_array_size(items); i++)
		if (!strcmp(tool_str(json_array_get(items, i), "metadata.name"), "default"))
			name = "default";
	s->queue = x_strdup(name);
	json_decref(j);
	if (*s->queue) {
		gcluster_info("Auto-discovered Kueue LocalQueue: %s", s->queue);
		return 0;
	}
	if (ask("No Kueue LocalQueue was found. Do you want to create the default queues?"))
		return 1;
	return gcluster_usage("failed to create the default queues: the cluster's blueprint did "
			      "not configure Kueue");
}

static int check_conflict(const struct submit *s, struct kapi *k)
{
	AUTO_FREE char *path = x_asprintf(JOBSETS "/%s", s->name);
	long status;
	json_t *j = kapi_call(k, "GET", path, NULL, &status);
	int rc = 0;
	if (status < 300 && j)
		rc = gcluster_usage("job with name '%s' already exists in state '%s'. You can "
				    "cancel the existing job using "
				    "'gcluster job cancel %s --cluster %s --location %s --project "
				    "%s' or resubmit this "
				    "workload with a different name using '--name'",
			s->name, gcluster_job_state(j), s->name, s->where.cluster,
			s->where.location, s->where.project);
	else if (status != 404)
		rc = gcluster_usage("failed to check for an existing job: %s",
			j ? tool_str(j, "message") : k->why);
	json_decref(j);
	return rc;
}

static int apply(const struct submit *s, struct kapi *k, const json_t *manifest, char **uid)
{
	AUTO(buf_fini) struct buf yaml = {0};
	const char *home = tool_env("HOME");
	AUTO_FREE char *file =
		x_asprintf("%s/.gcluster/generated/%s.yaml", home ? home : "", s->name);
	long status;
	yml_write(&yaml, manifest);
	gcluster_info("Applying GKE manifest to cluster...");
	if (tool_write(file, buf_str(&yaml), 0644))
		return 1;
	json_t *object = json_deep_copy(manifest), *meta = json_object_get(object, "metadata");
	AUTO_FREE char *last = json_dumps(manifest, JSON_COMPACT);
	if (!json_object_get(meta, "annotations"))
		json_object_set_new(meta, "annotations", json_object());
	json_object_set_new(json_object_get(meta, "annotations"),
		"kubectl.kubernetes.io/last-applied-configuration", json_string(last));
	json_t *j = kapi_call(k, "POST", JOBSETS, object, &status);
	json_decref(object);
	int rc = 0;
	if (!j || status >= 300)
		rc = gcluster_usage(
			"failed to apply GKE manifest: %s", j ? tool_str(j, "message") : k->why);
	else
		gcluster_info("GKE workload deployed successfully.");
	*uid = x_strdup(tool_str(j, "metadata.uid"));
	json_decref(j);
	return rc;
}

static void print_links(const struct submit *s)
{
	const char *job = s->pathways ? "pathways-head-0" : "main-job-0";
	AUTO_FREE char *filter =
		x_asprintf("resource.type=\"k8s_container\"\nresource.labels.project_id=\"%s\"\n"
			   "resource.labels.location=\"%s\"\nresource.labels.cluster_name=\"%s\"\n"
			   "resource.labels.namespace_name=\"default\"\n"
			   "resource.labels.pod_name:\"%s-%s-\"\nseverity>=DEFAULT",
			s->where.project, s->where.location, s->where.cluster, s->name, job);
	AUTO_FREE char *escaped = web_escape(filter);
	gcluster_info("Follow your workload details here: "
		      "https://console.cloud.google.com/kubernetes/job/%s/%s/default/%s-%s/"
		      "details?project=%s",
		s->where.location, s->where.cluster, s->name, job, s->where.project);
	gcluster_info("View your workload logs in real-time here: "
		      "https://console.cloud.google.com/logs/query;query=%s;"
		      "storageScope=project;duration=P1D?project=%s or use gcluster job logs "
		      "[job-name] to view logs using "
		      "kubectl",
		escaped, s->where.project);
}

static int write_preview(const json_t *manifest, const char *file)
{
	AUTO(buf_fini) struct buf yaml = {0};
	yml_write(&yaml, manifest);
	gcluster_info("Saving GKE manifest to %s", file);
	if (tool_write(file, buf_str(&yaml), 0644))
		return 1;
	gcluster_info("GKE manifest saved successfully.");
	return 0;
}

static int submit(struct submit *s, struct kapi *k)
{
	const char *preview = args_get(&s->args, "dry-run-out");
	AUTO_FREE char *uid = NULL;
	gcluster_info("Starting gcluster job submit workflow...");
	if (describe(s))
		return 1;
	gcluster_info("Configuring kubectl for GKE cluster '%s'...", s->where.cluster);
	if (gcluster_connect(k, &s->where) || (!preview && (check_cluster(k) || find_queue(s, k))))
		return 1;
	if (!s->queue)
		s->queue = x_strdup("user-queue");
	gcluster_info("Dynamically determined nodes_per_slice for %s: %lld", s->topology,
		(long long)s->nodes);
	if (check_conflict(s, k))
		return 1;
	json_t *manifest = gcluster_manifest(s);
	int rc = preview ? write_preview(manifest, preview) : apply(s, k, manifest, &uid);
	json_decref(manifest);
	if (!rc && !preview) {
		print_links(s);
		if (s->await)
			rc = gcluster_await(k, s, uid);
	}
	if (!rc)
		gcluster_info("gcluster job submit workflow completed.");
	return rc;
}

int gcluster_submit(int argc, char **argv)
{
	struct submit s = {0};
	struct kapi k = {0};
	int rc = gcluster_args(&s.args, flags, gcluster_job_flags, argc, argv);
	if (!rc)
		rc = check_required(&s.args) || gcluster_context(&s.where, &s.args) ||
		     check_flags(&s.args);
	if (!rc && !args_get(&s.args, "dry-run-out") && !args_has(&s.args, "skip-prereqs"))
		rc = gcluster_prereqs(&s.where);
	s.name = args_get(&s.args, "name");
	s.topology = args_get(&s.args, "topology") ? args_get(&s.args, "topology") : "";
	s.pathways = args_has(&s.args, "pathways");
	if (!rc)
		rc = check_values(&s) || submit(&s, &k);
	kapi_fini(&k);
	gcluster_context_fini(&s.where);
	free(s.queue);
	free(s.head_pool);
	free(s.accelerator);
	args_fini(&s.args);
	return rc;
}
