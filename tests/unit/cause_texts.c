/* SPDX-License-Identifier: Apache-2.0 */
/* Every cause says what it is and what to do, in both languages, with words that can be filled. */
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
#include "core/base/recorded.h"
#include "core/base/text.h"
#include "core/fmt/cause.h"
#include "core/recipe/recipe.h"
#include "tests/unit/recipe_rig.h"

/* Words that the run or the account gives, whatever the message holds. */
static const char *const given[] = {"project", "mine", "region", "zone", "cluster", "bucket",
	"reservation", "job", "account", "role", "number", "pod", "service", "permission",
	"resource", "services", "uid", "target", "model", "quota_metric", "quota_limit", "address"};

static int setup(void **state)
{
	const char *build = getenv("builddir");
	AUTO_FREE char *locale = x_asprintf("%s/locale", build ? build : ".");

	(void)state;
	text_language("ko", locale);
	return 0;
}

static bool has_hangul(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)s[0] >= 0xea && (unsigned char)s[0] <= 0xed)
			return true;
	return false;
}

/* "{a}{b}" of a text, sorted as they come; brackets must pair and hold a word each. */
static void words_of(const char *text, struct buf *out)
{
	for (const char *p = text; (p = strchr(p, '{')) != NULL; p++) {
		const char *end = strchr(p, '}');

		if (!end)
			fail_msg("%s: an open brace", text);
		buf_add(out, p, (size_t)(end - p) + 1);
	}
	for (const char *p = text; (p = strpbrk(p, "[]")) != NULL; p++) {
		const char *end = strchr(p, ']');

		if (*p == ']' || !end || !memchr(p, '{', (size_t)(end - p)))
			fail_msg("%s: a bracket without a word", text);
		p = end;
	}
}

static bool knows(const struct cause *c, const char *word, size_t n)
{
	for (size_t i = 0; i < COUNT(given); i++)
		if (strlen(given[i]) == n && memcmp(given[i], word, n) == 0)
			return true;
	for (const char *w = c->words; w && *w; w += strcspn(w, " "), w += *w == ' ')
		if (strcspn(w, " ") == n && memcmp(w, word, n) == 0)
			return true;
	return false;
}

static void words_are_known(const struct cause *c, const char *text)
{
	for (const char *p = text; (p = strchr(p, '{')) != NULL; p++)
		if (!knows(c, p + 1, strcspn(p + 1, "}")))
			fail_msg("%s: nobody gives the word of %s", c->match, p);
}

static void tells(const struct cause *c, const char *english)
{
	const char *korean = text_translate(english);
	AUTO(buf_fini) struct buf a = {0};
	AUTO(buf_fini) struct buf b = {0};

	if (!*english || !*korean || has_hangul(english))
		fail_msg("%s: '%s' '%s'", c->match, english, korean);
	if (!has_hangul(korean) || strcmp(english, korean) == 0)
		fail_msg("%s is not translated: %s", english, korean);
	words_of(english, &a);
	words_of(korean, &b);
	if (a.len != b.len)
		fail_msg("%s has other words than\n%s", english, korean);
	for (const char *p = buf_str(&a); *p; p = strchr(p, '}') + 1) {
		AUTO_FREE char *word = x_strndup(p, strcspn(p, "}") + 1);

		if (!strstr(korean, word))
			fail_msg("%s is not in %s", word, korean);
	}
	words_are_known(c, english);
}

static void every_cause_has_a_meaning_and_a_cure_in_both_languages(void **state)
{
	const struct cause *c;
	size_t n = 0;

	(void)state;
	for (; (c = cause_at(n)) != NULL; n++) {
		assert_true(c->id && *c->id);
		tells(c, c->meaning);
		tells(c, c->cure);
		if (c->command)
			words_are_known(c, c->command);
	}
	assert_true(n > 150);
}

/* The words of a text get values, or none of them does. */
static void fill(struct cause_hit *hit, const char *text, bool all)
{
	for (const char *p = text; all && (p = strchr(p, '{')) != NULL; p++) {
		AUTO_FREE char *name = x_strndup(p + 1, strcspn(p + 1, "}"));
		AUTO_FREE char *value = x_asprintf("my-%s", name);

		cause_put(hit, name, value);
	}
}

static void comes_back(
	const struct cause *c, const char *text, bool all, char *(*told)(const struct cause_hit *))
{
	struct cause_hit hit = {.cause = c};

	fill(&hit, text, all);
	text_language("en", NULL);
	AUTO_FREE char *english = told(&hit);
	text_language("ko", NULL);
	AUTO_FREE char *korean = told(&hit);
	AUTO_FREE char *back = recorded_text(english);
	assert_string_equal(back, korean);
}

static void what_an_engine_recorded_in_english_is_shown_in_korean(void **state)
{
	const struct cause *c;

	(void)state;
	for (size_t i = 0; (c = cause_at(i)) != NULL; i++) {
		comes_back(c, c->meaning, true, cause_meaning);
		comes_back(c, c->meaning, false, cause_meaning);
		comes_back(c, c->cure, true, cause_cure);
		comes_back(c, c->cure, false, cause_cure);
	}
}

static bool both(const struct recipe_text *t)
{
	return t->en && *t->en && !has_hangul(t->en) && t->ko && has_hangul(t->ko);
}

static void every_cause_of_the_recipe_too(void **state)
{
	struct recipe *r = recipe_rig();

	(void)state;
	for (size_t i = 0; i < r->causes.n; i++) {
		const struct recipe_cause *c = &r->causes.items[i];

		if (strcmp(c->severity, "ignore") == 0)
			continue;
		if (!both(&c->meaning) || !both(&c->cure))
			fail_msg("%s has no text", c->id);
	}
	recipe_free(r);
}

static void what_is_not_known_leaves_no_braces(void **state)
{
	const struct cause *c;

	(void)state;
	for (size_t i = 0; (c = cause_at(i)) != NULL; i++) {
		AUTO_FREE char *meaning = cause_meaning_of(c);
		AUTO_FREE char *cure = cause_cure_of(c);

		if (!*meaning || !*cure || strpbrk(meaning, "{}[]") || strpbrk(cure, "{}[]"))
			fail_msg("%s: '%s' '%s'", c->match, meaning, cure);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cause_has_a_meaning_and_a_cure_in_both_languages),
		cmocka_unit_test(what_an_engine_recorded_in_english_is_shown_in_korean),
		cmocka_unit_test(every_cause_of_the_recipe_too),
		cmocka_unit_test(what_is_not_known_leaves_no_braces),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
