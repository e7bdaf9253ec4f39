/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/auth_error.h"

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/cloud/cloud.h"
#include "core/fmt/cause.h"
#include "core/fmt/json.h"
#include "core/io/retry.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The token service allows five minutes. */
#define SKEW_MS INT64_C(300000)

static int with_cause(struct err *e, enum err_code code, const struct cause *c, const char *hint,
	const char *what)
{
	AUTO_FREE char *cure = c && !hint ? cause_cure_of(c) : NULL;

	err_set(e, code, hint ? hint : cure ? cure : "", "%s", what);
	if (e)
		e->cause = c ? c->id : NULL;
	return -1;
}

int auth_cause(
	struct err *e, enum err_code code, const char *id, const char *hint, const char *fmt, ...)
{
	AUTO_FREE char *what = NULL;
	va_list ap;

	va_start(ap, fmt);
	what = x_vasprintf(fmt, ap);
	va_end(ap);
	return with_cause(e, code, cause_by_id(id), hint, what);
}

/* gcloud writes its own file; one that the variable names stays as it is. */
const char *auth_login_cure(void)
{
	const char *file = getenv("GOOGLE_APPLICATION_CREDENTIALS");

	return file && *file ? _("unset GOOGLE_APPLICATION_CREDENTIALS, then run: gcloud auth "
				 "application-default login")
			     : _("run: gcloud auth application-default login");
}

bool auth_transient(const struct http_reply *r, const json_t *j)
{
	const struct cause *c;

	if (retry_worth(r->status))
		return true;
	if (r->status / 100 == 2)
		return false;
	c = cause_of_reason(json_path_str(j, "error"));
	if (!c)
		c = cause_of_reason(json_path_str(j, "error_description"));
	return c && strcmp(c->id, "token-service") == 0;
}

static char *minutes(int64_t ms)
{
	int64_t s = ms < 0 ? -ms / 1000 : ms / 1000;

	return s < 7200 ? x_asprintf(_("%lld minutes"), (long long)(s + 30) / 60)
			: x_asprintf(_("%lld hours"), (long long)(s + 1800) / 3600);
}

/* A signed request holds our clock; the answer holds theirs. */
static int clock_error(struct err *e, const struct http_reply *r)
{
	int64_t behind = r->date_ms ? r->date_ms - clock_now() : 0;
	AUTO_FREE char *by = minutes(behind);

	if (behind > SKEW_MS)
		return auth_cause(e, ERR_PERSON, "clock", NULL,
			_("this machine's clock is %s slow, so Google refuses the signed request"),
			by);
	if (behind < -SKEW_MS)
		return auth_cause(e, ERR_PERSON, "clock", NULL,
			_("this machine's clock is %s fast, so Google refuses the signed request"),
			by);
	return auth_cause(
		e, ERR_PERSON, "clock", NULL, _("Google refuses the time in the signed request"));
}

/* OAuth's shape: {"error":"word","error_description":"…","error_subtype":"word"} */
static int oauth_error(struct err *e, const struct http_reply *r, const json_t *j, bool assertion)
{
	const char *word = json_path_str_or(j, "error", "");
	const char *said = json_path_str_or(j, "error_description", "");
	const struct cause *c = cause_of_reason(json_path_str(j, "error_subtype"));
	const struct cause *text = cause_of_text(said, strlen(said));
	AUTO(buf_fini) struct buf clean = {0};
	AUTO(buf_fini) struct buf words = {0};
	AUTO_FREE char *meaning = NULL;
	AUTO_FREE char *what = NULL;
	bool again;

	if (!c && text && strcmp(text->id, "login") != 0)
		c = text;
	if (!c)
		c = cause_of_reason(word);
	if (assertion && c && strcmp(c->id, "clock") == 0)
		return clock_error(e, r);
	if (assertion && c && strcmp(c->id, "login-expired") == 0)
		c = cause_by_id("credentials-damaged");
	text_clean(&clean, word, strnlen(word, 60));
	buf_adds(&clean, *said ? ": " : "");
	text_clean(&clean, said, strnlen(said, 300));
	redact(&words, buf_str(&clean), clean.len);
	meaning = c ? cause_meaning_of(c) : NULL;
	what = x_asprintf(_("%s (the token service says %s)"),
		c ? meaning : _("the token service refuses"), buf_str(&words));
	again = !assertion && (!c || strcmp(c->id, "login-expired") == 0 ||
				      strcmp(c->id, "credentials-damaged") == 0);
	if (auth_transient(r, j))
		return with_cause(e, ERR_UNREACHABLE, cause_by_id("token-service"), NULL, what);
	return with_cause(e, ERR_PERSON, c, again ? auth_login_cure() : NULL, what);
}

static void no_token(struct err *e, const struct http_reply *r, const json_t *j)
{
	struct err page = {0};

	if (!j)
		json_decref(cloud_json(&page, _("the token service"), r));
	auth_cause(e, ERR_UNREACHABLE, "token-answer", NULL, "%s",
		*page.what ? page.what : _("the answer holds no usable access token"));
}

int auth_answer_error(struct err *e, const struct http_reply *r, const json_t *j, bool assertion)
{
	if (json_is_string(json_path(j, "error")))
		oauth_error(e, r, j, assertion);
	else if (r->status / 100 == 2)
		no_token(e, r, j);
	else
		cloud_error(e, _("the token service"), r->status, buf_str(&r->body), r->body.len);
	if (e)
		e->http = r->status;
	return -1;
}

/* Causes that mean: nobody answered. */
static const char *const unreached[] = {"no-network", "control-plane", "authorized-networks"};

int auth_gcloud_error(struct err *e, int code, const char *said)
{
	const struct cause *c = cause_of_text(said, strlen(said));
	AUTO_FREE char *words = redact_dup(said);
	AUTO_FREE char *clean = text_clean_dup(words);
	AUTO_FREE char *what =
		x_asprintf(_("gcloud gives no token (exit %d): %.300s"), code, clean);

	for (size_t i = 0; c && i < COUNT(unreached); i++)
		if (!strcmp(c->id, unreached[i]))
			return with_cause(e, ERR_UNREACHABLE, NULL,
				_("check the network and its proxy, then try again"), what);
	return with_cause(e, ERR_PERSON, c,
		c && strcmp(c->id, "no-login") != 0 && strcmp(c->id, "login") != 0
			? NULL
			: _("run: gcloud auth login"),
		what);
}
