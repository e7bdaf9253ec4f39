/* SPDX-License-Identifier: Apache-2.0 */
/* The base room: buffers, arrays, maps, text, secrets, files, clocks, patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/map.h"
#include "core/base/match.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/redact.h"
#include "core/base/std.h"
#include "core/base/text.h"
#include "core/base/vec.h"

static void buffer_cuts_at_its_cap(void **state)
{
	AUTO(buf_fini) struct buf b = {.max = 5};

	(void)state;
	buf_adds(&b, "abc");
	assert_false(b.cut);
	buf_adds(&b, "defg");
	assert_true(b.cut);
	assert_string_equal(buf_str(&b), "abcde");
	buf_drop(&b, 2);
	assert_string_equal(buf_str(&b), "cde");
}

static void map_keeps_many_keys_and_their_order(void **state)
{
	struct map m = {0};
	const char *key;
	void *value;
	size_t at = 0;
	long seen = 0;

	(void)state;
	for (long i = 0; i < 1000; i++) {
		AUTO_FREE char *k = x_asprintf("key-%ld", i);

		map_set(&m, k, (void *)(i + 1));
	}
	for (long i = 0; i < 1000; i += 2) {
		AUTO_FREE char *k = x_asprintf("key-%ld", i);

		map_del(&m, k);
	}
	map_set(&m, "last", &m);
	assert_int_equal(m.live, 501);
	assert_null(map_get(&m, "key-0"));
	assert_int_equal((long)map_get(&m, "key-999"), 1000);
	while (map_next(&m, &at, &key, &value)) {
		if (seen == 0)
			assert_string_equal(key, "key-1");
		seen++;
	}
	assert_int_equal(seen, 501);
	map_fini(&m);
}

static void widths_follow_the_terminal(void **state)
{
	AUTO_FREE char *cut = NULL, *whole = NULL;

	(void)state;
	assert_int_equal(text_width("abc"), 3);
	assert_int_equal(text_width("한국어"), 6);
	assert_int_equal(text_width("a\x01"), 2); /* a control character is drawn as U+FFFD */
	cut = text_cut("한국어", 5);
	assert_string_equal(cut, "한국…");
	whole = text_cut("한국어", 6);
	assert_string_equal(whole, "한국어");
	assert_int_equal(text_fit("한국어", 3, NULL), 3); /* never half a character */
}

static void broken_utf8_is_replaced(void **state)
{
	static const char *const bad[] = {
		"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xe2\x82", "\xf4\x90\x80\x80"};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		uint32_t cp;

		assert_int_equal(text_decode(bad[i], strlen(bad[i]), &cp), 1);
		assert_int_equal(cp, 0xfffd);
	}
}

static void text_from_outside_loses_its_controls(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"a\x1b[31mred\x1b[0m", "ared"},
		{"\x1b]0;title\ax", "x"},
		{"\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"},
		{"\x1bPq#0\x1b\\x", "x"},
		{"\xc2\x9b"
		 "2Jx",
			"x"},
		{"a\tb\nc\rd", "a b c d"},
		{"\x1b[A\x1b[2Kdone", "done"},
		{"tail\x1b", "tail"},
		{"tail\x1b[", "tail"},
		{"user\xe2\x80\xaegnp.exe", "usergnp.exe"},
		{"\x1b]2;no end\nnext", " next"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		AUTO_FREE char *clean = text_clean_dup(rows[i].in);

		assert_string_equal(clean, rows[i].out);
	}
}

static void numbers_are_strict(void **state)
{
	int64_t v;

	(void)state;
	assert_int_equal(text_to_i64("42", 0, 100, &v), 0);
	assert_int_equal(v, 42);
	assert_int_equal(text_to_i64("42x", 0, 100, &v), -1);
	assert_int_equal(text_to_i64("", 0, 100, &v), -1);
	assert_int_equal(text_to_i64(" 1", 0, 100, &v), -1);
	assert_int_equal(text_to_i64("101", 0, 100, &v), -1);
	assert_int_equal(text_to_i64("99999999999999999999", 0, INT64_MAX, &v), -1);
}

