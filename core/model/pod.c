/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/pod.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/time.h"

#define LABEL          "metadata.labels."
#define MAIN_CONTAINER "workload-container"

/* Text from outside: cleaned, never NULL. */
static char *text(const json_t *j, const char *path)
{
	const char *s = json_path_str(j, path);

	return text_clean_dup(s ? s : "");
}

static char *first_text(const json_t *j, const char *const *paths)
{
	for (; *paths; paths++)
		if (json_path_str(j, *paths))
			return text(j, *paths);
	return x_strdup("");
}

static void container_state(struct pod_container *c, const json_t *status)
{
	static const char *const kinds[] = {"running", "terminated", "waiting"};

	AUTO_FREE char *last = text(status, "lastState.terminated.reason");

	(void)snprintf(c->last_reason, sizeof(c->last_reason), "%s", last);
	c->exit_code = -1;
	c->started_ms = c->finished_ms = TIME_NONE;
	c->state = c->reason = c->message = NULL;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const json_t *s = json_object_get(json_path(status, "state"), kinds[i]);

		if (!s)
			continue;
		c->state = x_strdup(kinds[i]);
		c->reason = text(s, "reason");
		c->message = text(s, "message");
		c->started_ms = time_parse_ms(json_path_str(s, "startedAt"));
		c->finished_ms = time_parse_ms(json_path_str(s, "finishedAt"));
		if (!strcmp(kinds[i], "terminated"))
			c->exit_code = (int)json_path_i64(s, "exitCode", 0);
		return;
	}
	c->state = x_strdup("");
	c->reason = x_strdup("");
	c->message = x_strdup("");
}

static const json_t *named(const json_t *array, const char *name)
{
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item)
	{
		const char *s = json_path_str(item, "name");

		if (s && !strcmp(s, name))
			return item;
	}
	return NULL;
}

/* Containers of the spec in their order, with their status if there is one. */
static void add_containers(struct pod *p, const json_t *object, bool init)
{
	const json_t *spec = json_path(object, init ? "spec.initContainers" : "spec.containers");
	const json_t *status = json_path(
		object, init ? "status.initContainerStatuses" : "status.containerStatuses");
	const json_t *item;
	size_t i;

	json_array_foreach(spec, i, item)
	{
		struct pod_container *c;
		const char *name = json_path_str_or(item, "name", "");
		const json_t *st = named(status, name);
		const char *policy = json_path_str_or(item, "restartPolicy", "");

		p->containers = vec_grow(p->containers, p->n, &p->cap, sizeof(*p->containers));
		c = &p->containers[p->n++];
		c->name = text_clean_dup(name);
		c->init = init;
		c->sidecar = init && !strcmp(policy, "Always");
		c->ready = json_path_bool(st, "ready", false);
		c->started = json_path_bool(st, "started", false);
		c->restarts = (int)json_path_i64(st, "restartCount", 0);
		container_state(c, st);
	}
}

static const json_t *condition(const json_t *object, const char *type)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_path(object, "status.conditions"), i, item)
	{
		if (!strcmp(json_path_str_or(item, "type", ""), type))
			return item;
	}
	return NULL;
}

static void set(char **field, char *value)
{
	free(*field);
	*field = value;
}

static char *ended_reason(const struct pod_container *c, const char *prefix)
{
	if (c->reason[0])
		return x_asprintf("%s%s", prefix, c->reason);
	return x_asprintf("%sExitCode:%d", prefix, c->exit_code);
}

/* kubectl's STATUS: the first init container that holds the pod up. True when one does. */
static bool init_reason(struct pod *p)
{
	size_t total = 0, at = 0;

	for (size_t i = 0; i < p->n; i++)
		total += p->containers[i].init;
	for (size_t i = 0; i < p->n; i++) {
		const struct pod_container *c = &p->containers[i];

		if (!c->init)
			continue;
		at++;
		if (c->exit_code == 0 || (c->sidecar && c->started))
			continue;
		if (c->exit_code > 0)
			set(&p->reason, ended_reason(c, "Init:"));
		else if (!strcmp(c->state, "waiting") && c->reason[0] &&
			 strcmp(c->reason, "PodInitializing"))
			set(&p->reason, x_asprintf("Init:%s", c->reason));
		else
			set(&p->reason, x_asprintf("Init:%zu/%zu", at - 1, total));
		if (c->message[0])
			set(&p->message, x_strdup(c->message));
		return true;
	}
	return false;
}

static void main_reason(struct pod *p)
{
	bool running = false;

	for (size_t i = p->n; i-- > 0;) {
		const struct pod_container *c = &p->containers[i];

		if (c->init)
			continue;
		if (!strcmp(c->state, "waiting") && c->reason[0])
			set(&p->reason, x_strdup(c->reason));
		else if (!strcmp(c->state, "terminated"))
			set(&p->reason, ended_reason(c, ""));
		running |= c->ready && !strcmp(c->state, "running");
		if (c->message[0])
			set(&p->message, x_strdup(c->message));
	}
	if (running && !strcmp(p->reason, "Completed"))
		set(&p->reason, x_strdup(p->is_ready ? "Running" : "NotReady"));
}

