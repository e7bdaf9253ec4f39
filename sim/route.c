/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/route.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/clock.h"
#include "sim/conn.h"
#include "sim/faults.h"
#include "sim/google.h"
#include "sim/kube.h"
#include "sim/logins.h"
#include "sim/sim.h"
#include "sim/world.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct route *const http_tables[] = {
	google_auth_routes,
	google_iamcred_routes,
	google_metadata_routes,
	google_project_routes,
	google_services_routes,
	google_compute_routes,
	google_reservation_routes,
	google_network_routes,
	google_gke_routes,
	gcs_bucket_routes,
	gcs_object_routes,
	gcs_upload_routes,
	hub_routes,
	bundle_routes,
	private_routes,
};
static const struct route *const tls_tables[] = {kube_routes};

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *conn_decode(const char *s, size_t n)
{
	char *out = x_malloc(n + 1);
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		int hi = s[i] == '%' && i + 2 < n ? hex(s[i + 1]) : -1;
		int lo = hi >= 0 ? hex(s[i + 2]) : -1;
		if (lo >= 0 && (hi | lo) != 0) {
			out[k++] = (char)(hi * 16 + lo);
			i += 2;
		} else {
			out[k++] = s[i];
		}
	}
	out[k] = '\0';
	return out;
}

bool conn_is_utf8(const char *s)
{
	json_t *j = json_string(s);
	json_decref(j);
	return j != NULL;
}

static void captures_clear(struct server_conn *c)
{
	for (size_t i = 0; i < c->n_captures; i++)
		free(c->captures[i].value);
	c->n_captures = 0;
}

static void capture(struct server_conn *c, const char *name, size_t name_n, char *value)
{
	if (c->n_captures == CONN_CAPTURES || name_n >= sizeof(c->captures[0].name))
		die("route pattern with too many or too long names");
	memcpy(c->captures[c->n_captures].name, name, name_n);
	c->captures[c->n_captures].name[name_n] = '\0';
	c->captures[c->n_captures++].value = value;
}

/* One segment of the pattern against one of the path. */
static bool segment_matches(
	struct server_conn *c, const char *p, size_t pn, const char *s, size_t n)
{
	char *text = conn_decode(s, n);
	const char *close = p[0] == '{' ? memchr(p, '}', pn) : NULL;
	size_t len = strlen(text);
	if (!close) {
		bool same = len == pn && memcmp(text, p, pn) == 0;
		free(text);
		return same;
	}
	size_t tail = (size_t)(p + pn - (close + 1));
	if (len <= tail || memcmp(text + len - tail, close + 1, tail) != 0) {
		free(text);
		return false;
	}
	text[len - tail] = '\0';
	capture(c, p + 1, (size_t)(close - p) - 1, text);
	return true;
}

static bool pattern_matches(struct server_conn *c, const char *p, const char *s)
{
	captures_clear(c);
	while (*p == '/' && *s == '/') {
		p++;
		s++;
		size_t pn = strcspn(p, "/");
		size_t n = strcspn(s, "/");
		if (pn > 3 && p[pn - 2] == '*' && p[pn - 1] == '}') {
			capture(c, p + 1, pn - 3, conn_decode(s, strlen(s)));
			return true;
		}
		if (!segment_matches(c, p, pn, s, n))
			return false;
		p += pn;
		s += n;
	}
	return *p == '\0' && *s == '\0';
}

/* Addresses end up in JSON: what is no UTF-8 is turned away here. */
static bool address_ok(const struct server_conn *c)
{
	AUTO_FREE char *path = conn_decode(c->url, strlen(c->url));
	bool ok = conn_is_utf8(path);
	for (size_t i = 0; ok && i < c->query.n; i++)
		ok = conn_is_utf8(c->query.items[i]);
	return ok;
}

static const struct route *find(struct server_conn *c, const char *method)
{
	const struct route *const *tables = c->tls ? tls_tables : http_tables;
	size_t n = c->tls ? COUNT(tls_tables) : COUNT(http_tables);
	for (size_t i = 0; i < n; i++)
		for (const struct route *r = tables[i]; r->method; r++)
			if ((strcmp(r->method, "*") == 0 || strcmp(r->method, method) == 0) &&
				pattern_matches(c, r->pattern, c->url))
				return r;
	return NULL;
}

/* The project that is to pay; nobody may use another one than ours. */
static bool quota_project_ok(struct req *req)
{
	const struct world *w = req->sim->world;
	const char *project = req_header(req, "x-goog-user-project");
	if (!project || strcmp(project, w->project) == 0 || strcmp(project, w->project_number) == 0)
		return true;
	AUTO_FREE char *consumer = x_asprintf("projects/%s", project);
	reply_google_info(req, 403, "PERMISSION_DENIED", "USER_PROJECT_DENIED",
		json_pack("{s:s}", "consumer", consumer),
		"Caller does not have required permission to use project %s. Grant the caller the "
		"roles/serviceusage.serviceUsageConsumer role, or a custom role with the "
		"serviceusage.services.use permission.",
		project);
	return false;
}

