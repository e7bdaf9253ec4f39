/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/bin/kubectl.h"
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/bin/tool.h"
#include "sim/bin/yml.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct arg_flag common[] = {
	{"namespace", 'n', true},
	{"context", 0, true},
	{"kubeconfig", 0, true},
	{"selector", 'l', true},
	{"output", 'o', true},
	{"all-namespaces", 'A', false},
	{"request-timeout", 0, true},
	{0},
};

static const struct kubectl_kind kinds[] = {
	{"pods", "pod", "po", "/api/v1", "pods", true},
	{"nodes", "node", "no", "/api/v1", "nodes", false},
	{"events", "event", "ev", "/api/v1", "events", true},
	{"namespaces", "namespace", "ns", "/api/v1", "namespaces", false},
	{"jobs", "job", "jobs.batch", "/apis/batch/v1", "jobs.batch", true},
	{"jobsets", "jobset", "jobsets.jobset.x-k8s.io", "/apis/jobset.x-k8s.io/v1alpha2",
		"jobsets.jobset.x-k8s.io", true},
	{"workloads", "workload", "wl", "/apis/kueue.x-k8s.io/v1beta2", "workloads.kueue.x-k8s.io",
		true},
	{"localqueues", "localqueue", "queue", "/apis/kueue.x-k8s.io/v1beta2",
		"localqueues.kueue.x-k8s.io", true},
};

const struct kubectl_kind *kubectl_kind(const char *word)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (!strcmp(word, kinds[i].plural) || !strcmp(word, kinds[i].singular) ||
			!strcmp(word, kinds[i].brief) || !strcmp(word, kinds[i].full))
			return &kinds[i];
	warn("error: the server doesn't have a resource type \"%s\"", word);
	return NULL;
}

char *kubectl_label(const struct kubectl_kind *k)
{
	const char *group = strchr(k->full, '.');
	return x_asprintf("%s%s", k->singular, group ? group : "");
}

char *kubectl_path(
	const struct kubectl_kind *k, const char *ns, const char *name, const char *selector)
{
	AUTO_FREE char *escaped = selector ? web_escape(selector) : NULL;
	AUTO_FREE char *where =
		k->namespaced && *ns ? x_asprintf("/namespaces/%s", ns) : x_strdup("");
	return x_asprintf("%s%s/%s%s%s?%s%s", k->root, where, k->plural, name ? "/" : "",
		name ? name : "", escaped ? "labelSelector=" : "", escaped ? escaped : "");
}

int kubectl_failed(const struct kapi *k, const json_t *j, long status)
{
	const char *reason = tool_str(j, "reason"), *message = tool_str(j, "message");
	if (!j || status == 0)
		warn("%s", k->why);
	else if (status == 401)
		warn("error: You must be logged in to the server (%s)",
			*message ? message : "Unauthorized");
	else
		warn("Error from server (%s): %s", *reason ? reason : "InternalError", message);
	return 1;
}

static int version(const struct args *a)
{
	const char *o = args_get(a, "output");
	if (o && !strcmp(o, "json"))
		say("{\n  \"clientVersion\": {\n    \"major\": \"1\",\n    \"minor\": \"33\",\n"
		    "    \"gitVersion\": \"v1.33.5\",\n    \"gitTreeState\": \"clean\",\n"
		    "    \"goVersion\": \"go1.24.6\",\n    \"compiler\": \"gc\",\n"
		    "    \"platform\": \"linux/amd64\"\n  },\n  \"kustomizeVersion\": "
		    "\"v5.6.0\"\n}");
	else
		say("Client Version: v1.33.5\nKustomize Version: v5.6.0");
	return 0;
}

/* "pod/name", "pod name" or "pod": the kind and, if given, the name. */
static const struct kubectl_kind *target(const struct args *a, char **name)
{
	if (a->words.n < 2) {
		warn("error: You must specify the type of resource. Use \"kubectl api-resources\" "
		     "for a complete list of "
		     "supported resources.");
		return NULL;
	}
	const char *word = a->words.items[1], *slash = strchr(word, '/');
	AUTO_FREE char *kind = x_strndup(word, slash ? (size_t)(slash - word) : strlen(word));
	*name = slash ? x_strdup(slash + 1) : a->words.n > 2 ? x_strdup(a->words.items[2]) : NULL;
	return kubectl_kind(kind);
}

