/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and watch streams cut into objects, whatever the chunks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/fmt/items.h"

static void on_item(void *arg, const char *json, size_t n)
{
	struct buf *out = arg;

	assert_int_equal(strlen(json), n);
	buf_add(out, json, n);
	buf_addc(out, '\n');
}

/* Objects, then the rest of a list; "ERR" when refused. */
static void cut(struct buf *out, enum items_form form, const char *text, size_t step)
{
	struct items it;
	struct err e;
	size_t n = strlen(text), rest_n;
	int bad = 0;

	buf_clear(out);
	items_init(&it, form, "items", on_item, out);
	for (size_t at = 0; at < n && !bad; at += step)
		bad = items_feed(&it, text + at, n - at < step ? n - at : step, &e);
	if (bad || items_end(&it, &e) != 0) {
		buf_adds(out, "ERR");
	} else if (form == ITEMS_LIST) {
		const char *rest = items_rest(&it, &rest_n);

		buf_add(out, rest, rest_n);
	}
	items_fini(&it);
}

static void check(enum items_form form, const char *text, const char *want)
{
	struct buf out = {0};

	for (size_t step = 1; step <= strlen(text) + 1; step++) {
		cut(&out, form, text, step);
		assert_string_equal(buf_str(&out), want);
	}
	buf_fini(&out);
}

static void lists_give_items_and_metadata(void **state)
{
	(void)state;
	check(ITEMS_LIST,
		"{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\",\"items\":[{\"no\":"
		"1}]},"
		"\"items\": [ {\"a\":\"]}\\\"{\"} ,\n{\"b\":[1,{\"items\":[]}]}],\"z\":\"items\"}",
		"{\"a\":\"]}\\\"{\"}\n{\"b\":[1,{\"items\":[]}]}\n"
		"{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\",\"items\":[{\"no\":"
		"1}]},"
		"\"items\": [],\"z\":\"items\"}");
	check(ITEMS_LIST, "{\"items\":null,\"x\":1}", "{\"items\":null,\"x\":1}");
	check(ITEMS_LIST, "{\"items\":[]}", "{\"items\":[]}");
	check(ITEMS_LIST, "{\"itemsx\":[{}],\"tems\":[1]}", "{\"itemsx\":[{}],\"tems\":[1]}");
	check(ITEMS_LIST, "{\"a\":\"items\",\"b\":[1]}", "{\"a\":\"items\",\"b\":[1]}");
}

static void streams_give_documents(void **state)
{
	(void)state;
	check(ITEMS_STREAM, "{\"type\":\"ADDED\",\"object\":{\"a\":[1]}}\n{}  {\"s\":\"}{\"}",
		"{\"type\":\"ADDED\",\"object\":{\"a\":[1]}}\n{}\n{\"s\":\"}{\"}\n");
	check(ITEMS_STREAM, " \n", "");
}

static void broken_texts_are_refused(void **state)
{
	(void)state;
	check(ITEMS_STREAM, "<html>", "ERR");
	check(ITEMS_STREAM, "{}[1]", "{}\nERR");
	check(ITEMS_STREAM, "{}}", "{}\nERR");
	check(ITEMS_STREAM, "{\"a\":1", "ERR");
	check(ITEMS_LIST, "{\"items\":[{},1]}", "{}\nERR");
	check(ITEMS_LIST, "{\"items\":[\"x\"]}", "ERR");
	check(ITEMS_LIST, "{\"items\":[[]]}", "ERR");
	check(ITEMS_LIST, "", "ERR");
	check(ITEMS_LIST, "{} {}", "ERR");
}

static void a_huge_object_is_refused(void **state)
{
	struct items it;
	struct buf out = {0};
	struct err e;
	char *block = x_malloc(1 << 20);
	int bad;

	(void)state;
	memset(block, 'x', 1 << 20);
	items_init(&it, ITEMS_STREAM, NULL, on_item, &out);
	assert_int_equal(items_feed(&it, "{\"a\":\"", 6, &e), 0);
	bad = 0;
	for (int i = 0; i < 9 && !bad; i++)
		bad = items_feed(&it, block, 1 << 20, &e);
	assert_int_equal(bad, -1);
	assert_true(it.item.len <= ITEMS_MAX);
	assert_int_equal(items_feed(&it, "{}", 2, &e), -1);
	assert_int_equal(out.len, 0);
	items_fini(&it);
	free(block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_give_items_and_metadata),
		cmocka_unit_test(streams_give_documents),
		cmocka_unit_test(broken_texts_are_refused),
		cmocka_unit_test(a_huge_object_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
