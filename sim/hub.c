/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/google.h"
#include "sim/sim.h"
#include "sim/world.h"
#include "sim/worlds.h"
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *kind, *name;
	bool gated;
} repos[] = {
	{"models", "google/gemma-4-26b-a4b-it", true},
	{"models", "google/gemma-4-26b-a4b", true},
	{"models", "Qwen/Qwen3-30B-A3B", false},
	{"datasets", "openai/gsm8k", false},
	{"datasets", "nvidia/OpenMathInstruct-2", false},
};

static void hub_error(struct req *req, int status, const char *code, const char *text)
{
	AUTO_FREE char *id = world_id(req->sim->world);
	reply_header(req, "X-Request-Id", id);
	if (code)
		reply_header(req, "X-Error-Code", code);
	reply_header(req, "X-Error-Message", text);
	reply_json(req, status, json_pack("{s:s}", "error", text));
}

static bool known_token(struct req *req)
{
	return !world_is(req->sim->world, "hf", "revoked") &&
	       world_hf_token_ok(req->sim->world, req_header(req, "Authorization"));
}

static void bad_token(struct req *req)
{
	hub_error(req, 401, NULL, "Invalid credentials in Authorization header");
}

static void whoami(struct req *req)
{
	AUTO_FREE char *made = sim_time_ms(sim_epoch(req->sim) - 24 * SIM_HOUR);
	if (!known_token(req)) {
		bad_token(req);
		return;
	}
	reply_header(req, "RateLimit", "\"api\";r=998;t=213");
	reply_header(req, "RateLimit-Policy", "\"fixed window\";\"api\";q=1000;w=300");
	const char *role = world_setting(req->sim->world, "hf.role");
	json_t *j =
		json_pack("{s:s, s:s, s:s, s:s, s:b, s:b, s:[], s:{s:s, s:{s:s, s:s, s:s, s:n}}}",
			"type", "user", "id", "64a1f00000000000000000aa", "name", "rehearsal",
			"email", req->sim->world->account, "emailVerified", 1, "isPro", 0, "orgs",
			"auth", "type", "access_token", "accessToken", "displayName", "tpu", "role",
			role ? role : "read", "createdAt", made, "expiration");
	if (role && strcmp(role, "fineGrained") == 0)
		json_object_set_new(json_path(j, "auth.accessToken"), "fineGrained",
			json_pack("{s:b, s:[], s:[]}", "canReadGatedRepos", 0, "global", "scoped"));
	reply_json(req, 200, j);
}

/* Index of the repository in the path, or -1 after a reply. */
static long repo_of(struct req *req, const char *kind)
{
	AUTO_FREE char *name =
		x_asprintf("%s/%s", req_capture(req, "owner"), req_capture(req, "repo"));
	for (size_t i = 0; i < COUNT(repos); i++)
		if (strcmp(repos[i].kind, kind) == 0 && strcmp(repos[i].name, name) == 0 &&
			!(world_is(req->sim->world, "hf.dataset", "gone") &&
				strcmp(kind, "datasets") == 0))
			return (long)i;
	hub_error(req, known_token(req) ? 404 : 401, "RepoNotFound", "Repository not found");
	return -1;
}

static bool licensed(const struct world *w)
{
	return !world_is(w, "hf.licence", "no") && !world_is(w, "hf.role", "fineGrained");
}

/* May the caller read files of it? False: a reply was sent. */
static bool readable(struct req *req, long i)
{
	if (i < 0)
		return false;
	bool token = known_token(req);
	if (req_header(req, "Authorization") && !token)
		bad_token(req);
	else if (repos[i].gated && !token)
		hub_error(req, 401, "GatedRepo",
			"Access to this repository is restricted. You must have access to it and "
			"be "
			"authenticated to access it. Please log in.");
	else if (repos[i].gated && !licensed(req->sim->world))
		hub_error(req, 403, "GatedRepo",
			"Access to this repository is restricted and you are not in the authorized "
			"list. Visit its page to ask for access.");
	else
		return true;
	return false;
}

static void auth_check(struct req *req, const char *kind)
{
	if (readable(req, repo_of(req, kind)))
		reply_json(req, 200, json_pack("{s:b}", "ok", 1));
}

static void model_check(struct req *req)
{
	auth_check(req, "models");
}

static void dataset_check(struct req *req)
{
	auth_check(req, "datasets");
}

static void info(struct req *req, const char *kind)
{
	long i = repo_of(req, kind);
	if (i < 0)
		return;
	json_t *j = json_pack("{s:s, s:s, s:s, s:b, s:b}", "id", repos[i].name, "modelId",
		repos[i].name, "sha", "5f0b02c75b57c5855da9ae460ce51323ea669d8a", "private", 0,
		"disabled", 0);
	json_object_set_new(j, "gated", repos[i].gated ? json_string("manual") : json_false());
	reply_json(req, 200, j);
}

static void model_info(struct req *req)
{
	info(req, "models");
}

static void dataset_info(struct req *req)
{
	info(req, "datasets");
}

static void resolve(struct req *req)
{
	static const char config[] =
		"{\"model_type\": \"gemma4\", \"torch_dtype\": \"bfloat16\"}\n";
	const char *revision = req_capture(req, "revision");
	if (!readable(req, repo_of(req, "models")))
		return;
	if (strcmp(revision, "main") != 0) {
		hub_error(req, 404, "RevisionNotFound", "Invalid rev id");
		return;
	}
	if (strcmp(req_capture(req, "file"), "config.json") != 0) {
		hub_error(req, 404, "EntryNotFound", "Entry not found");
		return;
	}
	reply_header(req, "X-Repo-Commit", "5f0b02c75b57c5855da9ae460ce51323ea669d8a");
	reply_header(req, "ETag", "\"4d1a8a5f3c\"");
	reply_bytes(req, 200, "text/plain; charset=utf-8", config, sizeof(config) - 1);
}

const struct route hub_routes[] = {
	{"GET", "/api/whoami-v2", whoami, ROUTE_OPEN},
	{"GET", "/api/models/{owner}/{repo}/auth-check", model_check, ROUTE_OPEN},
	{"GET", "/api/datasets/{owner}/{repo}/auth-check", dataset_check, ROUTE_OPEN},
	{"GET", "/api/models/{owner}/{repo}", model_info, ROUTE_OPEN},
	{"GET", "/api/datasets/{owner}/{repo}", dataset_info, ROUTE_OPEN},
	{"GET", "/{owner}/{repo}/resolve/{revision}/{file*}", resolve, ROUTE_OPEN},
	{0},
};
