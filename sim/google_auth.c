/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "sim/clock.h"
#include "sim/conn.h"
#include "sim/google.h"
#include "sim/logins.h"
#include "sim/sim.h"
#include "sim/world.h"
#include "sim/worlds.h"
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>

#define SCOPES                                                                                     \
	"openid https://www.googleapis.com/auth/userinfo.email "                                   \
	"https://www.googleapis.com/auth/cloud-platform"

#define JWT_GRANT "urn:ietf:params:oauth:grant-type:jwt-bearer"

/* Value of a name in an application/x-www-form-urlencoded body; NULL if absent; the caller's. */
static char *form_value(const struct req *req, const char *name)
{
	size_t len = strlen(name);
	for (const char *s = req->body; *s;) {
		size_t n = strcspn(s, "&");
		if (n > len && s[len] == '=' && strncmp(s, name, len) == 0) {
			char *plus = x_strndup(s + len + 1, n - len - 1);
			for (char *p = plus; *p; p++)
				if (*p == '+')
					*p = ' ';
			char *value = conn_decode(plus, strlen(plus));
			free(plus);
			return value;
		}
		s += n + (s[n] == '&');
	}
	return NULL;
}

static char *base64url(const char *s)
{
	gnutls_datum_t in = {(unsigned char *)s, (unsigned)strlen(s)};
	gnutls_datum_t out;
	if (gnutls_base64_encode2(&in, &out) < 0)
		die("base64 of a token");
	char *text = x_strndup((const char *)out.data, out.size);
	gnutls_free(out.data);
	for (char *p = text; *p; p++)
		*p = (char)(*p == '+' ? '-' : *p == '/' ? '_' : *p);
	text[strcspn(text, "=")] = '\0';
	return text;
}

/* An identity token whose signature nobody checks: clients read only the e-mail from it. */
static char *id_token(const struct sim *sim, const char *account)
{
	int64_t s = sim_now(sim) / 1000;
	json_t *claims = json_pack("{s:s, s:s, s:s, s:b, s:I, s:I}", "iss",
		"https://accounts.google.com", "sub", "104821640000000000001", "email", account,
		"email_verified", 1, "iat", (json_int_t)s, "exp", (json_int_t)s + 3600);
	AUTO_FREE char *plain = json_dumps(claims, JSON_COMPACT);
	json_decref(claims);
	AUTO_FREE char *head =
		base64url("{\"alg\":\"RS256\",\"kid\":\"rehearsal\",\"typ\":\"JWT\"}");
	AUTO_FREE char *body = base64url(plain);
	return x_asprintf("%s.%s.cmVoZWFyc2Fs", head, body);
}

static void token_error(struct req *req, const char *error, const char *why)
{
	reply_json(req, 400, json_pack("{s:s, s:s}", "error", error, "error_description", why));
}

/* What a good refresh token gets; a new login (authorization_code) gets the refresh token as well.
 */
static void reply_token(struct req *req, bool login, const char *account)
{
	struct world *w = req->sim->world;
	AUTO_FREE char *id = id_token(req->sim, account);
	json_t *j = json_pack("{s:s, s:i, s:s, s:s, s:s}", "access_token",
		logins_token(req, account, LOGIN_SECONDS), "expires_in", LOGIN_SECONDS, "scope",
		SCOPES, "token_type", "Bearer", "id_token", id);
	if (login) {
		json_object_set_new(j, "refresh_token", json_string(logins_renew(w)));
		json_object_set_new(j, "account", json_string(w->account));
	}
	reply_header(req, "Cache-Control", "no-cache, no-store, max-age=0, must-revalidate");
	reply_json(req, 200, j);
}

/* What a signed request gets. */
static void post_assertion(struct req *req)
{
	struct world *w = req->sim->world;
	AUTO_FREE char *assertion = form_value(req, "assertion");
	json_t *refused = logins_assertion(w, assertion ? assertion : "");
	if (refused)
		reply_json(req, 400, refused);
	else
		reply_json(req, 200,
			json_pack("{s:s, s:i, s:s}", "access_token",
				logins_token(req, logins_robot(w), LOGIN_SECONDS), "expires_in",
				LOGIN_SECONDS, "token_type", "Bearer"));
}

/* The refresh token of a person, as the world's logins say. */
static void post_refresh(struct req *req, const char *refresh)
{
	const char *account;
	enum login_state state;
	if (!logins_refresh(req->sim->world, refresh, &state, &account) || state == LOGIN_EXPIRED)
		token_error(req, "invalid_grant", "Token has been expired or revoked.");
	else if (state == LOGIN_REAUTH)
		reply_json(req, 400,
			json_pack("{s:s, s:s, s:s, s:s}", "error", "invalid_grant",
				"error_description", "reauth related error (invalid_rapt)",
				"error_uri", "https://support.google.com/a/answer/9368756",
				"error_subtype", "invalid_rapt"));
	else
		reply_token(req, false, account);
}

static void post_token(struct req *req)
{
	AUTO_FREE char *grant = form_value(req, "grant_type");
	AUTO_FREE char *refresh = form_value(req, "refresh_token");
	AUTO_FREE char *client = form_value(req, "client_id");
	AUTO_FREE char *code = form_value(req, "code");
	if (!grant)
		token_error(req, "invalid_request", "Required parameter is missing: grant_type");
	else if (strcmp(grant, JWT_GRANT) == 0)
		post_assertion(req);
	else if (!client || !*client)
		token_error(req, "invalid_client", "The OAuth client was not found.");
	else if (strcmp(grant, "authorization_code") == 0 && code && *code)
		reply_token(req, true, req->sim->world->account);
	else if (strcmp(grant, "refresh_token") != 0)
		token_error(req, "unsupported_grant_type", "Invalid grant_type");
	else
		post_refresh(req, refresh ? refresh : "");
}

static void tokeninfo(struct req *req)
{
	const char *email;
	int64_t left;
	const char *query = req_query(req, "access_token");
	AUTO_FREE char *form = form_value(req, "access_token");
	const char *token = query ? query : form;
	if (!token || logins_look(req->sim->world, token, &email, &left) != LOGIN_TOKEN_GOOD)
		token_error(req, "invalid_token", "Invalid Value");
	else
		reply_json(req, 200,
			json_pack("{s:s, s:s, s:o, s:s, s:s, s:s}", "azp",
				"32555940559.apps.googleusercontent.com", "scope", SCOPES,
				"expires_in", json_sprintf("%lld", (long long)left), "email", email,
				"email_verified", "true", "access_type", "offline"));
}

static void userinfo(struct req *req)
{
	const char *bearer = req_header(req, "Authorization"), *email;
	logins_look(req->sim->world, bearer + strlen("Bearer "), &email, NULL);
	reply_json(req, 200,
		json_pack("{s:s, s:s, s:b}", "sub", "104821640000000000001", "email", email,
			"email_verified", 1));
}

const struct route google_auth_routes[] = {
	{"POST", "/token", post_token, ROUTE_OPEN},
	{"GET", "/tokeninfo", tokeninfo, ROUTE_OPEN},
	{"POST", "/tokeninfo", tokeninfo, ROUTE_OPEN},
	{"GET", "/oauth2/v3/userinfo", userinfo, ROUTE_GOOGLE},
	{0},
};