static void secrets_are_masked_by_value_and_by_shape(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"x hf_abcdefghijkl y", "x hf_*** y"},
		{"token=ya29.a0Af_b-c", "token=ya29.***"},
		{"refresh 1//0gAbCdEfGhIjK!", "refresh 1//***!"},
		{"key s3cr3t-value.", "key $KEY."},
		{"s3cr3t-values3cr3t-value", "$KEY$KEY"},
		{"-----BEGIN PRIVATE KEY-----\nAAA\n-----END PRIVATE KEY-----\nafter",
			"***private key***\nafter"},
		{"-----BEGIN RSA PRIVATE KEY-----\nAAA", "***private key***"},
		{"-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----"},
		{"https://a/b hf_ok", "https://a/b hf_ok"},
	};

	(void)state;
	redact_add("s3cr3t-value", "$KEY");
	for (size_t i = 0; i < COUNT(rows); i++) {
		AUTO_FREE char *safe = redact_dup(rows[i].in);

		assert_string_equal(safe, rows[i].out);
	}
	redact_wipe();
}

static void files_are_replaced_whole(void **state)
{
	char dir[] = "/tmp/rlpilot-base-XXXXXX";
	AUTO(buf_fini) struct buf b = {0};
	AUTO(strvec_fini) struct strvec names = {0};
	AUTO_FREE char *file = NULL, *deep = NULL;
	struct err e = {0};
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(dir));
	deep = path_join(dir, "a/b/c");
	assert_int_equal(path_mkdirs(deep, &e), 0);
	file = path_join(deep, "f");
	assert_int_equal(path_write(file, "one", 3, &e), 0);
	assert_int_equal(path_write(file, "two!", 4, &e), 0);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(path_read(file, 100, &b, &e), 0);
	assert_string_equal(buf_str(&b), "two!");
	assert_int_equal(path_list(deep, &names, &e), 0);
	assert_int_equal(names.n, 1); /* no temporary file is left */
	buf_clear(&b);
	assert_int_equal(path_append(file, "!", 1, &e), 0);
	assert_int_equal(path_read(file, 100, &b, &e), 0);
	assert_string_equal(buf_str(&b), "two!!");
	assert_int_equal(path_append(deep, "!", 1, &e), -1); /* a folder */
	assert_int_equal(e.code, ERR_CANNOT_WRITE);
	buf_clear(&b);
	assert_int_equal(path_read(file, 3, &b, &e), -1);
	assert_int_equal(e.code, ERR_BAD_FILE);
	assert_int_equal(path_mkdirs(file, &e), -1);
	assert_int_equal(e.code, ERR_CANNOT_WRITE);
	assert_true(e.hint[0] != '\0');
	assert_int_equal(path_remove_tree(dir, &e), 0);
	assert_false(path_exists(dir));
}

static void a_link_is_not_written_through(void **state)
{
	char dir[] = "/tmp/rlpilot-base-XXXXXX";
	AUTO_FREE char *letter = NULL, *link = NULL;
	AUTO(buf_fini) struct buf b = {0};
	struct err e = {0};

	(void)state;
	assert_non_null(mkdtemp(dir));
	letter = path_join(dir, "letter");
	link = path_join(dir, "link");
	assert_int_equal(path_write(letter, "Dear Ada", 8, &e), 0);
	assert_int_equal(symlink("letter", link), 0);
	assert_int_equal(path_append(link, "!", 1, &e), -1);
	assert_int_equal(e.code, ERR_CANNOT_WRITE);
	assert_int_equal(path_write(link, "mine", 4, &e), 0); /* in the place of the link */
	assert_int_equal(path_read(letter, 100, &b, &e), 0);
	assert_string_equal(buf_str(&b), "Dear Ada");
	assert_int_equal(path_remove_tree(dir, &e), 0);
}

#define MAKERS 4
#define EACH   25

/* Several at once: each folder is one maker's alone. */
static void numbered_folders_are_made_once(void **state)
{
	char dir[] = "/tmp/rlpilot-base-XXXXXX";
	AUTO(strvec_fini) struct strvec names = {0};
	struct err e = {0};
	pid_t makers[MAKERS];
	int status;

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < MAKERS; i++) {
		makers[i] = fork();
		for (int n = 0; makers[i] == 0 && n < EACH; n++) {
			AUTO_FREE char *made = NULL;
			AUTO_FREE char *mark = NULL;

			if (path_mkdir_next(dir, &made, NULL) != 0)
				_exit(1);
			mark = path_join(made, "mark");
			if (mkdir(mark, 0700) != 0)
				_exit(2); /* it was another's */
		}
		if (makers[i] == 0)
			_exit(0);
	}
	for (size_t i = 0; i < MAKERS; i++) {
		assert_int_equal(waitpid(makers[i], &status, 0), makers[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(path_list(dir, &names, &e), 0);
	assert_int_equal(names.n, MAKERS * EACH);
	assert_int_equal(path_remove_tree(dir, &e), 0);
}

/* What lies in memory (a token) must not lie in a file afterwards. */
static void no_core_is_left(void **state)
{
	struct rlimit was, now;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_CORE, &was), 0);
	now = (struct rlimit){was.rlim_max, was.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_CORE, &now), 0);
	std_no_core();
	assert_int_equal(getrlimit(RLIMIT_CORE, &now), 0);
	assert_int_equal(now.rlim_cur, 0);
	assert_int_equal(now.rlim_max, was.rlim_max); /* a person may want one after all */
	assert_int_equal(setrlimit(RLIMIT_CORE, &was), 0);
}

