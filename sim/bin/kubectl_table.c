/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "sim/bin/kubectl.h"
#include "sim/bin/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Age as kubectl writes it: 45s, 12m, 5h2m, 3d. */
static char *age(const char *stamp)
{
	int64_t t = time_parse_ms(stamp);
	if (t == TIME_NONE)
		return x_strdup("<unknown>");
	long long s = (long long)((clock_now() - t) / 1000);
	if (s < 0)
		return x_strdup("<invalid>");
	if (s < 120)
		return x_asprintf("%llds", s);
	if (s < 600)
		return s % 60 ? x_asprintf("%lldm%llds", s / 60, s % 60)
			      : x_asprintf("%lldm", s / 60);
	if (s < 3 * 3600)
		return x_asprintf("%lldm", s / 60);
	if (s < 8 * 3600)
		return s / 60 % 60 ? x_asprintf("%lldh%lldm", s / 3600, s / 60 % 60)
				   : x_asprintf("%lldh", s / 3600);
	return s < 48 * 3600 ? x_asprintf("%lldh", s / 3600) : x_asprintf("%lldd", s / 86400);
}

static const char *pod_state(const json_t *p)
{
	size_t i;
	json_t *c;
	const char *state = tool_str(p, "status.phase");
	if (*tool_str(p, "metadata.deletionTimestamp"))
		return "Terminating";
	json_array_foreach(json_path(p, "status.containerStatuses"), i, c)
	{
		const char *waiting = tool_str(c, "state.waiting.reason");
		const char *ended = tool_str(c, "state.terminated.reason");
		if (*waiting || *ended)
			state = *waiting ? waiting : ended;
	}
	return !strcmp(state, "Succeeded") ? "Completed"
	       : !strcmp(state, "Failed")  ? "Error"
					   : state;
}

static void pod_row(const json_t *p, char **cells)
{
	size_t i, ready = 0, n = 0;
	long long restarts = 0;
	json_t *c;
	static const char *const lists[] = {
		"status.initContainerStatuses", "status.containerStatuses"};
	n = json_array_size(json_path(p, "spec.containers"));
	json_array_foreach(json_path(p, "spec.initContainers"), i, c)
	{
		n += !strcmp(tool_str(c, "restartPolicy"), "Always");
	}
	for (size_t l = 0; l < COUNT(lists); l++) {
		json_array_foreach(json_path(p, lists[l]), i, c)
		{
			ready += json_path_bool(c, "ready", false);
			restarts += json_path_i64(c, "restartCount", 0);
		}
	}
	cells[1] = x_asprintf("%zu/%zu", ready, n);
	cells[2] = x_strdup(pod_state(p));
	cells[3] = x_asprintf("%lld", restarts);
	cells[4] = age(tool_str(p, "metadata.creationTimestamp"));
}

static const char *condition(const json_t *o, const char *type)
{
	size_t i;
	json_t *c;
	json_array_foreach(json_path(o, "status.conditions"), i, c)
	{
		if (!strcmp(tool_str(c, "type"), type))
			return tool_str(c, "status");
	}
	return "";
}

static void node_row(const json_t *o, char **cells)
{
	cells[1] = x_strdup(!strcmp(condition(o, "Ready"), "True") ? "Ready" : "NotReady");
	cells[2] = x_strdup("<none>");
	cells[3] = age(tool_str(o, "metadata.creationTimestamp"));
	cells[4] = x_strdup(tool_str(o, "status.nodeInfo.kubeletVersion"));
}

static void jobset_row(const json_t *o, char **cells)
{
	cells[1] = x_strdup(tool_str(o, "status.terminalState"));
	cells[2] = x_asprintf("%lld", (long long)json_path_i64(o, "status.restarts", 0));
	cells[3] = x_strdup(!strcmp(condition(o, "Completed"), "True") ? "True" : "");
	cells[4] = x_strdup(json_path_bool(o, "spec.suspend", false) ? "true" : "false");
	cells[5] = age(tool_str(o, "metadata.creationTimestamp"));
}