static void find_reason(struct pod *p, const json_t *object)
{
	const json_t *scheduled = condition(object, "PodScheduled");
	const char *own = json_path_str(object, "status.reason");

	p->reason = text_clean_dup(own && *own ? own : p->phase);
	p->message = text(object, "status.message");
	if (scheduled && !strcmp(json_path_str_or(scheduled, "status", ""), "False")) {
		const char *why = json_path_str_or(scheduled, "reason", "");

		if (!strcmp(why, "SchedulingGated"))
			set(&p->reason, x_strdup(why));
		set(&p->message, text(scheduled, "message"));
	}
	if (!init_reason(p))
		main_reason(p);
	if (p->deleting)
		set(&p->reason,
			x_strdup(own && !strcmp(own, "NodeLost") ? "Unknown" : "Terminating"));
}

static void count(struct pod *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct pod_container *c = &p->containers[i];

		if (!c->init || c->sidecar) {
			p->want++;
			p->ready += c->ready;
		}
		if (!c->init || c->sidecar || c->restarts)
			p->restarts += c->restarts;
	}
}

static void add_strings(struct buf *b, const json_t *array)
{
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item)
	{
		const char *s = json_string_value(item);

		if (s)
			buf_addf(b, "%s%s", b->len ? " " : "", s);
	}
}

/* The container that does the work: by its usual name, else the first. */
static void find_main(struct pod *p, const json_t *object)
{
	const json_t *containers = json_path(object, "spec.containers");
	const json_t *main = named(containers, MAIN_CONTAINER);
	AUTO(buf_fini) struct buf b = {0};
	const struct pod_container *c;

	if (!main)
		main = json_array_get(containers, 0);
	p->main_container = text(main, "name");
	add_strings(&b, json_path(main, "command"));
	add_strings(&b, json_path(main, "args"));
	p->args = redact_dup(buf_str(&b));
	c = pod_container_find(p, p->main_container);
	p->exit_code = c ? c->exit_code : -1;
}

bool pod_decode(struct pod *p, const json_t *object)
{
	AUTO_FREE char *name = text(object, "metadata.name");
	static const char *const index_paths[] = {LABEL
		"'batch.kubernetes.io/job-completion-index'",
		"metadata.annotations.'batch.kubernetes.io/job-completion-index'", NULL};
	static const char *const job_paths[] = {
		LABEL "'batch.kubernetes.io/job-name'", LABEL "job-name", NULL};
	const json_t *ready = condition(object, "Ready");

	*p = (struct pod){.exit_code = -1};
	if (!*name)
		return false;
	p->name = x_strdup(name);
	p->ns = text(object, "metadata.namespace");
	p->uid = text(object, "metadata.uid");
	p->resource_version = text(object, "metadata.resourceVersion");
	p->node = text(object, "spec.nodeName");
	p->phase = text(object, "status.phase");
	p->jobset = text(object, LABEL "'jobset.sigs.k8s.io/jobset-name'");
	p->role = text(object, LABEL "'jobset.sigs.k8s.io/replicatedjob-name'");
	p->job = first_text(object, job_paths);
	p->index = first_text(object, index_paths);
	p->attempt = (int)json_path_i64(object, LABEL "'jobset.sigs.k8s.io/restart-attempt'", 0);
	p->created_ms = time_parse_ms(json_path_str(object, "metadata.creationTimestamp"));
	p->started_ms = time_parse_ms(json_path_str(object, "status.startTime"));
	p->deleting = json_path_str(object, "metadata.deletionTimestamp") != NULL;
	p->is_ready = ready && !strcmp(json_path_str_or(ready, "status", ""), "True");
	add_containers(p, object, true);
	add_containers(p, object, false);
	find_main(p, object);
	find_reason(p, object);
	count(p);
	return true;
}

void pod_fini(struct pod *p)
{
	char *all[] = {p->name, p->ns, p->uid, p->resource_version, p->node, p->phase, p->reason,
		p->message, p->jobset, p->role, p->job, p->index, p->main_container, p->args};

	for (size_t i = 0; i < p->n; i++) {
		free(p->containers[i].name);
		free(p->containers[i].state);
		free(p->containers[i].reason);
		free(p->containers[i].message);
	}
	free(p->containers);
	for (size_t i = 0; i < COUNT(all); i++)
		free(all[i]);
	*p = (struct pod){0};
}

const struct pod_container *pod_container_find(const struct pod *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->containers[i].name, name))
			return &p->containers[i];
	return NULL;
}

char *pod_label(const struct pod *p)
{
	if (!p->role[0] || !p->index[0])
		return x_strdup(p->name);
	return x_asprintf("%s/%s", p->role, p->index);
}

static int role_rank(const char *role)
{
	static const char *const order[] = {"pathways-head", "main-job", "worker"};

	for (size_t i = 0; i < COUNT(order); i++)
		if (!strcmp(role, order[i]))
			return (int)i;
	return role[0] ? (int)COUNT(order) : (int)COUNT(order) + 1;
}

int pod_cmp(const struct pod *a, const struct pod *b)
{
	int ra = role_rank(a->role), rb = role_rank(b->role);
	int c = strcmp(a->role, b->role);
	int64_t ia = -1, ib = -1;

	if (ra != rb)
		return ra < rb ? -1 : 1;
	if (c)
		return c;
	if (a->attempt != b->attempt)
		return a->attempt < b->attempt ? -1 : 1;
	text_to_i64(a->index, 0, INT32_MAX, &ia);
	text_to_i64(b->index, 0, INT32_MAX, &ib);
	if (ia != ib)
		return ia < ib ? -1 : 1;
	return strcmp(a->name, b->name);
}
