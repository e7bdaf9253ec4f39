/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/auth_fetch.h"

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/digest.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "core/io/child.h"
#include "core/io/http.h"
#include "core/io/loop.h"
#include "core/io/retry.h"

#include <stdlib.h>
#include <string.h>

enum { GCLOUD_MS = 60000, GRACE_MS = 2000, ANSWER_MAX = 1 << 20 };

/* The set that google-auth repeats, with its schedule. */
static const struct retry_policy token_policy = {
	.attempts = 3, .base_ms = 1000, .cap_ms = 8000, .jitter_pct = 10};

extern char **environ;

struct auth_fetch {
	struct loop *loop;
	struct http *http;
	struct auth_result result;
	struct retry_call *call;
	struct child *child;
	struct loop_timer *limit;
	bool too_slow;
	struct buf out, err;
	void (*fn)(void *arg, const struct auth_result *r, const struct err *e);
	void *arg;
};

static void begin(void *arg);

struct auth_fetch *auth_fetch_new(struct loop *l, struct http *h, enum auth_source source,
	void (*fn)(void *arg, const struct auth_result *r, const struct err *e), void *arg)
{
	struct auth_fetch *f = X_NEW(struct auth_fetch);

	f->loop = l;
	f->http = h;
	f->result.source = source;
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
	retry_cancel(&f->call);
	if (f->child)
		child_stop(f->child, GRACE_MS);
	child_forget(&f->child);
	wipe_buf(&f->out);
	wipe_buf(&f->err);
	x_wipe_free(f->result.token);
	free(f->result.email);
	free(f->result.project);
	free(f->result.quota_project);
	free(f->result.file);
	free(f);
}

/* Nothing may touch f afterwards: the owner frees it. */
static void done(struct auth_fetch *f, const struct err *e)
{
	f->fn(f->arg, &f->result, e);
}

/* The part between the dots is base64 with the URL alphabet and without padding. */
static char *jwt_email(const char *token)
{
	const char *body = token ? strchr(token, '.') : NULL;
	const char *end = body ? strchr(body + 1, '.') : NULL;
	AUTO(buf_fini) struct buf text = {0};
	AUTO(json_auto) json_t *claims = NULL;
	AUTO_FREE char *bytes = NULL;
	size_t n;

	if (!end)
		return NULL;
	for (const char *p = body + 1; p < end; p++)
		buf_addc(&text, *p == '-' ? '+' : *p == '_' ? '/' : *p);
	while (text.len % 4)
		buf_addc(&text, '=');
	bytes = digest_base64_decode(buf_str(&text), &n);
	claims = bytes ? json_parse(bytes, n, NULL) : NULL;
	return x_strdup(json_path_str(claims, "email"));
}

static int take_token(struct auth_fetch *f, const char *token, struct err *e)
{
	if (!token || !*token || !text_is_ascii(token) || strpbrk(token, " \r\n"))
		return err_set(e, ERR_FAILED,
			_("log in again: gcloud auth application-default login"),
			_("the answer holds no usable access token"));
	f->result.token = x_strdup(token);
	redact_add(token, "[access token]");
	return 0;
}

static const struct oauth_cause {
	const char *error, *subtype;
	const char *what, *hint;
} oauth_causes[] = {
	{"invalid_grant", "invalid_rapt", N_("your organisation requires you to log in again"),
		N_("run: gcloud auth application-default login")},
	{"invalid_grant", "rapt_required", N_("your organisation requires you to log in again"),
		N_("run: gcloud auth application-default login")},
	{"invalid_grant", NULL, N_("the login has expired or was revoked"),
		N_("run: gcloud auth application-default login")},
	{"invalid_client", NULL, N_("the credentials file is damaged or its client is blocked"),
		N_("make a new one: gcloud auth application-default login")},
	{"unauthorized_client", NULL,
		N_("the credentials file is damaged or its client is blocked"),
		N_("make a new one: gcloud auth application-default login")},
};

