/* SPDX-License-Identifier: Apache-2.0 */
/* Message catalogues: found texts, both byte orders, damaged files; switching; columns under
 * Korean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/catalog.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"

static const char *const originals[] = {"", "cannot open %s", "give en or ko", "not translated"};
static const char *const translations[] = {
	"Content-Type: text/plain; charset=UTF-8\n", "%s 열 수 없음", "en 또는 ko", ""};
static char *folder;

static void add_word(struct buf *b, uint32_t v, bool swapped)
{
	v = swapped ? __builtin_bswap32(v) : v;
	buf_add(b, &v, sizeof(v));
}

static void add_table(struct buf *b, const char *const *texts, size_t *at, bool swapped)
{
	for (size_t i = 0; i < COUNT(originals); i++) {
		add_word(b, (uint32_t)strlen(texts[i]), swapped);
		add_word(b, (uint32_t)*at, swapped);
		*at += strlen(texts[i]) + 1;
	}
}

static void make(struct buf *b, bool swapped)
{
	size_t n = COUNT(originals), at = 28 + 2 * n * 8;
	const uint32_t head[] = {0x950412deu, 0, (uint32_t)n, 28, (uint32_t)(28 + n * 8), 0, 0};

	for (size_t i = 0; i < COUNT(head); i++)
		add_word(b, head[i], swapped);
	add_table(b, originals, &at, swapped);
	add_table(b, translations, &at, swapped);
	for (size_t i = 0; i < n; i++)
		buf_add(b, originals[i], strlen(originals[i]) + 1);
	for (size_t i = 0; i < n; i++)
		buf_add(b, translations[i], strlen(translations[i]) + 1);
}

static struct catalog *open_bytes(const struct buf *b, size_t n)
{
	AUTO_FREE char *path = path_join(folder, "test.mo");

	assert_int_equal(path_write(path, b->data, n, NULL), 0);
	return catalog_open(path);
}

static void texts_are_found_in_both_byte_orders(void **state)
{
	(void)state;
	for (int swapped = 0; swapped < 2; swapped++) {
		AUTO(buf_fini) struct buf b = {0};
		struct catalog *c;

		make(&b, swapped);
		c = open_bytes(&b, b.len);
		assert_non_null(c);
		assert_string_equal(catalog_find(c, "cannot open %s"), "%s 열 수 없음");
		assert_string_equal(catalog_find(c, "give en or ko"), "en 또는 ko");
		assert_null(catalog_find(c, "not translated"));
		assert_null(catalog_find(c, "give en or k"));
		assert_null(catalog_find(c, "zzz"));
		assert_null(catalog_find(c, ""));
		catalog_free(c);
	}
}

/* As msgfmt writes "step %<PRId64>/%<PRId64>" and "plain" on a little-endian machine. */
static const char with_parts[] = "\xde\x12\x04\x95\x01\x00\x00\x00\x02\x00\x00\x00\x30\x00\x00\x00"
				 "\x40\x00\x00\x00\x05\x00\x00\x00"
				 "\x50\x00\x00\x00\x01\x00\x00\x00\x64\x00\x00\x00\x01\x00\x00\x00"
				 "\x6c\x00\x00\x00\x70\x00\x00\x00"
				 "\x00\x00\x00\x00\xac\x00\x00\x00\x05\x00\x00\x00\xad\x00\x00\x00"
				 "\x28\x00\x00\x00\xb3\x00\x00\x00"
				 "\x06\x00\x00\x00\xdc\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"
				 "\x02\x00\x00\x00\x00\x00\x00\x00"
				 "\x00\x00\x00\x00\x07\x00\x00\x00\xe3\x00\x00\x00\x74\x00\x00\x00"
				 "\x90\x00\x00\x00\xea\x00\x00\x00"
				 "\x06\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00"
				 "\x01\x00\x00\x00\xff\xff\xff\xff"
				 "\xf3\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00"
				 "\x00\x00\x00\x00\x07\x00\x00\x00"
				 "\xff\xff\xff\xff\x00\x70\x6c\x61\x69\x6e\x00\x43\x6f\x6e\x74\x65"
				 "\x6e\x74\x2d\x54\x79\x70\x65\x3a"
				 "\x20\x74\x65\x78\x74\x2f\x70\x6c\x61\x69\x6e\x3b\x20\x63\x68\x61"
				 "\x72\x73\x65\x74\x3d\x55\x54\x46"
				 "\x2d\x38\x0a\x00\xed\x8f\x89\xeb\xb2\x94\x00\x50\x52\x49\x64\x36"
				 "\x34\x00\x73\x74\x65\x70\x20\x25"
				 "\x2f\x25\x00\x25\x2f\x25\xeb\x8b\xa8\xea\xb3\x84\x00";

