/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/logins.h"

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/server.h"
#include "sim/sim.h"
#include "sim/world.h"
#include "sim/worlds.h"
#include <gnutls/abstract.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BITS 2048
#define KEY_ID   "8f2c6e1d40b7a9530c1e5d7f9b3a6824e0d1c2b3"

struct token {
	char *text, *email;
	bool real;   /* whose clock ends it */
	int64_t end; /* ms of that clock */
};

struct logins {
	struct token *items;
	size_t n, cap;
	uint64_t serial;
	enum login_state state;
	char *renewed; /* refresh token of the newest login, NULL before */
	bool renewed_good;
	char *robot;
	char *key; /* PEM */
	int clicks;
};

void logins_open(struct world *w)
{
	w->logins = X_NEW(struct logins);
}

static void token_free(struct token *t)
{
	free(t->text);
	free(t->email);
}

void logins_close(struct world *w)
{
	struct logins *l = w->logins;
	for (size_t i = 0; i < l->n; i++)
		token_free(&l->items[i]);
	free(l->items);
	free(l->renewed);
	free(l->robot);
	x_wipe_free(l->key);
	free(l);
	w->logins = NULL;
}

void logins_set(struct world *w, enum login_state state)
{
	w->logins->state = state;
	w->logins->renewed_good = false;
}

static int64_t left(const struct world *w, const struct token *t)
{
	return t->end - (t->real ? clock_wall() : sim_now(w->sim));
}

void logins_end(struct world *w)
{
	for (size_t i = 0; i < w->logins->n; i++)
		w->logins->items[i].end = 0;
}

/* Those that ended more than an hour ago are forgotten. */
static void sweep(const struct world *w)
{
	struct logins *l = w->logins;
	size_t k = 0;
	for (size_t i = 0; i < l->n; i++) {
		if (left(w, &l->items[i]) < -SIM_HOUR)
			token_free(&l->items[i]);
		else
			l->items[k++] = l->items[i];
	}
	l->n = k;
}

static uint64_t scramble(uint64_t x)
{
	x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15U;
	x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9U;
	return x ^ (x >> 32);
}

const char *logins_token(const struct req *req, const char *email, int64_t seconds)
{
	const struct world *w = req->sim->world;
	const char *agent = req_header(req, "User-Agent");
	struct logins *l = w->logins;
	sweep(w);
	struct token *t = VEC_PUSH(l);
	uint64_t n = ++l->serial;
	t->text = x_asprintf("ya29.rehearsal-%016llx%016llx",
		(unsigned long long)scramble(n ^ w->sim->seed << 32),
		(unsigned long long)scramble(~n));
	t->email = x_strdup(email);
	t->real = !agent || strncmp(agent, "rlpilot", strlen("rlpilot")) != 0;
	t->end = (t->real ? clock_wall() : sim_now(w->sim)) + seconds * SIM_S;
	return t->text;
}

enum login_token logins_look(
	const struct world *w, const char *token, const char **email, int64_t *left_s)
{
	const struct logins *l = w->logins;
	if (strcmp(token, w->token) == 0) {
		if (email)
			*email = w->account;
		if (left_s)
			*left_s = LOGIN_SECONDS;
		return LOGIN_TOKEN_GOOD;
	}
	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(l->items[i].text, token) != 0)
			continue;
		if (email)
			*email = l->items[i].email;
		if (left_s)
			*left_s = left(w, &l->items[i]) / SIM_S;
		return left(w, &l->items[i]) > 0 ? LOGIN_TOKEN_GOOD : LOGIN_TOKEN_EXPIRED;
	}
	return LOGIN_TOKEN_UNKNOWN;
}

bool logins_refresh(const struct world *w, const char *refresh_token, enum login_state *state,
	const char **email)
{
	const char *renewed = w->logins->renewed;
	*email = w->account;
	if (renewed && strcmp(renewed, refresh_token) == 0) {
		*state = w->logins->renewed_good ? LOGIN_GOOD : w->logins->state;
		return true;
	}
	if (strcmp(refresh_token, WORLD_EXPIRED) == 0) {
		*state = LOGIN_REAUTH;
		return true;
	}
	*state = w->logins->state;
	if (strcmp(w->refresh_token, refresh_token) == 0)
		return true;
	*email = WORLD_OTHER_ACCOUNT;
	return strcmp(refresh_token, WORLD_OTHER) == 0 && world_is(w, "login", "two");
}