static void token_error(const struct http_reply *r, const json_t *j, struct err *e)
{
	const char *error = json_path_str_or(j, "error", "");
	const char *subtype = json_path_str_or(j, "error_subtype", "");

	for (size_t i = 0; i < COUNT(oauth_causes); i++) {
		const struct oauth_cause *c = &oauth_causes[i];

		if (strcmp(c->error, error) != 0 ||
			(c->subtype && strcmp(c->subtype, subtype) != 0))
			continue;
		err_set(e, ERR_PERSON, _(c->hint), "%s", _(c->what));
		e->http = r->status;
		return;
	}
	err_set(e, r->status >= 500 ? ERR_UNREACHABLE : ERR_FAILED,
		_("try again; then log in again: gcloud auth application-default login"),
		_("the token service answered %d %s"), r->status, error);
	e->http = r->status;
}

static void token_answered(void *arg, struct http_reply *r, const struct err *failed)
{
	struct auth_fetch *f = arg;
	AUTO(json_auto) json_t *j = NULL;
	struct err e = {0};
	int64_t lasts;

	f->call = NULL;
	if (failed) {
		done(f, failed);
		return;
	}
	j = json_parse(buf_str(&r->body), r->body.len, &e);
	explicit_bzero(r->body.data, r->body.len);
	if (r->status != 200) {
		token_error(r, j, &e);
		done(f, &e);
		return;
	}
	if (!j || take_token(f, json_path_str(j, "access_token"), &e) != 0) {
		done(f, &e);
		return;
	}
	lasts = json_path_i64(j, "expires_in", 0);
	f->result.expires = lasts > 0 ? clock_now() + lasts * 1000 : 0;
	f->result.email = jwt_email(json_path_str(j, "id_token"));
	done(f, NULL);
}

static void add_field(struct buf *b, const char *name, const char *value)
{
	buf_addf(b, "%s%s=", b->len ? "&" : "", name);
	http_escape(b, value);
}

static int read_adc(struct auth_fetch *f, json_t **out, struct err *e)
{
	static const char *const needed[] = {"client_id", "client_secret", "refresh_token"};
	const char *type;

	f->result.file = auth_adc_path();
	if (!path_exists(f->result.file))
		return err_set(e, ERR_PERSON, _("run: gcloud auth application-default login"),
			_("there are no application default credentials (%s)"), f->result.file);
	*out = json_read_file(f->result.file, ANSWER_MAX, e);
	if (!*out)
		return -1;
	type = json_path_str_or(*out, "type", "");
	if (strcmp(type, "authorized_user") != 0)
		return err_set(e, ERR_FAILED,
			_("run: gcloud auth application-default login, or unset "
			  "GOOGLE_APPLICATION_CREDENTIALS"),
			_("credentials of type '%.40s' in %s cannot be used yet"), type,
			f->result.file);
	for (size_t i = 0; i < COUNT(needed); i++)
		if (!json_path_str(*out, needed[i]))
			return err_set(e, ERR_BAD_FILE,
				_("make a new one: gcloud auth application-default login"),
				_("%s has no %s"), f->result.file, needed[i]);
	return 0;
}

