/* SPDX-License-Identifier: Apache-2.0 */
/* The metadata server, on the same port: GCE_METADATA_HOST=127.0.0.1:PORT. As in Cloud Shell its
 * token is the person's. */
#include "core/base/mem.h"
#include "sim/clock.h"
#include "sim/google.h"
#include "sim/logins.h"
#include "sim/sim.h"
#include "sim/world.h"
#include <string.h>

#define SCOPES                                                                                     \
	"https://www.googleapis.com/auth/cloud-platform\n"                                         \
	"https://www.googleapis.com/auth/userinfo.email\n"

static void say(struct req *req, int status, const char *type, const char *text)
{
	reply_header(req, "Metadata-Flavor", "Google");
	reply_header(req, "Server", "Metadata Server for VM");
	reply_bytes(req, status, type, text, strlen(text));
}

static void token(struct req *req)
{
	struct world *w = req->sim->world;
	if (logins_wants_click(w)) {
		say(req, 200, "application/json", "");
		return;
	}
	json_t *j = json_pack("{s:s, s:i, s:s}", "access_token",
		logins_token(req, w->account, LOGIN_SECONDS), "expires_in", LOGIN_SECONDS,
		"token_type", "Bearer");
	AUTO_FREE char *text = json_dumps(j, JSON_COMPACT);
	json_decref(j);
	say(req, 200, "application/json", text);
}

static void get(struct req *req)
{
	const struct world *w = req->sim->world;
	const struct {
		const char *path, *text;
	} texts[] = {
		{"instance/service-accounts/default/email", w->account},
		{"instance/service-accounts/default/scopes", SCOPES},
		{"project/project-id", w->project},
		{"project/numeric-project-id", w->project_number},
		{"universe/universe-domain", "googleapis.com"},
	};
	const char *flavor = req_header(req, "Metadata-Flavor");
	const char *path = req_capture(req, "path");
	if (!flavor || strcmp(flavor, "Google") != 0) {
		say(req, 403, "text/html",
			"Your client does not have permission to get this URL: missing "
			"Metadata-Flavor:Google header.");
		return;
	}
	if (strcmp(path, "instance/service-accounts/default/token") == 0) {
		token(req);
		return;
	}
	for (size_t i = 0; i < COUNT(texts); i++)
		if (strcmp(texts[i].path, path) == 0) {
			say(req, 200, "application/text", texts[i].text);
			return;
		}
	say(req, 404, "text/html", "The requested URL was not found on this server.");
}

const struct route google_metadata_routes[] = {
	{"GET", "/computeMetadata/v1/{path*}", get, ROUTE_OPEN},
	{0},
};