static int get_one_kind(struct kapi *k, const struct kubectl_kind *kind, const struct args *a,
	const char *name, bool titled)
{
	const char *o = args_get(a, "output");
	long status;
	AUTO_FREE char *path = kubectl_path(kind, args_has(a, "all-namespaces") ? "" : k->namespace,
		name, args_get(a, "selector"));
	json_t *j = kapi_call(k, "GET", path, NULL, &status);
	int rc = 0;
	if (!j || status >= 300) {
		rc = kubectl_failed(k, j, status);
	} else if (o && !strcmp(o, "json")) {
		char *text = json_dumps(j, JSON_INDENT(4));
		puts(text);
		free(text);
	} else if (o && !strcmp(o, "yaml")) {
		AUTO(buf_fini) struct buf b = {0};
		yml_write(&b, j);
		fputs(buf_str(&b), stdout);
	} else {
		kubectl_table(kind, j, k->namespace, o && !strcmp(o, "name"), titled);
	}
	json_decref(j);
	return rc;
}

static int get(struct kapi *k, const struct args *a)
{
	AUTO_FREE char *name = NULL;
	if (a->words.n == 2 && strchr(a->words.items[1], ',')) {
		struct strvec list = {0};
		int rc = 0;
		strvec_split(&list, a->words.items[1], ",");
		for (size_t i = 0; i < list.n; i++) {
			const struct kubectl_kind *kind = kubectl_kind(list.items[i]);
			if (i)
				puts("");
			rc = kind ? rc | get_one_kind(k, kind, a, NULL, true) : 1;
		}
		strvec_fini(&list);
		return rc;
	}
	const struct kubectl_kind *kind = target(a, &name);
	return kind ? get_one_kind(k, kind, a, name, false) : 1;
}

static int del(struct kapi *k, const struct args *a)
{
	AUTO_FREE char *name = NULL;
	long status;
	const struct kubectl_kind *kind = target(a, &name);
	if (!kind || !name) {
		if (kind)
			warn("error: resource(s) were provided, but no name was specified");
		return 1;
	}
	AUTO_FREE char *path = kubectl_path(kind, k->namespace, name, NULL);
	json_t *body = json_pack("{s:s,s:s,s:s}", "kind", "DeleteOptions", "apiVersion", "v1",
		"propagationPolicy",
		strcmp(args_get(a, "cascade") ? args_get(a, "cascade") : "", "foreground") == 0
			? "Foreground"
			: "Background");
	int64_t grace = args_has(a, "now") ? 1 : args_has(a, "force") ? 0 : -1;
	if (args_get(a, "grace-period"))
		text_to_i64(args_get(a, "grace-period"), -1, 86400, &grace);
	if (grace >= 0)
		json_object_set_new(body, "gracePeriodSeconds", json_integer(grace));
	json_t *j = kapi_call(k, "DELETE", path, body, &status);
	json_decref(body);
	int rc = !j || status >= 300 ? kubectl_failed(k, j, status) : 0;
	AUTO_FREE char *label = kubectl_label(kind);
	if (!rc)
		say("%s \"%s\" deleted", label, name);
	json_decref(j);
	return rc;
}

struct waiting {
	const char *type;
	const char *value;
	struct strvec open; /* names whose condition is not met yet */
	const struct kubectl_kind *kind;
};

static bool has_condition(const json_t *o, const char *type, const char *value)
{
	size_t i;
	json_t *c;
	json_array_foreach(json_path(o, "status.conditions"), i, c)
	{
		if (!strcasecmp(tool_str(c, "type"), type))
			return !strcasecmp(tool_str(c, "status"), value);
	}
	return false;
}

static void look(struct waiting *w, const json_t *o)
{
	const char *name = tool_str(o, "metadata.name");
	long at = strvec_find(&w->open, name);
	if (at < 0 || !has_condition(o, w->type, w->value))
		return;
	AUTO_FREE char *label = kubectl_label(w->kind);
	say("%s/%s condition met", label, name);
	free(w->open.items[at]);
	w->open.items[at] = w->open.items[--w->open.n];
	w->open.items[w->open.n] = NULL;
}

static bool watched(void *arg, const char *line)
{
	struct waiting *w = arg;
	json_t *j = json_parse(line, strlen(line), NULL);
	if (j)
		look(w, json_path(j, "object"));
	json_decref(j);
	return w->open.n > 0;
}

static int64_t seconds(const char *s)
{
	char *end;
	double v = strtod(s ? s : "30s", &end);
	return (int64_t)(v * (*end == 'h' ? 3600 : *end == 'm' ? 60 : 1));
}

