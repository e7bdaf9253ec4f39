/* SPDX-License-Identifier: Apache-2.0 */
/* The table of causes as a whole, and the reader of terraform's and gcluster's errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "core/base/mem.h"
#include "core/fmt/cause.h"
#include "tests/unit/tferr_rig.h"

static void every_row_tells_something(void **state)
{
	const struct cause *c;

	(void)state;
	for (size_t i = 0; (c = cause_at(i)) != NULL; i++) {
		AUTO_FREE char *meaning = cause_meaning_of(c);
		AUTO_FREE char *cure = cause_cure_of(c);

		if (!*meaning || !*cure || strchr(meaning, '{') || strchr(cure, '{') ||
			strchr(meaning, '[') || strchr(cure, '['))
			fail_msg("%s: '%s' '%s'", c->match, meaning, cure);
		for (size_t k = 0; k < i && c->kind != CAUSE_TEXT; k++)
			if (cause_at(k)->kind == c->kind && !strcmp(cause_at(k)->match, c->match))
				fail_msg("%s stands twice", c->match);
	}
}

static void words_from_outside_are_tame(void **state)
{
	static const char text[] =
		"job with name 'a\x1b[31mb hf_AbCdEfGhIjKlMnOpQrSt' already exists in state 'x'";
	struct cause_hit hit;
	AUTO_FREE char *meaning = NULL;

	(void)state;
	assert_true(cause_find(&hit, text, strlen(text)));
	meaning = cause_meaning(&hit);
	assert_null(strchr(meaning, 0x1b));
	assert_null(strstr(meaning, "AbCdEfGh"));
	cause_put(&hit, "job", "{state}[x]");
	free(meaning);
	meaning = cause_meaning(&hit);
	assert_non_null(strstr(meaning, "{state}[x]"));
}

static const char *in_recipe(const void *own, bool cure)
{
	return cure ? "do this" : own;
}

static void a_recipe_adds_rows_before_the_own(void **state)
{
	static const struct cause rows[] = {
		{.id = "mine", .kind = CAUSE_TEXT, .match = "GatedRepoError", .own = "it is mine"}};
	struct cause_hit hit;
	AUTO_FREE char *meaning = NULL;

	(void)state;
	cause_extend(rows, 1, "harmless here", in_recipe);
	assert_true(cause_find(&hit, "x GatedRepoError", 16));
	meaning = cause_meaning(&hit);
	assert_string_equal(meaning, "it is mine");
	assert_true(cause_is_noise("harmless here", 13));
	cause_extend(NULL, 0, NULL, NULL);
	assert_string_equal(cause_of_text("x GatedRepoError", 16)->id, "hf-gated");
	assert_false(cause_is_noise("harmless here", 13));
}

static void one_error_told_twice_is_one(void **state)
{
	static const char event[] =
		"{\"@level\":\"error\",\"@message\":\"Error: Deep "
		"trouble\",\"type\":\"diagnostic\","
		"\"diagnostic\":{\"severity\":\"error\",\"summary\":\"Deep "
		"trouble\",\"detail\":\"line "
		"one\\nquota 'CPUS' exceeded. Limit: 8.0\",\"address\":\"a.b\"}}";
	struct tferr_list l = {0};
	json_t *j = json_parse(event, strlen(event), NULL);

	(void)state;
	tferr_read(
		&l, "2026-09-10T08:00:00Z Error: Deep trouble\nmore\n2026-09-10T08:00:01Z: next\n");
	assert_true(tferr_event(&l, j));
	assert_int_equal(l.n, 1);
	assert_string_equal(l.items[0].resource, "a.b");
	assert_string_equal(l.items[0].hit.cause->id, "quota");
	assert_string_equal(cause_word(&l.items[0].hit, "limit"), "8.0");
	json_decref(j);
	tferr_fini(&l);
}

static void a_warning_never_hides_an_error(void **state)
{
	struct tferr_list l = {0};
	const struct tferr *t =
		tferr_read(&l, "╷\n│ Warning: GCE_STOCKOUT was seen\n╵\n"
			       "\x1b[31m│ \x1b[0mError: something new\n╵\nnot in it\n");
	AUTO_FREE char *told = NULL;

	(void)state;
	assert_non_null(t);
	assert_string_equal(t->summary, "something new");
	assert_null(t->hit.cause);
	told = tferr_told(t);
	assert_string_equal(told, "something new");
	tferr_fini(&l);
	assert_null(tferr_main(&l));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_tells_something),
		cmocka_unit_test(words_from_outside_are_tame),
		cmocka_unit_test(a_recipe_adds_rows_before_the_own),
		cmocka_unit_test(one_error_told_twice_is_one),
		cmocka_unit_test(a_warning_never_hides_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