static void job_row(const json_t *o, char **cells)
{
	cells[1] = x_strdup(!strcmp(condition(o, "Complete"), "True")  ? "Complete"
			    : !strcmp(condition(o, "Failed"), "True")  ? "Failed"
			    : json_path_bool(o, "spec.suspend", false) ? "Suspended"
								       : "Running");
	cells[2] = x_asprintf("%lld/%lld", (long long)json_path_i64(o, "status.succeeded", 0),
		(long long)json_path_i64(o, "spec.completions", 1));
	cells[3] = age(tool_str(o, "metadata.creationTimestamp"));
}

static void event_row(const json_t *o, char **cells)
{
	free(cells[0]);
	cells[0] = age(tool_str(o, "lastTimestamp"));
	cells[1] = x_strdup(tool_str(o, "type"));
	cells[2] = x_strdup(tool_str(o, "reason"));
	cells[3] = x_asprintf(
		"%s/%s", tool_str(o, "involvedObject.kind"), tool_str(o, "involvedObject.name"));
	for (char *p = cells[3]; *p && *p != '/'; p++)
		*p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
	cells[4] = x_strdup(tool_str(o, "message"));
}

static void plain_row(const json_t *o, char **cells)
{
	cells[1] = age(tool_str(o, "metadata.creationTimestamp"));
}

#define COLUMNS 6

static const struct {
	const char *plural;
	const char *heads[COLUMNS];
	void (*row)(const json_t *o, char **cells);
} shapes[] = {
	{"pods", {"NAME", "READY", "STATUS", "RESTARTS", "AGE"}, pod_row},
	{"nodes", {"NAME", "STATUS", "ROLES", "AGE", "VERSION"}, node_row},
	{"jobsets", {"NAME", "TERMINALSTATE", "RESTARTS", "COMPLETED", "SUSPENDED", "AGE"},
		jobset_row},
	{"jobs", {"NAME", "STATUS", "COMPLETIONS", "AGE"}, job_row},
	{"events", {"LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"}, event_row},
	{"", {"NAME", "AGE"}, plain_row},
};

static void print_rows(char *(*rows)[COLUMNS], size_t n)
{
	size_t widths[COLUMNS] = {0};
	for (size_t r = 0; r < n; r++)
		for (size_t c = 0; c < COLUMNS; c++)
			if (rows[r][c] && strlen(rows[r][c]) > widths[c])
				widths[c] = strlen(rows[r][c]);
	for (size_t r = 0; r < n; r++) {
		for (size_t c = 0; c < COLUMNS && rows[r][c]; c++) {
			bool last = c + 1 == COLUMNS || !rows[r][c + 1];
			printf("%-*s%s", last ? 0 : (int)widths[c], rows[r][c],
				last ? "\n" : "   ");
		}
	}
}

void kubectl_table(const struct kubectl_kind *kind, const json_t *j, const char *ns,
	bool names_only, bool titled)
{
	AUTO_FREE char *prefix = kubectl_label(kind);
	json_t *items = json_path(j, "items");
	size_t n = items ? json_array_size(items) : 1, s = 0;
	if (!n) {
		warn(kind->namespaced && *ns ? "No resources found in %s namespace."
					     : "No resources found",
			ns);
		return;
	}
	while (*shapes[s].plural && strcmp(shapes[s].plural, kind->plural) != 0)
		s++;
	char *(*rows)[COLUMNS] = x_calloc(n + 1, sizeof(*rows));
	for (size_t c = 0; c < COLUMNS && shapes[s].heads[c]; c++)
		rows[0][c] = x_strdup(shapes[s].heads[c]);
	for (size_t i = 0; i < n; i++) {
		const json_t *o = items ? json_array_get(items, i) : j;
		const char *name = tool_str(o, "metadata.name");
		rows[i + 1][0] =
			names_only || titled ? x_asprintf("%s/%s", prefix, name) : x_strdup(name);
		if (names_only)
			puts(rows[i + 1][0]);
		else
			shapes[s].row(o, rows[i + 1]);
	}
	if (!names_only)
		print_rows(rows, n + 1);
	for (size_t r = 0; r <= n; r++)
		for (size_t c = 0; c < COLUMNS; c++)
			free(rows[r][c]);
	free(rows);
}
