/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/cloud.h"

#include "core/base/mem.h"
#include "core/base/redact.h"
#include "core/base/text.h"
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

/* The reason knows more than the status. */
static const struct cause *find_cause(int status, const char *reason)
{
	const struct cause *c = reason ? cause_of_reason(reason) : NULL;

	return c ? c : cause_of_http(status);
}

/* A page of a proxy or front end: its first words, without tags. */
static void plain_words(struct buf *out, const char *body, size_t n)
{
	bool tag = false, space = true;

	for (size_t i = 0; i < n && out->len < 160; i++) {
		unsigned char c = (unsigned char)body[i];

		if (c == '<' || c == '>') {
			tag = c == '<';
			c = ' ';
		}
		if (tag)
			continue;
		if (c <= ' ') {
			if (!space)
				buf_addc(out, ' ');
			space = true;
			continue;
		}
		buf_addc(out, (char)c);
		space = false;
	}
}

static void find_message(struct buf *out, const json_t *j, const char *body, size_t n)
{
	const char *message = json_path_str(j, "error.message");

	if (!message)
		message = json_path_str(j, "message");
	if (!message)
		message = json_path_str(j, "error_description");
	if (!message)
		message = json_path_str(j, "error");
	if (message)
		buf_adds(out, message);
	else if (!j)
		plain_words(out, body, n);
}

int cloud_error(struct err *e, const char *what, int status, const char *body, size_t n)
{
	AUTO(json_auto) json_t *j = json_parse(body, n, NULL);
	AUTO(buf_fini) struct buf raw = {0};
	AUTO(buf_fini) struct buf clean = {0};
	AUTO(buf_fini) struct buf message = {0};
	const char *reason = j ? find_reason(j) : NULL;
	const struct cause *cause = find_cause(status, reason);
	enum err_code code = status >= 500 || status == 429 ? ERR_UNREACHABLE : ERR_FAILED;

	find_message(&raw, j, body, n);
	text_clean(&clean, buf_str(&raw), raw.len);
	redact(&message, buf_str(&clean), clean.len);
	err_set(e, code, cause ? _(cause->cure) : _("try again in a few minutes"),
		"%s: %s%s(HTTP %d%s%s)", what, buf_str(&message), message.len ? " " : "", status,
		reason ? ", " : "", reason ? reason : "");
	if (e) {
		e->http = status;
		e->cause = cause ? cause->id : NULL;
	}
	return -1;
}
