/* SPDX-License-Identifier: Apache-2.0 */
/* gcloud's account by its config-helper: token, account and project in one call. */
#include "core/cloud/auth_fetch.h"

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/cloud/auth_error.h"
#include "core/fmt/body.h"
#include "core/fmt/json.h"
#include "core/fmt/jwt.h"
#include "core/fmt/time.h"
#include "core/io/child.h"
#include "core/io/loop.h"

#include <string.h>

enum { GCLOUD_MS = 60000, GRACE_MS = 2000 };

extern char **environ;

static void collect_out(void *arg, const char *line, size_t n, bool cut)
{
	struct auth_fetch *f = arg;

	(void)cut;
	buf_add(&f->out, line, n);
	buf_addc(&f->out, '\n');
}

static void collect_err(void *arg, const char *line, size_t n, bool cut)
{
	struct auth_fetch *f = arg;

	(void)cut;
	buf_add(&f->err, line, n);
	buf_addc(&f->err, ' ');
}

static int read_helper(struct auth_fetch *f, int code, struct err *e)
{
	AUTO(json_auto) json_t *j = NULL;
	AUTO(json_auto) json_t *claims = NULL;
	const char *expiry;

	if (f->too_slow)
		return err_set(e, ERR_UNREACHABLE, _("run: gcloud auth print-access-token"),
			_("gcloud did not answer within a minute"));
	if (code != 0)
		return auth_gcloud_error(e, code, buf_str(&f->err));
	j = body_tool_json(buf_str(&f->out), f->out.len, NULL, NULL);
	if (!j)
		return err_set(e, ERR_FAILED,
			_("look at: gcloud config config-helper --format=json"),
			_("gcloud's answer is not JSON"));
	if (auth_fetch_take(f, json_path_str(j, "credential.access_token"), e) != 0)
		return -1;
	expiry = json_path_str(j, "credential.token_expiry");
	f->result.expires = expiry ? time_parse_ms(expiry) : 0;
	if (f->result.expires == TIME_NONE)
		f->result.expires = 0;
	f->result.project = x_strdup(json_path_str(j, "configuration.properties.core.project"));
	f->result.email = x_strdup(json_path_str(j, "configuration.properties.core.account"));
	if (!f->result.email) {
		claims = jwt_claims(json_path_str(j, "credential.id_token"));
		f->result.email = x_strdup(json_path_str(claims, "email"));
	}
	return 0;
}

static void helper_ended(void *arg, int code)
{
	struct auth_fetch *f = arg;
	struct err e = {0};

	f->child = NULL;
	auth_fetch_done(f, read_helper(f, code, &e) == 0 ? NULL : &e);
}

static void helper_late(void *arg)
{
	struct auth_fetch *f = arg;

	f->limit = NULL;
	f->too_slow = true;
	child_stop(f->child, GRACE_MS);
}

void auth_gcloud_begin(struct auth_fetch *f)
{
	static const char *const argv[] = {
		"gcloud", "config", "config-helper", "--format=json", "--min-expiry=5m", NULL};
	struct strvec env = {0};
	struct child_spec spec = {.argv = argv,
		.on_out = collect_out,
		.on_err = collect_err,
		.on_exit = helper_ended,
		.arg = f};
	struct err e = {0}, why = {0};

	f->result.source = AUTH_GCLOUD;
	f->result.kind = "gcloud";
	for (char **v = environ; *v; v++)
		if (!text_starts(*v, "CLOUDSDK_CORE_DISABLE_PROMPTS="))
			strvec_push(&env, *v);
	strvec_push(&env, "CLOUDSDK_CORE_DISABLE_PROMPTS=1");
	spec.env = (const char *const *)env.items;
	f->child = child_start(f->loop, &spec, &why);
	strvec_fini(&env);
	if (f->child) {
		f->limit = loop_after_wall(f->loop, GCLOUD_MS, helper_late, f);
		return;
	}
	auth_cause(&e, ERR_PERSON, "no-login",
		_("install gcloud and log in, or set GOOGLE_APPLICATION_CREDENTIALS"),
		_("there is no login here, and gcloud cannot be asked: %s"), why.what);
	auth_fetch_done(f, &e);
}
