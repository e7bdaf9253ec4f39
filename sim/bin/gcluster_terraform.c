/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "sim/bin/gcluster.h"
#include "sim/bin/tool.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct apply {
	const char *root;
	FILE *json;        /* the event file, or NULL for text */
	json_t *resources; /* what the state holds */
	json_t *errors;    /* diagnostics, told at the end */
	int64_t serial;
	bool destroying, ended, ok, halted;
};

struct word {
	const char *action;
	const char *start, *still, *complete;
};

static const struct word words[] = {
	{"create", "Creating...", "Still creating...", "Creation complete after"},
	{"read", "Reading...", "Still reading...", "Read complete after"},
	{"update", "Modifying...", "Still modifying...", "Modifications complete after"},
	{"delete", "Destroying...", "Still destroying...", "Destruction complete after"},
};

static const struct word *word_of(const char *action)
{
	for (size_t i = 0; i < COUNT(words); i++)
		if (!strcmp(words[i].action, action))
			return &words[i];
	return &words[0];
}

/* "00m10s", "01h02m03s" as terraform 1.12 counts while it waits. */
static char *waited(int64_t s)
{
	if (s >= 3600)
		return x_asprintf("%02lldh%02lldm%02llds", (long long)(s / 3600),
			(long long)(s / 60 % 60), (long long)(s % 60));
	return x_asprintf("%02lldm%02llds", (long long)(s / 60), (long long)(s % 60));
}

static char *took(int64_t s)
{
	char text[TIME_SIZE];
	return x_strdup(time_format_duration(s * 1000, text));
}

static char *message_of(const json_t *e)
{
	const char *event = tool_str(e, "event"), *address = tool_str(e, "resource");
	const struct word *w = word_of(tool_str(e, "action"));
	int64_t s = json_path_i64(e, "elapsed_s", 0);
	const char *id = tool_str(e, "id");
	AUTO_FREE char *with_id = *id ? x_asprintf(" [id=%s]", id) : x_strdup("");
	if (!strcmp(event, "start"))
		return x_asprintf(
			"%s: %s%s", address, w->start, !strcmp(w->action, "create") ? "" : with_id);
	if (!strcmp(event, "progress")) {
		AUTO_FREE char *t = waited(s);
		return x_asprintf("%s: %s [%s%s elapsed]", address, w->still,
			!strcmp(w->action, "create") ? "" : "", t);
	}
	if (!strcmp(event, "complete")) {
		AUTO_FREE char *t = took(s);
		return x_asprintf("%s: %s %s%s", address, w->complete, t, with_id);
	}
	return x_asprintf("%s: %s errored after %llds", address, w->action, (long long)s);
}

static void emit(struct apply *a, const char *level, const char *type, const char *message,
	const char *key, json_t *value)
{
	char stamp[TIME_SIZE];
	json_t *j = json_pack("{s:s,s:s,s:s,s:s,s:s}", "@level", level, "@message", message,
		"@module", "terraform.ui", "@timestamp", time_format_ms(clock_now(), stamp), "type",
		type);
	json_object_set_new(j, key, value);
	AUTO_FREE char *text = json_dumps(j, JSON_COMPACT);
	json_decref(j);
	fprintf(a->json, "%s\n", text);
	fflush(a->json);
}

/* The "hook" member of an apply event. */
static json_t *hook_of(const json_t *e)
{
	const char *address = tool_str(e, "resource"), *type = tool_str(e, "type");
	const char *at = *type ? strstr(address, type) : NULL;
	AUTO_FREE char *module =
		at && at > address ? x_strndup(address, (size_t)(at - address - 1)) : x_strdup("");
	const char *name = at ? at + strlen(type) + (at[strlen(type)] == '.') : address;
	AUTO_FREE char *bare = x_strndup(name, strcspn(name, "["));
	AUTO_FREE char *provider = x_strndup(type, strcspn(type, "_"));
	json_t *resource = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:n}", "addr", address, "module",
		module, "resource", at ? at : address, "implied_provider", provider,
		"resource_type", type, "resource_name", bare, "resource_key");
	json_t *hook =
		json_pack("{s:o,s:s}", "resource", resource, "action", tool_str(e, "action"));
	if (strcmp(tool_str(e, "event"), "start") != 0)
		json_object_set_new(
			hook, "elapsed_seconds", json_integer(json_path_i64(e, "elapsed_s", 0)));
	if (!strcmp(tool_str(e, "event"), "complete")) {
		json_object_set_new(hook, "id_key", json_string("id"));
		json_object_set_new(hook, "id_value", json_string(tool_str(e, "id")));
	}
	return hook;
}

