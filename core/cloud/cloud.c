/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/cloud.h"

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/cloud/auth.h"
#include "core/fmt/cause.h"
#include "core/fmt/json.h"
#include "core/io/retry.h"

#include <stdlib.h>
#include <string.h>

enum { TOKEN_TRIES = 2 };

struct job {
	void *job; /* NULL: ended */
	const void *owner;
	void (*drop)(void *job);
};

struct cloud {
	struct loop *loop;
	struct http *http;
	struct auth *auth;
	char *endpoints[CLOUD_API_COUNT];
	struct cloud_call *calls;
	struct {
		struct job *items;
		size_t n, cap;
	} jobs;
	int64_t skew;
};

struct cloud_call {
	struct cloud *cloud;
	struct cloud_call *prev, *next;
	struct http_request *req; /* without token; callbacks are ours */
	char *what;               /* for messages: path without query */
	bool google_token, quota, repeatable, raw, finished;
	char *token; /* the one in use */
	int tokens;  /* asked for so far */
	struct retry_call *retry;
	struct http_call *http;
	struct cloud_done done;
	void (*on_raw)(void *arg, struct http_reply *r, const struct err *e);
	const void *owner;
	void *own;
};

static const struct {
	const char *variable, *address, *path;
} apis[] = {
#define X(name, variable, address, path) [name] = {variable, address, path},
	CLOUD_APIS(X)
#undef X
};

/* gcloud's rule: an override whose path is just "/" gets the API's own path. */
static char *endpoint_of(enum cloud_api api)
{
	AUTO_FREE char *name = x_asprintf("CLOUDSDK_API_ENDPOINT_OVERRIDES_%s", apis[api].variable);
	const char *set = getenv(name), *path;
	const char *slash;

	if (!set || !*set)
		return x_strdup(apis[api].address);
	path = strstr(set, "://");
	path = strchr(path ? path + 3 : set, '/');
	slash = text_ends(set, "/") ? "" : "/";
	return x_asprintf("%s%s%s", set, slash, !path || !path[1] ? apis[api].path : "");
}

struct cloud *cloud_new(struct loop *l)
{
	struct cloud *c = X_NEW(struct cloud);

	c->loop = l;
	c->http = http_new(l);
	c->auth = auth_new(l, c->http);
	for (enum cloud_api api = 0; api < CLOUD_API_COUNT; api++)
		c->endpoints[api] = endpoint_of(api);
	return c;
}

static void unlink_call(struct cloud_call *call)
{
	if (call->prev)
		call->prev->next = call->next;
	else
		call->cloud->calls = call->next;
	if (call->next)
		call->next->prev = call->prev;
}

/* Of a call that is not in the list any more. */
static void call_free(struct cloud_call *call)
{
	struct cloud *c = call->cloud;

	auth_token_drop(c->auth, call);
	loop_defer_drop(c->loop, call);
	retry_cancel(&call->retry);
	http_cancel(&call->http);
	http_request_free(call->req);
	x_wipe_free(call->token);
	free(call->what);
	free(call->own);
	free(call);
}

void cloud_job_begin(struct cloud *c, void *job, const void *owner, void (*drop)(void *job))
{
	struct job new = {job, owner, drop};

	for (size_t i = 0; i < c->jobs.n; i++)
		if (!c->jobs.items[i].job) {
			c->jobs.items[i] = new;
			return;
		}
	*VEC_PUSH(&c->jobs) = new;
}

void cloud_job_end(struct cloud *c, void *job)
{
	for (size_t i = 0; i < c->jobs.n; i++)
		if (c->jobs.items[i].job == job)
			c->jobs.items[i].job = NULL;
}

static void drop_job(struct cloud *c, size_t i)
{
	struct job j = c->jobs.items[i];

	c->jobs.items[i].job = NULL;
	if (j.job)
		j.drop(j.job);
}

void cloud_free(struct cloud *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->jobs.n; i++)
		drop_job(c, i);
	while (c->calls)
		cloud_cancel(&(struct cloud_call *){c->calls});
	auth_free(c->auth);
	http_free(c->http);
	for (size_t i = 0; i < CLOUD_API_COUNT; i++)
		free(c->endpoints[i]);
	free(c->jobs.items);
	free(c);
}

struct loop *cloud_loop(const struct cloud *c)
{
	return c->loop;
}

struct http *cloud_http(const struct cloud *c)
{
	return c->http;
}

struct auth *cloud_auth(const struct cloud *c)
{
	return c->auth;
}

const char *cloud_endpoint(const struct cloud *c, enum cloud_api api)
{
	return c->endpoints[api];
}

int64_t cloud_clock_skew(const struct cloud *c)
{
	return c->skew;
}

/* Out of the list first: the callback may cancel all of its owner's calls. */
static void finish(
	struct cloud_call *call, json_t *reply, struct http_reply *r, const struct err *e)
{
	struct cloud_done done = call->done;

	unlink_call(call);
	call->finished = true;
	if (call->raw) {
		if (call->on_raw)
			call->on_raw(done.arg, r, e);
	} else if (done.fn) {
		done.fn(done.arg, reply, e);
	}
	call_free(call);
}

/* Where nothing is the whole answer. */
static bool may_be_empty(const struct cloud_call *call, const struct http_reply *r)
{
	const char *method = call->req->method;

	return r->status == 204 ||
	       (method && (strcmp(method, "DELETE") == 0 || strcmp(method, "HEAD") == 0));
}