static void clock_reads_its_variable(void **state)
{
	struct err e = {0};

	(void)state;
	setenv("RLPILOT_CLOCK", "nonsense", 1);
	assert_int_equal(clock_init(&e), -1);
	assert_int_equal(e.code, ERR_USAGE);
	setenv("RLPILOT_CLOCK", "1000000@1000*1000", 1);
	assert_int_equal(clock_init(&e), 0);
	assert_int_equal(clock_wall_span(1500), 2);
	clock_fix(77);
	assert_int_equal(clock_now(), 77);
	clock_fix(0);
	assert_true(clock_now() > (int64_t)1000 * 1700000000000); /* 1000 times the real clock */
	unsetenv("RLPILOT_CLOCK");
}

static void patterns_cannot_hang(void **state)
{
	struct err e = {0};
	struct match *m = match_new("(a+)+$", false, &e);
	struct match_span spans[2];
	char line[64];

	(void)state;
	assert_non_null(m);
	memset(line, 'a', sizeof(line));
	line[sizeof(line) - 1] = 'b';
	assert_false(match_find(m, line, sizeof(line), 0, spans, 2));
	match_free(m);
	assert_null(match_new("(", false, &e));
	assert_int_equal(e.code, ERR_USAGE);
	m = match_new("step (\\d+)(x)?", false, &e);
	assert_true(match_find(m, "step 31/50", 10, 0, spans, 2));
	assert_int_equal(spans[1].start, 5);
	assert_int_equal(spans[1].len, 2);
	match_free(m);
}

static void long_errors_end_on_a_character(void **state)
{
	struct err e = {0};
	char text[2000] = "";

	(void)state;
	for (size_t i = 0; i + 3 < sizeof(text); i += 3)
		memcpy(text + i, "한", 3);
	assert_int_equal(err_set(&e, ERR_FAILED, text, "x%s", text), -1);
	for (const char *s = e.what; *s;) {
		uint32_t cp;

		s += text_decode(s, strlen(s), &cp);
		assert_int_not_equal(cp, 0xfffd);
	}
	assert_int_equal(err_exit_code(ERR_UNREACHABLE), 69);
}

static void a_path_is_shortened_by_home_alone(void **state)
{
	static const struct {
		const char *home, *path, *want;
	} cases[] = {
		{"/home/someone", "/home/someone/.gcluster/a.yaml", "~/.gcluster/a.yaml"},
		{"/home/someone/", "/home/someone/a", "~/a"},
		{"/home/someone", "its log is kept in /home/someone/a/b\n  /x/home/someone/c",
			"its log is kept in ~/a/b\n  /x/home/someone/c"},
		{"/home/someone", "/home/someone", "/home/someone"},
		{"/home/someone", "/home/someone-else/a", "/home/someone-else/a"},
		{"/", "/etc/a", "/etc/a"},
		{"", "/etc/a", "/etc/a"},
	};
	AUTO_FREE char *before = x_strdup(getenv("HOME") ? getenv("HOME") : "");

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		setenv("HOME", cases[i].home, 1);
		AUTO_FREE char *got = path_short(cases[i].path);
		assert_string_equal(got, cases[i].want);
	}
	setenv("HOME", before, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buffer_cuts_at_its_cap),
		cmocka_unit_test(a_path_is_shortened_by_home_alone),
		cmocka_unit_test(map_keeps_many_keys_and_their_order),
		cmocka_unit_test(widths_follow_the_terminal),
		cmocka_unit_test(broken_utf8_is_replaced),
		cmocka_unit_test(text_from_outside_loses_its_controls),
		cmocka_unit_test(numbers_are_strict),
		cmocka_unit_test(secrets_are_masked_by_value_and_by_shape),
		cmocka_unit_test(files_are_replaced_whole),
		cmocka_unit_test(a_link_is_not_written_through),
		cmocka_unit_test(numbered_folders_are_made_once),
		cmocka_unit_test(no_core_is_left),
		cmocka_unit_test(clock_reads_its_variable),
		cmocka_unit_test(patterns_cannot_hang),
		cmocka_unit_test(long_errors_end_on_a_character),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
