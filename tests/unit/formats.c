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
#include <stdio.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/fmt/ansi.h"
#include "core/fmt/digest.h"
#include "core/fmt/quantity.h"
#include "core/fmt/time.h"

static char *temp_dir(void)
{
	const char *base = getenv("TMPDIR");
	char *dir = x_asprintf("%s/formats-XXXXXX", base ? base : "/tmp");

	assert_non_null(mkdtemp(dir));
	return dir;
}

static void test_time_read(void **state)
{
	static const struct {
		const char *text;
		int64_t ms;
	} rows[] = {
		{"1970-01-01T00:00:00Z", 0},
		{"2026-09-10T08:00:00Z", 1789027200000},
		{"2026-09-10T08:00:00.123456789Z", 1789027200123},
		{"2026-09-10T17:00:00+09:00", 1789027200000},
		{"2026-09-10T03:00:00-05:00", 1789027200000},
		{"2024-02-29T23:59:59Z", 1709251199000},
		{"2000-03-01T00:00:00.5Z", 951868800500},
		{"2023-02-29T00:00:00Z", TIME_NONE},
		{"2026-13-01T00:00:00Z", TIME_NONE},
		{"2026-09-10T24:00:00Z", TIME_NONE},
		{"2026-09-10T08:00:00", TIME_NONE},
		{"2026-09-10T08:00:00Zx", TIME_NONE},
		{"2026-9-10T08:00:00Z", TIME_NONE},
		{"1970-01-01T00:00:00+09:00", TIME_NONE},
		{"9999-12-31T23:59:60Z", TIME_NONE},
		{"9999-12-31T23:59:59Z", 253402300799000},
		{"", TIME_NONE},
		{NULL, TIME_NONE},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (time_parse_ms(rows[i].text) != rows[i].ms)
			fail_msg("%s: %lld", rows[i].text, (long long)time_parse_ms(rows[i].text));
}

static void test_time_prefix(void **state)
{
	const char *line = "2026-09-10T08:00:00.000000007Z I0910 message";
	struct time_stamp a, b = {1789027200, 8};
	size_t used = 0;
	char out[TIME_SIZE];

	(void)state;
	assert_true(time_parse(line, strlen(line), &a, &used));
	assert_int_equal(used, 30);
	assert_string_equal(line + used, " I0910 message");
	assert_int_equal(a.ns, 7);
	assert_true(time_stamp_cmp(&a, &b) < 0);
	assert_string_equal(time_format_ns(&a, out), "2026-09-10T08:00:00.000000007Z");
	for (size_t n = 0; n < used; n++)
		assert_false(time_parse(line, n, &b, NULL));
}

/* Every day of 130 years survives the way out and back. */
static void test_time_round(void **state)
{
	char out[TIME_SIZE];

	(void)state;
	for (int64_t d = 0; d < 130 * 365; d++) {
		int64_t ms = d * 86400000 + d % 86400 * 1000;

		if (time_parse_ms(time_format(ms, out)) != ms)
			fail_msg("day %lld: %s", (long long)d, out);
	}
	assert_string_equal(time_format_ms(1789027200007, out), "2026-09-10T08:00:00.007Z");
	assert_string_equal(time_format(TIME_NONE, out), "");
}

static void test_durations(void **state)
{
	static const struct {
		const char *text;
		int64_t ms; /* -1: refused */
	} rows[] = {
		{"1h2m", 3720000},
		{"24h", 86400000},
		{"90", 90000},
		{"1.5s", 1500},
		{"250ms", 250},
		{"1h0m0.5s", 3600500},
		{"0", 0},
		{"", -1},
		{"h", -1},
		{"1x", -1},
		{"1h2", -1},
		{"1 h", -1},
		{"999999999999999h", -1},
	};
	static const struct {
		int64_t ms;
		const char *duration, *clock, *age;
	} texts[] = {
		{0, "0s", "0:00:00", "0s"},
		{9999, "9s", "0:00:09", "9s"},
		{125000, "2m5s", "0:02:05", "2m5s"},
		{720000, "12m", "0:12:00", "12m"},
		{11040000, "3h4m", "3:04:00", "3h4m"},
		{15151000, "4h12m31s", "4:12:31", "4h12m"},
		{93600000, "26h", "26:00:00", "26h"},
		{273600000, "76h", "76:00:00", "3d4h"},
		{1036800000, "288h", "288:00:00", "12d"},
		{-5, "0s", "0:00:00", "0s"},
	};
	char out[TIME_SIZE];
	int64_t ms;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		bool ok = time_parse_duration(rows[i].text, &ms);

		if (ok != (rows[i].ms >= 0) || (ok && ms != rows[i].ms))
			fail_msg("%s", rows[i].text);
	}
	assert_true(time_parse_duration("-1s", &ms));
	assert_int_equal(ms, -1000);
	for (size_t i = 0; i < COUNT(texts); i++) {
		assert_string_equal(time_format_duration(texts[i].ms, out), texts[i].duration);
		assert_string_equal(time_format_clock(texts[i].ms, out), texts[i].clock);
		assert_string_equal(time_format_age(texts[i].ms, out), texts[i].age);
	}
}

