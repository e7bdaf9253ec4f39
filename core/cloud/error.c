/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/cloud.h"

#include "core/base/mem.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/fmt/body.h"
#include "core/fmt/cause.h"
#include "core/fmt/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A reason is a word that programs agree on, never text to show as it comes. */
static bool is_word(const char *s)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

	return *s && strlen(s) < 80 && strspn(s, letters) == strlen(s);
}

/* The ErrorInfo first: it is the only part with a contract. */
static const char *find_reason(const json_t *j)
{
	const json_t *details = json_path(j, "error.details");
	const char *reason = NULL;

	for (size_t i = 0; i < json_array_size(details) && !reason; i++)
		reason = json_path_str(json_array_get(details, i), "reason");
	if (!reason)
		reason = json_path_str(j, "error.errors[0].reason");
	if (!reason)
		reason = json_path_str(j, "error.status");
	if (!reason)
		reason = json_path_str(j, "reason");
	if (!reason)
		reason = json_path_str(j, "error");
	return reason && is_word(reason) ? reason : NULL;
}

void cloud_reason(const char *body, size_t n, char *out, size_t size)
{
	AUTO(json_auto) json_t *j = json_parse(body, n, NULL);
	const char *reason = j ? find_reason(j) : NULL;

	snprintf(out, size, "%s", reason ? reason : "");
}

/* Words of the details for the cure: service, permission, consumer, quota, … */
static void put_details(struct cause_hit *hit, const json_t *j)
{
	const json_t *details = json_path(j, "error.details"), *value;

	for (size_t i = 0; i < json_array_size(details); i++) {
		const json_t *d = json_array_get(details, i);
		const char *name;

		json_object_foreach((json_t *)(uintptr_t)json_path(d, "metadata"), name, value)
			cause_put(hit, name, json_string_value(value));
		cause_put(hit, "quota_metric", json_path_str(d, "violations[0].quotaMetric"));
		cause_put(hit, "quota_limit", json_path_str(d, "violations[0].quotaId"));
	}
}

/* Requests without a quota project are counted to the projects of gcloud's own clients. */
static bool of_client_project(const struct cause_hit *hit)
{
	static const char *const clients[] = {"projects/764086051850", "projects/32555940559"};
	const char *consumer = cause_word(hit, "consumer");

	for (size_t i = 0; consumer && i < COUNT(clients); i++)
		if (!strcmp(consumer, clients[i]))
			return true;
	return false;
}

static bool has_error_info(const json_t *j)
{
	const json_t *details = json_path(j, "error.details");

	for (size_t i = 0; i < json_array_size(details); i++)
		if (json_path_str(json_array_get(details, i), "reason"))
			return true;
	return false;
}

/* ErrorInfo, then the text, which is more exact than legacy words; the status comes last. */
static void find_cause(struct cause_hit *hit, int status, const json_t *j, const char *message)
{
	const char *reason = find_reason(j);
	const struct cause *by_reason = cause_of_reason(reason);

	if (!(by_reason && has_error_info(j)))
		cause_find(hit, message, strlen(message));
	put_details(hit, j);
	if (of_client_project(hit))
		by_reason = cause_of_reason("no-quota-project");
	if (!hit->cause)
		hit->cause = by_reason ? by_reason : cause_of_http(status);
}

static const char *find_message(const json_t *j)
{
	static const char *const paths[] = {
		"error.message", "message", "error_description", "error"};

	for (size_t i = 0; i < COUNT(paths); i++)
		if (json_path_str(j, paths[i]))
			return json_path_str(j, paths[i]);
	return "";
}

/* What the body says, ready to be shown. */
static char *body_message(const struct body *b, const char *type)
{
	AUTO(buf_fini) struct buf clean = {0};
	const char *said;

	if (b->kind != BODY_JSON)
		return b->kind == BODY_EMPTY ? x_strdup("") : body_said(b, type);
	said = find_message(b->json);
	text_clean(&clean, said, strlen(said));
	return redact_dup(buf_str(&clean));
}

static void make_error(
	struct err *e, const char *what, int status, const struct body *b, const char *type)
{
	struct cause_hit hit = {0};
	const char *reason = b->json ? find_reason(b->json) : NULL;
	AUTO_FREE char *message = body_message(b, type);
	AUTO_FREE char *cure = NULL;
	enum err_code code = status >= 500 || status == 429 ? ERR_UNREACHABLE : ERR_FAILED;

	if (b->json)
		find_cause(&hit, status, b->json, message);
	else if (b->kind == BODY_HTML && status / 100 == 4)
		hit.cause = cause_of_reason("proxy-page");
	else
		hit.cause = cause_of_http(status);
	cure = cause_cure(&hit);
	err_set(e, code, *cure ? cure : _("try again in a few minutes"),
		"%s: %.360s%s(HTTP %d%s%s)", what, message, *message ? " " : "", status,
		reason ? ", " : "", reason ? reason : "");
	e->http = status;
	e->cause = hit.cause ? hit.cause->id : NULL;
}

int cloud_error_typed(
	struct err *e, const char *what, int status, const char *type, const char *body, size_t n)
{
	struct err unwanted;
	struct body b;

	body_read(&b, type, body, n, BODY_ERROR_MAX);
	make_error(e ? e : &unwanted, what, status, &b, type);
	body_fini(&b);
	return -1;
}

int cloud_error(struct err *e, const char *what, int status, const char *body, size_t n)
{
	return cloud_error_typed(e, what, status, NULL, body, n);
}

json_t *cloud_json(struct err *e, const char *what, const struct http_reply *r)
{
	struct body b;
	AUTO_FREE char *said = NULL;
	const struct cause *c;

	body_read(&b, r->content_type, buf_str(&r->body), r->body.len, HTTP_BODY_MAX);
	if (b.kind == BODY_JSON)
		return b.json;
	said = body_said(&b, r->content_type);
	c = cause_of_reason(body_cause(&b));
	err_set(e, ERR_UNREACHABLE,
		c ? _(c->cure) : _("check the network and its proxy, then try again"),
		_("%s: the service's answer is not JSON: %s"), what, said);
	e->http = r->status;
	e->cause = c ? c->id : NULL;
	return NULL;
}
