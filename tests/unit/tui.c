/* SPDX-License-Identifier: Apache-2.0 */
/* Cells, layout, glyphs and themes, without a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "tests/unit/grid_rig.h"
#include "tui/glyph.h"
#include "tui/layout.h"
#include "tui/theme.h"

static void R93_wide_text_is_never_cut_in_half(void **state)
{
	(void)state;
	struct grid g = {0};
	struct surface s = grid_fresh(&g, 2, 6);
	assert_int_equal(surface_text(&s, 0, 0, -1, ROLE_TEXT, "가나다라"), 6);
	assert_string_equal(grid_row(&g, 0), "가_나_다_");
	assert_int_equal(surface_text(&s, 1, 1, -1, ROLE_TEXT, "가나다"), 4);
	assert_string_equal(grid_row(&g, 1), " 가_나_ ");
	grid_fini(&g);
}

static void R93_writing_onto_half_of_a_wide_character_blanks_the_other(void **state)
{
	(void)state;
	struct grid g = {0};
	struct surface s = grid_fresh(&g, 1, 6);
	surface_text(&s, 0, 0, -1, ROLE_TEXT, "가나다");
	surface_put(&s, 0, 1, ROLE_TEXT, 'x');
	assert_string_equal(grid_row(&g, 0), " x나_다_");
	surface_put(&s, 0, 2, ROLE_TEXT, 'y');
	assert_string_equal(grid_row(&g, 0), " xy 다_");
	surface_text(&s, 0, 3, 2, ROLE_TEXT, "라");
	assert_string_equal(grid_row(&g, 0), " xy라_ ");
	grid_fini(&g);
}

static void R93_no_width_becomes_one_replacement_cell(void **state)
{
	(void)state;
	struct grid g = {0};
	struct surface s = grid_fresh(&g, 1, 8);
	assert_int_equal(surface_text(&s, 0, 0, -1, ROLE_TEXT,
				 "a\001\xf3\xa0\x87\xb0"
				 "b"),
		4);
	assert_string_equal(grid_row(&g, 0), "a\xef\xbf\xbd\xef\xbf\xbd"
					     "b    ");
	grid_fini(&g);
}

static void R93_combining_marks_stay_on_their_letter(void **state)
{
	(void)state;
	struct grid g = {0};
	struct surface s = grid_fresh(&g, 1, 4);
	assert_int_equal(surface_text(&s, 0, 0, -1, ROLE_TEXT, "e\xcc\x81x"), 2);
	assert_string_equal(grid_row(&g, 0), "e\xcc\x81x  ");
	grid_fini(&g);
}

static void drawing_outside_of_a_part_changes_nothing(void **state)
{
	(void)state;
	struct grid g = {0};
	struct surface s = grid_fresh(&g, 3, 8), part = surface_sub(&s, 1, 2, 1, 4);
	surface_text(&part, 0, 0, -1, ROLE_TEXT, "abcdefgh");
	surface_text(&part, 1, 0, -1, ROLE_TEXT, "no");
	surface_text(&part, -1, 0, -1, ROLE_TEXT, "no");
	surface_fill(&part, -5, -5, 3, 20, ROLE_BAD);
	surface_put(&part, 0, -1, ROLE_TEXT, 'n');
	assert_string_equal(grid_row(&g, 0), "        ");
	assert_string_equal(grid_row(&g, 1), "  abcd  ");
	assert_string_equal(grid_row(&g, 2), "        ");
	struct surface none = surface_sub(&s, 9, 9, 9, 9);
	surface_fill(&none, 0, 0, 9, 9, ROLE_BAD);
	assert_int_equal(none.h * none.w, 0);
	grid_fini(&g);
}

static void cut_text_ends_with_a_mark_and_fits(void **state)
{
	(void)state;
	struct grid g = {0};
	for (int w = 1; w < 12; w++) {
		struct surface s = grid_fresh(&g, 1, 14);
		int used = surface_cut(&s, 0, 0, w, ROLE_TEXT, "한국어 text");
		assert_true(used <= w);
		assert_true(w < 2 || used >= w - 1);
	}
	struct surface s = grid_fresh(&g, 1, 6);
	surface_cut(&s, 0, 0, 6, ROLE_TEXT, "가나다라");
	assert_string_equal(grid_row(&g, 0), "가_나_… ");
	grid_fini(&g);
}

static void wrapped_text_keeps_every_character(void **state)
{
	(void)state;
	const char *text =
		"Kueue가 노드를 예약하지 못했습니다 because the reservation is full\nsecond line";
	for (int w = 2; w < 40; w++) {
		const char *at = text;
		size_t kept = 0;
		while (*at) {
			size_t skip, n = wrap_fit(at, w, &skip);
			AUTO_FREE char *line = x_strndup(at, n);
			assert_true(text_width(line) <= w);
			for (size_t i = 0; i < skip; i++)
				assert_true(at[n + i] == ' ' || at[n + i] == '\n');
			assert_true(n + skip > 0);
			kept += n + skip;
			at += n + skip;
		}
		assert_int_equal(kept, strlen(text));
	}
}

/* A small generator of its own, so that every run checks the same cases. */
static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16 & 0x7fff;
}

