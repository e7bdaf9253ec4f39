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
#include "core/fmt/blueprint.h"

static const char fresh[] = "vars:\n"
			    "  zone: z\n"
			    "deployment_groups:\n"
			    "- group: primary\n"
			    "  modules:\n"
			    "  - id: sa\n"
			    "    settings:\n"
			    "      project_roles:\n"
			    "      - storage.objectViewer\n"
			    "  - id: cluster\n"
			    "    settings:\n"
			    "      system_node_pool_machine_type: \"n2-standard-8\"\n"
			    "      a: 1\n"
			    "      b: 2\n"
			    "      c: 3\n"
			    "      d: 4\n";

static const char edited[] = "vars:\n"
			     "  zone: z\n"
			     "deployment_groups:\n"
			     "- group: primary\n"
			     "  modules:\n"
			     "  - id: sa\n"
			     "    settings:\n"
			     "      project_roles:\n"
			     "      - storage.admin\n"
			     "  - id: cluster\n"
			     "    settings:\n"
			     "      system_node_pool_machine_type: \"e2-standard-8\"\n"
			     "      system_node_pool_zones: [$(vars.zone)]\n"
			     "      a: 1\n"
			     "      b: 2\n"
			     "      c: 3\n"
			     "      d: 4\n";

static const char diff[] = "--- old\n"
			   "+++ new\n"
			   "@@ -6,10 +6,11 @@\n"
			   "   - id: sa\n"
			   "     settings:\n"
			   "       project_roles:\n"
			   "-      - storage.objectViewer\n"
			   "+      - storage.admin\n"
			   "   - id: cluster\n"
			   "     settings:\n"
			   "-      system_node_pool_machine_type: \"n2-standard-8\"\n"
			   "+      system_node_pool_machine_type: \"e2-standard-8\"\n"
			   "+      system_node_pool_zones: [$(vars.zone)]\n"
			   "       a: 1\n"
			   "       b: 2\n"
			   "       c: 3\n";

static void test_edit(void **state)
{
	AUTO(buf_fini) struct buf out = {0};
	AUTO(buf_fini) struct buf d = {0};
	struct err e = {0};

	(void)state;
	assert_int_equal(
		blueprint_edit(fresh, strlen(fresh), blueprint_tutorial, BLUEPRINT_EDITS, &out, &e),
		0);
	assert_string_equal(buf_str(&out), edited);
	blueprint_diff("old", fresh, "new", edited, &d);
	assert_string_equal(buf_str(&d), diff);
}

/* As a recipe writes it for sed: with the blanks of the line that it follows. */
static void test_indented_line(void **state)
{
	struct blueprint_edit edits[BLUEPRINT_EDITS];
	AUTO(buf_fini) struct buf out = {0};
	AUTO(buf_fini) struct buf again = {0};
	struct err e = {0};

	(void)state;
	memcpy(edits, blueprint_tutorial, sizeof(edits));
	edits[1].with = "      system_node_pool_zones: [$(vars.zone)]";
	assert_int_equal(blueprint_edit(fresh, strlen(fresh), edits, BLUEPRINT_EDITS, &out, &e), 0);
	assert_string_equal(buf_str(&out), edited);
	/* Another indentation of the same key is still the same key. */
	edits[1].with = "  system_node_pool_zones: [$(vars.zone)]";
	assert_int_equal(blueprint_edit(edited, strlen(edited), &edits[1], 1, &again, &e), -1);
	assert_non_null(strstr(e.what, "is there already"));
}

static void test_line_ends(void **state)
{
	static const char dos[] = "a: n2-standard-8\r\n"
				  "    system_node_pool_machine_type: x\r\n"
				  "- storage.objectViewer\r\n";
	static const char last[] = "a: n2-standard-8\n- storage.objectViewer\n"
				   "  system_node_pool_machine_type: x";
	AUTO(buf_fini) struct buf a = {0};
	AUTO(buf_fini) struct buf b = {0};

	(void)state;
	assert_int_equal(
		blueprint_edit(dos, strlen(dos), blueprint_tutorial, BLUEPRINT_EDITS, &a, NULL), 0);
	assert_string_equal(buf_str(&a), "a: e2-standard-8\r\n"
					 "    system_node_pool_machine_type: x\r\n"
					 "    system_node_pool_zones: [$(vars.zone)]\r\n"
					 "- storage.admin\r\n");
	assert_int_equal(
		blueprint_edit(last, strlen(last), blueprint_tutorial, BLUEPRINT_EDITS, &b, NULL),
		0);
	assert_string_equal(buf_str(&b), "a: e2-standard-8\n- storage.admin\n"
					 "  system_node_pool_machine_type: x\n"
					 "  system_node_pool_zones: [$(vars.zone)]");
}

static void test_counts(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"", "edit 1 of the blueprint: 'n2-standard-8' was found 0 times, expected 1"},
		{"n2-standard-8 n2-standard-8\n",
			"edit 1 of the blueprint: 'n2-standard-8' was found 2 "
			"times, expected 1"},
		{"n2-standard-8\n",
			"edit 2 of the blueprint: 'system_node_pool_machine_type' was found "
			"0 times, expected 1"},
		{edited, "edit 1 of the blueprint: 'e2-standard-8' is there already"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		AUTO(buf_fini) struct buf out = {0};
		struct err e = {0};

		assert_int_equal(blueprint_edit(rows[i].text, strlen(rows[i].text),
					 blueprint_tutorial, BLUEPRINT_EDITS, &out, &e),
			-1);
		assert_int_equal(e.code, ERR_BAD_FILE);
		if (strncmp(e.what, rows[i].says, strlen(rows[i].says)) != 0)
			fail_msg("%s", e.what);
		assert_true(e.hint[0]);
		assert_int_equal(out.len, 0);
	}
}

static void test_diff_edges(void **state)
{
	static const struct {
		const char *a, *b, *d;
	} rows[] = {
		{"x\n", "x\n", ""},
		{"", "x\n", "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n"},
		{"x\n", "", "--- a\n+++ b\n@@ -1,1 +0,0 @@\n-x\n"},
		{"1\nx", "1\nx\n",
			"--- a\n+++ b\n@@ -1,2 +1,2 @@\n 1\n-x\n\\ No newline at end of "
			"file\n+x\n"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "0\n2\n3\n4\n5\n6\n7\n8\nX\n",
			"--- a\n+++ b\n@@ -1,4 +1,4 @@\n-1\n+0\n 2\n 3\n 4\n"
			"@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+X\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		AUTO(buf_fini) struct buf d = {0};

		blueprint_diff("a", rows[i].a, "b", rows[i].b, &d);
		assert_string_equal(buf_str(&d), rows[i].d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edit),
		cmocka_unit_test(test_indented_line),
		cmocka_unit_test(test_line_ends),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_diff_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
