/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/auth_fetch.h"

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/cloud/auth_error.h"
#include "core/cloud/auth_place.h"
#include "core/fmt/json.h"
#include "core/fmt/jwt.h"
#include "core/fmt/time.h"
#include "core/io/child.h"
#include "core/io/http.h"
#include "core/io/loop.h"

#include <stdlib.h>
#include <string.h>

#define SCOPE_PLATFORM "https://www.googleapis.com/auth/cloud-platform"
#define SCOPE_EMAIL    "https://www.googleapis.com/auth/userinfo.email"
#define JWT_GRANT      "urn:ietf:params:oauth:grant-type:jwt-bearer"

enum { GRACE_MS = 2000, ANSWER_MAX = 1 << 20, ATTEMPTS = 3, LIFE_S = 3600 };

static void begin(void *arg);

struct auth_fetch *auth_fetch_new(struct loop *l, struct http *h, enum auth_source source,
	bool skip_metadata, void (*fn)(void *arg, const struct auth_result *r, const struct err *e),
	void *arg)
{
	struct auth_fetch *f = X_NEW(struct auth_fetch);

	f->loop = l;
	f->http = h;
	f->any = source == AUTH_ANY;
	f->result.source = source;
	f->result.no_metadata = skip_metadata;
	f->fn = fn;
	f->arg = arg;
	f->out.max = f->err.max = ANSWER_MAX;
	loop_defer(l, begin, f);
	return f;
}

static void wipe_buf(struct buf *b)
{
	if (b->data)
		explicit_bzero(b->data, b->cap);
	buf_fini(b);
}

void auth_fetch_free(struct auth_fetch *f)
{
	if (!f)
		return;
	loop_defer_drop(f->loop, f);
	loop_timer_cancel(&f->limit);
	auth_ask_cancel(&f->ask);
	if (f->child)
		child_stop(f->child, GRACE_MS);
	child_forget(&f->child);
	auth_file_free(f->file);
	wipe_buf(&f->out);
	wipe_buf(&f->err);
	x_wipe_free(f->result.token);
	free(f->result.email);
	free(f->result.project);
	free(f->result.quota_project);
	free(f->result.file);
	free(f);
}

void auth_fetch_done(struct auth_fetch *f, const struct err *e)
{
	f->fn(f->arg, &f->result, e);
}

int auth_fetch_take(struct auth_fetch *f, const char *token, struct err *e)
{
	if (!token || !*token || !text_is_ascii(token) || strpbrk(token, " \t\r\n"))
		return auth_cause(e, ERR_FAILED, "token-answer", NULL,
			_("the answer holds no usable access token"));
	x_wipe_free(f->result.token);
	f->result.token = x_strdup(token);
	redact_add(token, "[access token]");
	return 0;
}

/* --- tokens by credentials file */

static void lent(void *arg, struct http_reply *r, const json_t *j, const struct err *failed)
{
	struct auth_fetch *f = arg;
	struct err e = {0};
	int64_t expires;

	f->ask = NULL;
	if (failed) {
		auth_fetch_done(f, failed);
		return;
	}
	if (r->status != 200) {
		auth_answer_error(&e, r, j, false);
		if (r->status == 403 && (!e.cause || strcmp(e.cause, "permission") == 0))
			auth_cause(&e, ERR_PERSON, "impersonation", NULL,
				_("%s may not act as the service account %s"),
				f->result.email ? f->result.email : _("the login"),
				f->file->target);
		e.http = r->status;
	} else if (auth_fetch_take(f, json_path_str(j, "accessToken"), &e) == 0) {
		expires = time_parse_ms(json_path_str(j, "expireTime"));
		f->result.expires = expires == TIME_NONE ? 0 : expires;
		free(f->result.email);
		f->result.email = x_strdup(f->file->target);
		auth_fetch_done(f, NULL);
		return;
	}
	auth_fetch_done(f, &e);
}

/* With the source's token: one of the service account's. */
static void borrow(struct auth_fetch *f)
{
	AUTO(json_auto)
	json_t *j = json_pack("{s:[s, s], s:O, s:s}", "scope", SCOPE_PLATFORM, SCOPE_EMAIL,
		"delegates", f->file->delegates, "lifetime", "3600s");
	AUTO_FREE char *body = json_line(j);
	struct http_request req = {.method = "POST",
		.url = f->file->impersonation_address,
		.bearer = f->result.token,
		.body = body,
		.body_n = strlen(body)};

	f->ask = auth_ask(f->http, &req, ATTEMPTS, lent, f);
}

static void exchanged(void *arg, struct http_reply *r, const json_t *j, const struct err *failed)
{
	struct auth_fetch *f = arg;
	AUTO(json_auto) json_t *claims = NULL;
	bool assertion = strcmp(f->now->kind, AUTH_SERVICE_ACCOUNT) == 0;
	struct err e = {0};
	const char *email;
	int64_t lasts;

	f->ask = NULL;
	if (failed) {
		auth_fetch_done(f, failed);
		return;
	}
	if (r->status != 200 || !json_path_str(j, "access_token")) {
		auth_answer_error(&e, r, j, assertion);
		auth_fetch_done(f, &e);
		return;
	}
	if (auth_fetch_take(f, json_path_str(j, "access_token"), &e) != 0) {
		auth_fetch_done(f, &e);
		return;
	}
	lasts = json_path_i64(j, "expires_in", 0);
	f->result.expires = lasts > 0 ? clock_now() + lasts * 1000 : 0;
	claims = jwt_claims(json_path_str(j, "id_token"));
	email = json_path_str(claims, "email");
	if (!email)
		email = assertion ? f->now->client_email : f->now->account;
	f->result.email = x_strdup(email);
	if (f->now == f->file)
		auth_fetch_done(f, NULL);
	else
		borrow(f);
}

