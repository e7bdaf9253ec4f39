/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal's side of tui/, on a pseudo terminal: sizes, TERM, paste, keys, signals, hang-up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "tests/rig/golden.h"
#include "tests/rig/pty.h"
#include "tests/rig/vt.h"

static struct pty *start(int cols, int rows, char *const *env)
{
	static char path[4096];
	const char *build = getenv("builddir");
	snprintf(path, sizeof(path), "%s/tests/term/pad", build ? build : ".");
	char *argv[] = {path, NULL};
	return pty_open(cols, rows, argv, env);
}

static void quit(struct pty *p)
{
	int status;
	pty_keys(p, "q");
	assert_true(pty_wait_exit(p, &status));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_true(vt_has(pty_vt(p), "bye"));
	assert_false(vt_alternate(pty_vt(p)));
	pty_close(p);
}

static char *screen(struct pty *p)
{
	struct buf b = {0};
	golden_dump(pty_vt(p), false, &b);
	return buf_take(&b);
}

struct same {
	const char *want;
};

static bool holds_same(struct pty *p, const void *arg)
{
	AUTO_FREE char *now = screen(p);
	return strcmp(now, ((const struct same *)arg)->want) == 0;
}

/* What a program that starts at this size shows. */
static char *fresh_screen(int cols, int rows)
{
	char wait[32];
	struct pty *p = start(cols, rows, NULL);
	snprintf(wait, sizeof(wait), "%dx%d", cols, rows);
	assert_true(pty_wait_frame(p, 0));
	if (cols >= 60 && rows >= 16)
		assert_true(pty_wait_text(p, wait));
	else
		assert_true(pty_wait_text(p, "too small"));
	char *text = screen(p);
	quit(p);
	return text;
}

static void resizes_end_at_the_right_size(void **state)
{
	(void)state;
	static const int ends[][2] = {{80, 24}, {120, 40}, {61, 16}, {59, 15}, {200, 60}};
	unsigned seed = 3;
	for (size_t i = 0; i < COUNT(ends); i++) {
		AUTO_FREE char *want = fresh_screen(ends[i][0], ends[i][1]);
		struct pty *p = start(80, 24, NULL);
		assert_true(pty_wait_text(p, "80x24"));
		for (int j = 0; j < 60; j++) {
			seed = seed * 1103515245u + 12345u;
			pty_resize(p, 10 + (int)(seed >> 16) % 190, 1 + (int)(seed >> 8) % 59);
		}
		pty_resize(p, ends[i][0], ends[i][1]);
		struct same same = {want};
		if (!pty_wait(p, holds_same, &same)) {
			AUTO_FREE char *now = screen(p);
			fail_msg("after the storm\n%s\nfresh\n%s", now, want);
		}
		quit(p);
	}
}

static void R89_unknown_TERM_gets_a_substitute(void **state)
{
	(void)state;
	static const char *const known[] = {"TERM=xterm-256color", "TERM=xterm", "TERM=vt100",
		"TERM=linux", "TERM=screen-256color", "TERM=tmux-256color"};
	static const char *const unknown[] = {"TERM=xterm-nobody", "TERM=my-own-terminal"};
	for (size_t i = 0; i < COUNT(known); i++) {
		char *env[] = {x_strdup(known[i]), NULL};
		struct pty *p = start(80, 24, env);
		assert_true(pty_wait_text(p, "item-05 한국어"));
		assert_false(vt_has(pty_vt(p), "unknown"));
		quit(p);
		free(env[0]);
	}
	for (size_t i = 0; i < COUNT(unknown); i++) {
		char *env[] = {x_strdup(unknown[i]), NULL};
		struct pty *p = start(80, 24, env);
		assert_true(pty_wait_text(p, "xterm-256color is used instead"));
		quit(p);
		free(env[0]);
	}
}