static void remember(struct apply *a, const json_t *e)
{
	const char *address = tool_str(e, "resource");
	if (!strcmp(tool_str(e, "action"), "read"))
		return;
	for (size_t i = json_array_size(a->resources); i-- > 0;)
		if (!strcmp(tool_str(json_array_get(a->resources, i), "address"), address))
			json_array_remove(a->resources, i);
	if (strcmp(tool_str(e, "action"), "delete") != 0)
		json_array_append_new(
			a->resources, json_pack("{s:s,s:s,s:s}", "address", address, "type",
					      tool_str(e, "type"), "id", tool_str(e, "id")));
	gcluster_write_state(a->root, a->resources, ++a->serial);
}

static void tell(struct apply *a, const json_t *e, const char *type)
{
	AUTO_FREE char *text = message_of(e);
	if (a->json) {
		emit(a, "info", type, text, "hook", hook_of(e));
	} else {
		AUTO_FREE char *stamp = tool_stamp();
		say("%s %s", stamp, text);
	}
}

static void tell_summary(struct apply *a, const char *operation, const json_t *e, bool planned)
{
	long long add = json_path_i64(e, planned ? "add" : "added", 0);
	long long change = json_path_i64(e, planned ? "change" : "changed", 0);
	long long gone = json_path_i64(e, planned ? "destroy" : "destroyed", 0);
	AUTO_FREE char *text =
		planned ? x_asprintf("Plan: %lld to add, %lld to change, %lld to destroy.", add,
				  change, gone)
		: a->destroying ? x_asprintf("Destroy complete! Resources: %lld destroyed.", gone)
				: x_asprintf("Apply complete! Resources: %lld added, %lld changed, "
					     "%lld destroyed.",
					  add, change, gone);
	if (a->json) {
		emit(a, "info", "change_summary", text, "changes",
			json_pack("{s:I,s:I,s:i,s:I,s:s}", "add", (json_int_t)add, "change",
				(json_int_t)change, "import", 0, "remove", (json_int_t)gone,
				"operation", operation));
	} else if (!planned) {
		AUTO_FREE char *stamp = tool_stamp();
		say("%s %s", stamp, text);
	}
}

static void keep_error(struct apply *a, const json_t *e)
{
	AUTO_FREE char *summary = x_strdup(tool_str(e, "summary"));
	const char *bare = text_starts(summary, "Error: ") ? summary + 7 : summary;
	json_t *d = json_pack("{s:s,s:s,s:s,s:s}", "severity", "error", "summary", bare, "detail",
		tool_str(e, "detail"), "address", tool_str(e, "resource"));
	AUTO_FREE char *text = x_asprintf("Error: %s", bare);
	if (a->json)
		emit(a, "error", "diagnostic", text, "diagnostic", json_incref(d));
	json_array_append_new(a->errors, d);
}

/* --- told to stop: terraform 1.12 with one SIGINT, and with a second one */

static volatile sig_atomic_t interrupts;

static void on_interrupt(int signo)
{
	(void)signo;
	interrupts++;
}

static void heed_interrupts(struct apply *a)
{
	AUTO_FREE char *url = x_asprintf("%s/sim/v1/interrupt", tool_sim());
	AUTO(web_reply_fini) struct web_reply reply = {0};
	struct web_call call = {
		.method = "POST", .url = url, .content_type = "application/json", .body = "{}"};
	if (interrupts > 1) {
		warn("\nTwo interrupts received. Exiting immediately. Note that data loss may have "
		     "occurred.");
		_exit(1);
	}
	if (!interrupts || a->halted)
		return;
	a->halted = true;
	warn("\nInterrupt received.\nPlease wait for Terraform to exit or data loss may occur.\n"
	     "Gracefully shutting down...\n");
	(void)web_do(&call, &reply);
}

static bool take_event(void *arg, const char *line)
{
	static const char *const types[][2] = {{"start", "apply_start"},
		{"progress", "apply_progress"}, {"complete", "apply_complete"},
		{"error", "apply_errored"}};
	struct apply *a = arg;
	json_t *e = json_parse(line, strlen(line), NULL);
	const char *event = tool_str(e, "event");
	heed_interrupts(a);
	for (size_t i = 0; i < COUNT(types); i++)
		if (!strcmp(event, types[i][0]) && (a->json || i != 3))
			tell(a, e, types[i][1]);
	if (!strcmp(event, "planned"))
		tell_summary(a, "plan", e, true);
	if (!strcmp(event, "complete") || !strcmp(event, "made"))
		remember(a, e);
	if (!strcmp(event, "error") || !strcmp(event, "diagnostic"))
		keep_error(a, e);
	if (!strcmp(event, "end")) {
		a->ended = true;
		a->ok = json_path_bool(e, "ok", false);
		if (a->ok)
			tell_summary(a, a->destroying ? "destroy" : "apply", e, false);
	}
	json_decref(e);
	return true;
}

