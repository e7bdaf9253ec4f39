/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/bin/gcluster.h"
#include "sim/bin/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

const struct arg_flag gcluster_job_flags[] = {
	{"project", 'p', true},
	{"cluster", 'c', true},
	{"location", 'l', true},
	{"skip-prereqs", 0, false},
	{0},
};

#define JOBSETS "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets"

static char *context_file(void)
{
	const char *home = tool_env("HOME");
	return x_asprintf("%s/.gcluster/context.json", home ? home : "");
}

int gcluster_context(struct job_context *c, const struct args *a)
{
	const struct {
		const char *flag, *key, *what;
		char **to;
	} parts[] = {{"cluster", "cluster_name", "cluster name", &c->cluster},
		{"location", "location", "cluster location", &c->location},
		{"project", "project_id", "project ID", &c->project}};
	AUTO_FREE char *file = context_file();
	json_t *saved = tool_read_json(file);
	int rc = 0;
	for (size_t i = 0; i < COUNT(parts); i++) {
		const char *v = args_get(a, parts[i].flag);
		v = v && *v ? v : tool_str(saved, parts[i].key);
		*parts[i].to = x_strdup(v);
		if (!*v && !rc)
			rc = gcluster_usage("%s is not set. Please provide it with --%s or run "
					    "'gcluster job config set %s "
					    "<value>'",
				parts[i].what, parts[i].flag, parts[i].flag);
	}
	json_decref(saved);
	return rc;
}

void gcluster_context_fini(struct job_context *c)
{
	free(c->project);
	free(c->cluster);
	free(c->location);
}

static int config_set(const char *key, const char *value)
{
	static const char *const keys[][2] = {
		{"project", "project_id"}, {"cluster", "cluster_name"}, {"location", "location"}};
	AUTO_FREE char *file = context_file();
	for (size_t i = 0; i < COUNT(keys); i++) {
		if (strcmp(keys[i][0], key) != 0)
			continue;
		json_t *j = tool_read_json(file);
		if (!j)
			j = json_pack("{s:s,s:s,s:s}", "project_id", "", "cluster_name", "",
				"location", "");
		json_object_set_new(j, keys[i][1], json_string(value));
		AUTO_FREE char *text = json_dumps(j, JSON_INDENT(2));
		json_decref(j);
		if (tool_write(file, text, 0644))
			return 1;
		gcluster_info("CLI context saved to %s", file);
		return 0;
	}
	return gcluster_usage(
		"unknown configuration key \"%s\". Valid keys are: project, cluster, location",
		key);
}

static int config(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "set"))
		return config_set(argv[2], argv[3]);
	if (argc == 2 && !strcmp(argv[1], "list")) {
		AUTO_FREE char *file = context_file();
		json_t *j = tool_read_json(file);
		say("project: %s\ncluster: %s\nlocation: %s", tool_str(j, "project_id"),
			tool_str(j, "cluster_name"), tool_str(j, "location"));
		json_decref(j);
		return 0;
	}
	return gcluster_usage("accepts 2 arg(s), received %d", argc > 2 ? argc - 2 : 0);
}

int gcluster_connect(struct kapi *k, const struct job_context *c)
{
	AUTO_FREE char *context = x_asprintf("gke_%s_%s_%s", c->project, c->location, c->cluster);
	AUTO(buf_fini) struct buf out = {0}, err = {0};
	char *argv[] = {"gcloud", "container", "clusters", "get-credentials", c->cluster,
		"--location", c->location, "--project", c->project, NULL};
	if (!kapi_open(k, context) && !tool_env("GCLUSTER_REFRESH_CREDENTIALS"))
		return 0;
	kapi_fini(k);
	*k = (struct kapi){0};
	if (tool_run(argv, &out, &err))
		return gcluster_usage("failed to get GKE cluster credentials: %s", buf_str(&err));
	if (kapi_open(k, context))
		return gcluster_usage("failed to load kubeconfig: %s", k->why);
	return 0;
}

static bool is_true(const json_t *o, const char *type)
{
	size_t i;
	json_t *c;
	json_array_foreach(json_path(o, "status.conditions"), i, c)
	{
		if (!strcmp(tool_str(c, "type"), type))
			return !strcmp(tool_str(c, "status"), "True");
	}
	return false;
}