static void begin_adc(struct auth_fetch *f)
{
	AUTO(json_auto) json_t *j = NULL;
	struct buf form = {0};
	struct http_request req = {.method = "POST", .on_done = token_answered, .arg = f};
	const char *host = getenv("CLOUDSDK_AUTH_TOKEN_HOST");
	struct err e = {0};

	if (read_adc(f, &j, &e) != 0) {
		done(f, &e);
		return;
	}
	redact_add(json_path_str(j, "refresh_token"), "[refresh token]");
	redact_add(json_path_str(j, "client_secret"), "[client secret]");
	f->result.quota_project = x_strdup(json_path_str(j, "quota_project_id"));
	add_field(&form, "grant_type", "refresh_token");
	add_field(&form, "client_id", json_path_str(j, "client_id"));
	add_field(&form, "client_secret", json_path_str(j, "client_secret"));
	add_field(&form, "refresh_token", json_path_str(j, "refresh_token"));
	req.url = host && *host ? host : "https://oauth2.googleapis.com/token";
	req.body = form.data;
	req.body_n = form.len;
	req.body_type = "application/x-www-form-urlencoded";
	f->call = retry_send(f->http, &req, &token_policy);
	wipe_buf(&form);
}

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
	const char *expiry;

	if (f->too_slow)
		return err_set(e, ERR_UNREACHABLE, _("run: gcloud auth print-access-token"),
			_("gcloud did not answer within a minute"));
	if (code != 0) {
		AUTO_FREE char *why = text_clean_dup(buf_str(&f->err));

		return err_set(e, ERR_PERSON, _("run: gcloud auth login"),
			_("gcloud gives no token (exit %d): %.300s"), code, why);
	}
	j = json_parse(buf_str(&f->out), f->out.len, e);
	if (!j || take_token(f, json_path_str(j, "credential.access_token"), e) != 0)
		return -1;
	expiry = json_path_str(j, "credential.token_expiry");
	f->result.expires = expiry ? time_parse_ms(expiry) : 0;
	if (f->result.expires == TIME_NONE)
		f->result.expires = 0;
	f->result.project = x_strdup(json_path_str(j, "configuration.properties.core.project"));
	f->result.email = x_strdup(json_path_str(j, "configuration.properties.core.account"));
	if (!f->result.email)
		f->result.email = jwt_email(json_path_str(j, "credential.id_token"));
	return 0;
}

static void helper_ended(void *arg, int code)
{
	struct auth_fetch *f = arg;
	struct err e = {0};

	f->child = NULL;
	done(f, read_helper(f, code, &e) == 0 ? NULL : &e);
}

static void helper_late(void *arg)
{
	struct auth_fetch *f = arg;

	f->limit = NULL;
	f->too_slow = true;
	child_stop(f->child, GRACE_MS);
}

static void begin_gcloud(struct auth_fetch *f)
{
	static const char *const argv[] = {
		"gcloud", "config", "config-helper", "--format=json", "--min-expiry=5m", NULL};
	struct strvec env = {0};
	struct child_spec spec = {.argv = argv,
		.on_out = collect_out,
		.on_err = collect_err,
		.on_exit = helper_ended,
		.arg = f};
	struct err e = {0};

	for (char **v = environ; *v; v++)
		if (!text_starts(*v, "CLOUDSDK_CORE_DISABLE_PROMPTS="))
			strvec_push(&env, *v);
	strvec_push(&env, "CLOUDSDK_CORE_DISABLE_PROMPTS=1");
	spec.env = (const char *const *)env.items;
	f->child = child_start(f->loop, &spec, &e);
	strvec_fini(&env);
	if (f->child)
		f->limit = loop_after_wall(f->loop, GCLOUD_MS, helper_late, f);
	else
		done(f, &e);
}

static void begin_env(struct auth_fetch *f)
{
	const char *token = getenv("CLOUDSDK_AUTH_ACCESS_TOKEN");
	struct err e = {0};

	if (!token || !*token)
		err_set(&e, ERR_PERSON, _("set it, or log in with gcloud"),
			_("CLOUDSDK_AUTH_ACCESS_TOKEN is not set"));
	done(f, e.code || take_token(f, token, &e) != 0 ? &e : NULL);
}

static enum auth_source first_source(void)
{
	const char *token = getenv("CLOUDSDK_AUTH_ACCESS_TOKEN");
	const char *file = getenv("GOOGLE_APPLICATION_CREDENTIALS");
	AUTO_FREE char *path = auth_adc_path();

	if (token && *token)
		return AUTH_ENV;
	return (file && *file) || path_exists(path) ? AUTH_ADC : AUTH_GCLOUD;
}

static void begin(void *arg)
{
	struct auth_fetch *f = arg;

	if (f->result.source == AUTH_ANY)
		f->result.source = first_source();
	if (f->result.source == AUTH_ENV)
		begin_env(f);
	else if (f->result.source == AUTH_ADC)
		begin_adc(f);
	else
		begin_gcloud(f);
}