static int wait_for(struct kapi *k, const struct args *a)
{
	AUTO_FREE char *name = NULL;
	const char *what = args_get(a, "for");
	const struct kubectl_kind *kind = target(a, &name);
	long status;
	size_t i;
	json_t *o;
	if (!kind)
		return 1;
	if (!what || !text_starts(what, "condition=")) {
		warn("error: invalid wait condition: %s", what ? what : "");
		return 1;
	}
	AUTO_FREE char *type = x_strndup(what + 10, strcspn(what + 10, "="));
	const char *eq = strchr(what + 10, '=');
	struct waiting w = {.type = type, .value = eq ? eq + 1 : "True", .kind = kind};
	AUTO_FREE char *field =
		name ? x_asprintf("&fieldSelector=metadata.name%%3D%s", name) : x_strdup("");
	AUTO_FREE char *list_path = kubectl_path(kind, k->namespace, NULL, args_get(a, "selector"));
	AUTO_FREE char *path = x_asprintf("%s%s", list_path, field);
	int64_t end = clock_now() + seconds(args_get(a, "timeout")) * 1000;
	json_t *j = kapi_call(k, "GET", path, NULL, &status);
	if (!j || status >= 300) {
		kubectl_failed(k, j, status);
		json_decref(j);
		return 1;
	}
	json_array_foreach(json_path(j, "items"), i, o)
	{
		if (!name || !strcmp(name, tool_str(o, "metadata.name")))
			strvec_push(&w.open, tool_str(o, "metadata.name"));
	}
	if (!w.open.n) {
		warn(name ? "Error from server (NotFound): %s \"%s\" not found"
			  : "error: no matching resources found",
			kind->full, name);
		json_decref(j);
		return 1;
	}
	json_array_foreach(json_path(j, "items"), i, o)
	{
		look(&w, o);
	}
	AUTO_FREE char *version_text = x_strdup(tool_str(j, "metadata.resourceVersion"));
	json_decref(j);
	while (w.open.n && clock_now() < end) {
		int64_t left = (end - clock_now()) / 1000 + 1;
		AUTO_FREE char *url =
			x_asprintf("%s&watch=1&resourceVersion=%s&timeoutSeconds=%lld", path,
				version_text, (long long)left);
		if (kapi_stream(k, url, watched, &w, &status))
			break;
	}
	for (i = 0; i < w.open.n; i++)
		warn("error: timed out waiting for the condition on %s/%s", kind->plural,
			w.open.items[i]);
	int rc = w.open.n ? 1 : 0;
	strvec_fini(&w.open);
	return rc;
}

static const struct {
	const char *name;
	int (*run)(struct kapi *k, const struct args *a);
	struct arg_flag flags[12];
} commands[] = {
	{"get", get, {{"watch", 'w', false}, {"no-headers", 0, false}, {"sort-by", 0, true}}},
	{"delete", del,
		{{"wait", 0, false}, {"cascade", 0, true}, {"grace-period", 0, true},
			{"force", 0, false}, {"now", 0, false}}},
	{"wait", wait_for, {{"for", 0, true}, {"timeout", 0, true}, {"all", 0, false}}},
	{"logs", kubectl_logs,
		{{"follow", 'f', false}, {"container", 'c', true}, {"all-containers", 0, false},
			{"tail", 0, true}, {"timestamps", 0, false}, {"since", 0, true},
			{"since-time", 0, true}, {"max-log-requests", 0, true},
			{"previous", 'p', false}, {"prefix", 0, false}}},
};

static int run_command(size_t i, int argc, char **argv)
{
	struct args a = {0};
	struct kapi k = {0};
	int rc = 1;
	if (args_parse(&a, commands[i].flags, common, argc - 1, argv + 1)) {
		if (a.bad_value)
			warn("error: flag needs an argument: %s\nSee 'kubectl %s --help' for "
			     "usage.",
				a.bad, commands[i].name);
		else
			warn("error: unknown flag: %s\nSee 'kubectl %s --help' for usage.", a.bad,
				commands[i].name);
	} else {
		if (args_get(&a, "kubeconfig"))
			setenv("KUBECONFIG", args_get(&a, "kubeconfig"), 1);
		if (kapi_open(&k, args_get(&a, "context"))) {
			warn("%s", k.why);
		} else {
			if (args_get(&a, "namespace")) {
				free(k.namespace);
				k.namespace = x_strdup(args_get(&a, "namespace"));
			}
			rc = commands[i].run(&k, &a);
		}
	}
	kapi_fini(&k);
	args_fini(&a);
	return rc;
}

int kubectl_main(int argc, char **argv)
{
	static const struct arg_flag version_flags[] = {{"client", 0, false}, {0}};
	const char *verb = NULL;
	for (int i = 1; i < argc && !verb; i++) {
		if (argv[i][0] != '-')
			verb = argv[i];
		else if (!strchr(argv[i], '='))
			i++;
	}
	if (verb && !strcmp(verb, "version")) {
		struct args a = {0};
		int rc =
			args_parse(&a, version_flags, common, argc - 1, argv + 1) ? 1 : version(&a);
		args_fini(&a);
		return rc;
	}
	for (size_t i = 0; verb && i < COUNT(commands); i++)
		if (!strcmp(commands[i].name, verb))
			return run_command(i, argc, argv);
	warn("error: unknown command \"%s\" for \"kubectl\"", verb ? verb : "");
	return 1;
}
