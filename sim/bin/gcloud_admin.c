/* SPDX-License-Identifier: Apache-2.0 */
/* What administrators do: billing, roles, service accounts, deleting what is left. */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/bin/gcloud.h"
#include "sim/bin/tool.h"
#include <stdlib.h>
#include <string.h>

static int billing_link(const struct gcloud_command *c, const struct args *a)
{
	const char *project = gcloud_word(c, a, 0, "PROJECT_ID");
	const char *account = args_get(a, "billing-account");
	AUTO_FREE char *base = web_endpoint("CLOUDBILLING", "");
	if (!project)
		return 2;
	if (!account) {
		gcloud_error(c, "argument --billing-account: Must be specified.");
		return 2;
	}
	AUTO_FREE char *url = x_asprintf("%sv1/projects/%s/billingInfo?alt=json", base, project);
	json_t *body = json_pack("{s:o}", "billingAccountName",
		json_sprintf("%s%s",
			text_starts(account, "billingAccounts/") ? "" : "billingAccounts/",
			account));
	json_t *j;
	int rc = gcloud_call(c, "PUT", url, body, NULL, &j);
	json_decref(body);
	if (rc)
		return rc;
	gcloud_print(a, j);
	json_decref(j);
	return 0;
}

static int billing_accounts(const struct gcloud_command *c, const struct args *a)
{
	AUTO_FREE char *base = web_endpoint("CLOUDBILLING", "");
	AUTO_FREE char *url = x_asprintf("%sv1/billingAccounts?alt=json", base);
	json_t *j, *one;
	size_t i;
	int rc = gcloud_call(c, "GET", url, NULL, NULL, &j);
	if (rc)
		return rc;
	json_t *list = json_path(j, "billingAccounts");
	list = list ? json_incref(list) : json_array();
	if (!gcloud_print_list(a, list)) {
		say("%-22s  %-20s  %s", "ACCOUNT_ID", "NAME", "OPEN");
		json_array_foreach(list, i, one)
		{
			say("%-22s  %-20s  %s", tool_tail(tool_str(one, "name")),
				tool_str(one, "displayName"),
				json_path_bool(one, "open", false) ? "True" : "False");
		}
	}
	json_decref(list);
	json_decref(j);
	return 0;
}

/* Adds the member to the role's binding, made if absent. */
static void bind(json_t *policy, const char *role, const char *member)
{
	json_t *all = json_object_get(policy, "bindings");
	json_t *one;
	size_t i;
	if (!all) {
		all = json_array();
		json_object_set_new(policy, "bindings", all);
	}
	json_array_foreach(all, i, one)
	{
		if (strcmp(tool_str(one, "role"), role) == 0) {
			json_array_append_new(json_object_get(one, "members"), json_string(member));
			return;
		}
	}
	json_array_append_new(all, json_pack("{s:s, s:[s]}", "role", role, "members", member));
}

/* Takes the member from the role's binding; false: it was not in it. */
static bool unbind(json_t *policy, const char *role, const char *member)
{
	json_t *one, *who;
	size_t i, k;
	json_array_foreach(json_object_get(policy, "bindings"), i, one)
	{
		json_t *members = json_object_get(one, "members");
		if (strcmp(tool_str(one, "role"), role) != 0)
			continue;
		json_array_foreach(members, k, who)
		{
			if (strcmp(json_string_value(who), member) == 0)
				return json_array_remove(members, k) == 0;
		}
	}
	return false;
}

static int change_binding(const struct gcloud_command *c, const struct args *a, bool add)
{
	const char *project = gcloud_word(c, a, 0, "PROJECT_ID_OR_NUMBER");
	const char *member = args_get(a, "member");
	const char *role = args_get(a, "role");
	AUTO_FREE char *base = web_endpoint("CLOUDRESOURCEMANAGER", "");
	json_t *policy;
	if (!project)
		return 2;
	if (!member || !role) {
		gcloud_error(c, "argument %s: Must be specified.", member ? "--role" : "--member");
		return 2;
	}
	AUTO_FREE char *get = x_asprintf("%sv1/projects/%s:getIamPolicy?alt=json", base, project);
	AUTO_FREE char *set = x_asprintf("%sv1/projects/%s:setIamPolicy?alt=json", base, project);
	json_t *empty = json_object();
	int rc = gcloud_call(c, "POST", get, empty, NULL, &policy);
	json_decref(empty);
	if (rc)
		return rc;
	if (add) {
		bind(policy, role, member);
	} else if (!unbind(policy, role, member)) {
		json_decref(policy);
		return gcloud_error(c,
			"Policy binding with the specified principal, role, and condition not "
			"found!");
	}
	json_t *body = json_pack("{s:o}", "policy", policy);
	json_t *j;
	rc = gcloud_call(c, "POST", set, body, NULL, &j);
	json_decref(body);
	if (rc)
		return rc;
	warn("Updated IAM policy for project [%s].", project);
	gcloud_print(a, j);
	json_decref(j);
	return 0;
}