static void load_state(struct apply *a)
{
	AUTO_FREE char *file = x_asprintf("%s/primary/terraform.tfstate", a->root);
	json_t *state = tool_read_json(file), *r;
	size_t i;
	a->serial = json_path_i64(state, "serial", 0);
	json_array_foreach(json_path(state, "resources"), i, r)
	{
		const char *module = tool_str(r, "module");
		json_t *index = json_path(r, "instances[0].index_key");
		AUTO_FREE char *key = index ? json_dumps(index, JSON_ENCODE_ANY) : NULL;
		AUTO_FREE char *address = x_asprintf("%s%s%s.%s%s%s%s", module, *module ? "." : "",
			tool_str(r, "type"), tool_str(r, "name"), key ? "[" : "", key ? key : "",
			key ? "]" : "");
		json_array_append_new(a->resources,
			json_pack("{s:s,s:s,s:s}", "address", address, "type", tool_str(r, "type"),
				"id", tool_str(r, "instances[0].attributes.id")));
	}
	json_decref(state);
}

/* What to do it with: the values and what the state holds. */
static char *body_with_state(const json_t *body, const json_t *resources)
{
	json_t *all = json_copy((json_t *)(uintptr_t)body), *state = json_array(), *r;
	size_t i;
	json_array_foreach(resources, i, r)
	{
		json_array_append(state, json_object_get(r, "address"));
	}
	json_object_set_new(all, "state", state);
	char *text = json_dumps(all, JSON_COMPACT);
	json_decref(all);
	return text;
}

static void print_errors(const struct apply *a)
{
	size_t i;
	json_t *d;
	json_array_foreach(a->errors, i, d)
	{
		fprintf(stderr, "\nError: %s\n\n  with %s,\n\n%s\n", tool_str(d, "summary"),
			tool_str(d, "address"), tool_str(d, "detail"));
	}
}

static int apply(const char *route, const json_t *body, const char *root, const char *json_file)
{
	struct apply a = {.root = root,
		.resources = json_array(),
		.errors = json_array(),
		.destroying = !strcmp(route, "destroy"),
		.json = json_file ? fopen(json_file, "we") : NULL};
	AUTO_FREE char *url = x_asprintf("%s/sim/v1/%s", tool_sim(), route);
	AUTO_FREE char *text = NULL;
	AUTO(web_reply_fini) struct web_reply reply = {0};
	struct web_call call = {.method = "POST",
		.url = url,
		.content_type = "application/json",
		.on_line = take_event,
		.arg = &a};
	if (json_file && !a.json)
		gcluster_fatal("open %s: it cannot be written", json_file);
	load_state(&a);
	call.body = text = body_with_state(body, a.resources);
	if (a.json)
		emit(&a, "info", "version", "Terraform 1.12.2", "terraform", json_string("1.12.2"));
	int rc = json_file && !a.json ? -1 : web_do(&call, &reply);
	if (!rc && !a.ended)
		gcluster_fatal("terraform: signal: killed");
	if (rc && *reply.why)
		gcluster_fatal("terraform: %s", reply.why);
	print_errors(&a);
	if (a.destroying && a.ok) /* what was gone already has left the state with the refresh */
		json_array_clear(a.resources);
	if (!a.destroying || a.ok)
		gcluster_write_state(root, a.resources, ++a.serial);
	json_decref(a.resources);
	json_decref(a.errors);
	if (a.json)
		fclose(a.json);
	return a.ok ? 0 : 1;
}

/* A process of its own, in a group of its own, that dies with gcluster: as terraform-exec starts
 * it. */
static void become_terraform(pid_t gcluster)
{
	struct sigaction interrupt = {.sa_handler = on_interrupt};
	sigemptyset(&interrupt.sa_mask);
	sigaction(SIGINT, &interrupt, NULL);
	setpgid(0, 0);
	prctl(PR_SET_NAME, "terraform");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != gcluster)
		_exit(1);
}

int gcluster_terraform(
	const char *route, const json_t *body, const char *root, const char *json_file)
{
	pid_t gcluster = getpid(), pid;
	int status = 0;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		become_terraform(gcluster);
		int rc = apply(route, body, root, json_file);
		fflush(NULL);
		_exit(rc);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		;
	if (pid < 0 || !WIFEXITED(status))
		return gcluster_fatal("terraform: signal: killed");
	return WEXITSTATUS(status);
}