static void test_quantities(void **state)
{
	static const struct {
		const char *text;
		double value; /* NaN: refused */
	} rows[] = {
		{"4", 4},
		{"4Gi", 4294967296.0},
		{"250m", 0.25},
		{"7312m", 7.312},
		{"81234Ki", 83183616},
		{"2e3", 2000},
		{"1.5G", 1.5e9},
		{"12E", 12e18},
		{"-3", -3},
		{"100n", 1e-7},
		{"Gi", NAN},
		{"4GiB", NAN},
		{"", NAN},
		{"e3", NAN},
		{"1e", NAN},
		{"4 Gi", NAN},
		{"1e400", NAN},
	};
	char out[QUANTITY_SIZE];
	double v;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		bool ok = quantity_parse(rows[i].text, &v);

		if (ok == isnan(rows[i].value) || (ok && fabs(v - rows[i].value) > fabs(v) * 1e-9))
			fail_msg("%s", rows[i].text);
	}
	assert_false(quantity_parse(NULL, &v));
	assert_int_equal(quantity_bytes("1Ki"), 1024);
	assert_int_equal(quantity_bytes("-1"), -1);
	assert_string_equal(quantity_human(0, out), "0 B");
	assert_string_equal(quantity_human(1023, out), "1023 B");
	assert_string_equal(quantity_human(1536, out), "1.5 KiB");
	assert_string_equal(quantity_human(1048575, out), "1.0 MiB");
	assert_string_equal(quantity_human(50466283580, out), "47.0 GiB");
}

static void test_visible(void **state)
{
	static const struct {
		const char *raw, *shown;
	} rows[] = {
		{"plain", "plain"},
		{"\r 1/8\x1b[A\r 8/8", " 8/8"},
		{"bar 1\rbar 2\r", "bar 2"},
		{"bar 1\r\x1b[K\r", "bar 1"},
		{"\x1b[31mred\x1b[0m \x1b]0;title\x07text", "red text"},
		{"", ""},
		{"\r\r\r", ""},
		{"100%|\xe2\x96\x88| 8/8 [00:29<00:00]I0826 17:13:59.233376 1 a.py:1] x",
			"100%|\xe2\x96\x88| 8/8 [00:29<00:00]I0826 17:13:59.233376 1 a.py:1] x"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf b = {0};

		ansi_visible(&b, rows[i].raw, strlen(rows[i].raw));
		assert_string_equal(buf_str(&b), rows[i].shown);
		buf_fini(&b);
	}
}

static void test_digest(void **state)
{
	char out[DIGEST_SIZE];
	AUTO_FREE char *dir = temp_dir();
	AUTO_FREE char *path = NULL;
	struct err e = {0};
	int64_t size = 0;

	(void)state;
	digest_bytes("abc", 3, out);
	assert_string_equal(
		out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	path = path_join(dir, "abc");
	assert_int_equal(path_write(path, "abc", 3, &e), 0);
	memset(out, 0, sizeof(out));
	assert_int_equal(digest_file(path, out, &size, &e), 0);
	assert_int_equal(size, 3);
	assert_string_equal(
		out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_int_equal(path_remove_tree(dir, &e), 0);
	assert_int_equal(digest_file(path, out, &size, &e), -1);
	assert_int_equal(e.code, ERR_BAD_FILE);
}

static void test_base64(void **state)
{
	static const struct {
		const char *text, *bytes;
	} rows[] = {
		{"", ""},
		{"Zg==", "f"},
		{"Zm8=", "fo"},
		{"Zm9v", "foo"},
		{"Zm9v\nYmFy\n", "foobar"},
		{"Zm9", NULL},
		{"Zm9*", NULL},
		{"=", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t n = 99;
		char *s = digest_base64_decode(rows[i].text, &n);

		if (!rows[i].bytes) {
			assert_null(s);
			continue;
		}
		assert_non_null(s);
		assert_int_equal(n, strlen(rows[i].bytes));
		assert_string_equal(s, rows[i].bytes);
		free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_read),
		cmocka_unit_test(test_time_prefix),
		cmocka_unit_test(test_time_round),
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_quantities),
		cmocka_unit_test(test_visible),
		cmocka_unit_test(test_digest),
		cmocka_unit_test(test_base64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