static void parts_of_the_machine_are_put_in(void **state)
{
	const struct buf b = {.data = (char *)(uintptr_t)with_parts, .len = sizeof(with_parts) - 1};
	struct catalog *c = open_bytes(&b, b.len);

	(void)state;
	assert_non_null(c);
	assert_string_equal(
		catalog_find(c, "step %" PRId64 "/%" PRId64), "%" PRId64 "/%" PRId64 "단계");
	assert_string_equal(catalog_find(c, "plain"), "평범");
	catalog_free(c);
	for (size_t n = 0; n < b.len; n++)
		assert_null(open_bytes(&b, n));
}

static void a_damaged_file_is_no_catalogue(void **state)
{
	AUTO(buf_fini) struct buf b = {0};

	(void)state;
	make(&b, false);
	for (size_t n = 0; n < b.len; n++)
		assert_null(open_bytes(&b, n));
	for (size_t at = 0; at < b.len; at++) { /* no byte of it makes the reader leave the file */
		b.data[at] = (char)~b.data[at];
		catalog_free(open_bytes(&b, b.len));
		b.data[at] = (char)~b.data[at];
	}
	b.data[0] = 'x';
	assert_null(open_bytes(&b, b.len));
}

/* The locale that a container has: the C library's own gettext is silent in it. */
static void language_switches_in_the_locale_c(void **state)
{
	AUTO_FREE char *dir = path_join(folder, "ko/LC_MESSAGES");
	AUTO_FREE char *path = path_join(dir, "rlpilot.mo");
	AUTO(buf_fini) struct buf b = {0};
	const char *kept;

	(void)state;
	setenv("LC_ALL", "C", 1);
	make(&b, false);
	assert_int_equal(path_mkdirs(dir, NULL), 0);
	assert_int_equal(path_write(path, b.data, b.len, NULL), 0);
	text_language("ko", folder);
	kept = _("give en or ko");
	assert_string_equal(kept, "en 또는 ko");
	assert_int_equal(text_width("가"), 2);
	text_language("en", NULL);
	assert_string_equal(_("give en or ko"), "give en or ko");
	assert_string_equal(text_lang_code(), "en");
	text_language("ko", NULL);
	assert_string_equal(kept, "en 또는 ko");
	setenv("LC_ALL", "ko_KR.UTF-8", 1);
	text_language(NULL, NULL);
	assert_string_equal(_("not translated"), "not translated");
	assert_string_equal(text_lang_code(), "ko");
}

static void columns_hold_under_wide_letters(void **state)
{
	AUTO(buf_fini) struct buf b = {0};

	(void)state;
	text_pad(&b, "정상", 6);
	text_pad(&b, "ok", 3);
	text_pad(&b, "too long", 3);
	assert_string_equal(buf_str(&b), "정상  ok too long");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_found_in_both_byte_orders),
		cmocka_unit_test(parts_of_the_machine_are_put_in),
		cmocka_unit_test(a_damaged_file_is_no_catalogue),
		cmocka_unit_test(language_switches_in_the_locale_c),
		cmocka_unit_test(columns_hold_under_wide_letters),
	};
	const char *tmp = getenv("TMPDIR");
	int rc;

	folder = x_asprintf("%s/catalog.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(folder))
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	path_remove_tree(folder, NULL);
	free(folder);
	return rc;
}
