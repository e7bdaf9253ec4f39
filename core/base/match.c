/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/match.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"

/* PCRE2's own default is 10,000,000 steps: seconds. A line of 64 KiB needs far fewer. */
#define MATCH_LIMIT 200000u
#define DEPTH_LIMIT 2000u

struct match {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
};

struct match *match_new(const char *pattern, bool caseless, struct err *e)
{
	uint32_t flags = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | (caseless ? PCRE2_CASELESS : 0);
	int code;
	PCRE2_SIZE offset;
	pcre2_code *compiled = pcre2_compile(
		(PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, flags, &code, &offset, NULL);
	struct match *m;

	if (!compiled) {
		unsigned char text[128];

		pcre2_get_error_message(code, text, sizeof(text));
		err_set(e, ERR_USAGE, _("correct the pattern there"),
			_("the pattern '%s' is not a regular expression at byte %zu: %s"), pattern,
			offset, (const char *)text);
		return NULL;
	}
	pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);
	m = X_NEW(struct match);
	m->code = compiled;
	m->data = pcre2_match_data_create_from_pattern(compiled, NULL);
	m->context = pcre2_match_context_create(NULL);
	if (!m->data || !m->context)
		die("pcre2: no memory");
	pcre2_set_match_limit(m->context, MATCH_LIMIT);
	pcre2_set_depth_limit(m->context, DEPTH_LIMIT);
	return m;
}

void match_free(struct match *m)
{
	if (!m)
		return;
	pcre2_match_data_free(m->data);
	pcre2_match_context_free(m->context);
	pcre2_code_free(m->code);
	free(m);
}

bool match_find(const struct match *m, const char *s, size_t n, size_t from,
	struct match_span *spans, size_t max)
{
	int count = pcre2_match(m->code, (PCRE2_SPTR)s, n, from, 0, m->data, m->context);
	const PCRE2_SIZE *at;

	if (count <= 0)
		return false;
	at = pcre2_get_ovector_pointer(m->data);
	for (size_t i = 0; i < max; i++) {
		if (i >= (size_t)count || at[2 * i] == PCRE2_UNSET)
			spans[i] = (struct match_span){.start = (size_t)-1};
		else
			spans[i] = (struct match_span){at[2 * i], at[2 * i + 1] - at[2 * i]};
	}
	return true;
}

bool match_full(const struct match *m, const char *s)
{
	struct match_span span;
	size_t n = strlen(s);

	return match_find(m, s, n, 0, &span, 1) && span.start == 0 && span.len == n;
}
