/* SPDX-License-Identifier: Apache-2.0 */
/* The stand-ins' YAML: what is written is read back the same; what tools write is read. */
#include "sim/bin/yml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static json_t *back(const json_t *j)
{
	struct buf b = {0};
	yml_write(&b, j);
	json_t *out = yml_read(buf_str(&b));
	buf_fini(&b);
	return out;
}

static void test_round_trip(void **state)
{
	static const char *const texts[] = {
		"{\"a\":\"x\",\"b\":{\"c\":[1,2,{\"d\":\"e\",\"f\":[\"g\"]}],\"h\":{}},\"i\":[]}",
		"{\"quoted\":[\"true\",\"12\",\"0.4\",\" lead\",\"end \",\"a: b\",\"- "
		"x\",\"it's\",\"~\",\"\"]}",
		"{\"command\":[\"/bin/bash\",\"-c\",\"[ \\\"$X\\\" != 0 ] ||\\n\\tpython3 -m y 'z' "
		"\\\\ #\"]}",
		"{\"metadata.labels['a/b']\":null,\"yes\":true,\"no\":false,\"n\":-7}",
		"[{\"a\":[{\"b\":\"c\"},{\"b\":\"d\"}]},\"e\"]",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		json_t *j = json_loads(texts[i], 0, NULL), *again = back(j);
		assert_non_null(j);
		assert_non_null(again);
		assert_true(json_equal(j, again));
		json_decref(j);
		json_decref(again);
	}
}

static void test_kubeconfig(void **state)
{
	json_t *j = yml_read("apiVersion: v1\n"
			     "clusters:\n"
			     "- cluster:\n"
			     "    certificate-authority-data: LS0t\n"
			     "    server: https://127.0.0.1:4443\n"
			     "  name: gke_p_r_c\n"
			     "# a comment\n"
			     "contexts: []\n"
			     "current-context: \"gke_p_r_c\"\n"
			     "preferences: {}\n"
			     "users:\n"
			     "  - name: 'it''s'\n"
			     "    user:\n"
			     "      exec:\n"
			     "        args: null\n"
			     "        provideClusterInfo: true\n");
	(void)state;
	assert_non_null(j);
	json_t *cluster = json_array_get(json_object_get(j, "clusters"), 0);
	assert_string_equal(json_string_value(json_object_get(cluster, "name")), "gke_p_r_c");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(cluster, "cluster"), "server")),
		"https://127.0.0.1:4443");
	json_t *user = json_array_get(json_object_get(j, "users"), 0);
	assert_string_equal(json_string_value(json_object_get(user, "name")), "it's");
	assert_string_equal(json_string_value(json_object_get(j, "current-context")), "gke_p_r_c");
	json_decref(j);
}

static void test_not_understood(void **state)
{
	(void)state;
	assert_null(yml_read(""));
	assert_null(yml_read("a: b\n   stray\n  c: d\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_kubeconfig),
		cmocka_unit_test(test_not_understood),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