/* Cloud Storage has its own words; the others tell an ended token from none and from nonsense. */
static void unauthenticated(struct req *req)
{
	const char *authorization = req_header(req, "Authorization");
	const char *token = authorization && strncmp(authorization, "Bearer ", 7) == 0
				    ? authorization + 7
				    : NULL;
	const char *reason = "CREDENTIALS_MISSING";
	bool ended =
		token && logins_look(req->sim->world, token, NULL, NULL) == LOGIN_TOKEN_EXPIRED;
	reply_header(req, "WWW-Authenticate",
		token ? "Bearer realm=\"https://accounts.google.com/\", error=\"invalid_token\""
		      : "Bearer realm=\"https://accounts.google.com/\"");
	if (strstr(req->path, "/storage/v1/")) {
		reply_google_error(req, 401, NULL, "authError", "Invalid Credentials");
		return;
	}
	if (token)
		reason = ended ? "ACCESS_TOKEN_EXPIRED" : "ACCESS_TOKEN_TYPE_UNSUPPORTED";
	reply_google_info(req, 401, "UNAUTHENTICATED", reason, NULL,
		"Request %s authentication credential%s. Expected OAuth 2 access token, login "
		"cookie or other valid authentication credential. See "
		"https://developers.google.com/identity/sign-in/web/devconsole-project.",
		token ? "had invalid" : "is missing required", token ? "s" : "");
}

static bool guarded(struct req *req, enum route_guard guard)
{
	const struct world *w = req->sim->world;
	bool known = guard == ROUTE_OPEN || world_token_ok(w, req_header(req, "Authorization"));
	if (guard == ROUTE_GOOGLE && !known) {
		unauthenticated(req);
	} else if (guard == ROUTE_KUBE && w->cluster.state != RES_RUNNING) {
		reply_kube_status(req, 503, "ServiceUnavailable", NULL,
			"the server is currently unable to handle the request");
		return false;
	} else if (guard == ROUTE_KUBE && !known) {
		reply_kube_status(req, 401, "Unauthorized", NULL, "Unauthorized");
	} else if (guard == ROUTE_GOOGLE) {
		return quota_project_ok(req) && google_service_on(req);
	}
	return known;
}

static void unknown(struct req *req, bool tls)
{
	if (tls)
		reply_kube_status(req, 404, "NotFound", NULL,
			"the server could not find the requested resource");
	else
		reply_google_error(req, 404, "NOT_FOUND", "notFound",
			"The requested URL %s was not found on this server.", req->path);
}

void route_dispatch(struct server_conn *c)
{
	struct req *req = &c->req;
	sim_catch_up(req->sim);
	const struct route *r = find(c, req->method);
	if (!r && strcmp(req->method, "HEAD") == 0)
		r = find(c, "GET");
	if (!address_ok(c))
		reply_google_error(req, 400, "INVALID_ARGUMENT", "badRequest",
			"The address of the request is not UTF-8.");
	else if (c->body_full)
		reply_google_error(req, 413, "INVALID_ARGUMENT", "uploadTooLarge",
			"The request is larger than this pretend cloud takes.");
	else if (faults_reply(req))
		return;
	else if (!r)
		unknown(req, c->tls);
	else if (guarded(req, r->guard))
		r->handle(req);
	if (!c->replied && !c->held)
		die("no reply to %s %s", req->method, req->path);
}

const char *req_capture(const struct req *req, const char *name)
{
	for (size_t i = 0; i < req->conn->n_captures; i++)
		if (strcmp(req->conn->captures[i].name, name) == 0)
			return req->conn->captures[i].value;
	die("no {%s} in the pattern of %s", name, req->path);
}

const char *req_query_next(const struct req *req, const char *name, size_t *i)
{
	const struct strvec *q = &req->conn->query;
	for (; *i + 1 < q->n; *i += 2) {
		if (strcmp(q->items[*i], name) != 0)
			continue;
		*i += 2;
		return q->items[*i - 1];
	}
	return NULL;
}

const char *req_query(const struct req *req, const char *name)
{
	size_t i = 0;
	return req_query_next(req, name, &i);
}

int64_t req_query_i64(const struct req *req, const char *name, int64_t dflt)
{
	const char *v = req_query(req, name);
	int64_t n;
	return v && text_to_i64(v, INT64_MIN, INT64_MAX, &n) == 0 ? n : dflt;
}

bool req_query_true(const struct req *req, const char *name)
{
	const char *v = req_query(req, name);
	return v && (*v == '\0' || strcmp(v, "1") == 0 || strcasecmp(v, "true") == 0);
}

const char *req_header(const struct req *req, const char *name)
{
	return MHD_lookup_connection_value(req->conn->mhd, MHD_HEADER_KIND, name);
}

json_t *req_json(struct req *req)
{
	if (!req->conn->json)
		req->conn->json =
			json_loadb(req->body, req->body_len, JSON_REJECT_DUPLICATES, NULL);
	return req->conn->json;
}
