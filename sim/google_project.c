/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/deploy.h"
#include "sim/google.h"
#include "sim/ledger.h"
#include "sim/sim.h"
#include "sim/world.h"
#include "sim/worlds.h"
#include <stdlib.h>
#include <string.h>

#define ORGANIZATION    "organizations/310420150000"
#define PERMISSIONS     100 /* a call */
#define ACCOUNT_UID     "112000000000000000001"
#define BILLING_ACCOUNT "billingAccounts/0X0X0X-0X0X0X-0X0X0X"

static const char *lifecycle(const struct world *w)
{
	const char *state = world_setting(w, "project");
	return state ? state : "ACTIVE";
}

static json_t *project_v3(const struct sim *sim)
{
	const struct world *w = sim->world;
	AUTO_FREE char *created = sim_time_ms(sim_epoch(sim) - 400 * 24 * SIM_HOUR);
	return json_pack("{s:o, s:s, s:s, s:s, s:s, s:s, s:s}", "name",
		json_sprintf("projects/%s", w->project_number), "parent", ORGANIZATION, "projectId",
		w->project, "state", lifecycle(w), "displayName", "Rehearsal lab", "createTime",
		created, "etag", "W/\"6d2f1c0a\"");
}

static json_t *project_v1(const struct sim *sim)
{
	const struct world *w = sim->world;
	AUTO_FREE char *created = sim_time_ms(sim_epoch(sim) - 400 * 24 * SIM_HOUR);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:{s:s, s:s}}", "projectNumber",
		w->project_number, "projectId", w->project, "lifecycleState", lifecycle(w), "name",
		"Rehearsal lab", "createTime", created, "parent", "type", "organization", "id",
		&ORGANIZATION[strlen("organizations/")]);
}

static void get_v3(struct req *req)
{
	if (google_project_ok(req))
		google_reply(req, project_v3(req->sim));
}

static void get_v1(struct req *req)
{
	if (google_project_ok(req))
		google_reply(req, project_v1(req->sim));
}

static void search_v3(struct req *req)
{
	google_page(req, NULL, "projects", json_pack("[o]", project_v3(req->sim)), "pageSize", 500);
}

static void list_v1(struct req *req)
{
	google_page(req, NULL, "projects", json_pack("[o]", project_v1(req->sim)), "pageSize", 500);
}

/* "service.resource.verb" of something that can be granted on a project. */
static bool testable(const char *permission)
{
	size_t dots = 0;
	for (const char *p = permission; *p; p++)
		dots += *p == '.';
	return dots >= 2 && !strchr(permission, '*') &&
	       strcmp(permission, "resourcemanager.projects.create") != 0 &&
	       strcmp(permission, "resourcemanager.projects.list") != 0;
}

static void test_permissions(struct req *req)
{
	const struct world *w = req->sim->world;
	const char *project = req_capture(req, "project");
	json_t *asked = json_object_get(req_json(req), "permissions");
	size_t i;
	json_t *one;
	if (!json_is_array(asked) || json_array_size(asked) > PERMISSIONS) {
		reply_google_error(req, 400, "INVALID_ARGUMENT", NULL,
			"Request contains an invalid argument: permissions, at most %d.",
			PERMISSIONS);
		return;
	}
	json_array_foreach(asked, i, one)
	{
		const char *name = json_string_value(one);
		if (name && testable(name))
			continue;
		reply_google_error(req, 400, "INVALID_ARGUMENT", NULL,
			"Permission %s is not valid for this resource.", name ? name : "(no text)");
		return;
	}
	bool ours = !world_is(w, "project", "hidden") &&
		    (strcmp(project, w->project) == 0 || strcmp(project, w->project_number) == 0);
	json_t *granted = json_array();
	json_array_foreach(asked, i, one)
	{
		if (ours && world_may(w, json_string_value(one)))
			json_array_append(granted, one);
	}
	json_t *reply = json_object();
	if (json_array_size(granted) > 0)
		json_object_set(reply, "permissions", granted);
	json_decref(granted);
	reply_json(req, 200, reply);
}

static void billing(struct req *req)
{
	if (!google_project_ok(req))
		return;
	const char *project = req->sim->world->project;
	bool on = !world_is(req->sim->world, "billing", "off");
	google_reply(req,
		json_pack("{s:o, s:s, s:s, s:b}", "name",
			json_sprintf("projects/%s/billingInfo", project), "projectId", project,
			"billingAccountName", on ? BILLING_ACCOUNT : "", "billingEnabled", on));
}

