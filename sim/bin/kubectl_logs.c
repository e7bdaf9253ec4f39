/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/bin/kubectl.h"
#include "sim/bin/tool.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct log_source {
	char *pod, *container;
};

struct sources {
	struct log_source *items;
	size_t n, cap;
};

static bool print_line(void *arg, const char *line)
{
	(void)arg;
	puts(line);
	return fflush(stdout) == 0;
}

static int stream(
	struct kapi *k, const struct args *a, const struct log_source *s, bool by_selector)
{
	const char *tail = args_get(a, "tail");
	long status;
	AUTO_FREE char *since =
		args_get(a, "since-time") ? web_escape(args_get(a, "since-time")) : NULL;
	AUTO(buf_fini) struct buf path = {0};
	buf_addf(&path, "/api/v1/namespaces/%s/pods/%s/log?container=%s", k->namespace, s->pod,
		s->container);
	if (args_has(a, "follow"))
		buf_adds(&path, "&follow=true");
	if (args_has(a, "timestamps"))
		buf_adds(&path, "&timestamps=true");
	if (tail ? strcmp(tail, "-1") != 0 : by_selector)
		buf_addf(&path, "&tailLines=%s", tail ? tail : "10");
	if (since)
		buf_addf(&path, "&sinceTime=%s", since);
	if (!kapi_stream(k, buf_str(&path), print_line, NULL, &status))
		return 0;
	warn("Error from server (%s): %s", status == 404 ? "NotFound" : "BadRequest", k->why);
	return 1;
}

static void add(struct sources *s, const char *pod, const char *container)
{
	struct log_source *one = VEC_PUSH(s);
	one->pod = x_strdup(pod);
	one->container = x_strdup(container);
}

static void add_pod(struct sources *s, const json_t *pod, const struct args *a)
{
	static const char *const lists[] = {"spec.initContainers", "spec.containers"};
	const char *name = tool_str(pod, "metadata.name"), *wanted = args_get(a, "container");
	size_t i;
	json_t *c;
	if (wanted) {
		add(s, name, wanted);
		return;
	}
	if (!args_has(a, "all-containers")) {
		const char *first = tool_str(pod, "spec.containers[0].name");
		AUTO(buf_fini) struct buf others = {0};
		for (size_t l = COUNT(lists); l-- > 0;) {
			json_array_foreach(json_path(pod, lists[l]), i, c)
			{
				buf_addf(&others, "%s%s%s", others.len ? ", " : "",
					tool_str(c, "name"), l ? "" : " (init)");
			}
		}
		if (strchr(buf_str(&others), ','))
			warn("Defaulted container \"%s\" out of: %s", first, buf_str(&others));
		add(s, name, first);
		return;
	}
	for (size_t l = 0; l < COUNT(lists); l++) {
		json_array_foreach(json_path(pod, lists[l]), i, c)
		{
			add(s, name, tool_str(c, "name"));
		}
	}
}

/* Followers run side by side, one process each. */
static int follow_all(
	struct kapi *k, const struct args *a, const struct sources *s, bool by_selector)
{
	int rc = 0, status;
	fflush(stdout);
	for (size_t i = 0; i < s->n; i++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(stream(k, a, &s->items[i], by_selector) || fflush(stdout) ? 1 : 0);
	}
	for (size_t i = 0; i < s->n; i++) {
		while (wait(&status) < 0 && errno == EINTR)
			;
		rc |= WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	}
	return rc;
}

static int run_sources(
	struct kapi *k, const struct args *a, const struct sources *s, bool by_selector)
{
	const char *max = args_get(a, "max-log-requests");
	int64_t limit = 5;
	int rc = 0;
	if (max)
		text_to_i64(max, 1, 1000, &limit);
	if (args_has(a, "follow") && s->n > (size_t)limit) {
		warn("error: you are attempting to follow %zu log streams, but maximum allowed "
		     "concurrency is %lld, use "
		     "--max-log-requests to increase the limit",
			s->n, (long long)limit);
		return 1;
	}
	if (args_has(a, "follow") && s->n > 1)
		return follow_all(k, a, s, by_selector);
	for (size_t i = 0; i < s->n && !rc; i++)
		rc = stream(k, a, &s->items[i], by_selector);
	return rc;
}

int kubectl_logs(struct kapi *k, const struct args *a)
{
	const char *selector = args_get(a, "selector");
	const char *name = a->words.n > 1 ? a->words.items[1] : NULL;
	struct sources s = {0};
	long status;
	size_t i;
	json_t *pod;
	if (!selector && !name) {
		warn("error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or "
		     "TYPE/NAME is a required "
		     "argument for the logs command\nSee 'kubectl logs -h' for help and examples");
		return 1;
	}
	AUTO_FREE char *path = kubectl_path(
		kubectl_kind("pods"), k->namespace, selector ? NULL : tool_tail(name), selector);
	json_t *j = kapi_call(k, "GET", path, NULL, &status);
	if (!j || status >= 300) {
		kubectl_failed(k, j, status);
		json_decref(j);
		return 1;
	}
	if (selector) {
		json_array_foreach(json_path(j, "items"), i, pod)
		{
			add_pod(&s, pod, a);
		}
	} else {
		add_pod(&s, j, a);
	}
	json_decref(j);
	if (!s.n)
		warn("No resources found in %s namespace.", k->namespace);
	int rc = run_sources(k, a, &s, selector != NULL);
	for (i = 0; i < s.n; i++) {
		free(s.items[i].pod);
		free(s.items[i].container);
	}
	free(s.items);
	return rc;
}
