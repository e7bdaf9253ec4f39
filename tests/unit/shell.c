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
#include "core/base/mem.h"
#include "core/fmt/shell.h"

static void test_quote(void **state)
{
	static const char *const table[][2] = {
		{"plain-1.2/x=y", "plain-1.2/x=y"},
		{"", "''"},
		{"two words", "'two words'"},
		{"it's", "'it'\\''s'"},
		{"$HOME `x` \\", "'$HOME `x` \\'"},
		{"a\nb", "'a\nb'"},
		{"~", "'~'"},
		{"한", "'한'"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		AUTO(buf_fini) struct buf b = {0};

		shell_quote(&b, table[i][0]);
		assert_string_equal(buf_str(&b), table[i][1]);
	}
}

static void test_inside_double(void **state)
{
	AUTO(buf_fini) struct buf b = {0};

	(void)state;
	shell_inside_double(&b, "a\"b\\c$d`e'f", 11);
	assert_string_equal(buf_str(&b), "a\\\"b\\\\c\\$d\\`e'f");
}

static void test_assignments(void **state)
{
	static const char text[] = "# a comment\n\nexport PROJECT=\"rl lab\" # why\nB='it'\\''s'\n"
				   "  export C=a\\ b\r\nD=\nexport E=\"x\\\"y\"\n";
	static const char *const want[][2] = {
		{"PROJECT", "rl lab"},
		{"B", "it's"},
		{"C", "a b"},
		{"D", ""},
		{"E", "x\"y"},
	};
	const char *s = text;
	char *name, *value;

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(shell_assignment(&s, &name, &value), 1);
		assert_string_equal(name, want[i][0]);
		assert_string_equal(value, want[i][1]);
		free(name);
		free(value);
	}
	assert_int_equal(shell_assignment(&s, &name, &value), 0);
}

static void test_refused(void **state)
{
	static const char *const table[] = {
		"A=$(rm -rf x)",
		"A=`x`",
		"A=\"$HOME\"",
		"rm -rf x",
		"A=1; rm x",
		"A='open",
		"1A=x",
		"A = x",
		"A=x y",
		"export A",
		"A=\"open",
		"A=x>file",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		const char *s = table[i];
		char *name, *value;

		if (shell_assignment(&s, &name, &value) != -1)
			fail_msg("taken: %s", table[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quote),
		cmocka_unit_test(test_inside_double),
		cmocka_unit_test(test_assignments),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