static void add_field(struct buf *b, const char *name, const char *value)
{
	if (!value)
		return;
	buf_addf(b, "%s%s=", b->len ? "&" : "", name);
	http_escape(b, value);
}

/* Signs a request for a token of the service account; -1 with a message. */
static int add_assertion(struct buf *form, const struct auth_file *file, struct err *e)
{
	json_int_t now = clock_now() / 1000;
	AUTO(json_auto)
	json_t *claims = json_pack("{s:s, s:s, s:s, s:I, s:I}", "iss", file->client_email, "scope",
		SCOPE_PLATFORM " " SCOPE_EMAIL, "aud", AUTH_TOKEN_ADDRESS, "iat", now, "exp",
		now + LIFE_S);
	char *token = jwt_sign(file->private_key_id, claims, file->private_key, e);

	if (!token)
		return -1;
	add_field(form, "grant_type", JWT_GRANT);
	add_field(form, "assertion", token);
	x_wipe_free(token);
	return 0;
}

static void exchange(struct auth_fetch *f)
{
	const struct auth_file *file = f->now;
	const char *set = auth_env("CLOUDSDK_AUTH_TOKEN_HOST");
	struct buf form = {0};
	struct http_request req = {.method = "POST"};
	struct err e = {0};

	if (strcmp(file->kind, AUTH_USER) == 0) {
		add_field(&form, "grant_type", "refresh_token");
		add_field(&form, "client_id", file->client_id);
		add_field(&form, "client_secret", file->client_secret);
		add_field(&form, "refresh_token", file->refresh_token);
		add_field(&form, "rapt", file->rapt_token);
	} else if (add_assertion(&form, file, &e) != 0) {
		auth_fetch_done(f, &e);
		return;
	}
	req.url = set ? set : file->token_address ? file->token_address : AUTH_TOKEN_ADDRESS;
	req.body = form.data;
	req.body_n = form.len;
	req.body_type = "application/x-www-form-urlencoded";
	f->ask = auth_ask(f->http, &req, ATTEMPTS, exchanged, f);
	wipe_buf(&form);
}

static void begin_file(struct auth_fetch *f, const char *path)
{
	const char *quota = auth_env("GOOGLE_CLOUD_QUOTA_PROJECT");
	struct err e = {0};

	f->result.source = AUTH_ADC;
	f->result.file = x_strdup(path);
	f->file = auth_file_read(path, &e);
	if (!f->file) {
		auth_fetch_done(f, &e);
		return;
	}
	f->result.kind = f->file->kind;
	f->result.quota_project = x_strdup(quota ? quota : f->file->quota_project);
	f->result.project = x_strdup(f->file->project);
	f->now = f->file->source ? f->file->source : f->file;
	exchange(f);
}

/* --- search */

static void begin_env(struct auth_fetch *f)
{
	const char *token = auth_env("CLOUDSDK_AUTH_ACCESS_TOKEN");
	const char *path = auth_env("CLOUDSDK_AUTH_ACCESS_TOKEN_FILE");
	struct buf b = {0};
	struct err e = {0};
	int rc = 0;

	f->result.source = AUTH_ENV;
	f->result.kind = "environment";
	b.max = ANSWER_MAX;
	if (token)
		buf_adds(&b, token);
	else if (path)
		rc = path_read(path, ANSWER_MAX, &b, &e);
	else
		rc = auth_cause(&e, ERR_PERSON, "no-login", _("set it, or log in with gcloud"),
			_("CLOUDSDK_AUTH_ACCESS_TOKEN is not set"));
	if (b.data)
		b.data[strcspn(b.data, "\r\n")] = '\0';
	if (rc == 0)
		rc = auth_fetch_take(f, buf_str(&b), &e);
	wipe_buf(&b);
	auth_fetch_done(f, rc == 0 ? NULL : &e);
}

void auth_fetch_no_metadata(struct auth_fetch *f)
{
	AUTO_FREE char *path = auth_adc_path();
	struct err e = {0};

	if (f->any) {
		auth_gcloud_begin(f);
		return;
	}
	f->result.source = AUTH_ADC;
	f->result.kind = NULL;
	auth_cause(&e, ERR_PERSON, "no-login", auth_login_cure(),
		_("there are no application default credentials (%s)"), path);
	auth_fetch_done(f, &e);
}

/* The order of Google's libraries; a named file counts even when it is not there. */
static void begin_adc(struct auth_fetch *f)
{
	AUTO_FREE char *path = auth_adc_path();
	enum auth_metadata metadata;

	if (auth_env("GOOGLE_APPLICATION_CREDENTIALS") || path_exists(path)) {
		begin_file(f, path);
		return;
	}
	metadata = auth_metadata();
	f->sure = metadata == AUTH_METADATA_YES;
	if (f->sure || (metadata == AUTH_METADATA_MAYBE && !f->result.no_metadata))
		auth_metadata_begin(f);
	else
		auth_fetch_no_metadata(f);
}

static void begin(void *arg)
{
	struct auth_fetch *f = arg;
	bool given = auth_env("CLOUDSDK_AUTH_ACCESS_TOKEN") ||
		     auth_env("CLOUDSDK_AUTH_ACCESS_TOKEN_FILE");

	if (f->result.source == AUTH_ENV || (f->any && given))
		begin_env(f);
	else if (f->result.source == AUTH_GCLOUD)
		auth_gcloud_begin(f);
	else
		begin_adc(f);
}
