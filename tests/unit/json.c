/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>
#include <math.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/fmt/json.h"

static json_t *must(const char *text)
{
	struct err e = {0};
	json_t *j = json_parse(text, strlen(text), &e);

	if (!j)
		fail_msg("%s at %s", e.what, e.place);
	return j;
}

static void test_paths(void **state)
{
	AUTO(json_auto)
	json_t *j = must("{\"a\":{\"b\":[{\"c\":\"x\"},{\"c\":\"y\"}],"
			 "\"k.8s/io\":\"z\"},\"n\":\"41210\",\"t\":true}");

	(void)state;
	assert_string_equal(json_path_str(j, "a.b[1].c"), "y");
	assert_string_equal(json_path_str(j, "a.b[-1].c"), "y");
	assert_string_equal(json_path_str(j, "a.'k.8s/io'"), "z");
	assert_null(json_path(j, "a.b[2]"));
	assert_null(json_path_str(j, "a.b"));
	assert_ptr_equal(json_path(j, ""), j);
	assert_int_equal(json_path_i64(j, "n", -1), 41210);
	assert_int_equal(json_path_i64(j, "a", -1), -1);
	assert_true(json_path_bool(j, "t", false));
	assert_true(json_path_bool(j, "no", true));
}

static void test_numbers(void **state)
{
	AUTO(json_auto) json_t *j = must("{\"r\":2.0,\"h\":2.5,\"s\":\"2e-5\",\"bad\":\"2x\"}");
	AUTO(json_auto) json_t *nan = json_from_num(NAN);
	AUTO(json_auto) json_t *inf = json_from_num(-INFINITY);

	(void)state;
	assert_int_equal(json_path_i64(j, "r", 0), 2);
	assert_int_equal(json_path_i64(j, "h", 7), 7);
	assert_true(json_path_num(j, "s", 0) == 2e-5);
	assert_true(json_path_num(j, "bad", 9) == 9);
	assert_true(json_is_null(nan));
	assert_true(json_is_null(inf));
}

static void bad(const char *text, const char *place, const char *part)
{
	struct err e = {0};

	assert_null(json_parse(text, strlen(text), &e));
	assert_int_equal(e.code, ERR_BAD_FILE);
	if (place)
		assert_string_equal(e.place, place);
	assert_non_null(strstr(e.what, part));
}

static void test_errors(void **state)
{
	char deep[2 * JSON_DEPTH_MAX + 3];

	(void)state;
	bad("{\"a\":1,\n \"a\":2}", NULL, "duplicate");
	bad("{\n\"a\": tru}", "JSON:2:8", "invalid token");
	bad("", NULL, "valid JSON");
	memset(deep, '[', JSON_DEPTH_MAX + 1);
	memset(deep + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
	deep[2 * JSON_DEPTH_MAX + 2] = '\0';
	bad(deep, "JSON:1:101", "deeper");
	deep[2 * JSON_DEPTH_MAX + 1] = '\0';
	json_decref(must("[\"[[[[\\\"[[\"]"));
}

static void test_write(void **state)
{
	AUTO(json_auto) json_t *j = must("{ \"b\" : 1, \"a\" : [ 0.93, null ] }");
	AUTO(json_auto)
	json_t *broken = json_from_str("a\xff"
				       "b");
	char *s = json_line(j);

	(void)state;
	assert_string_equal(s, "{\"b\":1,\"a\":[0.93,null]}");
	free(s);
	assert_string_equal(json_string_value(broken), "a\xef\xbf\xbd"
						       "b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
