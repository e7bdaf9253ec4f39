/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/hub.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/cause.h"
#include "core/fmt/json.h"

#include <stdio.h>
#include <stdlib.h>

struct asking {
	struct cloud_done done;
	char repo[160]; /* "" = the token itself */
};

/* Statuses mean other things here than at Google; X-Error-Code knows better than they do. */
static void tell(const struct asking *a, json_t *reply, const char *code, const struct err *e)
{
	struct cause_hit hit = {.cause = e ? cause_of_hub(code, e->http) : NULL};
	AUTO_FREE char *meaning = NULL;
	AUTO_FREE char *cure = NULL;
	struct err own = {0};

	if (hit.cause) {
		cause_put(&hit, "model", a->repo);
		meaning = cause_meaning(&hit);
		cure = cause_cure(&hit);
		err_set(&own, ERR_PERSON, cure, "%s", meaning);
		own.http = e->http;
		own.cause = hit.cause->id;
	}
	a->done.fn(a->done.arg, reply, hit.cause ? &own : e);
}

static void answered(void *arg, json_t *reply, const struct err *e)
{
	tell(arg, reply, NULL, e);
}

/* Only the status counts here, whatever the body holds; but a page for people is no answer. */
static void checked(void *arg, struct http_reply *r, const struct err *e)
{
	AUTO(json_auto) json_t *yes = json_object();
	struct err page = {0};

	if (!e && text_starts(r->content_type, "text/html")) {
		json_decref(cloud_json(&page, _("Hugging Face"), r));
		e = &page;
	}
	tell(arg, e ? NULL : yes, r->error_code, e);
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
