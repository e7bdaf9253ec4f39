/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal itself: opening (with fall-backs for an unknown TERM), size, suspend, hand-over to a
 * child, title, clipboard, and giving it back on every way out, abort included. One terminal a
 * process. Signals belong to the loop: handlers that curses installs are taken out again; the loop
 * calls term_resize() on SIGWINCH. Nothing here waits.
 */
#ifndef RLPILOT_TUI_TERM_H
#define RLPILOT_TUI_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct err;

struct term_options {
	const char *type; /* NULL: $TERM */
	FILE *in, *out;   /* NULL: stdin, stdout */
	bool no_mouse;
	bool no_color;       /* --no-color; NO_COLOR is seen by itself */
	int rows, cols;      /* fixed size when > 0 (tests); else asked from the terminal */
	bool accept_non_tty; /* tests: in and out need not be terminals */
};

enum term_answer {
	TERM_SCREEN, /* ready to draw */
	TERM_PLAIN,  /* no screen possible; the note says why: use plain lines */
};

/* Opens the terminal. `note` gets one line for the person, "" when all was as expected: which
 * substitute of an unknown TERM is used, or why there is no screen. */
enum term_answer term_open(const struct term_options *o, char *note, size_t note_size);
/* Gives the terminal back; safe to call twice and when nothing is open. */
void term_close(void);
bool term_is_open(void);

int term_fd(void); /* descriptor to watch for reading */
int term_rows(void);
int term_cols(void);
int term_colors(void); /* 0 without colour, else 8, 16, 256 … */
bool term_utf8(void);  /* the locale's encoding is UTF-8 */
/* Asks the terminal for its size and adapts; true when it changed. Call on SIGWINCH and after a
 * hand-over. With rows and cols > 0 that size is taken instead (tests). */
bool term_resize(int rows, int cols);

/* Stops the process like ^Z does in any program, and comes back with a full repaint. */
void term_suspend(void);
/* Hand the terminal to a child (false -> true), and take it back. Between the two nothing draws. */
void term_lend(void);
void term_take_back(void);
bool term_is_lent(void);

/* Window title, where the terminal has one; the same again writes nothing. */
void term_title(const char *title);
/* Puts text on the clipboard of the person's own machine (OSC 52, through tmux too). False when it
 * is longer than terminals take (74,994 bytes before encoding). */
bool term_copy(const char *text, size_t n);
void term_bell(void);
/* Sends what curses holds, all in one write. */
void term_flush(void);
/* Next frame repaints everything. */
void term_repaint(void);

#endif