static void succeed(struct cloud_call *call, struct http_reply *r)
{
	AUTO(json_auto) json_t *j = NULL;
	struct err e = {0};

	if (call->raw) {
		finish(call, NULL, r, NULL);
		return;
	}
	if (!r->body.len && may_be_empty(call, r))
		j = json_object();
	else if (!r->body.len)
		err_set(&e, ERR_UNREACHABLE, _("check the network and its proxy, then try again"),
			_("%s: the answer is empty"), call->what);
	else
		j = cloud_json(&e, call->what, r);
	if (!r->body.len)
		e.cause = "answer-empty";
	e.http = r->status;
	finish(call, j, r, j ? NULL : &e);
}

static void ask_token(struct cloud_call *call);

/* No answer at all: what the connection said has its cause too. */
static void unanswered(struct cloud_call *call, struct http_reply *r, const struct err *e)
{
	const struct cause *c =
		r->cut_off ? cause_by_id("answer-cut") : cause_of_text(e->what, strlen(e->what));
	struct err why = *e;

	if (!why.cause && c)
		why.cause = c->id;
	finish(call, NULL, r, &why);
}

static void answered(void *arg, struct http_reply *r, const struct err *e)
{
	struct cloud_call *call = arg;
	struct err why = {0};

	call->retry = NULL;
	call->http = NULL;
	if (r->date_ms)
		call->cloud->skew = r->date_ms - clock_now();
	if (e) {
		unanswered(call, r, e);
	} else if (r->status == 401 && call->google_token && call->tokens < TOKEN_TRIES) {
		auth_refused(call->cloud->auth, call->token);
		ask_token(call);
	} else if (r->status / 100 == 2) {
		succeed(call, r);
	} else {
		cloud_error_typed(&why, call->what, r->status, r->content_type, buf_str(&r->body),
			r->body.len);
		finish(call, NULL, r, &why);
	}
}

static void send_now(void *arg)
{
	struct cloud_call *call = arg;
	struct http *h = call->cloud->http;

	if (call->repeatable)
		call->retry = retry_send(h, call->req, &retry_cloud);
	else
		call->http = http_send(h, call->req);
}

static void token_came(void *arg, const char *token, const struct err *e)
{
	struct cloud_call *call = arg;
	const char *project = auth_quota_project(call->cloud->auth);
	AUTO_FREE char *line = NULL;
	const char *headers[] = {NULL, NULL};
	struct http_request with;
	struct http_request *old = call->req;

	if (e) {
		struct http_reply none = {.retry_after_s = -1};

		finish(call, NULL, &none, e);
		return;
	}
	x_wipe_free(call->token);
	call->token = x_strdup(token);
	with = *old;
	with.bearer = token;
	if (call->quota && *project) {
		line = x_asprintf("x-goog-user-project: %s", project);
		headers[0] = line;
		with.headers = headers;
	}
	call->req = http_request_copy(&with);
	http_request_free(old);
	send_now(call);
}

static void ask_token(struct cloud_call *call)
{
	call->tokens++;
	auth_token(call->cloud->auth, token_came, call);
}

static struct http_request *make_request(struct cloud *c, const struct cloud_request *r, void *arg)
{
	const char *base = r->base ? r->base : c->endpoints[r->api];
	AUTO_FREE char *url = x_asprintf("%s%s", base, r->path);
	AUTO_FREE char *body = r->body ? json_line(r->body) : NULL;
	struct http_request req = {
		.method = r->method,
		.url = url,
		.range = r->range,
		.ca_pem = r->ca_pem,
		.cert_pem = r->cert_pem,
		.key_pem = r->key_pem,
		.tls_name = r->tls_name,
		.max_body = r->max_body,
		.body = body,
		.body_n = body ? strlen(body) : 0,
		.on_done = answered,
		.arg = arg,
	};

	if (r->token && *r->token)
		req.bearer = r->token;
	return http_request_copy(&req);
}

struct cloud_call *cloud_send(struct cloud *c, const struct cloud_request *r)
{
	struct cloud_call *call = X_NEW(struct cloud_call);
	bool get = !r->method || strcmp(r->method, "GET") == 0 || strcmp(r->method, "HEAD") == 0;

	call->cloud = c;
	call->google_token = !r->token;
	call->quota = !r->base && !r->no_quota_project;
	call->repeatable = get || r->repeatable;
	call->raw = r->raw;
	call->done = r->done;
	call->on_raw = r->on_raw;
	call->owner = r->done.arg;
	call->what = x_strndup(r->path, strcspn(r->path, "?"));
	call->req = make_request(c, r, call);
	call->next = c->calls;
	if (c->calls)
		c->calls->prev = call;
	c->calls = call;
	if (call->google_token)
		ask_token(call);
	else
		send_now(call);
	return call;
}

struct cloud_call *cloud_call(struct cloud *c, enum cloud_api api, const char *method,
	const char *path, const json_t *body, struct cloud_done done)
{
	return cloud_send(
		c, &(struct cloud_request){
			   .api = api, .method = method, .path = path, .body = body, .done = done});
}

struct cloud_call *cloud_own(struct cloud_call *call, const void *owner, void *own)
{
	call->owner = owner;
	call->own = own;
	return call;
}

void cloud_cancel(struct cloud_call **call)
{
	struct cloud_call *gone = *call;

	*call = NULL;
	if (!gone || gone->finished)
		return;
	unlink_call(gone);
	call_free(gone);
}

void cloud_cancel_all(struct cloud *c, const void *arg)
{
	struct cloud_call *next;

	for (size_t i = 0; i < c->jobs.n; i++)
		if (c->jobs.items[i].owner == arg)
			drop_job(c, i);
	for (struct cloud_call *call = c->calls; call; call = next) {
		next = call->next;
		if (call->owner == arg)
			cloud_cancel(&(struct cloud_call *){call});
	}
}