const char *gcluster_job_state(const json_t *jobset)
{
	static const char *const states[][2] = {
		{"Completed", "Succeeded"}, {"Failed", "Failed"}, {"Suspended", "Suspended"}};
	for (size_t i = 0; i < COUNT(states); i++)
		if (is_true(jobset, states[i][0]))
			return states[i][1];
	return json_path_bool(jobset, "spec.suspend", false) ? "Suspended" : "Running";
}

static const char *ended_at(const json_t *o)
{
	size_t i;
	json_t *c;
	json_array_foreach(json_path(o, "status.conditions"), i, c)
	{
		const char *t = tool_str(c, "type");
		if ((!strcmp(t, "Completed") || !strcmp(t, "Failed")) &&
			!strcmp(tool_str(c, "status"), "True"))
			return tool_str(c, "lastTransitionTime");
	}
	return "";
}

static int show_list(const json_t *all, const struct args *a)
{
	const char *state = args_get(a, "status"), *part = args_get(a, "name-contains");
	size_t i, widths[2] = {4, 6};
	json_t *o;
	json_array_foreach(json_path(all, "items"), i, o)
	{
		size_t n = strlen(tool_str(o, "metadata.name")), s = strlen(gcluster_job_state(o));
		widths[0] = n > widths[0] ? n : widths[0];
		widths[1] = s > widths[1] ? s : widths[1];
	}
	say("%-*s   %-*s   %-20s   %s", (int)widths[0], "NAME", (int)widths[1], "STATUS",
		"CREATION_TIME", "COMPLETION_TIME");
	json_array_foreach(json_path(all, "items"), i, o)
	{
		const char *name = tool_str(o, "metadata.name");
		if ((state && strcasecmp(state, gcluster_job_state(o))) ||
			(part && !strstr(name, part)))
			continue;
		say("%-*s   %-*s   %-20s   %s", (int)widths[0], name, (int)widths[1],
			gcluster_job_state(o), tool_str(o, "metadata.creationTimestamp"),
			ended_at(o));
	}
	return 0;
}

/* Parses, finds the context and connects; what every job command but submit begins with. */
static int begin(
	struct args *a, struct job_context *c, const struct arg_flag *flags, int argc, char **argv)
{
	int rc = gcluster_args(a, flags, gcluster_job_flags, argc, argv);
	return rc ? rc : gcluster_context(c, a);
}

static int failed(const struct kapi *k, const json_t *j)
{
	return gcluster_usage("%s", *tool_str(j, "message") ? tool_str(j, "message") : k->why);
}

static int list(int argc, char **argv)
{
	static const struct arg_flag flags[] = {
		{"status", 0, true}, {"name-contains", 0, true}, {0}};
	struct args a = {0};
	struct job_context c = {0};
	struct kapi k = {0};
	long status;
	int rc = begin(&a, &c, flags, argc, argv);
	if (!rc)
		gcluster_info("Listing jobs in cluster '%s'...", c.cluster);
	if (!rc)
		rc = gcluster_connect(&k, &c);
	json_t *j =
		rc ? NULL
		   : kapi_call(&k, "GET", JOBSETS "?labelSelector=gcluster.google.com%2Fworkload",
			     NULL, &status);
	if (!rc)
		rc = j && status < 300 ? show_list(j, &a) : failed(&k, j);
	json_decref(j);
	kapi_fini(&k);
	gcluster_context_fini(&c);
	args_fini(&a);
	return rc;
}

static int cancel_named(struct kapi *k, const struct job_context *c, const char *name)
{
	AUTO_FREE char *path = x_asprintf(JOBSETS "/%s", name);
	long status;
	json_t *j = kapi_call(k, "GET", path, NULL, &status);
	if (!j || status >= 300) {
		int rc = status == 404 ? gcluster_usage("job '%s' not found in cluster '%s'", name,
						 c->cluster)
				       : failed(k, j);
		json_decref(j);
		return rc;
	}
	const char *state = gcluster_job_state(j);
	bool ended = !strcmp(state, "Succeeded") || !strcmp(state, "Failed");
	const char *verb = ended ? "Cleanup" : "Cancel";
	if (ended)
		gcluster_info("Cleaning up resources for the '%s' job '%s' in cluster '%s'...",
			state, name, c->cluster);
	else
		gcluster_info("Canceling job '%s' in cluster '%s'...", name, c->cluster);
	json_decref(j);
	j = kapi_call(k, "DELETE", path, NULL, &status);
	int rc = j && status < 300 ? 0 : failed(k, j);
	json_decref(j);
	if (!rc)
		gcluster_info("%s operation on Job '%s' completed successfully.", verb, name);
	return rc;
}

