/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/json.h"
#include "core/io/loop.h"
#include "sim/deploy.h"
#include "sim/fault_plan.h"
#include "sim/google.h"
#include "sim/ledger.h"
#include "sim/logins.h"
#include "sim/sim.h"

/* What stand-ins tell the simulator and no real API offers. */

static void post_argv(struct req *req)
{
	const json_t *j = req_json(req);
	json_t *argv = json_object_get(j, "argv");
	bool good = json_is_array(argv) && json_array_size(argv) > 0;
	for (size_t i = 0; good && i < json_array_size(argv); i++)
		good = json_is_string(json_array_get(argv, i));
	if (!good) {
		reply_google_error(
			req, 400, "INVALID_ARGUMENT", "invalid", "argv must be a list of strings");
		return;
	}
	fault_plan_argv(req->sim, argv);
	ledger_argv(req->sim, argv, json_path_str_or(j, "folder", ""));
	reply_json(req, 200, json_object());
}

static void stop_now(void *loop)
{
	loop_stop(loop);
}

static void post_stop(struct req *req)
{
	reply_json(req, 200, json_object());
	loop_after_wall(req->sim->loop, LOOP_MIN_MS, stop_now, req->sim->loop);
}

static void get_health(struct req *req)
{
	reply_json(req, 200, json_pack("{s:s}", "status", "serving"));
}

const struct route private_routes[] = {
	{"GET", "/sim/v1/health", get_health, ROUTE_OPEN},
	{"POST", "/sim/v1/argv", post_argv, ROUTE_OPEN},
	{"POST", "/sim/v1/deploy", deploy_create, ROUTE_OPEN},
	{"POST", "/sim/v1/destroy", deploy_destroy, ROUTE_OPEN},
	{"POST", "/sim/v1/interrupt", deploy_interrupt, ROUTE_OPEN},
	{"POST", "/sim/v1/login", logins_change, ROUTE_OPEN},
	{"GET", "/sim/v1/credentials/{type}", logins_file, ROUTE_OPEN},
	{"POST", "/sim/v1/stop", post_stop, ROUTE_OPEN},
	{0},
};