static void link_billing(struct req *req)
{
	const char *account = json_path_str(req_json(req), "billingAccountName");
	if (!google_project_ok(req))
		return;
	if (!account || strcmp(account, BILLING_ACCOUNT) != 0) {
		reply_google_error(req, 403, "PERMISSION_DENIED", "forbidden",
			"The caller does not have permission on that billing account.");
		return;
	}
	world_set(req->sim->world, "billing", NULL);
	billing(req);
}

static void list_billing_accounts(struct req *req)
{
	google_page(req, NULL, "billingAccounts",
		json_pack("[{s:s, s:s, s:b}]", "name", BILLING_ACCOUNT, "displayName",
			"Rehearsal account", "open", 1),
		"pageSize", 100);
}

static json_t *binding_of(json_t *bindings, const char *role)
{
	AUTO_FREE char *full = x_asprintf("roles/%s", role);
	size_t i;
	json_t *one;
	json_array_foreach(bindings, i, one)
	{
		if (strcmp(json_path_str_or(one, "role", ""), full) == 0)
			return json_object_get(one, "members");
	}
	one = json_pack("{s:s, s:[]}", "role", full, "members");
	json_array_append_new(bindings, one);
	return json_object_get(one, "members");
}

/* A deleted account keeps its roles under another name. */
static char *member_of(const struct world *w, const char *email)
{
	return map_get(&w->accounts, email)
		       ? x_asprintf("serviceAccount:%s", email)
		       : x_asprintf("deleted:serviceAccount:%s?uid=" ACCOUNT_UID, email);
}

/* What deployments have given to their service accounts. */
static void add_accounts(const struct sim *sim, json_t *bindings)
{
	const char *what, *role;
	for (size_t i = 0; (what = deploy_next(sim, &i));) {
		AUTO_FREE char *email = NULL;
		AUTO_FREE char *member = NULL;
		if (!deploy_role(sim, what, &email, &role))
			continue;
		member = member_of(sim->world, email);
		json_array_append_new(binding_of(bindings, role), json_string(member));
	}
}

/* The policy holds what this world's account was given, one binding a role, and what deployments
 * gave to theirs. */
static json_t *policy_json(const struct sim *sim)
{
	const struct world *w = sim->world;
	json_t *bindings = json_array();
	const char *role;
	for (size_t i = 0; (role = world_role(i)); i++)
		if (!world_setting2(w, "role", role))
			json_array_append_new(bindings,
				json_pack("{s:o, s:[o]}", "role", json_sprintf("roles/%s", role),
					"members", json_sprintf("user:%s", w->account)));
	add_accounts(sim, bindings);
	return json_pack("{s:i, s:s, s:o}", "version", 1, "etag", "BwYa", "bindings", bindings);
}

static void get_policy(struct req *req)
{
	if (!google_project_ok(req))
		return;
	if (world_may(req->sim->world, "resourcemanager.projects.getIamPolicy"))
		reply_json(req, 200, policy_json(req->sim));
	else
		reply_google_error(req, 403, "PERMISSION_DENIED", "forbidden",
			"The caller does not have permission");
}

static bool has_member(const json_t *policy, const char *role, const char *member)
{
	size_t i, k;
	json_t *binding, *one;
	json_array_foreach(json_object_get(policy, "bindings"), i, binding)
	{
		if (strcmp(json_path_str_or(binding, "role", ""), role) != 0)
			continue;
		json_array_foreach(json_object_get(binding, "members"), k, one)
		{
			if (json_is_string(one) && strcmp(json_string_value(one), member) == 0)
				return true;
		}
	}
	return false;
}

/* Roles of service accounts that the new policy no longer has are taken from them. */
static void take_roles(struct sim *sim, const json_t *policy)
{
	AUTO(strvec_fini) struct strvec gone = {0};
	const char *what, *role;
	for (size_t i = 0; (what = deploy_next(sim, &i));) {
		AUTO_FREE char *email = NULL;
		AUTO_FREE char *member = NULL;
		AUTO_FREE char *full = NULL;
		if (!deploy_role(sim, what, &email, &role))
			continue;
		member = member_of(sim->world, email);
		full = x_asprintf("roles/%s", role);
		if (!has_member(policy, full, member))
			strvec_push(&gone, what);
	}
	for (size_t i = 0; i < gone.n; i++)
		(void)deploy_drop(sim, gone.items[i]);
}

static bool names_us(const json_t *binding, const char *account)
{
	AUTO_FREE char *member = x_asprintf("user:%s", account);
	size_t i;
	json_t *one;
	json_array_foreach(json_object_get(binding, "members"), i, one)
	{
		if (strcmp(json_string_value(one) ? json_string_value(one) : "", member) == 0)
			return true;
	}
	return false;
}

