/* SPDX-License-Identifier: Apache-2.0 */
/* Every widget once, as a golden screen in three sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "tests/rig/view_rig.h"
#include "tests/rig/vt.h"
#include "tui/glyph.h"
#include "tui/layout.h"
#include "tui/widget/chart.h"
#include "tui/widget/form.h"
#include "tui/widget/gauge.h"
#include "tui/widget/menu.h"
#include "tui/widget/table.h"
#include "tui/widget/textview.h"

struct show {
	struct list table;
	struct form form;
	struct textview text;
	struct menu menu;
	struct dialog dialog;
	const char *chosen;
	char name[64];
};

static const struct table_column columns[] = {
	{"NAME", .weight = 2, .min = 12},
	{"ZONE", .fixed = 12, .drop = 2},
	{"FREE", .fixed = 7, .right = true},
	{"VERDICT", .weight = 1, .min = 10, .drop = 1},
};

static const char *const cells[][4] = {
	{"v6e-rl-prod", "us-east5-b", "8/8", "ok"},
	{"학습용-예약-서울", "asia-ne3-a", "4/16", "4 VMs too few"},
	{"v6e-a-very-long-name-of-a-reservation", "us-east5-a", "0/8", "full"},
};

static const char *cell_id(const void *arg, size_t i)
{
	(void)arg;
	return cells[i][0];
}

static const char *cell_text(const void *arg, size_t i, size_t column, enum role *role)
{
	(void)arg;
	*role = column < 3 ? ROLE_TEXT : i == 0 ? ROLE_OK : ROLE_BAD;
	return cells[i][column];
}

static const struct table_source table = {
	.n = 3, .columns = columns, .n_columns = 4, .id = cell_id, .cell = cell_text};

static void form_row(const void *arg, size_t i, struct form_row *out)
{
	static const char *const labels[] = {"PROJECT", "이름", "HF_TOKEN", "REGION"};
	const struct show *s = arg;
	*out = (struct form_row){.id = labels[i],
		.label = labels[i],
		.value = i == 1 ? s->name : "value",
		.note = i == 3 ? "derived" : "typed",
		.note_role = ROLE_DIM,
		.value_role = ROLE_TEXT,
		.fixed = i == 3,
		.masked = i == 2};
	if (i == 2)
		out->value = "••••";
}

static const char *text_line(const void *arg, size_t i, enum role *role)
{
	static const char *const lines[] = {"first line",
		"두 번째 줄은 한국어로 쓰여 있고 꽤 길어서 접힙니다", "third line with an error",
		"fourth"};
	(void)arg;
	if (i == 2)
		*role = ROLE_BAD;
	return lines[i];
}

static const struct textview_source text = {.n = 4, .line = text_line};

static void show_chart(struct surface *s)
{
	struct chart_point bars[50], points[5];
	for (int i = 0; i < 50; i++)
		bars[i] = (struct chart_point){
			i + 1, i == 20 ? (double)NAN : 0.6 + 0.4 * sin(i / 9.0)};
	for (int i = 0; i < 5; i++)
		points[i] = (struct chart_point){10 * i + 1, 0.7 + 0.05 * i};
	struct chart c = {.bars = bars, .n_bars = 50, .points = points, .n_points = 5};
	chart_draw(&c, s);
}

static void show_draw(struct view *v, const struct state *state, struct surface *out)
{
	struct show *s = v->data;
	struct surface rows[4], cols[2];
	const struct split parts[] = {
		{.fixed = 5}, {.weight = 1, .min = 6}, {.fixed = 5}, {.fixed = 2, .drop = 1}};
	const struct split halves[] = {{.weight = 1}, {.weight = 1}};
	struct form_source form = {.arg = s, .n = 4, .row = form_row};
	(void)state;
	if (view_is_tiny(out)) {
		surface_text(out, 0, 0, -1, ROLE_TEXT, "tiny");
		return;
	}
	layout_rows(out, parts, COUNT(parts), rows);
	surface_rule(&rows[0], 0, "table", "hint");
	struct surface body = surface_sub(&rows[0], 1, 0, 4, rows[0].w);
	table_draw(&s->table, &table, &body, true);
	show_chart(&rows[1]);
	layout_cols(&rows[2], halves, 2, cols);
	form_draw(&s->form, &form, &cols[0]);
	textview_draw(&s->text, &text, &cols[1]);
	gauge_draw(&rows[3], 0, 0, rows[3].w / 2, 14, 22);
	gauge_draw(&rows[3], 1, 0, rows[3].w / 2, 0, 165);
	if (s->menu.open)
		menu_draw(&s->menu, out);
	if (s->dialog.open)
		dialog_draw(&s->dialog, out);
	view_typing(v, s->form.editing || s->dialog.open);
	VIEW_KEYS(v, {ACT_OPEN, NULL}, {ACT_CURE, NULL}, {ACT_CANCEL, NULL});
}

static bool show_act(struct view *v, enum action a, const struct key *k)
{
	static const struct menu_item items[] = {
		{"no", "Keep it", "nothing is lost"}, {"yes", "Delete it", NULL}};
	struct show *s = v->data;
	struct form_source form = {.arg = s, .n = 4, .row = form_row};
	bool yes;
	if (dialog_act(&s->dialog, a, k, &yes)) {
		s->chosen = yes ? "typed" : s->chosen;
		if (yes)
			dialog_close(&s->dialog);
		return true;
	}
	if (menu_act(&s->menu, a, k, &s->chosen))
		return true;
	if (a == ACT_CURE)
		menu_open(&s->menu, "what now?", "The bucket holds 51 GiB.", items, 2);
	else if (a == ACT_CANCEL)
		dialog_open(&s->dialog, "stop?",
			"This stops the training of gemma-rl. Nothing is saved.", "gemma-rl");
	else if (a == ACT_WRAP)
		textview_act(&s->text, &text, a);
	else
		switch (form_act(&s->form, &form, a, k)) {
		case FORM_BEGIN:
			field_set(&s->form.field, "");
			break;
		case FORM_TAKE:
			strncpy(s->name, field_text(&s->form.field), sizeof(s->name) - 1);
			break;
		case FORM_IGNORED:
			return false;
		default:
			break;
		}
	return true;
}

static void show_close(struct view *v)
{
	struct show *s = v->data;
	list_fini(&s->table);
	form_fini(&s->form);
	menu_close(&s->menu);
	dialog_close(&s->dialog);
}

static const struct view_ops show_ops = {.name = "show",
	.size = sizeof(struct show),
	.draw = show_draw,
	.act = show_act,
	.close = show_close};

static struct view_rig *rig_at(int cols, int rows)
{
	static const struct host_options o;
	struct view_rig *r = view_rig_open(cols, rows, "en", &o, NULL);
	host_push(view_rig_host(r), &show_ops);
	view_rig_frame(r);
	return r;
}

static void widgets_in_three_sizes(void **state)
{
	(void)state;
	static const int sizes[][2] = {{80, 24}, {120, 40}, {60, 16}};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct view_rig *r = rig_at(sizes[i][0], sizes[i][1]);
		AUTO_FREE char *name =
			x_asprintf("tests/view/golden/widgets-%dx%d.txt", sizes[i][0], sizes[i][1]);
		assert_true(view_rig_golden(r, name));
		view_rig_close(r);
	}
}

static void widgets_in_ASCII(void **state)
{
	(void)state;
	struct view_rig *r = rig_at(80, 24);
	glyph_ascii(true);
	assert_true(view_rig_golden(r, "tests/view/golden/widgets-ascii.txt"));
	view_rig_close(r);
}

static void a_form_takes_text_and_never_traps(void **state)
{
	(void)state;
	struct view_rig *r = rig_at(80, 24);
	struct show *s = host_top(view_rig_host(r))->data;
	view_rig_keys(r, "<Down><Enter>한글 q?");
	assert_true(view_rig_golden(r, "tests/view/golden/widgets-editing.txt"));
	view_rig_keys(r, "<Esc>");
	assert_string_equal(s->name, "");
	view_rig_keys(r, "<Enter>한글<Tab>");
	assert_string_equal(s->name, "한글");
	assert_string_equal(s->form.list.selected, "HF_TOKEN");
	view_rig_close(r);
}

static void a_menu_begins_with_the_safe_answer(void **state)
{
	(void)state;
	struct view_rig *r = rig_at(80, 24);
	struct show *s = host_top(view_rig_host(r))->data;
	view_rig_keys(r, "f");
	assert_true(view_rig_golden(r, "tests/view/golden/widgets-menu.txt"));
	view_rig_keys(r, "<Enter>");
	assert_string_equal(s->chosen, "no");
	view_rig_keys(r, "f<Down><Enter>");
	assert_string_equal(s->chosen, "yes");
	s->chosen = "";
	view_rig_keys(r, "f<Down><Esc>");
	assert_null(s->chosen);
	assert_false(s->menu.open);
	view_rig_close(r);
}

static void a_dialog_wants_the_name_typed(void **state)
{
	(void)state;
	struct view_rig *r = rig_at(80, 24);
	struct show *s = host_top(view_rig_host(r))->data;
	s->chosen = "";
	view_rig_keys(r, "x<Enter>");
	assert_true(s->dialog.open);
	view_rig_keys(r, "gemma-r<Enter>");
	assert_true(s->dialog.open && s->dialog.wrong);
	assert_true(view_rig_golden(r, "tests/view/golden/widgets-dialog.txt"));
	view_rig_keys(r, "q");
	assert_true(s->dialog.open);
	view_rig_keys(r, "<Backspace>l<Enter>");
	assert_false(s->dialog.open);
	assert_string_equal(s->chosen, "typed");
	view_rig_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widgets_in_three_sizes),
		cmocka_unit_test(widgets_in_ASCII),
		cmocka_unit_test(a_form_takes_text_and_never_traps),
		cmocka_unit_test(a_menu_begins_with_the_safe_answer),
		cmocka_unit_test(a_dialog_wants_the_name_typed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
