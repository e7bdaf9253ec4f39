/* SPDX-License-Identifier: Apache-2.0 */
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
#include "core/fmt/yaml.h"

static struct yaml_doc *must(const char *text)
{
	struct err e = {0};
	struct yaml_doc *d = yaml_parse("r.yaml", text, strlen(text), &e);

	if (!d)
		fail_msg("%s at %s", e.what, e.place);
	return d;
}

static void test_scalars(void **state)
{
	struct yaml_doc *d =
		must("rate: 2e-5\nnone: ~\nquoted: \"null\"\non: true\nlist: [a, 0.5]\n"
		     "text: |\n  one\n  two\n");
	const json_t *j = yaml_root(d);

	(void)state;
	assert_string_equal(json_path_str(j, "rate"), "2e-5");
	assert_true(json_is_null(json_path(j, "none")));
	assert_string_equal(json_path_str(j, "quoted"), "null");
	assert_true(json_path_bool(j, "on", false));
	assert_string_equal(json_path_str(j, "list[1]"), "0.5");
	assert_string_equal(json_path_str(j, "text"), "one\ntwo\n");
	yaml_close(d);
}

static void test_places(void **state)
{
	struct yaml_doc *d = must("a:\n  - b: 1\n    c.d: 2\n  - x\n");
	size_t line, column;

	(void)state;
	yaml_place(d, "a[0].'c.d'", &line, &column);
	assert_int_equal(line, 3);
	assert_int_equal(column, 5);
	yaml_place(d, "a[1]", &line, &column);
	assert_int_equal(line, 4);
	assert_int_equal(column, 5);
	yaml_place(d, "a[0].missing.deep", &line, &column);
	assert_int_equal(line, 2);
	yaml_place(d, "nothing", &line, &column);
	assert_int_equal(line, 1);
	yaml_close(d);
}

static void bad(const char *text, const char *place, const char *part)
{
	struct err e = {0};

	assert_null(yaml_parse("r.yaml", text, strlen(text), &e));
	assert_int_equal(e.code, ERR_BAD_FILE);
	assert_string_equal(e.place, place);
	if (!strstr(e.what, part))
		fail_msg("\"%s\" does not hold \"%s\"", e.what, part);
}

static void test_errors(void **state)
{
	AUTO(buf_fini) struct buf b = {0};

	(void)state;
	bad("a: 1\nb: 2\na: 3\n", "r.yaml:3:1", "\"a\" stands here twice");
	bad("a: &x 1\nb: 2\n", "r.yaml:1:4", "anchors");
	bad("b: *x\n", "r.yaml:1:4", "aliases");
	bad("b: !secret 1\n", "r.yaml:1:4", "tags");
	bad("a: [1, 2\nb: 3\n", "r.yaml:2:2", "not valid YAML");
	bad("a: 1\n---\nb: 2\n", "r.yaml:2:1", "second document");
	bad("? [a]\n: 1\n", "r.yaml:1:3", "plain word");
	bad("a: \"x\\0y\"\n", "r.yaml:1:4", "NUL");
	for (int i = 0; i < YAML_DEPTH_MAX + 1; i++)
		buf_addc(&b, '[');
	bad(buf_str(&b), "r.yaml:1:41", "too deeply");
}

static void test_dump(void **state)
{
	static const char text[] =
		"a: \"x: y\"\nb:\n  - c: 1\n    d: []\n  - \"-\"\nе: \"2 \\\"q\\\"\"\n"
		"breaks: \"\\N \\L \\P \\e \\uFEFF\"\n";
	AUTO(buf_fini) struct buf out = {0};
	struct yaml_doc *d = must(text), *again;

	(void)state;
	yaml_dump(yaml_root(d), &out);
	again = must(buf_str(&out));
	assert_true(json_equal(yaml_root(d), yaml_root(again)));
	assert_non_null(strstr(buf_str(&out), "a: \"x: y\"\nb:\n  - c: 1\n    d: []\n"));
	yaml_close(d);
	yaml_close(again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalars),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
