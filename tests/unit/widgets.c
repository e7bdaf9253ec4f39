/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, and what widgets make of them, without a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "tests/unit/grid_rig.h"
#include "tui/keymap.h"
#include "tui/widget/field.h"
#include "tui/widget/list.h"
#include "tui/widget/textview.h"

static struct key key_of(const char *word)
{
	struct key k;
	assert_int_equal(key_parse(word, strlen(word), &k), 0);
	return k;
}

static void no_key_means_two_things(void **state)
{
	(void)state;
	for (int a = ACT_NONE + 1; a < ACT_COUNT; a++) {
		char keys[128];
		action_keys((enum action)a, keys, sizeof(keys));
		assert_true(*keys);
		assert_int_equal(action_by_word(action_word((enum action)a)), a);
	}
	const char *words[] = {"Up", "k", "C-b", "Space", "F2", "?", "q", "C-c", "S-Tab"};
	const enum action meant[] = {ACT_UP, ACT_UP, ACT_PAGE_UP, ACT_MARK, ACT_SEE_STAGES,
		ACT_HELP, ACT_QUIT, ACT_QUIT, ACT_PREV};
	for (size_t i = 0; i < COUNT(words); i++) {
		struct key k = key_of(words[i]);
		assert_int_equal(keymap_find(&keymap_normal, &k), meant[i]);
	}
	for (int cp = '!'; cp < 0x7f; cp++) {
		struct key k = {.code = K_CHAR, .cp = (uint32_t)cp};
		int found = 0;
		char name[32];
		key_label(&k, name, sizeof(name));
		for (int a = ACT_NONE + 1; a < ACT_COUNT; a++) {
			char keys[128];
			AUTO_FREE char *padded =
				x_asprintf(" %s ", action_keys((enum action)a, keys, sizeof(keys)));
			AUTO_FREE char *wanted = x_asprintf(" %s ", name);
			found += strstr(padded, wanted) != NULL;
		}
		assert_true(found <= 1);
	}
}

static void typing_keeps_letters_and_lets_go_of_the_rest(void **state)
{
	(void)state;
	const char *text[] = {"q", "L", "?", "Space", "한", "Left", "C-a"};
	for (size_t i = 0; i < COUNT(text); i++) {
		struct key k = key_of(text[i]);
		assert_int_equal(keymap_find(&keymap_edit, &k), ACT_NONE);
	}
	struct key esc = key_of("Esc"), tab = key_of("Tab"), enter = key_of("Enter"),
		   up = key_of("Up");
	assert_int_equal(keymap_find(&keymap_edit, &esc), ACT_BACK);
	assert_int_equal(keymap_find(&keymap_edit, &tab), ACT_NEXT);
	assert_int_equal(keymap_find(&keymap_edit, &enter), ACT_OPEN);
	assert_int_equal(keymap_find(&keymap_edit, &up), ACT_UP);
}

static void keys_have_names_that_read_back(void **state)
{
	(void)state;
	const char *words[] = {"Up", "a", "Space", "F12", "S-Tab", "-", "한"};
	struct key k;
	char name[32];
	for (size_t i = 0; i < COUNT(words); i++) {
		k = key_of(words[i]);
		assert_string_equal(key_label(&k, name, sizeof(name)), words[i]);
	}
	k = key_of("C-p");
	assert_string_equal(key_label(&k, name, sizeof(name)), "^P");
	assert_int_equal(key_parse("Nothing", 7, &k), -1);
	assert_int_equal(key_parse("", 0, &k), -1);
}

static void type(struct field *f, const char *word)
{
	struct key k = key_of(word);
	field_key(f, &k, NULL);
}

static void a_field_edits_whole_characters(void **state)
{
	(void)state;
	struct field f = {0};
	bool changed;
	field_set(&f, "가나e\xcc\x81");
	type(&f, "Backspace");
	assert_string_equal(field_text(&f), "가나");
	type(&f, "Left");
	type(&f, "x");
	assert_string_equal(field_text(&f), "가x나");
	type(&f, "Home");
	type(&f, "Del");
	assert_string_equal(field_text(&f), "x나");
	type(&f, "End");
	type(&f, "Space");
	type(&f, "b");
	type(&f, "C-w");
	assert_string_equal(field_text(&f), "x나 ");
	type(&f, "C-u");
	assert_string_equal(field_text(&f), "");
	struct key left = key_of("Left");
	assert_true(field_key(&f, &left, &changed));
	assert_false(changed);
	struct key up = key_of("Up");
	assert_false(field_key(&f, &up, &changed));
	field_fini(&f);
}

