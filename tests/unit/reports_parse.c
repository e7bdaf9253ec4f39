/* SPDX-License-Identifier: Apache-2.0 */
/* Public reports about what has to be read robustly, each as a test that carries its number. */
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
#include "core/fmt/ansi.h"
#include "core/fmt/crc32c.h"
#include "core/fmt/kubeconfig.h"
#include "core/fmt/tfevent.h"
#include "core/fmt/trainlog.h"

#define LONG 200000

static int parse(const char *text, const char *context, struct kubeconfig *k, struct err *e)
{
	return kubeconfig_parse(k, "/h/config", text, strlen(text), context, e);
}

static void R77_one_bad_entry_does_not_hide_the_good_context(void **state)
{
	static const char text[] =
		"apiVersion: v1\nkind: Config\ncurrent-context: good\nclusters:\n"
		"- {name: odd, cluster: {certificate-authority-data: 123, server: "
		"https://0.0.0.0}}\n"
		"- {name: good, cluster: {server: https://203.0.113.7}}\n"
		"contexts:\n- {name: good, context: {cluster: good, user: good}}\n"
		"- {name: odd, context: {cluster: odd, user: good}}\nusers:\n";
	struct kubeconfig k;
	struct err e = {0};

	(void)state;
	assert_int_equal(parse(text, NULL, &k, &e), 0);
	assert_string_equal(k.server, "https://203.0.113.7");
	kubeconfig_fini(&k);
	assert_int_equal(parse(text, "odd", &k, &e), -1);
	assert_int_equal(e.code, ERR_BAD_FILE);
	assert_non_null(strstr(e.place, "/h/config"));
	assert_non_null(strstr(e.what, "certificate-authority-data"));
}

static void R79_login_plugins_of_every_writing(void **state)
{
	static const char *const plugins[] = {
		"{apiVersion: client.authentication.k8s.io/v1, command: gke-gcloud-auth-plugin}",
		"{apiVersion: client.authentication.k8s.io/v1beta1, command: "
		"gke-gcloud-auth-plugin, "
		"env: null, args: null, installHint: x, provideClusterInfo: true}",
		("{apiVersion: client.authentication.k8s.io/v1alpha1, command: "
		 "/opt/gke-gcloud-auth-"
		 "plugin, interactiveMode: IfAvailable, novel: {a: [1]}}"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(plugins); i++) {
		AUTO_FREE char *text = x_asprintf(
			"clusters:\n- name: c\n  cluster:\n    server: https://203.0.113.7\n"
			"    certificate-authority-data: LS0tLS1C\n      RUdJTg==\n"
			"    extensions: [{name: x, extension: {a: [1, {b: 2}]}}]\n"
			"contexts: [{name: c, context: {cluster: c, user: u, extensions: 7}}]\n"
			"current-context: c\nextensions: null\nusers:\n- name: u\n  user:\n    "
			"exec: %s\n",
			plugins[i]);
		struct kubeconfig k;
		struct err e = {0};

		if (parse(text, NULL, &k, &e))
			fail_msg("%s: %s", plugins[i], e.what);
		assert_int_equal(k.auth, KUBECONFIG_AUTH_GKE);
		assert_string_equal(k.ca_pem, "-----BEGIN");
		kubeconfig_fini(&k);
	}
}

static void R81_colours_and_bars_are_taken_off(void **state)
{
	static const char *const rows[][2] = {
		{"\x1b[0;36m(APIServer pid=1)\x1b[0;0m INFO ready", "(APIServer pid=1) INFO ready"},
		{"config.json:   0%|    | 0.00/4.19k\rconfig.json: 100%|####| 4.19k/4.19k "
		 "[00:00<00:00]",
			"config.json: 100%|####| 4.19k/4.19k [00:00<00:00]"},
		{"\x1b[A\rtensors 7/9", "tensors 7/9"},
		{"red \x1b[31", "red "}, /* a sequence that the end of a chunk has cut */
		{"title \x1b]0;half", "title "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		AUTO(buf_fini) struct buf b = {0};

		ansi_visible(&b, rows[i][0], strlen(rows[i][0]));
		assert_string_equal(buf_str(&b), rows[i][1]);
	}
}

static void R57_R61_a_line_of_thousands_of_keys_has_its_cause(void **state)
{
	static const char *const heads[][2] = {
		{"ValueError: maxtext_state_dict must be a subset of flattened param_map, missing "
		 "keys: ",
			"scan-layers"},
		{"RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 63.80G of 30.75G "
		 "hbm. "
		 "Exceeded hbm capacity by 33.05G. ==========",
			"hbm-full"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(heads); i++) {
		AUTO_FREE char *line = x_malloc(LONG);
		struct trainlog_event ev;

		memset(line, 'k', LONG);
		memcpy(line, heads[i][0], strlen(heads[i][0]));
		trainlog_parse(line, LONG, &ev);
		assert_int_equal(ev.kind, TRAINLOG_ERROR);
		assert_string_equal(ev.cause, heads[i][1]);
		assert_true(strlen(ev.text) < sizeof(ev.text));
	}
}

static void no_scalar(void *arg, const struct tfevent_scalar *s)
{
	(void)s;
	(*(int *)arg)++;
}

/* Length and its checksum as the writer makes them. */
static void head_of(unsigned char out[12], uint64_t length)
{
	uint32_t crc;

	for (int i = 0; i < 8; i++)
		out[i] = (unsigned char)(length >> (8 * i));
	crc = crc32c_masked(out, 8);
	for (int i = 0; i < 4; i++)
		out[8 + i] = (unsigned char)(crc >> (8 * i));
}

static void R83_cut_zeroed_and_huge_records_end_no_reader(void **state)
{
	unsigned char zeros[64] = {0}, huge[12], begun[12];
	static const unsigned char side[] = "not a record, a note of the profiler";
	const struct {
		const unsigned char *data;
		size_t n;
		int result;
	} rows[] = {
		{zeros, sizeof(zeros), -1}, /* a writer that died: zero-filled */
		{side, sizeof(side), -1},   /* a side file */
		{huge, sizeof(huge), -1},   /* a length that no record has */
		{begun, sizeof(begun), 0},  /* cut: it is being written */
		{begun, 5, 0},
	};

	(void)state;
	head_of(huge, UINT64_MAX / 2);
	head_of(begun, 40);
	for (size_t i = 0; i < COUNT(rows); i++) {
		int scalars = 0;
		struct tfevent_reader r = {.scalar = no_scalar, .arg = &scalars};
		struct err e = {0};

		assert_int_equal(tfevent_feed(&r, rows[i].data, rows[i].n, &e), rows[i].result);
		assert_int_equal(r.offset, 0); /* read again from here, or no more */
		assert_int_equal(scalars, 0);
		assert_int_equal(*e.what != '\0', rows[i].result != 0);
		tfevent_fini(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(R57_R61_a_line_of_thousands_of_keys_has_its_cause),
		cmocka_unit_test(R77_one_bad_entry_does_not_hide_the_good_context),
		cmocka_unit_test(R79_login_plugins_of_every_writing),
		cmocka_unit_test(R81_colours_and_bars_are_taken_off),
		cmocka_unit_test(R83_cut_zeroed_and_huge_records_end_no_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
