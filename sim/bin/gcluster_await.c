/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "sim/bin/gcluster.h"
#include "sim/bin/tool.h"
#include <stdlib.h>
#include <string.h>

#define WORKLOADS "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/workloads"
#define JOBSETS   "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets"
#define FIND_MS   ((int64_t)60 * 1000)
#define WEEK_MS   ((int64_t)7 * 86400 * 1000)

struct wait {
	char *workload; /* its name once it was seen */
	bool finished;
};

static bool is_finished(const json_t *o)
{
	size_t i;
	json_t *c;
	json_array_foreach(json_path(o, "status.conditions"), i, c)
	{
		if (!strcmp(tool_str(c, "type"), "Finished") &&
			!strcmp(tool_str(c, "status"), "True"))
			return true;
	}
	return false;
}

static bool seen(void *arg, const char *line)
{
	struct wait *w = arg;
	json_t *j = json_parse(line, strlen(line), NULL), *o = json_path(j, "object");
	const char *name = tool_str(o, "metadata.name");
	if (*name && !w->workload)
		w->workload = x_strdup(name);
	w->finished = w->finished || is_finished(o);
	json_decref(j);
	return !w->finished;
}

/* Watches from the newest state on until the workload is found (find) or finished, or until end. */
static int watch(struct kapi *k, struct wait *w, const char *uid, bool find, int64_t end)
{
	AUTO_FREE char *path =
		x_asprintf(WORKLOADS "?labelSelector=kueue.x-k8s.io%%2Fjob-uid%%3D%s", uid);
	long status;
	while (!(find ? w->workload != NULL : w->finished)) {
		size_t i;
		json_t *o, *j = kapi_call(k, "GET", path, NULL, &status);
		int64_t left = (end - clock_now()) / 1000;
		AUTO_FREE char *version = x_strdup(tool_str(j, "metadata.resourceVersion"));
		json_array_foreach(json_path(j, "items"), i, o)
		{
			if (!w->workload)
				w->workload = x_strdup(tool_str(o, "metadata.name"));
			w->finished = w->finished || is_finished(o);
		}
		json_decref(j);
		if (find ? w->workload != NULL : w->finished)
			break;
		if (left <= 0 || !j)
			return -1;
		AUTO_FREE char *stream = x_asprintf(
			"%s&watch=1&resourceVersion=%s&timeoutSeconds=%lld", path, version,
			(long long)(find         ? 5
				    : left < 300 ? left
						 : 300));
		if (kapi_stream(k, stream, seen, w, &status) && !status)
			return -1;
	}
	return 0;
}

static int verdict(struct kapi *k, const struct submit *s)
{
	AUTO_FREE char *path = x_asprintf(JOBSETS "/%s", s->name);
	long status;
	json_t *j = kapi_call(k, "GET", path, NULL, &status);
	AUTO_FREE char *state = x_strdup(tool_str(j, "status.terminalState"));
	json_decref(j);
	if (!strcmp(state, "Completed")) {
		gcluster_info("Job '%s' completed successfully. View details here: "
			      "https://console.cloud.google.com/kubernetes/"
			      "workload/overview?project=%s",
			s->name, s->where.project);
		return 0;
	}
	gcluster_info("Job '%s' finished with status '%s'. View details here: "
		      "https://console.cloud.google.com/kubernetes/"
		      "workload/overview?project=%s",
		s->name, *state ? state : "Unknown", s->where.project);
	return gcluster_usage(
		"job completed unsuccessfully with status: %s", *state ? state : "Unknown");
}

int gcluster_await(struct kapi *k, const struct submit *s, const char *uid)
{
	struct wait w = {0};
	int64_t end = clock_now() + (s->timeout_ms < 0 ? WEEK_MS : s->timeout_ms);
	gcluster_info("Waiting for job '%s' to complete...", s->name);
	int rc = 0;
	if (watch(k, &w, uid, true, clock_now() + FIND_MS)) {
		rc = gcluster_usage("failed to find Kueue workload for jobset %s", s->name);
	} else {
		gcluster_info("Waiting for Kueue workload '%s' to be Finished...", w.workload);
		if (watch(k, &w, uid, false, end))
			rc = gcluster_usage("job timed out");
	}
	if (!rc) {
		gcluster_info("Job '%s' has finished. Checking final status...", s->name);
		rc = verdict(k, s);
	}
	free(w.workload);
	return rc;
}
