/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/auth.h"

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/cloud/auth_fetch.h"
#include "core/io/loop.h"

#include <stdlib.h>
#include <string.h>

#define EARLY_MS 225000 /* google-auth's refresh threshold, 3 min 45 s */

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
	enum auth_source source;
	char *token, *email, *quota_project;
	int64_t expires; /* run time; 0 = never */
};

struct auth *auth_new(struct loop *l, struct http *h)
{
	struct auth *a = X_NEW(struct auth);
	const char *quota = getenv("GOOGLE_CLOUD_QUOTA_PROJECT");

	a->loop = l;
	a->http = h;
	a->quota_project = quota && *quota ? x_strdup(quota) : NULL;
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

static bool fresh(const struct auth *a)
{
	return a->token && (!a->expires || a->expires - EARLY_MS > clock_now());
}

static void renewed(void *arg, const struct auth_result *r, const struct err *e)
{
	struct auth *a = arg;
	struct auth_fetch *done = a->fetch;

	a->fetch = NULL;
	if (e) {
		log_line("auth", "failed: %s", e->what);
		deliver(a, NULL, e);
	} else {
		AUTO_FREE char *token = x_strdup(r->token);

		x_wipe_free(a->token);
		a->token = x_strdup(r->token);
		a->expires = r->expires;
		a->source = r->source;
		free(a->email);
		a->email = x_strdup(r->email);
		if (!a->quota_project && r->quota_project)
			a->quota_project = x_strdup(r->quota_project);
		redact_add(a->token, "[access token]");
		deliver(a, token, NULL);
		explicit_bzero(token, strlen(token));
	}
	auth_fetch_free(done);
}

static void serve(void *arg)
{
	struct auth *a = arg;

	if (a->waiting.n == 0 || a->fetch)
		return;
	if (fresh(a)) {
		AUTO_FREE char *token = x_strdup(a->token);

		deliver(a, token, NULL);
		explicit_bzero(token, strlen(token));
		return;
	}
	a->fetch = auth_fetch_new(a->loop, a->http, AUTH_ANY, renewed, a);
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

static void probed(void *arg, const struct auth_result *r, const struct err *e)
{
	struct probe *p = arg;
	struct auth_who who = {0};

	who.source = r->source;
	who.email = r->email ? r->email : "";
	who.project = r->project ? r->project : "";
	who.quota_project = r->quota_project ? r->quota_project : "";
	who.file = r->file ? r->file : "";
	who.expires = r->expires;
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
	p->fetch = auth_fetch_new(a->loop, a->http, source, probed, p);
}

void auth_probe_drop(struct auth *a, const void *arg)
{
	for (struct probe *p = a->probes; p; p = p->next)
		if (p->arg == arg)
			p->fn = NULL;
}

char *auth_adc_path(void)
{
	static const char name[] = "application_default_credentials.json";
	const char *file = getenv("GOOGLE_APPLICATION_CREDENTIALS");
	const char *config = getenv("CLOUDSDK_CONFIG"), *home = getenv("HOME");

	if (file && *file)
		return x_strdup(file);
	if (config && *config)
		return path_join(config, name);
	return x_asprintf("%s/.config/gcloud/%s", home ? home : "", name);
}
