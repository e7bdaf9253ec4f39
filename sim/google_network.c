/* SPDX-License-Identifier: Apache-2.0 */
/* Networks and what belongs to them, as deployments make them; reading only. */
#include "core/base/mem.h"
#include "sim/deploy.h"
#include "sim/google.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* Collections and how the ledger calls one of them. */
static const char *const kinds[][2] = {
	{"networks", "network"},
	{"firewalls", "firewall"},
	{"subnetworks", "subnetwork"},
	{"routers", "router"},
	{"addresses", "address"},
	{"resourcePolicies", "resourcepolicy"},
};

static void get_thing(struct req *req)
{
	const char *kind = req_capture(req, "kind"), *name = req_capture(req, "name");
	if (!google_project_ok(req))
		return;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		AUTO_FREE char *what = x_asprintf("%s/%s", kinds[i][1], name);
		if (strcmp(kinds[i][0], kind) == 0 && deploy_there(req->sim, what)) {
			google_reply(req, json_pack("{s:s+, s:s}", "kind", "compute#", kinds[i][1],
						  "name", name));
			return;
		}
	}
	reply_google_error(req, 404, "NOT_FOUND", "notFound", "The resource '%s/%s' was not found",
		kind, name);
}

const struct route google_network_routes[] = {
	{"GET", "/compute/v1/projects/{project}/global/{kind}/{name}", get_thing, ROUTE_GOOGLE},
	{"GET", "/compute/v1/projects/{project}/regions/{region}/{kind}/{name}", get_thing,
		ROUTE_GOOGLE},
	{0},
};