static void layouts_tile_without_gap_or_overlap(void **state)
{
	(void)state;
	unsigned seed = 7;
	for (int round = 0; round < 5000; round++) {
		struct split parts[6];
		struct surface out[6];
		struct grid g = {.rows = 1 + (int)(next_random(&seed) % 60),
			.cols = 1 + (int)(next_random(&seed) % 200)};
		struct surface whole = grid_surface(&g);
		size_t n = 1 + next_random(&seed) % 6;
		for (size_t i = 0; i < n; i++)
			parts[i] = (struct split){.fixed = (int)(next_random(&seed) % 20),
				.weight = (int)(next_random(&seed) % 3),
				.min = (int)(next_random(&seed) % 10),
				.drop = (int)(next_random(&seed) % 3)};
		parts[n - 1] = (struct split){.weight = 1};
		layout_cols(&whole, parts, n, out);
		int x = 0;
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(out[i].x, x);
			assert_true(out[i].w >= 0);
			x += out[i].w;
		}
		assert_int_equal(x, whole.w);
	}
}

static void droppable_parts_go_first(void **state)
{
	(void)state;
	const struct split parts[] = {{.fixed = 2}, {.weight = 1, .min = 5, .drop = 1},
		{.weight = 1, .min = 5, .drop = 2}, {.weight = 1, .min = 6}};
	int sizes[4];
	layout_sizes(parts, 4, 18, sizes);
	assert_true(sizes[1] == 5 && sizes[2] == 5);
	layout_sizes(parts, 4, 17, sizes);
	assert_int_equal(sizes[2], 0);
	layout_sizes(parts, 4, 9, sizes);
	assert_true(sizes[0] == 2 && sizes[1] == 0 && sizes[2] == 0 && sizes[3] == 7);
}

static int parse_theme(const char *text, struct theme *t, struct err *e)
{
	return theme_parse(t, text, strlen(text), "t.yaml", e);
}

static void themes_are_read_with_places(void **state)
{
	(void)state;
	struct theme t;
	struct err e = {0};
	assert_int_equal(
		parse_theme("theme: 1\nname: x\nroles:\n  bad: {256: 203 on 16 bold, 16: red}\n",
			&t, &e),
		0);
	assert_int_equal(t.styles[THEME_256][ROLE_BAD].fg, 203);
	assert_int_equal(t.styles[THEME_256][ROLE_BAD].bg, 16);
	assert_int_equal(t.styles[THEME_256][ROLE_BAD].flags, STYLE_BOLD);
	assert_int_equal(t.styles[THEME_16][ROLE_BAD].fg, 1);
	assert_int_equal(t.styles[THEME_16][ROLE_OK].fg, -1);
	static const struct {
		const char *text, *place;
	} wrong[] = {
		{"theme: 2\nname: x\n", "t.yaml:1:1"},
		{"theme: 1\nname: x\nroles:\n  nobody: {16: red}\n", "t.yaml:4:3"},
		{"theme: 1\nname: x\nroles:\n  bad: {16: 99}\n", "t.yaml:4:9"},
		{"theme: 1\nname: x\nroles:\n  bad: {99: red}\n", "t.yaml:4:9"},
		{"theme: 1\nname: x\ncolour: red\n", "t.yaml:3:1"},
	};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		assert_int_equal(parse_theme(wrong[i].text, &t, &e), -1);
		assert_string_equal(e.place, wrong[i].place);
		assert_int_equal(e.code, ERR_BAD_FILE);
		assert_true(*e.hint);
	}
}

static void our_themes_name_every_role(void **state)
{
	(void)state;
	static const char *const names[] = {
		"dark", "light", "mono", "high-contrast", "colour-blind"};
	const char *src = getenv("srcdir");
	for (size_t i = 0; i < COUNT(names); i++) {
		struct theme t;
		struct err e = {0};
		AUTO_FREE char *path = x_asprintf("%s/themes/%s.yaml", src ? src : ".", names[i]);
		if (theme_load(&t, path, &e) != 0)
			fail_msg("%s: %s", e.place, e.what);
		assert_string_equal(t.name, names[i]);
		FILE *f = fopen(path, "r");
		char line[256];
		int roles = 0;
		assert_non_null(f);
		while (fgets(line, sizeof(line), f))
			roles += text_starts(line, "  ");
		fclose(f);
		assert_int_equal(roles, ROLE_COUNT);
	}
	struct theme t;
	struct err e = {0};
	assert_int_equal(theme_load(&t, "nothing-of-this-name", &e), -1);
	assert_int_equal(e.code, ERR_USAGE);
}

static void every_glyph_has_a_twin_of_one_cell(void **state)
{
	(void)state;
	for (int i = 0; i < GLYPH_COUNT; i++) {
		glyph_ascii(true);
		assert_in_range(glyph((enum glyph)i), 0x20, 0x7e);
		glyph_ascii(false);
		assert_int_equal(text_width(glyph_str((enum glyph)i)), 1);
	}
	for (int i = 0; i <= 8; i++)
		assert_int_equal(text_cp_width(glyph_eighth(i)), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(R93_wide_text_is_never_cut_in_half),
		cmocka_unit_test(R93_writing_onto_half_of_a_wide_character_blanks_the_other),
		cmocka_unit_test(R93_no_width_becomes_one_replacement_cell),
		cmocka_unit_test(R93_combining_marks_stay_on_their_letter),
		cmocka_unit_test(drawing_outside_of_a_part_changes_nothing),
		cmocka_unit_test(cut_text_ends_with_a_mark_and_fits),
		cmocka_unit_test(wrapped_text_keeps_every_character),
		cmocka_unit_test(layouts_tile_without_gap_or_overlap),
		cmocka_unit_test(droppable_parts_go_first),
		cmocka_unit_test(themes_are_read_with_places),
		cmocka_unit_test(our_themes_name_every_role),
		cmocka_unit_test(every_glyph_has_a_twin_of_one_cell),
	};
	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
