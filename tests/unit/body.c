/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of answers: never parsed blindly, always told as what they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/fmt/body.h"

struct row {
	const char *type, *data;
	enum body_kind kind;
	const char *line;
};

#define PAGE "<!DOCTYPE html>\n<html><head><script>var a='{';</script><title>\n 502 &amp; Bad "

static const struct row rows[] = {
	{"application/json", "{\"a\":1}", BODY_JSON, "{\"a\":1}"},
	{NULL, "\xef\xbb\xbf [1]\n", BODY_JSON, "[1]"},
	{"text/plain", "{\"a\":1}", BODY_JSON, "{\"a\":1}"},
	{"application/json", "", BODY_EMPTY, ""},
	{"application/json", " \r\n", BODY_EMPTY, ""},
	{"application/json", "{\"a\":[1,{\"b\":\"x}", BODY_CUT, "{\"a\":[1,{\"b\":\"x}"},
	{"application/json", "{\"a\" 1}", BODY_BROKEN, "{\"a\" 1}"},
	{"application/json", "{\"a\":1} tail", BODY_BROKEN, "{\"a\":1} tail"},
	{"application/json", PAGE "Gateway</title></head><body>x</body></html>", BODY_HTML,
		"502 & Bad Gateway"},
	{"text/html; charset=utf-8", "<center><h1>Sign in</h1><br>to Wi-Fi</center>", BODY_HTML,
		"Sign in to Wi-Fi"},
	{NULL, "<html><style>a{}</style><body><!-- no --><p>Hello\tthere</p>", BODY_HTML,
		"Hello there"},
	{"text/html", "<html", BODY_HTML, ""},
	{"text/plain", "\n upstream connect error\nsecond", BODY_TEXT, "upstream connect error"},
	{NULL, "bad \x1b[31mgate\x07way hf_AbCdEfGhIjKlMnOpQrSt", BODY_TEXT, "bad gateway "},
	{"text/plain", "one bad byte \xff in a long enough line of text", BODY_TEXT,
		"one bad byte \xef\xbf\xbd in a long enough line of text"},
	{"application/json", "\xff\xfe\xfd\xfc\xfb", BODY_BYTES, ""},
	{"application/json", "null", BODY_TEXT, "null"},
};

static void bodies_are_what_they_are(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *r = &rows[i];
		struct body b;
		AUTO_FREE char *said = NULL;

		body_read(&b, r->type, r->data, strlen(r->data), BODY_ERROR_MAX);
		if (b.kind != r->kind || strncmp(b.line, r->line, strlen(r->line)))
			fail_msg("%s is %s '%s'", r->data, body_kind_word(b.kind), b.line);
		assert_int_equal(b.json != NULL, b.kind == BODY_JSON);
		assert_null(strstr(b.line, "AbCdEfGh"));
		assert_null(strchr(b.line, 0x1b));
		said = body_said(&b, r->type);
		assert_true(*said);
		body_fini(&b);
	}
}

static void zero_bytes_are_no_text(void **state)
{
	struct body b;

	(void)state;
	body_read(&b, NULL, "ab\0cd", 5, BODY_ERROR_MAX);
	assert_int_equal(b.kind, BODY_BYTES);
	assert_string_equal(body_cause(&b), "answer-foreign");
}

static void a_huge_body_is_looked_at_only(void **state)
{
	size_t n = (size_t)3 << 20;
	AUTO_FREE char *big = x_malloc(n);
	struct body b;

	(void)state;
	memset(big, ' ', n);
	big[0] = '[';
	big[n - 1] = ']';
	body_read(&b, "application/json", big, n, BODY_ERROR_MAX);
	assert_null(b.json);
	assert_int_equal(b.kind, BODY_BROKEN);
	memset(big, 'x', n);
	body_read(&b, "text/plain", big, n, BODY_ERROR_MAX);
	assert_int_equal(b.kind, BODY_TEXT);
	assert_true(strlen(b.line) <= 160);
	for (size_t i = 0; i + 3 <= n; i += 3)
		memcpy(big + i, "\xea\xb0\x80", 3);
	body_read(&b, "text/plain", big, n / 3 * 3, BODY_ERROR_MAX);
	assert_true(*b.line && strlen(b.line) < sizeof(b.line) && strlen(b.line) % 3 == 0);
}

/* Any cut and any spoiled byte gives some kind, never a crash. */
static void any_bytes_are_read(void **state)
{
	uint32_t seed = 7;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		for (size_t cut = 0; cut <= strlen(rows[i].data); cut++) {
			AUTO_FREE char *copy = x_strndup(rows[i].data, cut);
			struct body b;

			seed = seed * 1664525u + 1013904223u;
			if (cut)
				copy[seed % cut] = (char)(seed >> 16);
			body_read(&b, rows[i].type, copy, cut, BODY_ERROR_MAX);
			assert_true(memchr(b.line, 0, sizeof(b.line)) != NULL);
			body_fini(&b);
		}
}

static void R03_json_is_found_among_warnings(void **state)
{
	static const char text[] =
		"WARNING: the gcp auth plugin is deprecated\nYour current version is: 103.0.0\n"
		"[\n  {\"id\": \"core\", \"current_version_string\": \"2016.03.28\"}\n]\n"
		"To update, run x\n";
	AUTO(buf_fini) struct buf said = {0};
	struct err e = {0};
	json_t *j = body_tool_json(text, strlen(text), &said, &e);

	(void)state;
	assert_string_equal(json_path_str(j, "[0].id"), "core");
	assert_string_equal(buf_str(&said),
		"WARNING: the gcp auth plugin is deprecated\nYour current version is: 103.0.0\nTo "
		"update, run x");
	json_decref(j);
	assert_null(body_tool_json("[warning] none\n{ none either", 29, NULL, &e));
	assert_string_not_equal(e.what, "");
	assert_null(body_tool_json("", 0, NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bodies_are_what_they_are),
		cmocka_unit_test(zero_bytes_are_no_text),
		cmocka_unit_test(a_huge_body_is_looked_at_only),
		cmocka_unit_test(any_bytes_are_read),
		cmocka_unit_test(R03_json_is_found_among_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
