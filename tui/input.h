/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what the terminal sends to one struct key at a time: characters, named keys with
 * modifiers, a whole bracketed paste as one key, mouse events. Unknown escape sequences are
 * swallowed whole. Knows nothing of what a key means.
 */
#ifndef RLPILOT_TUI_INPUT_H
#define RLPILOT_TUI_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEY_CODES(X)                                                                               \
	X(K_NONE, "")                                                                              \
	X(K_CHAR, "")                                                                              \
	X(K_UP, "Up")                                                                              \
	X(K_DOWN, "Down")                                                                          \
	X(K_LEFT, "Left")                                                                          \
	X(K_RIGHT, "Right")                                                                        \
	X(K_HOME, "Home")                                                                          \
	X(K_END, "End")                                                                            \
	X(K_PGUP, "PgUp")                                                                          \
	X(K_PGDN, "PgDn")                                                                          \
	X(K_INS, "Ins")                                                                            \
	X(K_DEL, "Del")                                                                            \
	X(K_BACKSPACE, "Backspace")                                                                \
	X(K_TAB, "Tab")                                                                            \
	X(K_ENTER, "Enter")                                                                        \
	X(K_ESC, "Esc")                                                                            \
	X(K_F1, "F1")                                                                              \
	X(K_F2, "F2")                                                                              \
	X(K_F3, "F3")                                                                              \
	X(K_F4, "F4")                                                                              \
	X(K_F5, "F5")                                                                              \
	X(K_F6, "F6")                                                                              \
	X(K_F7, "F7")                                                                              \
	X(K_F8, "F8")                                                                              \
	X(K_F9, "F9")                                                                              \
	X(K_F10, "F10")                                                                            \
	X(K_F11, "F11")                                                                            \
	X(K_F12, "F12")                                                                            \
	X(K_PASTE, "")                                                                             \
	X(K_MOUSE, "")

enum key_code {
#define X(name, word) name,
	KEY_CODES(X)
#undef X
};

enum { MOD_CTRL = 1, MOD_SHIFT = 2 };
enum mouse_event { MOUSE_PRESS, MOUSE_RELEASE, MOUSE_DRAG, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct key {
	enum key_code code;
	unsigned mods;
	uint32_t cp;      /* K_CHAR: the character; with MOD_CTRL its lower-case letter */
	const char *text; /* K_PASTE: UTF-8 without control characters but newline and tab; borrowed
			   * until the next input_next */
	size_t len;
	bool cut; /* K_PASTE: longer than anybody needs, the end is missing */
	bool odd; /* K_PASTE: control characters were left out */
	int y, x; /* K_MOUSE */
	enum mouse_event mouse;
};

/* Reads keywords like "a", "Up", "C-c", "S-Tab", "Space"; -1 when it is none. */
int key_parse(const char *word, size_t n, struct key *k);
/* The way back, for help and footers: "^C", "S-Tab", "Space"; returns buf. */
const char *key_label(const struct key *k, char *buf, size_t size);
bool key_same(const struct key *a, const struct key *b);

/* Prepares reading from the open terminal; paste keys and the mouse. */
void input_open(bool mouse);
void input_close(void);
/* The next key that is already here; false when there is none (yet). */
bool input_next(struct key *k);
/* True once the terminal has gone away (end of file, hang-up). */
bool input_gone(void);
/* Wall time (clock_wall) by which input_next wants to be called again although nothing arrived, or
 * -1: an unfinished paste. */
int64_t input_deadline(void);

#endif
