/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/auth.h"

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/redact.h"
#include "core/base/vec.h"
#include "core/cloud/auth_fetch.h"
#include "core/cloud/auth_place.h"
#include "core/io/loop.h"

#include <stdlib.h>
#include <string.h>

#define EARLY_MS INT64_C(225000) /* google-auth's refresh threshold, 3 min 45 s */

enum {
	AUTHORIZE_MS = 2000,          /* run time between questions while Cloud Shell waits */
	AUTHORIZE_TRIES = 20 * 60 / 2 /* the machine ends after 20 idle minutes */
};

struct waiter {
	void (*fn)(void *arg, const char *token, const struct err *e);
	void *arg;
};

struct waiters {
	struct waiter *items;
	size_t n, cap;
};

struct probe {
	struct probe *next;
	struct auth *auth;
	struct auth_fetch *fetch;
	void (*fn)(void *arg, const struct auth_who *who, const struct err *e);
	void *arg;
};

struct auth {
	struct loop *loop;
	struct http *http;
	struct auth_fetch *fetch; /* a renewal that runs */
	struct waiters waiting, served;
	struct probe *probes;
	char *token, *email, *quota_project;
	int64_t expires; /* run time; 0 = never */
	bool no_metadata;
	struct loop_timer *click; /* until the next question */
	int clicks;               /* questions asked while waiting for one */
};

struct auth *auth_new(struct loop *l, struct http *h)
{
	struct auth *a = X_NEW(struct auth);

	a->loop = l;
	a->http = h;
	a->quota_project = x_strdup(auth_env("GOOGLE_CLOUD_QUOTA_PROJECT"));
	return a;
}

static void probe_free(struct probe *p)
{
	struct probe **at = &p->auth->probes;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	auth_fetch_free(p->fetch);
	free(p);
}

void auth_free(struct auth *a)
{
	if (!a)
		return;
	while (a->probes)
		probe_free(a->probes);
	auth_fetch_free(a->fetch);
	loop_timer_cancel(&a->click);
	loop_defer_drop(a->loop, a);
	x_wipe_free(a->token);
	free(a->email);
	free(a->quota_project);
	free(a->waiting.items);
	free(a->served.items);
	free(a);
}

/* Callbacks may ask again: those wait for the next delivery. */
static void deliver(struct auth *a, const char *token, const struct err *e)
{
	struct waiters now = a->waiting;

	a->waiting = a->served;
	a->waiting.n = 0;
	a->served = now;
	for (size_t i = 0; i < a->served.n; i++) {
		struct waiter w = a->served.items[i];

		a->served.items[i].fn = NULL;
		if (w.fn)
			w.fn(w.arg, token, e);
	}
	a->served.n = 0;
}

static void renewed(void *arg, const struct auth_result *r, const struct err *e);

static bool lasts(const struct auth *a, int64_t ms)
{
	return a->token && (!a->expires || a->expires - ms > clock_now());
}

static void deliver_token(struct auth *a)
{
	char *token = x_strdup(a->token);

	deliver(a, token, NULL);
	x_wipe_free(token);
}

static void renew(struct auth *a)
{
	if (!a->fetch)
		a->fetch = auth_fetch_new(a->loop, a->http, AUTH_ANY, a->no_metadata, renewed, a);
}

static void keep(struct auth *a, const struct auth_result *r)
{
	const char *quota = auth_env("GOOGLE_CLOUD_QUOTA_PROJECT");

	x_wipe_free(a->token);
	a->token = x_strdup(r->token);
	a->expires = r->expires;
	free(a->email);
	a->email = x_strdup(r->email);
	free(a->quota_project);
	a->quota_project = x_strdup(quota ? quota : r->quota_project);
}

static void ask_again(void *arg)
{
	struct auth *a = arg;

	a->click = NULL;
	renew(a);
}

/* Nobody has clicked yet: those who wait are told, the question is repeated. */
static void wait_for_click(struct auth *a)
{
	if (a->clicks++ < AUTHORIZE_TRIES && !a->click)
		a->click = loop_after(a->loop, AUTHORIZE_MS, ask_again, a);
}

static void renewed(void *arg, const struct auth_result *r, const struct err *e)
{
	struct auth *a = arg;
	struct auth_fetch *done = a->fetch;

	a->fetch = NULL;
	a->no_metadata = r->no_metadata;
	if (!e) {
		log_line("auth", "token kind=%s expires=%lld", r->kind, (long long)r->expires);
		a->clicks = 0;
		keep(a, r);
		deliver_token(a);
	} else if (e->code == ERR_UNREACHABLE && lasts(a, 0)) {
		log_line("auth", "not renewed, the old token is used: %s", e->what);
		deliver_token(a);
	} else {
		if (r->authorize)
			wait_for_click(a);
		deliver(a, NULL, e);
	}
	auth_fetch_free(done);
}

static void serve(void *arg)
{
	struct auth *a = arg;

	if (a->waiting.n == 0 || a->fetch)
		return;
	if (lasts(a, EARLY_MS))
		deliver_token(a);
	else
		renew(a);
}

void auth_token(
	struct auth *a, void (*fn)(void *arg, const char *token, const struct err *e), void *arg)
{
	*VEC_PUSH(&a->waiting) = (struct waiter){fn, arg};
	loop_defer(a->loop, serve, a);
}

static void drop(struct waiters *w, const void *arg)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->items[i].arg == arg)
			w->items[i].fn = NULL;
}

void auth_token_drop(struct auth *a, const void *arg)
{
	drop(&a->waiting, arg);
	drop(&a->served, arg);
}

void auth_refused(struct auth *a, const char *token)
{
	if (!a->token || strcmp(a->token, token) != 0)
		return;
	x_wipe_free(a->token);
	a->token = NULL;
}

const char *auth_quota_project(const struct auth *a)
{
	return a->quota_project ? a->quota_project : "";
}

const char *auth_email(const struct auth *a)
{
	return a->email ? a->email : "";
}

static struct auth_who who_of(const struct auth_result *r)
{
	return (struct auth_who){
		.source = r->source,
		.kind = r->kind ? r->kind : "",
		.email = r->email ? r->email : "",
		.project = r->project ? r->project : "",
		.quota_project = r->quota_project ? r->quota_project : "",
		.file = r->file ? r->file : "",
		.expires = r->expires,
	};
}

static void probed(void *arg, const struct auth_result *r, const struct err *e)
{
	struct probe *p = arg;
	struct auth_who who = who_of(r);

	p->auth->no_metadata = p->auth->no_metadata || r->no_metadata;
	if (p->fn)
		p->fn(p->arg, e ? NULL : &who, e);
	probe_free(p);
}

void auth_probe(struct auth *a, enum auth_source source,
	void (*fn)(void *arg, const struct auth_who *who, const struct err *e), void *arg)
{
	struct probe *p = X_NEW(struct probe);

	p->auth = a;
	p->fn = fn;
	p->arg = arg;
	p->next = a->probes;
	a->probes = p;
	p->fetch = auth_fetch_new(a->loop, a->http, source, a->no_metadata, probed, p);
}

void auth_probe_drop(struct auth *a, const void *arg)
{
	for (struct probe *p = a->probes; p; p = p->next)
		if (p->arg == arg)
			p->fn = NULL;
}