static int add_binding(const struct gcloud_command *c, const struct args *a)
{
	return change_binding(c, a, true);
}

static int remove_binding(const struct gcloud_command *c, const struct args *a)
{
	return change_binding(c, a, false);
}

/* "compute networks delete": where such a thing is. */
static const struct {
	const char *path, *place; /* place: the option that names it, NULL = global */
	const char *kind;
} things[] = {
	{"compute networks delete", NULL, "networks"},
	{"compute firewall-rules delete", NULL, "firewalls"},
	{"compute networks subnets delete", "region", "subnetworks"},
	{"compute routers delete", "region", "routers"},
	{"compute addresses delete", "region", "addresses"},
	{"compute resource-policies delete", "region", "resourcePolicies"},
	{"compute disks delete", "zone", "disks"},
};

static int thing_delete(const struct gcloud_command *c, const struct args *a)
{
	const char *name = gcloud_word(c, a, 0, "NAME");
	AUTO_FREE char *project = gcloud_project(c, a);
	AUTO_FREE char *base = web_endpoint("COMPUTE", "compute/v1/");
	size_t i = 0;
	json_t *j;
	while (i < COUNT(things) - 1 && strcmp(things[i].path, c->path) != 0)
		i++;
	const char *place = things[i].place ? args_get(a, things[i].place) : "";
	if (!name || !project)
		return name ? 1 : 2;
	if (!place)
		return gcloud_error(c, "argument --%s: Must be specified.", things[i].place);
	AUTO_FREE char *url = x_asprintf("%sprojects/%s/%s%s%s/%s/%s?alt=json", base, project,
		things[i].place ? things[i].place : "global", things[i].place ? "s/" : "", place,
		things[i].kind, name);
	int rc = gcloud_call(c, "DELETE", url, NULL, NULL, &j);
	if (!rc)
		warn("Deleted [%s].", url);
	json_decref(j);
	return rc;
}

static int accounts_delete(const struct gcloud_command *c, const struct args *a)
{
	const char *email = gcloud_word(c, a, 0, "SERVICE_ACCOUNT");
	AUTO_FREE char *project = gcloud_project(c, a);
	AUTO_FREE char *base = web_endpoint("IAM", "");
	AUTO_FREE char *url = x_asprintf("%sv1/projects/%s/serviceAccounts/%s?alt=json", base,
		project ? project : "", email ? email : "");
	json_t *j;
	if (!email)
		return 2;
	if (!project)
		return 1;
	int rc = gcloud_call(c, "DELETE", url, NULL, NULL, &j);
	if (rc)
		return rc;
	json_decref(j);
	warn("deleted service account [%s]", email);
	return 0;
}

const struct gcloud_command gcloud_admin_commands[] = {
	{"billing projects link", billing_link, {{"billing-account", 0, true}}},
	{"billing accounts list", billing_accounts, {{0}}},
	{"projects add-iam-policy-binding", add_binding,
		{{"member", 0, true}, {"role", 0, true}, {"condition", 0, true}}},
	{"projects remove-iam-policy-binding", remove_binding,
		{{"member", 0, true}, {"role", 0, true}, {"condition", 0, true},
			{"all", 0, false}}},
	{"iam service-accounts delete", accounts_delete, {{0}}},
	{"compute networks delete", thing_delete, {{0}}},
	{"compute firewall-rules delete", thing_delete, {{0}}},
	{"compute networks subnets delete", thing_delete, {{"region", 0, true}}},
	{"compute routers delete", thing_delete, {{"region", 0, true}}},
	{"compute addresses delete", thing_delete, {{"region", 0, true}}},
	{"compute resource-policies delete", thing_delete, {{"region", 0, true}}},
	{"compute disks delete", thing_delete, {{"zone", 0, true}, {"region", 0, true}}},
	{0},
};
