/* SPDX-License-Identifier: Apache-2.0 */
/* The metadata server of a machine in Google's cloud, and of Cloud Shell. */
#include "core/cloud/auth_fetch.h"

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/machine.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/auth_error.h"
#include "core/cloud/auth_place.h"
#include "core/fmt/json.h"
#include "core/io/http.h"

#include <stdlib.h>
#include <string.h>

#define ACCOUNT "instance/service-accounts/default/"
#define SCOPES                                                                                     \
	"https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fcloud-platform,"                                \
	"https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fuserinfo.email"

enum { ATTEMPTS = 3 };

static void ask(struct auth_fetch *f, const char *path, int attempts,
	void (*fn)(void *arg, struct http_reply *r, const json_t *j, const struct err *e))
{
	static const char *const headers[] = {"Metadata-Flavor: Google", NULL};
	AUTO_FREE char *url = auth_metadata_url(path);
	struct http_request req = {.url = url,
		.headers = headers,
		.metadata = true,
		.connect_ms = auth_metadata_ms(),
		.idle_ms = auth_metadata_ms()};

	f->ask = auth_ask(f->http, &req, attempts, fn, f);
}

static bool is_metadata_server(const struct http_reply *r)
{
	return strcmp(r->metadata_flavor, "Google") == 0;
}

static void email_came(void *arg, struct http_reply *r, const json_t *j, const struct err *e)
{
	struct auth_fetch *f = arg;
	const char *said = buf_str(&r->body);

	(void)j;
	f->ask = NULL;
	if (!e && r->status == 200 && is_metadata_server(r) && strchr(said, '@') &&
		text_is_ascii(said))
		f->result.email = x_strndup(said, strcspn(said, " \t\r\n"));
	auth_fetch_done(f, NULL);
}

/* Before the click the answer may be an error, empty or cut. */
static void ask_for_click(struct auth_fetch *f)
{
	struct err e = {0};

	f->result.authorize = true;
	auth_cause(&e, ERR_PERSON, "cloud-shell-authorize", NULL,
		_("Cloud Shell waits for your permission: click Authorize in the browser"));
	auth_fetch_done(f, &e);
}

static void refuse(struct auth_fetch *f, const struct http_reply *r, const struct err *failed)
{
	AUTO_FREE char *url = auth_metadata_url("");
	struct err e = {0};

	if (failed)
		auth_cause(&e, ERR_UNREACHABLE, "metadata", NULL,
			_("the metadata server does not answer: %s"), failed->what);
	else if (!is_metadata_server(r))
		auth_cause(&e, ERR_FAILED, "metadata", _("check GCE_METADATA_HOST, or unset it"),
			_("what answers at %s is not a metadata server"), url);
	else if (r->status == 404)
		auth_cause(
			&e, ERR_PERSON, "metadata", NULL, _("this machine has no service account"));
	else
		auth_cause(&e, ERR_FAILED, "metadata", NULL,
			_("the metadata server gives no token (HTTP %d)"), r->status);
	e.http = r->status;
	auth_fetch_done(f, &e);
}

static void token_came(void *arg, struct http_reply *r, const json_t *j, const struct err *e)
{
	struct auth_fetch *f = arg;
	struct err why = {0};
	bool good;

	f->ask = NULL;
	if (!f->sure && (e || !is_metadata_server(r))) {
		f->result.no_metadata = true;
		auth_fetch_no_metadata(f);
		return;
	}
	good = !e && is_metadata_server(r) && r->status == 200;
	if (good && auth_fetch_take(f, json_path_str(j, "access_token"), &why) == 0) {
		int64_t lasts = json_path_i64(j, "expires_in", 0);

		f->result.expires = lasts > 0 ? clock_now() + lasts * 1000 : 0;
		ask(f, ACCOUNT "email", 1, email_came);
	} else if (machine_is_cloud_shell()) {
		ask_for_click(f);
	} else if (good) {
		auth_fetch_done(f, &why);
	} else {
		refuse(f, r, e);
	}
}

void auth_metadata_begin(struct auth_fetch *f)
{
	f->result.source = AUTH_ADC;
	f->result.kind = "metadata";
	ask(f, ACCOUNT "token?scopes=" SCOPES, f->sure && !machine_is_cloud_shell() ? ATTEMPTS : 1,
		token_came);
}
