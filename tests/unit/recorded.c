/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded texts find the way back to their originals; texts of others stay as they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "core/base/mem.h"
#include "core/base/recorded.h"
#include "core/base/text.h"

static const struct text_pair pairs[] = {
	{"not all TPU hosts are ready", "준비 안 됨"},
	{"the bucket %s belongs to %s", "%2$s의 버킷 %1$s"},
	{"the pod has restarted %d times in %s", "%2$s 동안 포드가 %1$d번 다시 시작"},
	{"zone {zone} has no machine[ of {type}]", "{zone}에 머신[ {type}] 없음"},
	{"disk full: 100%% of %s is used", "디스크 참: %s의 100%%"},
	{"a%sb", "아무것도"},
};

static int setup(void **state)
{
	(void)state;
	text_language("ko", "/nowhere");
	recorded_pairs(pairs, COUNT(pairs));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	recorded_pairs(NULL, 0);
	text_language("en", NULL);
	return 0;
}

static void is(const char *english, const char *expected)
{
	AUTO_FREE char *got = recorded_text(english);

	assert_string_equal(got, expected);
}

static void a_text_without_places_is_found_as_it_is(void **state)
{
	(void)state;
	is("not all TPU hosts are ready", "준비 안 됨");
	is("", "");
}

static void what_stood_in_the_places_is_carried_over(void **state)
{
	(void)state;
	is("the bucket mine belongs to you", "you의 버킷 mine");
	is("the pod has restarted 12 times in 3 min", "3 min 동안 포드가 12번 다시 시작");
	is("the pod has restarted often times in 3 min",
		"the pod has restarted often times in 3 min");
	is("disk full: 100% of /home is used", "디스크 참: /home의 100%");
}

static void a_part_in_brackets_stands_when_its_words_are_known(void **state)
{
	(void)state;
	is("zone us-a has no machine", "us-a에 머신 없음");
	is("zone us-a has no machine of ct6e", "us-a에 머신 ct6e 없음");
}

static void texts_in_places_and_behind_colons_are_texts_too(void **state)
{
	(void)state;
	is("the bucket not all TPU hosts are ready belongs to you", "you의 버킷 준비 안 됨");
	is("not all TPU hosts are ready: googleapi: Error 403: no",
		"준비 안 됨: googleapi: Error 403: no");
	is("not all TPU hosts are ready (module.pool[0]): Error waiting",
		"준비 안 됨 (module.pool[0]): Error waiting");
	is("zone of mine has no machine: Error", "of mine에 머신 없음: Error");
	is("Error 403: not all TPU hosts are ready", "Error 403: 준비 안 됨");
	is("not all TPU hosts are ready\nnot all TPU hosts are ready", "준비 안 됨\n준비 안 됨");
}

static void lists_are_texts_too(void **state)
{
	(void)state;
	is("the bucket one, not all TPU hosts are ready, two belongs to you",
		"you의 버킷 one, 준비 안 됨, two");
}

static void texts_of_others_stay(void **state)
{
	(void)state;
	is("axb", "axb"); /* too few letters to tell where it is from */
	is("Error waiting for creating GKE NodePool:", "Error waiting for creating GKE NodePool:");
	text_language("en", NULL);
	is("not all TPU hosts are ready", "not all TPU hosts are ready");
	text_language("ko", NULL);
}

/* Every prefix could be the place of the first %s: that ends, untranslated. */
static void a_hostile_text_costs_little(void **state)
{
	static const struct text_pair greedy = {
		"%s belongs %s belongs %s belongs %s belongs %s to nobody", "없음"};
	size_t n = 4000;
	AUTO_FREE char *text = x_calloc(n * 9 + 1, 1);

	(void)state;
	for (size_t i = 0; i < n; i++)
		memcpy(text + i * 9, " belongs ", 9);
	recorded_pairs(&greedy, 1);
	is(text, text);
	recorded_pairs(pairs, COUNT(pairs));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_without_places_is_found_as_it_is),
		cmocka_unit_test(what_stood_in_the_places_is_carried_over),
		cmocka_unit_test(a_part_in_brackets_stands_when_its_words_are_known),
		cmocka_unit_test(texts_in_places_and_behind_colons_are_texts_too),
		cmocka_unit_test(lists_are_texts_too),
		cmocka_unit_test(texts_of_others_stay),
		cmocka_unit_test(a_hostile_text_costs_little),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
