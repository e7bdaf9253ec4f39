/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/bin/kapi.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/bin/tool.h"
#include "sim/bin/yml.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *kapi_config_file(void)
{
	const char *v = tool_env("KUBECONFIG"), *home = tool_env("HOME");
	return v ? x_strndup(v, strcspn(v, ":")) : x_asprintf("%s/.kube/config", home ? home : "");
}

/* Replaces or appends the entry called name in list. */
static void enter(json_t *list, const char *name, const char *kind, json_t *content)
{
	json_t *entry = json_object();
	if (strcmp(kind, "user") != 0)
		json_object_set_new(entry, kind, content);
	json_object_set_new(entry, "name", json_string(name));
	if (!strcmp(kind, "user"))
		json_object_set_new(entry, kind, content);
	for (size_t i = 0; i < json_array_size(list); i++) {
		if (!strcmp(tool_str(json_array_get(list, i), "name"), name)) {
			json_array_set_new(list, i, entry);
			return;
		}
	}
	json_array_append_new(list, entry);
}

static json_t *list_of(json_t *config, const char *key)
{
	json_t *list = json_object_get(config, key);
	if (!json_is_array(list)) {
		list = json_array();
		json_object_set_new(config, key, list);
	}
	return list;
}

int kapi_save_cluster(const char *project, const json_t *cluster)
{
	AUTO_FREE char *file = kapi_config_file();
	AUTO_FREE char *text = tool_read(file);
	AUTO_FREE char *name = x_asprintf(
		"gke_%s_%s_%s", project, tool_str(cluster, "location"), tool_str(cluster, "name"));
	const char *endpoint = tool_str(cluster, "endpoint");
	AUTO_FREE char *server = text_starts(endpoint, "http") ? x_strdup(endpoint)
							       : x_asprintf("https://%s", endpoint);
	json_t *config = text ? yml_read(text) : NULL;
	if (!json_is_object(config)) {
		json_decref(config);
		config = json_pack("{s:s,s:[],s:[],s:s,s:s,s:{},s:[]}", "apiVersion", "v1",
			"clusters", "contexts", "current-context", "", "kind", "Config",
			"preferences", "users");
	}
	enter(list_of(config, "clusters"), name, "cluster",
		json_pack("{s:s,s:s}", "certificate-authority-data",
			tool_str(cluster, "masterAuth.clusterCaCertificate"), "server", server));
	enter(list_of(config, "contexts"), name, "context",
		json_pack("{s:s,s:s}", "cluster", name, "user", name));
	enter(list_of(config, "users"), name, "user",
		json_pack("{s:{s:s,s:s,s:s,s:b}}", "exec", "apiVersion",
			"client.authentication.k8s.io/v1beta1", "command", "gke-gcloud-auth-plugin",
			"installHint",
			"Install gke-gcloud-auth-plugin for use with kubectl by following "
			"https://cloud.google.com/kubernetes-engine/docs/how-to/"
			"cluster-access-for-kubectl#install_plugin",
			"provideClusterInfo", 1));
	json_object_set_new(config, "current-context", json_string(name));
	AUTO(buf_fini) struct buf out = {0};
	yml_write(&out, config);
	json_decref(config);
	return tool_write(file, buf_str(&out), 0600) ? 1 : 0;
}

static const json_t *named(const json_t *config, const char *list, const char *name)
{
	size_t i;
	json_t *entry;
	json_array_foreach(json_object_get(config, list), i, entry)
	{
		if (!strcmp(tool_str(entry, "name"), name))
			return entry;
	}
	return NULL;
}

static char *decode64(const char *s)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	AUTO(buf_fini) struct buf b = {0};
	unsigned bits = 0, have = 0;
	for (; *s && *s != '='; s++) {
		const char *d = strchr(digits, *s);
		if (!d)
			continue;
		bits = bits << 6 | (unsigned)(d - digits);
		have += 6;
		if (have >= 8) {
			have -= 8;
			buf_addc(&b, (char)(bits >> have & 0xff));
		}
	}
	return x_strdup(buf_str(&b));
}