static int cancel(int argc, char **argv)
{
	struct args a = {0};
	struct job_context c = {0};
	struct kapi k = {0};
	int rc = begin(&a, &c, NULL, argc, argv);
	if (!rc && a.words.n != 2)
		rc = gcluster_usage("accepts 1 arg(s), received %zu", a.words.n - 1);
	if (!rc)
		rc = gcluster_connect(&k, &c);
	if (!rc)
		rc = cancel_named(&k, &c, a.words.items[1]);
	kapi_fini(&k);
	gcluster_context_fini(&c);
	args_fini(&a);
	return rc;
}

/* Hands over to kubectl, as the real one does; the followed text is its stdout, the other one
 * stderr. */
static int show_logs(const char *name, bool head, bool main_only, bool follow)
{
	AUTO(buf_fini) struct buf out = {0}, err = {0};
	AUTO_FREE char *selector = x_asprintf("jobset.sigs.k8s.io/jobset-name=%s%s%s", name,
		main_only ? ",jobset.sigs.k8s.io/job-index=0,batch.kubernetes.io/"
			    "job-completion-index=0"
			  : "",
		main_only && head ? ",jobset.sigs.k8s.io/replicatedjob-name=pathways-head" : "");
	char *argv[] = {"kubectl", "logs", "-n", "default", "-l", selector,
		main_only ? "--container=workload-container" : "--all-containers",
		follow ? "--max-log-requests=10" : "--max-log-requests=50", follow ? "-f" : NULL,
		NULL};
	if (follow) {
		gcluster_info("Streaming logs for job '%s'...", name);
		fflush(stdout);
		setenv("RLPILOT_SIM_NESTED", "1", 1);
		execvp(argv[0], argv);
		return gcluster_usage("exec: \"kubectl\": executable file not found in $PATH");
	}
	if (tool_run(argv, &out, &err))
		return gcluster_usage("failed to get logs: %s", buf_str(&err));
	fputs(out.len ? buf_str(&out)
		      : "Job exists but has no live logs available (it may have finished or failed "
			"to start "
			"pods)\n",
		stderr);
	return 0;
}

static int logs(int argc, char **argv)
{
	static const struct arg_flag flags[] = {
		{"follow", 'f', false}, {"main-only", 0, false}, {0}};
	struct args a = {0};
	struct job_context c = {0};
	struct kapi k = {0};
	long status;
	json_t *j = NULL;
	int rc = begin(&a, &c, flags, argc, argv);
	if (!rc && a.words.n != 2)
		rc = gcluster_usage("accepts 1 arg(s), received %zu", a.words.n - 1);
	const char *name = rc ? "" : a.words.items[1];
	if (!rc) {
		gcluster_info("Fetching logs for job '%s' in cluster '%s'...", name, c.cluster);
		rc = gcluster_connect(&k, &c);
	}
	AUTO_FREE char *path = x_asprintf(JOBSETS "/%s", name);
	if (!rc)
		j = kapi_call(&k, "GET", path, NULL, &status);
	if (!rc && (!j || status >= 300))
		rc = status == 404 ? gcluster_usage("job '%s' not found in any namespace", name)
				   : failed(&k, j);
	if (!rc) {
		int64_t pods = 0;
		size_t i;
		json_t *r;
		json_array_foreach(json_path(j, "spec.replicatedJobs"), i, r)
		{
			pods += json_path_i64(r, "template.spec.parallelism", 1);
		}
		bool head = !strcmp(tool_str(j, "spec.replicatedJobs[0].name"), "pathways-head");
		bool main_only = args_get(&a, "main-only") ? args_has(&a, "main-only") : pods > 5;
		rc = show_logs(name, head, main_only, args_has(&a, "follow"));
	}
	json_decref(j);
	kapi_fini(&k);
	gcluster_context_fini(&c);
	args_fini(&a);
	return rc;
}

int gcluster_job(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = {{"submit", gcluster_submit}, {"list", list}, {"logs", logs},
		{"cancel", cancel}, {"config", config}};
	for (size_t i = 0; argc > 0 && i < COUNT(commands); i++)
		if (!strcmp(commands[i].name, argv[0]))
			return commands[i].run(argc, argv);
	return gcluster_usage(
		"unknown command \"%s\" for \"gcluster job\"", argc > 0 ? argv[0] : "");
}