const char *logins_renew(struct world *w)
{
	struct logins *l = w->logins;
	if (l->state == LOGIN_GOOD)
		return w->refresh_token;
	if (!l->renewed_good) {
		free(l->renewed);
		l->renewed =
			x_asprintf("1//0rehearsal-new-login-%llu", (unsigned long long)++l->serial);
		l->renewed_good = true;
	}
	return l->renewed;
}

const char *logins_robot(const struct world *w)
{
	if (!w->logins->robot)
		w->logins->robot =
			x_asprintf("rehearsal-bot@%s.iam.gserviceaccount.com", w->project);
	return w->logins->robot;
}

const char *logins_key(struct world *w)
{
	struct logins *l = w->logins;
	gnutls_x509_privkey_t key;
	gnutls_datum_t pem;
	if (l->key)
		return l->key;
	if (gnutls_x509_privkey_init(&key) < 0 ||
		gnutls_x509_privkey_generate(key, GNUTLS_PK_RSA, KEY_BITS, 0) < 0 ||
		gnutls_x509_privkey_export2_pkcs8(key, GNUTLS_X509_FMT_PEM, NULL, 0, &pem) < 0)
		die("GnuTLS makes no RSA key");
	l->key = x_strndup((const char *)pem.data, pem.size);
	gnutls_memset(pem.data, 0, pem.size);
	gnutls_free(pem.data);
	gnutls_x509_privkey_deinit(key);
	return l->key;
}

bool logins_wants_click(struct world *w)
{
	return w->logins->clicks > 0 && w->logins->clicks-- > 0;
}

void logins_change(struct req *req)
{
	static const char *const names[] = {
		[LOGIN_GOOD] = "good", [LOGIN_EXPIRED] = "expired", [LOGIN_REAUTH] = "reauth"};
	struct world *w = req->sim->world;
	const json_t *j = req_json(req);
	const char *state = json_path_str(j, "state");
	size_t i = 0;
	while (state && i < COUNT(names) && strcmp(names[i], state) != 0)
		i++;
	if (!j || i == COUNT(names)) {
		reply_google_error(req, 400, "INVALID_ARGUMENT", "invalid",
			"state must be good, expired or reauth");
		return;
	}
	if (state)
		logins_set(w, (enum login_state)i);
	w->logins->clicks = (int)json_path_i64(j, "clicks", w->logins->clicks);
	reply_json(req, 200, json_object());
}

static json_t *file_of(struct req *req, const char *type)
{
	struct world *w = req->sim->world;
	int port = server_http_port(req->sim);
	const char *source = req_query(req, "source"), *delegate;
	json_t *delegates = json_array();
	if (strcmp(type, "service_account") == 0) {
		json_decref(delegates);
		return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:s}", "type", type,
			"project_id", w->project, "private_key_id", KEY_ID, "private_key",
			logins_key(w), "client_email", logins_robot(w), "client_id",
			"104821640000000000002", "token_uri",
			json_sprintf("http://127.0.0.1:%d/token", port), "universe_domain",
			"googleapis.com");
	}
	if (strcmp(type, "authorized_user") == 0) {
		json_decref(delegates);
		return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "type", type, "account", "",
			"client_id", "764086051850-rehearsal.apps.googleusercontent.com",
			"client_secret", "d-rehearsal-client-secret", "quota_project_id",
			w->project, "refresh_token", logins_renew(w), "universe_domain",
			"googleapis.com");
	}
	for (size_t i = 0; (delegate = req_query_next(req, "delegate", &i));)
		json_array_append_new(
			delegates, json_sprintf("projects/-/serviceAccounts/%s", delegate));
	return json_pack("{s:s, s:o, s:o, s:o}", "type", type, "service_account_impersonation_url",
		json_sprintf("http://127.0.0.1:%d/v1/projects/-/serviceAccounts/"
			     "%s:generateAccessToken",
			port, logins_robot(w)),
		"delegates", delegates, "source_credentials",
		file_of(req, source && strcmp(source, "service_account") == 0 ? "service_account"
									      : "authorized_user"));
}

void logins_file(struct req *req)
{
	static const char *const types[] = {
		"authorized_user", "service_account", "impersonated_service_account"};
	for (size_t i = 0; i < COUNT(types); i++)
		if (strcmp(types[i], req_capture(req, "type")) == 0) {
			reply_json(req, 200, file_of(req, types[i]));
			return;
		}
	reply_google_error(req, 404, "NOT_FOUND", "notFound", "no credentials of this type");
}