static int plugin_token(struct kapi *k, const json_t *exec)
{
	AUTO(buf_fini) struct buf out = {0}, err = {0};
	char *argv[16] = {(char *)tool_str(exec, "command")};
	size_t n = 1, i;
	json_t *v;
	json_array_foreach(json_object_get(exec, "args"), i, v)
	{
		if (n + 1 < COUNT(argv))
			argv[n++] = (char *)json_string_value(v);
	}
	int rc = tool_run(argv, &out, &err);
	if (rc < 0) {
		snprintf(k->why, sizeof(k->why),
			"getting credentials: exec: executable %s not found\n\nIt looks like you "
			"are trying to "
			"use a client-go credential plugin that is not installed.",
			argv[0]);
		return -1;
	}
	json_t *j = rc == 0 ? json_parse(buf_str(&out), out.len, NULL) : NULL;
	const char *token = tool_str(j, "status.token");
	if (*token)
		k->token = x_strdup(token);
	else
		snprintf(k->why, sizeof(k->why),
			"getting credentials: exec: executable %s failed with exit code %d",
			argv[0], rc);
	json_decref(j);
	return k->token ? 0 : -1;
}

static int open_config(struct kapi *k, const json_t *config, const char *context)
{
	const char *current = context ? context : tool_str(config, "current-context");
	const json_t *ctx = named(config, "contexts", current);
	const json_t *cluster = named(config, "clusters", tool_str(ctx, "context.cluster"));
	const json_t *user = named(config, "users", tool_str(ctx, "context.user"));
	const char *ns = tool_str(ctx, "context.namespace");
	if (!ctx && context) {
		snprintf(k->why, sizeof(k->why), "context \"%s\" does not exist", context);
		return -1;
	}
	if (!cluster) {
		snprintf(k->why, sizeof(k->why),
			"The connection to the server localhost:8080 was refused - did you "
			"specify the right host or port?");
		return -1;
	}
	const char *ca_file = tool_str(cluster, "cluster.certificate-authority");
	k->server = x_strdup(tool_str(cluster, "cluster.server"));
	k->ca_pem = *ca_file ? tool_read(ca_file)
			     : decode64(tool_str(cluster, "cluster.certificate-authority-data"));
	k->namespace = x_strdup(*ns ? ns : "default");
	if (*tool_str(user, "user.token")) {
		k->token = x_strdup(tool_str(user, "user.token"));
		return 0;
	}
	return json_path(user, "user.exec") ? plugin_token(k, json_path(user, "user.exec")) : 0;
}

int kapi_open(struct kapi *k, const char *context)
{
	AUTO_FREE char *file = kapi_config_file();
	AUTO_FREE char *text = tool_read(file);
	json_t *config = text ? yml_read(text) : NULL;
	int rc = open_config(k, config, context);
	json_decref(config);
	return rc;
}

void kapi_fini(struct kapi *k)
{
	free(k->server);
	free(k->ca_pem);
	x_wipe_free(k->token);
	free(k->namespace);
}

json_t *kapi_call(
	struct kapi *k, const char *method, const char *path, const json_t *body, long *status)
{
	AUTO_FREE char *url = x_asprintf("%s%s", k->server, path);
	AUTO_FREE char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
	AUTO(web_reply_fini) struct web_reply reply = {0};
	struct web_call call = {.method = method,
		.url = url,
		.bearer = k->token,
		.ca_pem = k->ca_pem,
		.body = text,
		.content_type = text ? "application/json" : NULL};
	*status = 0;
	if (web_do(&call, &reply)) {
		snprintf(k->why, sizeof(k->why), "Unable to connect to the server: %s", reply.why);
		return NULL;
	}
	*status = reply.status;
	json_t *j = web_json(&reply);
	if (!j)
		snprintf(k->why, sizeof(k->why), "error: the server replied with status %ld",
			reply.status);
	return j;
}

int kapi_stream(struct kapi *k, const char *path, bool (*on_line)(void *arg, const char *line),
	void *arg, long *status)
{
	AUTO_FREE char *url = x_asprintf("%s%s", k->server, path);
	AUTO(web_reply_fini) struct web_reply reply = {0};
	struct web_call call = {.method = "GET",
		.url = url,
		.bearer = k->token,
		.ca_pem = k->ca_pem,
		.on_line = on_line,
		.arg = arg};
	int rc = web_do(&call, &reply);
	*status = reply.status;
	if (rc) {
		snprintf(k->why, sizeof(k->why), "%s", reply.why);
		return -1;
	}
	if (reply.status >= 300) {
		json_t *j = web_json(&reply);
		snprintf(k->why, sizeof(k->why), "%s", tool_str(j, "message"));
		json_decref(j);
		return -1;
	}
	return 0;
}
