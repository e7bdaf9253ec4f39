/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/bin/cred.h"
#include "sim/bin/gcloud.h"
#include "sim/bin/kapi.h"
#include "sim/bin/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int version(const struct gcloud_command *c, const struct args *a)
{
	(void)c;
	if (args_get(a, "format")) {
		json_t *j = json_pack("{s:s,s:s,s:s,s:s}", "Google Cloud SDK", "528.0.0", "core",
			"2025.06.20", "gcloud-crc32c", "1.0.0", "gsutil", "5.35");
		gcloud_print(a, j);
		json_decref(j);
		return 0;
	}
	say("Google Cloud SDK 528.0.0\nbeta 2025.06.20\nbq 2.1.18\ncore 2025.06.20\ngcloud-crc32c "
	    "1.0.0\n"
	    "gke-gcloud-auth-plugin 0.5.10\ngsutil 5.35\nkubectl 1.33.5");
	return 0;
}

static int components_list(const struct gcloud_command *c, const struct args *a)
{
	(void)a;
	return gcloud_error(c,
		"\nYou cannot perform this action because the Google Cloud CLI component manager \n"
		"is disabled for this installation.");
}

/* "core/project" or "project". */
static void split_property(const char *name, char **section, const char **key)
{
	const char *slash = strchr(name, '/');
	*section = slash ? x_strndup(name, (size_t)(slash - name)) : x_strdup("core");
	*key = slash ? slash + 1 : name;
}

static int config_get(const struct gcloud_command *c, const struct args *a)
{
	const char *name = gcloud_word(c, a, 0, "SECTION/PROPERTY"), *key;
	AUTO_FREE char *section = NULL;
	if (!name)
		return 2;
	split_property(name, &section, &key);
	AUTO_FREE char *v = cred_property(section, key);
	if (v)
		puts(v);
	else
		warn("(unset)");
	return 0;
}

static int config_set(const struct gcloud_command *c, const struct args *a)
{
	const char *name = gcloud_word(c, a, 0, "SECTION/PROPERTY"), *key;
	const char *value = name ? gcloud_word(c, a, 1, "VALUE") : NULL;
	AUTO_FREE char *section = NULL;
	if (!value)
		return 2;
	split_property(name, &section, &key);
	if (cred_set_property(section, key, value))
		return 1;
	warn("Updated property [%s/%s].", section, key);
	return 0;
}

static json_t *configuration(void)
{
	static const char *const keys[] = {"account", "project"};
	json_t *core = json_object();
	for (size_t i = 0; i < COUNT(keys); i++) {
		AUTO_FREE char *v = cred_property("core", keys[i]);
		if (v)
			json_object_set_new(core, keys[i], json_string(v));
	}
	return json_pack("{s:o}", "core", core);
}

static int config_list(const struct gcloud_command *c, const struct args *a)
{
	json_t *j = configuration(), *v;
	const char *key;
	(void)c;
	if (args_get(a, "format")) {
		gcloud_print(a, j);
	} else {
		puts("[core]");
		json_object_foreach(json_path(j, "core"), key, v)
		{
			say("%s = %s", key, json_string_value(v));
		}
		warn("\nYour active configuration is: [default]");
	}
	json_decref(j);
	return 0;
}

static int config_helper(const struct gcloud_command *c, const struct args *a)
{
	AUTO(cred_token_fini) struct cred_token t = {0};
	if (cred_gcloud_token(&t)) {
		if (!t.missing)
			return gcloud_error(c,
				"There was a problem refreshing your current auth tokens: ('%s')",
				t.why);
		return gcloud_error(c,
			"You do not currently have an active account selected.\nPlease run:\n\n"
			"  $ gcloud auth login\n\nto obtain new credentials.");
	}
	AUTO_FREE char *expiry = tool_stamp_at(t.expires);
	AUTO_FREE char *dir = cred_dir();
	AUTO_FREE char *sentinel = x_asprintf("%s/config_sentinel", dir);
	json_t *j = json_pack("{s:{s:s,s:o},s:{s:s,s:s,s:s},s:{s:s}}", "configuration",
		"active_configuration", "default", "properties", configuration(), "credential",
		"access_token", t.access, "id_token", "", "token_expiry", expiry, "sentinels",
		"config_sentinel", sentinel);
	gcloud_print(a, j);
	json_decref(j);
	return 0;
}