static void set_policy(struct req *req)
{
	struct world *w = req->sim->world;
	size_t i;
	json_t *one;
	if (!google_project_ok(req))
		return;
	if (!world_may(w, "resourcemanager.projects.setIamPolicy")) {
		reply_google_error(
			req, 403, "PERMISSION_DENIED", "forbidden", "Policy update access denied.");
		return;
	}
	json_array_foreach(json_path(req_json(req), "policy.bindings"), i, one)
	{
		const char *role = json_path_str_or(one, "role", "");
		AUTO_FREE char *key = x_asprintf(
			"role.%s", text_starts(role, "roles/") ? role + strlen("roles/") : role);
		if (names_us(one, w->account))
			world_set(w, key, NULL);
	}
	take_roles(req->sim, json_path(req_json(req), "policy"));
	reply_json(req, 200, policy_json(req->sim));
}

static json_t *service_account(const struct world *w, const char *email)
{
	return json_pack("{s:o, s:s, s:s, s:s, s:s}", "name",
		json_sprintf("projects/%s/serviceAccounts/%s", w->project, email), "projectId",
		w->project, "email", email, "uniqueId", ACCOUNT_UID, "etag", "MDEwMjE5MjA=");
}

static void get_account(struct req *req)
{
	const struct world *w = req->sim->world;
	const char *email = req_capture(req, "email");
	const char *project = req_capture(req, "project");
	if (strcmp(project, "-") != 0 && !google_project_ok(req))
		return;
	if (map_get(&w->accounts, email))
		google_reply(req, service_account(w, email));
	else
		reply_google_error(req, 404, "NOT_FOUND", NULL,
			"Unknown service account: projects/%s/serviceAccounts/%s", project, email);
}

static void delete_account(struct req *req)
{
	struct world *w = req->sim->world;
	AUTO_FREE char *email = x_strdup(req_capture(req, "email"));
	AUTO_FREE char *name = x_strndup(email, strcspn(email, "@"));
	AUTO_FREE char *what = x_asprintf("serviceaccount/%s", name);
	if (!google_project_ok(req))
		return;
	if (!map_get(&w->accounts, email)) {
		reply_google_error(
			req, 404, "NOT_FOUND", NULL, "Unknown service account: %s", email);
		return;
	}
	map_del(&w->accounts, email);
	ledger_delete(req->sim, what);
	reply_json(req, 200, json_object());
}

static void list_accounts(struct req *req)
{
	const struct world *w = req->sim->world;
	const char *email;
	void *value;
	if (!google_project_ok(req))
		return;
	json_t *all = json_array();
	for (size_t i = 0; map_next(&w->accounts, &i, &email, &value);)
		json_array_append_new(all, service_account(w, email));
	google_page(req, NULL, "accounts", all, "pageSize", 100);
}

const struct route google_project_routes[] = {
	{"GET", "/v3/projects:search", search_v3, ROUTE_GOOGLE},
	{"POST", "/v3/projects/{project}:testIamPermissions", test_permissions, ROUTE_GOOGLE},
	{"GET", "/v3/projects/{project}", get_v3, ROUTE_GOOGLE},
	{"GET", "/v1/projects", list_v1, ROUTE_GOOGLE},
	{"GET", "/v1/billingAccounts", list_billing_accounts, ROUTE_GOOGLE},
	{"PUT", "/v1/projects/{project}/billingInfo", link_billing, ROUTE_GOOGLE},
	{"POST", "/v1/projects/{project}:getIamPolicy", get_policy, ROUTE_GOOGLE},
	{"POST", "/v1/projects/{project}:setIamPolicy", set_policy, ROUTE_GOOGLE},
	{"POST", "/v3/projects/{project}:getIamPolicy", get_policy, ROUTE_GOOGLE},
	{"POST", "/v3/projects/{project}:setIamPolicy", set_policy, ROUTE_GOOGLE},
	{"DELETE", "/v1/projects/{project}/serviceAccounts/{email}", delete_account, ROUTE_GOOGLE},
	{"POST", "/v1/projects/{project}:testIamPermissions", test_permissions, ROUTE_GOOGLE},
	{"GET", "/v1/projects/{project}/billingInfo", billing, ROUTE_GOOGLE},
	{"GET", "/v1/projects/{project}/serviceAccounts/{email}", get_account, ROUTE_GOOGLE},
	{"GET", "/v1/projects/{project}/serviceAccounts", list_accounts, ROUTE_GOOGLE},
	{"GET", "/v1/projects/{project}", get_v1, ROUTE_GOOGLE},
	{0},
};
