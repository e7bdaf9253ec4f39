/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "sim/kube_call.h"
#include "sim/kube_columns.h"

#include <stdlib.h>
#include <string.h>

/* A column is a path, or for the built-in kinds a function that fills all cells of the row. */
struct column {
	const char *name, *path; /* path NULL: filled by the row function */
	int wide;                /* priority: shown with -o wide only */
	bool age;                /* path is a time, shown as its age */
};

struct table {
	const char *key;
	const struct column *columns; /* after Name; ends with name NULL */
	void (*row)(struct kube *k, const json_t *o, json_t *cells); /* NULL: paths only */
	bool no_name; /* events have no Name column */
};

#define COL(n)                                                                                     \
	{                                                                                          \
		.name = n                                                                          \
	}
#define WIDE(n)                                                                                    \
	{                                                                                          \
		.name = n, .wide = 1                                                               \
	}
#define PATH(n, p)                                                                                 \
	{                                                                                          \
		.name = n, .path = p                                                               \
	}
#define PATH_W(n, p)                                                                               \
	{                                                                                          \
		.name = n, .path = p, .wide = 1                                                    \
	}
#define AGE                                                                                        \
	{                                                                                          \
		.name = "Age", .path = "metadata.creationTimestamp", .age = true                   \
	}

static const struct column dflt[] = {AGE, {0}};
static const struct column pod[] = {COL("Ready"), COL("Status"), COL("Restarts"), COL("Age"),
	WIDE("IP"), WIDE("Node"), WIDE("Nominated Node"), WIDE("Readiness Gates"), {0}};
static const struct column node[] = {COL("Status"), COL("Roles"), COL("Age"), COL("Version"),
	WIDE("Internal-IP"), WIDE("External-IP"), WIDE("OS-Image"), WIDE("Kernel-Version"),
	WIDE("Container-Runtime"), {0}};
static const struct column job[] = {COL("Status"), COL("Completions"), COL("Duration"), COL("Age"),
	WIDE("Containers"), WIDE("Images"), WIDE("Selector"), {0}};
static const struct column event[] = {COL("Last Seen"), COL("Type"), COL("Reason"), COL("Object"),
	WIDE("Subobject"), WIDE("Source"), COL("Message"), WIDE("First Seen"), WIDE("Count"),
	WIDE("Name"), {0}};
static const struct column deployment[] = {
	COL("Ready"), COL("Up-to-date"), COL("Available"), COL("Age"), {0}};
static const struct column namespace[] = {PATH("Status", "status.phase"), AGE, {0}};
static const struct column jobset[] = {PATH("TerminalState", "status.terminalState"),
	PATH("Restarts", "status.restarts"), PATH("Completed", "@Completed"),
	PATH("Suspended", "spec.suspend"), AGE, {0}};
static const struct column workload[] = {PATH("Queue", "spec.queueName"),
	PATH("Reserved in", "status.admission.clusterQueue"), PATH("Admitted", "@Admitted"),
	PATH("Finished", "@Finished"), AGE, {0}};
static const struct column local_queue[] = {PATH("ClusterQueue", "spec.clusterQueue"),
	PATH("Pending Workloads", "status.pendingWorkloads"),
	PATH("Admitted Workloads", "status.admittedWorkloads"), {0}};
static const struct column cluster_queue[] = {PATH("Cohort", "spec.cohortName"),
	PATH_W("Strategy", "spec.queueingStrategy"),
	PATH("Pending Workloads", "status.pendingWorkloads"),
	PATH_W("Admitted Workloads", "status.admittedWorkloads"), {0}};
static const struct column crd[] = {PATH("Created At", "metadata.creationTimestamp"), {0}};

static const struct table tables[] = {
	{.key = KUBE_PODS, .columns = pod, .row = kube_row_pod},
	{.key = KUBE_NODES, .columns = node, .row = kube_row_node},
	{.key = KUBE_JOBS, .columns = job, .row = kube_row_job},
	{.key = KUBE_EVENTS, .columns = event, .row = kube_row_event, .no_name = true},
	{.key = "deployments.apps", .columns = deployment, .row = kube_row_deployment},
	{.key = "namespaces", .columns = namespace},
	{.key = KUBE_JOBSETS, .columns = jobset},
	{.key = KUBE_WORKLOADS, .columns = workload},
	{.key = KUBE_QUEUES, .columns = local_queue},
	{.key = "clusterqueues.kueue.x-k8s.io", .columns = cluster_queue},
	{.key = "customresourcedefinitions.apiextensions.k8s.io", .columns = crd},
};
static const struct table other = {.columns = dflt};

static const struct table *table_of(const char *key)
{
	for (size_t i = 0; i < COUNT(tables); i++) {
		if (!strcmp(tables[i].key, key))
			return &tables[i];
	}
	return &other;
}

static json_t *definition(const char *name, int wide)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:i}", "name", name, "type", "string", "format",
		!strcmp(name, "Name") ? "name" : "", "description", name, "priority", wide);
}

static json_t *definitions(const struct table *t)
{
	json_t *list = json_array();

	if (!t->no_name)
		json_array_append_new(list, definition("Name", 0));
	for (const struct column *c = t->columns; c->name; c++)
		json_array_append_new(list, definition(c->name, c->wide));
	return list;
}

json_t *kube_cell_age(const struct kube *k, const char *time)
{
	char text[TIME_SIZE];
	int64_t at = time_parse_ms(time);

	if (at == TIME_NONE)
		return json_string("<unknown>");
	return json_string(time_format_age(kube_now(k) - at, text));
}

static json_t *cell(const struct kube *k, const struct column *c, const json_t *o)
{
	json_t *v;

	if (c->age)
		return kube_cell_age(k, json_path_str(o, c->path));
	if (c->path[0] == '@')
		return json_string(kube_condition(o, c->path + 1));
	v = json_path(o, c->path);
	if (json_is_boolean(v))
		return json_string(json_is_true(v) ? "true" : "false");
	return v ? json_incref(v) : json_string("");
}

/* What goes beside the cells: as includeObject says. */
static json_t *row_object(const struct kube_call *c, json_t *o)
{
	const char *include = c->req ? req_query(c->req, "includeObject") : NULL;

	if (include && !strcmp(include, "Object"))
		return json_incref(o);
	if (include && !strcmp(include, "None"))
		return json_null();
	return json_pack("{s:s, s:s, s:O?}", "kind", "PartialObjectMetadata", "apiVersion",
		"meta.k8s.io/v1", "metadata", json_object_get(o, "metadata"));
}

static json_t *row(const struct kube_call *c, const struct table *t, json_t *o)
{
	json_t *cells = json_array();

	if (!t->no_name)
		json_array_append_new(cells, json_string(kstore_name(o)));
	if (t->row)
		t->row(c->k, o, cells);
	else
		for (const struct column *col = t->columns; col->name; col++)
			json_array_append_new(cells, cell(c->k, col, o));
	return json_pack("{s:o, s:o}", "cells", cells, "object", row_object(c, o));
}

json_t *kube_table(struct kube_call *c, json_t *items, bool columns)
{
	const struct table *t = table_of(c->type->key);
	json_t *rows = json_array(), *o;
	size_t i;

	json_array_foreach(items, i, o) json_array_append_new(rows, row(c, t, o));
	return json_pack("{s:s, s:s, s:{s:O?}, s:o, s:o}", "kind", "Table", "apiVersion",
		"meta.k8s.io/v1", "metadata", "resourceVersion",
		json_path(json_array_get(items, 0), "metadata.resourceVersion"),
		"columnDefinitions", columns ? definitions(t) : json_null(), "rows", rows);
}