static int projects_describe(const struct gcloud_command *c, const struct args *a)
{
	const char *id = gcloud_word(c, a, 0, "PROJECT_ID_OR_NUMBER");
	AUTO_FREE char *base = web_endpoint("CLOUDRESOURCEMANAGER", "");
	if (!id)
		return 2;
	AUTO_FREE char *url = x_asprintf("%sv3/projects/%s?alt=json", base, id);
	json_t *j;
	long status;
	int rc = gcloud_call(c, "GET", url, NULL, &status, &j);
	if (rc)
		return rc;
	if (status >= 300) {
		AUTO_FREE char *account = cred_account();
		json_decref(j);
		return gcloud_error(c,
			"[%s] does not have permission to access projects instance [%s] (or it may "
			"not "
			"exist): The caller does not have permission",
			account, id);
	}
	json_t *out = json_pack("{s:s,s:s,s:s,s:s,s:s}", "createTime", tool_str(j, "createTime"),
		"lifecycleState", tool_str(j, "state"), "name", tool_str(j, "displayName"),
		"projectId", tool_str(j, "projectId"), "projectNumber",
		tool_tail(tool_str(j, "name")));
	gcloud_print(a, out);
	json_decref(out);
	json_decref(j);
	return 0;
}

static int services_list(const struct gcloud_command *c, const struct args *a)
{
	AUTO_FREE char *project = gcloud_project(c, a);
	AUTO_FREE char *base = web_endpoint("SERVICEUSAGE", "");
	AUTO_FREE char *url = x_asprintf(
		"%sv1/projects/%s/services?alt=json&filter=state%%3AENABLED&pageSize=200", base,
		project ? project : "");
	json_t *j, *item;
	size_t i;
	if (!project || gcloud_call(c, "GET", url, NULL, NULL, &j))
		return 1;
	json_t *list = json_array();
	json_array_foreach(json_path(j, "services"), i, item)
	{
		json_t *one = json_deep_copy(item);
		json_object_set_new(one, "name", json_string(tool_tail(tool_str(item, "name"))));
		json_array_append_new(list, one);
	}
	if (!gcloud_print_list(a, list)) {
		say("%-40s  %s", "NAME", "TITLE");
		json_array_foreach(list, i, item)
		{
			say("%-40s  %s", tool_str(item, "name"), tool_str(item, "config.title"));
		}
	}
	json_decref(list);
	json_decref(j);
	return 0;
}

static int services_enable(const struct gcloud_command *c, const struct args *a)
{
	AUTO_FREE char *project = gcloud_project(c, a);
	AUTO_FREE char *base = web_endpoint("SERVICEUSAGE", "");
	AUTO_FREE char *url = x_asprintf(
		"%sv1/projects/%s/services:batchEnable?alt=json", base, project ? project : "");
	json_t *ids = json_array(), *j;
	const char *name;
	if (!project || !gcloud_word(c, a, 0, "SERVICE [SERVICE ...]")) {
		json_decref(ids);
		return 2;
	}
	for (size_t i = 0; (name = gcloud_word(c, a, i, NULL)); i++)
		json_array_append_new(ids, json_string(name));
	json_t *body = json_pack("{s:o}", "serviceIds", ids);
	int rc = gcloud_call(c, "POST", url, body, NULL, &j);
	json_decref(body);
	if (rc)
		return rc;
	AUTO_FREE char *operation = x_strdup(tool_str(j, "name"));
	bool done = json_path_bool(j, "done", false);
	json_decref(j);
	while (!rc && !done) {
		AUTO_FREE char *poll = x_asprintf("%sv1/%s?alt=json", base, operation);
		rc = gcloud_call(c, "GET", poll, NULL, NULL, &j);
		done = json_path_bool(j, "done", false);
		json_decref(j);
	}
	if (!rc)
		warn("Operation \"%s\" finished successfully.", operation);
	return rc;
}

static int reservations_list(const struct gcloud_command *c, const struct args *a)
{
	AUTO_FREE char *project = gcloud_project(c, a);
	AUTO_FREE char *base = web_endpoint("COMPUTE", "compute/v1/");
	AUTO_FREE char *url = x_asprintf(
		"%sprojects/%s/aggregated/reservations?alt=json", base, project ? project : "");
	json_t *j, *scope, *item, *list = json_array();
	const char *key;
	size_t i;
	if (!project || gcloud_call(c, "GET", url, NULL, NULL, &j)) {
		json_decref(list);
		return 1;
	}
	json_object_foreach(json_path(j, "items"), key, scope)
	{
		json_array_extend(list, json_path(scope, "reservations"));
	}
	if (!gcloud_print_list(a, list)) {
		say("%-24s  %-12s  %-5s  %-14s  %s", "NAME", "IN_USE_COUNT", "COUNT", "ZONE",
			"SHARE_TYPE");
		json_array_foreach(list, i, item)
		{
			say("%-24s  %-12lld  %-5lld  %-14s  %s", tool_str(item, "name"),
				(long long)json_path_i64(item, "specificReservation.inUseCount", 0),
				(long long)json_path_i64(item, "specificReservation.count", 0),
				tool_tail(tool_str(item, "zone")),
				tool_str(item, "shareSettings.shareType"));
		}
	}
	json_decref(list);
	json_decref(j);
	return 0;
}

static const char *place(const struct args *a)
{
	const char *v = args_get(a, "location");
	v = v ? v : args_get(a, "region");
	return v ? v : args_get(a, "zone");
}

