/* SPDX-License-Identifier: Apache-2.0 */
/* iamcredentials: tokens of a service account for those who may act as it. */
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/google.h"
#include "sim/logins.h"
#include "sim/sim.h"
#include "sim/world.h"
#include <stdlib.h>
#include <string.h>

#define SERVICE    "iamcredentials.googleapis.com"
#define PERMISSION "iam.serviceAccounts.getAccessToken"
#define ACCOUNTS   "projects/-/serviceAccounts/"

static void denied(struct req *req, const char *account)
{
	json_t *metadata = json_pack("{s:s, s:s}", "permission", PERMISSION, "resource", account);
	reply_google_info(req, 403, "PERMISSION_DENIED", "IAM_PERMISSION_DENIED", metadata,
		"Permission '" PERMISSION "' denied on resource (or it may not exist).");
}

static bool known(const struct world *w, const char *account)
{
	return strcmp(account, logins_robot(w)) == 0 || map_get(&w->accounts, account) != NULL;
}

/* "3600s"; -1 when it is nothing the API takes. */
static int64_t lifetime(const json_t *j)
{
	const char *text = json_path_str_or(j, "lifetime", "3600s");
	char *end;
	long long s = strtoll(text, &end, 10);
	return end != text && strcmp(end, "s") == 0 && s > 0 && s <= 3600 ? s : -1;
}

static bool request_ok(struct req *req, const json_t *j)
{
	const struct world *w = req->sim->world;
	size_t i;
	json_t *item;
	if (json_array_size(json_object_get(j, "scope")) == 0 || lifetime(j) < 0) {
		reply_google_error(req, 400, "INVALID_ARGUMENT", NULL,
			"Request contains an invalid argument.");
		return false;
	}
	json_array_foreach(json_object_get(j, "delegates"), i, item)
	{
		const char *name = json_string_value(item);
		bool good = name && strncmp(name, ACCOUNTS, strlen(ACCOUNTS)) == 0;
		if (!good || !known(w, name + strlen(ACCOUNTS))) {
			denied(req, name ? name : "");
			return false;
		}
	}
	return true;
}

static void generate(struct req *req)
{
	struct world *w = req->sim->world;
	const char *account = req_capture(req, "account");
	const json_t *j = req_json(req);
	if (!map_get(&w->services, SERVICE)) {
		reply_google_info(req, 403, "PERMISSION_DENIED", "SERVICE_DISABLED",
			json_pack("{s:s, s:o}", "service", SERVICE, "consumer",
				json_sprintf("projects/%s", w->project_number)),
			"IAM Service Account Credentials API has not been used in project %s "
			"before "
			"or it is disabled.",
			w->project_number);
		return;
	}
	if (!known(w, account)) {
		denied(req, account);
		return;
	}
	if (!request_ok(req, j))
		return;
	int64_t s = lifetime(j);
	AUTO_FREE char *end = sim_time_s(sim_now(req->sim) + s * SIM_S);
	reply_json(req, 200,
		json_pack("{s:s, s:s}", "accessToken", logins_token(req, account, s), "expireTime",
			end));
}

const struct route google_iamcred_routes[] = {
	{"POST", "/v1/projects/{project}/serviceAccounts/{account}:generateAccessToken", generate,
		ROUTE_GOOGLE},
	{0},
};
