/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/hub.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/cause.h"
#include "core/fmt/json.h"

#include <stdio.h>
#include <stdlib.h>

/* The same statuses mean other things here than at Google. */
static const struct {
	int status;
	const char *cause;
} meanings[] = {{401, "hf-token"}, {403, "hf-gated"}, {404, "hf-not-found"}};

struct asking {
	struct cloud_done done;
	char repo[160]; /* "" = the token itself */
};

static void answered(void *arg, json_t *reply, const struct err *e)
{
	const struct asking *a = arg;
	const struct cause *cause = NULL;
	struct err own = {0};

	for (size_t i = 0; e && i < COUNT(meanings); i++)
		if (meanings[i].status == e->http)
			cause = cause_by_id(meanings[i].cause);
	if (cause) {
		err_set(&own, ERR_PERSON, _(cause->cure), "%s%s%s", a->repo, *a->repo ? ": " : "",
			_(cause->meaning));
		own.http = e->http;
		own.cause = cause->id;
	}
	a->done.fn(a->done.arg, reply, cause ? &own : e);
}

/* Only the status counts here, whatever the body holds; but a page for people is no answer. */
static void checked(void *arg, struct http_reply *r, const struct err *e)
{
	AUTO(json_auto) json_t *yes = json_object();
	struct err page = {0};

	if (!e && text_starts(r->content_type, "text/html")) {
		err_set(&page, ERR_UNREACHABLE,
			_("a proxy or a sign-in page may stand in between: check the network"),
			_("Hugging Face's answer is a web page"));
		e = &page;
	}
	answered(arg, e ? NULL : yes, e);
}

static struct cloud_call *get(struct cloud *c, const char *token, const char *path,
	const char *repo, struct cloud_done done)
{
	const char *set = getenv("HF_ENDPOINT");
	const char *host = set && *set ? set : "https://huggingface.co";
	AUTO_FREE char *base = x_asprintf("%s%s", host, text_ends(host, "/") ? "" : "/");
	struct asking *a = X_NEW(struct asking);
	struct cloud_request req = {.base = base,
		.path = path,
		.token = token ? token : "",
		.raw = *repo != '\0',
		.on_raw = checked,
		.done = {answered, a}};

	a->done = done;
	snprintf(a->repo, sizeof(a->repo), "%s", repo);
	return cloud_own(cloud_send(c, &req), done.arg, a);
}

struct cloud_call *hub_whoami(struct cloud *c, const char *token, struct cloud_done done)
{
	return get(c, token, "api/whoami-v2", "", done);
}

struct cloud_call *hub_auth_check(struct cloud *c, const char *token, const char *kind,
	const char *repo, struct cloud_done done)
{
	AUTO(buf_fini) struct buf path = {0};

	buf_addf(&path, "api/%s/", kind);
	for (const char *p = repo; *p; p++) {
		char one[2] = {*p, '\0'};

		if (*p == '/')
			buf_addc(&path, '/');
		else
			http_escape(&path, one);
	}
	buf_adds(&path, "/auth-check");
	return get(c, token, buf_str(&path), repo, done);
}