static void R90_dumb_or_no_terminal_is_plain(void **state)
{
	(void)state;
	static const struct {
		const char *term, *says;
	} cases[] = {
		{"TERM=dumb", "plain: TERM=dumb cannot move the cursor"},
		{"TERM=", "plain: TERM is not set"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		int status;
		char *env[] = {x_strdup(cases[i].term), NULL};
		struct pty *p = start(80, 24, env);
		assert_true(pty_wait_text(p, cases[i].says));
		assert_true(pty_wait_exit(p, &status));
		assert_int_equal(WEXITSTATUS(status), 3);
		assert_false(vt_alternate(pty_vt(p)));
		pty_close(p);
		free(env[0]);
	}
}

static void a_paste_is_one_key_and_triggers_nothing(void **state)
{
	(void)state;
	struct pty *p = start(80, 24, NULL);
	assert_true(pty_wait_text(p, "item-05"));
	pty_paste(p, "q?hf_token\r\nL");
	assert_true(pty_wait_text(p, "paste of"));
	assert_true(pty_wait_text(p, "q?hf_tokenL"));
	assert_false(vt_has(pty_vt(p), "help:"));
	quit(p);
}

static void keys_arrive_in_every_form(void **state)
{
	(void)state;
	static const struct {
		const char *bytes, *shows;
	} cases[] = {
		{"\033[A", "last: Up"},
		{"\033OB", "last: Down"},
		{"\033[6~", "last: PgDn"},
		{"\033[Z", "last: S-Tab"},
		{"\033OQ", "last: F2"},
		{"\033[15~", "last: F5"},
		{"\033", "last: Esc"},
		{"x", "last: x"},
		{"\xed\x95\x9c", "last: 한"},
		{"\033[99;99~z", "last: z"},
		{"\177", "last: Backspace"},
		{"\002", "last: ^B"},
		{"\033[<0;5;7M", "last: mouse 0 at 6,4"},
	};
	struct pty *p = start(80, 24, NULL);
	assert_true(pty_wait_text(p, "item-05"));
	for (size_t i = 0; i < COUNT(cases); i++) {
		pty_send(p, cases[i].bytes, strlen(cases[i].bytes));
		assert_true(pty_wait_text(p, cases[i].shows));
	}
	quit(p);
}

static void help_and_palette_come_from_the_key_table(void **state)
{
	(void)state;
	struct pty *p = start(80, 24, NULL);
	assert_true(pty_wait_text(p, "item-05"));
	pty_keys(p, "?");
	assert_true(pty_wait_text(p, "help: pad"));
	assert_true(pty_wait_text(p, "one page down"));
	pty_keys(p, "<PgDn><PgDn>");
	assert_true(pty_wait_text(p, "leave the screen"));
	pty_keys(p, "<Esc>:");
	assert_true(pty_wait_text(p, "all actions by name"));
	pty_keys(p, "hel<Enter>");
	assert_true(pty_wait_text(p, "help: pad"));
	pty_keys(p, "<Esc>");
	assert_true(pty_wait_text(p, "item-05"));
	quit(p);
}

static void stopped_and_continued(const char *open, const char *shows)
{
	const char *build = getenv("builddir");
	AUTO_FREE char *script =
		x_asprintf("'%s/tests/term/pad'; echo stopped; read x; fg", build ? build : ".");
	char *argv[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-mc", script, NULL};
	struct pty *p = pty_open(80, 24, argv, NULL);
	assert_true(pty_wait_text(p, "item-05"));
	pty_keys(p, open);
	assert_true(pty_wait_text(p, shows));
	pty_keys(p, "<C-z>");
	assert_true(pty_wait_text(p, "stopped"));
	assert_false(vt_alternate(pty_vt(p)));
	pty_keys(p, "<Enter>");
	assert_true(pty_wait_text(p, shows));
	assert_true(vt_alternate(pty_vt(p)));
	pty_keys(p, "<Esc>");
	assert_true(pty_wait_text(p, "item-05"));
	quit(p);
}

static void stopped_and_continued_it_repaints(void **state)
{
	(void)state;
	stopped_and_continued("", "item-05");
	stopped_and_continued(":", "all actions by name");
}

static void a_lost_terminal_ends_the_program(void **state)
{
	(void)state;
	struct pty *p = start(80, 24, NULL);
	int status;
	assert_true(pty_wait_text(p, "item-05"));
	pty_hang_up(p);
	assert_true(pty_wait_exit(p, &status));
	assert_true(WIFEXITED(status));
	pty_close(p);
}

static void an_idle_screen_writes_nothing(void **state)
{
	(void)state;
	struct pty *p = start(80, 24, NULL);
	assert_true(pty_wait_text(p, "item-05"));
	pty_keys(p, "<Down>");
	assert_true(pty_wait_text(p, "last: Down"));
	unsigned long before = vt_bytes(pty_vt(p));
	pty_keys(p, "<Down>");
	assert_true(pty_wait_frame(p, pty_frames(p)));
	assert_true(vt_bytes(pty_vt(p)) - before <= 400);
	quit(p);
}

static void NO_COLOR_means_no_colour(void **state)
{
	(void)state;
	char *env[] = {(char *)(uintptr_t) "NO_COLOR=1", NULL};
	struct pty *p = start(80, 24, env);
	assert_true(pty_wait_text(p, "item-05"));
	for (int y = 0; y < 24; y++) {
		for (int x = 0; x < 80; x++) {
			struct vt_cell c;
			vt_cell(pty_vt(p), y, x, &c);
			assert_int_equal(c.fg, -1);
			assert_int_equal(c.bg, -1);
		}
	}
	quit(p);
}

static void an_exported_size_counts_where_the_terminal_tells_none(void **state)
{
	(void)state;
	const char *build = getenv("builddir");
	AUTO_FREE char *script =
		x_asprintf("stty rows 0 cols 0; exec '%s/tests/term/pad'", build ? build : ".");
	char *argv[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", script, NULL};
	char *env[] = {(char *)(uintptr_t) "LINES=30", (char *)(uintptr_t) "COLUMNS=100", NULL};
	struct pty *p = start(80, 24, env);
	assert_true(pty_wait_text(p, "80x24"));
	quit(p);
	p = pty_open(100, 30, argv, env);
	assert_true(pty_wait_text(p, "100x30"));
	quit(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resizes_end_at_the_right_size),
		cmocka_unit_test(R89_unknown_TERM_gets_a_substitute),
		cmocka_unit_test(R90_dumb_or_no_terminal_is_plain),
		cmocka_unit_test(a_paste_is_one_key_and_triggers_nothing),
		cmocka_unit_test(keys_arrive_in_every_form),
		cmocka_unit_test(help_and_palette_come_from_the_key_table),
		cmocka_unit_test(stopped_and_continued_it_repaints),
		cmocka_unit_test(a_lost_terminal_ends_the_program),
		cmocka_unit_test(an_idle_screen_writes_nothing),
		cmocka_unit_test(NO_COLOR_means_no_colour),
		cmocka_unit_test(an_exported_size_counts_where_the_terminal_tells_none),
	};
	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