static int clusters_list(const struct gcloud_command *c, const struct args *a)
{
	AUTO_FREE char *project = gcloud_project(c, a);
	AUTO_FREE char *base = web_endpoint("CONTAINER", "");
	AUTO_FREE char *url = x_asprintf("%sv1/projects/%s/locations/%s/clusters?alt=json", base,
		project ? project : "", place(a) ? place(a) : "-");
	json_t *j, *item;
	size_t i;
	if (!project || gcloud_call(c, "GET", url, NULL, NULL, &j))
		return 1;
	json_t *clusters = json_path(j, "clusters");
	json_t *list = clusters ? json_incref(clusters) : json_array();
	if (!gcloud_print_list(a, list) && json_array_size(list)) {
		say("%-20s  %-12s  %-20s  %-15s  %-9s  %s", "NAME", "LOCATION", "MASTER_VERSION",
			"MASTER_IP", "NUM_NODES", "STATUS");
		json_array_foreach(list, i, item)
		{
			say("%-20s  %-12s  %-20s  %-15s  %-9lld  %s", tool_str(item, "name"),
				tool_str(item, "location"), tool_str(item, "currentMasterVersion"),
				tool_str(item, "endpoint"),
				(long long)json_path_i64(item, "currentNodeCount", 0),
				tool_str(item, "status"));
		}
	}
	json_decref(list);
	json_decref(j);
	return 0;
}

/* The cluster, or NULL and *rc after a message. */
static json_t *cluster(
	const struct gcloud_command *c, const struct args *a, const char *project, int *rc)
{
	const char *name = gcloud_word(c, a, 0, "NAME");
	AUTO_FREE char *base = web_endpoint("CONTAINER", "");
	AUTO_FREE char *url = x_asprintf("%sv1/projects/%s/locations/%s/clusters/%s?alt=json", base,
		project, place(a) ? place(a) : "", name ? name : "");
	long status;
	json_t *j = NULL;
	*rc = 1;
	if (name && !place(a))
		gcloud_error(c, "One of [--zone, --region, --location] must be supplied: Please "
				"specify location.");
	if (!name || !place(a) || gcloud_call(c, "GET", url, NULL, &status, &j))
		return NULL;
	if (status < 300)
		return j;
	gcloud_error(
		c, "ResponseError: code=%ld, message=%s", status, tool_str(j, "error.message"));
	if (status == 404)
		warn("Could not find [%s] in [%s].\nDid you mean to run this command in another "
		     "location?",
			name, place(a));
	json_decref(j);
	return NULL;
}

static int clusters_describe(const struct gcloud_command *c, const struct args *a)
{
	int rc;
	AUTO_FREE char *project = gcloud_project(c, a);
	json_t *j = project ? cluster(c, a, project, &rc) : NULL;
	if (!j)
		return 1;
	gcloud_print(a, j);
	json_decref(j);
	return 0;
}

static int get_credentials(const struct gcloud_command *c, const struct args *a)
{
	int rc = 1;
	AUTO_FREE char *project = gcloud_project(c, a);
	if (!project)
		return 1;
	warn("Fetching cluster endpoint and auth data.");
	json_t *j = cluster(c, a, project, &rc);
	if (!j)
		return rc;
	const char *status = tool_str(j, "status");
	if (strcmp(status, "RUNNING") != 0 && strcmp(status, "RECONCILING") != 0)
		warn("WARNING: cluster %s is not RUNNING. The kubernetes API may or may not be "
		     "available. Check the "
		     "cluster status for more information.",
			tool_str(j, "name"));
	rc = kapi_save_cluster(project, j);
	if (!rc)
		warn("kubeconfig entry generated for %s.", tool_str(j, "name"));
	json_decref(j);
	return rc;
}

const struct gcloud_command gcloud_other_commands[] = {
	{"version", version, {{0}}},
	{"components list", components_list, {{0}}},
	{"config get", config_get, {{0}}},
	{"config get-value", config_get, {{0}}},
	{"config set", config_set, {{0}}},
	{"config list", config_list, {{"all", 0, false}}},
	{"config config-helper", config_helper,
		{{"min-expiry", 0, true}, {"force-auth-refresh", 0, false}}},
	{"projects describe", projects_describe, {{0}}},
	{"services list", services_list, {{"enabled", 0, false}, {"available", 0, false}}},
	{"services enable", services_enable, {{"async", 0, false}}},
	{"compute reservations list", reservations_list, {{"zones", 0, true}}},
	{"container clusters list", clusters_list, {{"region", 'r', true}, {"zone", 'z', true}}},
	{"container clusters describe", clusters_describe,
		{{"region", 'r', true}, {"zone", 'z', true}}},
	{"container clusters get-credentials", get_credentials,
		{{"region", 'r', true}, {"zone", 'z', true}, {"internal-ip", 0, false},
			{"dns-endpoint", 0, false}}},
	{0},
};