static void a_paste_is_one_line_without_ends(void **state)
{
	(void)state;
	struct field f = {0};
	bool changed;
	struct key k = {.code = K_PASTE, .text = "  hf_abc\ndef \n", .len = 14};
	assert_true(field_key(&f, &k, &changed));
	assert_true(changed);
	assert_string_equal(field_text(&f), "hf_abcdef");
	field_fini(&f);
}

static void a_masked_field_shows_no_character(void **state)
{
	(void)state;
	struct grid g = {0};
	struct surface s = grid_fresh(&g, 1, 12);
	struct field f = {.masked = true};
	field_set(&f, "hf_secret");
	field_draw(&f, &s, 0, 0, 12, true, ROLE_FIELD);
	assert_null(strpbrk(grid_row(&g, 0), "hf_secret"));
	assert_int_equal(g.cursor_x, 9);
	field_fini(&f);
	grid_fini(&g);
}

static void long_text_scrolls_to_the_cursor(void **state)
{
	(void)state;
	struct grid g = {0};
	struct surface s = grid_fresh(&g, 1, 6);
	struct field f = {0};
	field_set(&f, "가나다라마바사");
	field_draw(&f, &s, 0, 0, 6, true, ROLE_FIELD);
	assert_string_equal(grid_row(&g, 0), "바_사_  ");
	type(&f, "Home");
	field_draw(&f, &s, 0, 0, 6, true, ROLE_FIELD);
	assert_string_equal(grid_row(&g, 0), "가_나_다_");
	assert_int_equal(g.cursor_x, 0);
	field_fini(&f);
	grid_fini(&g);
}

static const char *const names_a[] = {"ant", "bee", "cat", "dog"};
static const char *const names_b[] = {"aardvark", "ant", "cat", "dog"};

static const char *name_id(const void *arg, size_t i)
{
	return ((const char *const *)arg)[i];
}

static void name_draw(const void *arg, size_t i, struct surface *r, bool selected)
{
	surface_text(r, 0, selected ? 1 : 0, -1, ROLE_TEXT, name_id(arg, i));
}

static void a_selection_stays_with_its_item(void **state)
{
	(void)state;
	struct list l = {0};
	struct list_source a = {.arg = names_a, .n = 4, .id = name_id, .draw = name_draw};
	struct list_source b = {.arg = names_b, .n = 4, .id = name_id, .draw = name_draw};
	static const struct key none;
	list_act(&l, &a, ACT_DOWN, &none);
	list_act(&l, &a, ACT_DOWN, &none);
	assert_string_equal(l.selected, "cat");
	assert_int_equal(list_selected(&l, &b), 2);
	list_act(&l, &b, ACT_UP, &none);
	assert_string_equal(l.selected, "ant");
	b.n = 1;
	assert_int_equal(list_selected(&l, &b), 0);
	snprintf(l.filter, sizeof(l.filter), "O");
	assert_int_equal(list_selected(&l, &a), 3);
	b.n = 0;
	assert_true(list_selected(&l, &b) == (size_t)-1);
	list_fini(&l);
}

static const char *number_line(const void *arg, size_t i, enum role *role)
{
	static char text[16];
	(void)role;
	snprintf(text, sizeof(text), "%zu", *(const size_t *)arg + i);
	return text;
}

static void text_stays_when_old_lines_go(void **state)
{
	(void)state;
	struct grid g = {0};
	struct textview t = {0};
	size_t first = 0;
	struct textview_source src = {.arg = &first, .n = 20, .line = number_line};
	struct surface s = grid_fresh(&g, 3, 4);
	textview_draw(&t, &src, &s);
	assert_string_equal(grid_row(&g, 2), "19  ");
	textview_act(&t, &src, ACT_UP);
	s = grid_fresh(&g, 3, 4);
	textview_draw(&t, &src, &s);
	assert_string_equal(grid_row(&g, 0), "16  ");
	first = 10;
	src.first = 10;
	s = grid_fresh(&g, 3, 4);
	textview_draw(&t, &src, &s);
	assert_string_equal(grid_row(&g, 0), "16  ");
	textview_act(&t, &src, ACT_FOLLOW);
	s = grid_fresh(&g, 3, 4);
	textview_draw(&t, &src, &s);
	assert_string_equal(grid_row(&g, 2), "29  ");
	grid_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_key_means_two_things),
		cmocka_unit_test(typing_keeps_letters_and_lets_go_of_the_rest),
		cmocka_unit_test(keys_have_names_that_read_back),
		cmocka_unit_test(a_field_edits_whole_characters),
		cmocka_unit_test(a_paste_is_one_line_without_ends),
		cmocka_unit_test(a_masked_field_shows_no_character),
		cmocka_unit_test(long_text_scrolls_to_the_cursor),
		cmocka_unit_test(a_selection_stays_with_its_item),
		cmocka_unit_test(text_stays_when_old_lines_go),
	};
	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
