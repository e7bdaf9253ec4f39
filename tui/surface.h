/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A grid of cells and rectangles on it. All drawing goes through here: whatever does not fit is
 * clipped by cell, a wide character that would be cut in half becomes a blank, characters without
 * a width become U+FFFD ('?' without UTF-8). grid_show is the only place that gives cells to
 * curses. Coordinates are relative to the surface; drawing outside of it does nothing.
 */
#ifndef RLPILOT_TUI_SURFACE_H
#define RLPILOT_TUI_SURFACE_H

#include "tui/theme.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CELL_MARKS 2

struct cell {
	uint32_t cp;                /* 0: right half of the wide character before it */
	uint32_t marks[CELL_MARKS]; /* combining marks, 0 = none */
	uint8_t role;
};

struct grid {
	int rows, cols;
	struct cell *cells;
	int cursor_y, cursor_x; /* -1: hidden */
};

struct surface {
	struct grid *grid;
	int y, x, h, w; /* place on the grid; h and w may be 0 */
};

void grid_fini(struct grid *g);
/* New size, all blank, cursor hidden. */
void grid_reset(struct grid *g, int rows, int cols);
struct surface grid_surface(struct grid *g);
/* Hands the cells to curses in the theme's form and sends the difference. */
void grid_show(const struct grid *g, const struct theme *t, enum theme_form form);

/* The part of s at (y, x) of h rows and w columns, cut to what exists. */
struct surface surface_sub(const struct surface *s, int y, int x, int h, int w);
/* Writes text in at most w cells (w < 0: to the edge); returns the cells used. */
int surface_text(struct surface *s, int y, int x, int w, enum role role, const char *text);
int surface_textf(struct surface *s, int y, int x, int w, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
/* Same, with a final "…" when text is longer than w. */
int surface_cut(struct surface *s, int y, int x, int w, enum role role, const char *text);
/* Text that ends just before column x_end, at most w cells; returns the cells used. */
int surface_right(struct surface *s, int y, int x_end, int w, enum role role, const char *text);
/* Word-wrapped text from row y on, at most h rows of w cells; returns rows used. Wraps Hangul at
 * blanks first, inside a word only when it is longer than a row. */
int surface_wrap(struct surface *s, int y, int x, int h, int w, enum role role, const char *text);
void surface_fill(struct surface *s, int y, int x, int h, int w, enum role role);
/* Changes the role of cells, keeps their characters. */
void surface_role(struct surface *s, int y, int x, int w, enum role role);
void surface_put(struct surface *s, int y, int x, enum role role, uint32_t cp);
/* One rule line over the whole width: "─ title ─────── hint ─"; both may be NULL. */
void surface_rule(struct surface *s, int y, const char *title, const char *hint);
/* A vertical rule. */
void surface_vrule(struct surface *s, int x);
/* Shows the terminal's cursor there. */
void surface_cursor(struct surface *s, int y, int x);

/* Where the next row of wrapped text ends: bytes of s that fit into w cells, *skip gets the bytes
 * of blanks or the newline to leave out after them. */
size_t wrap_fit(const char *s, int w, size_t *skip);
/* Rows that text needs at width w. */
int wrap_rows(const char *text, int w);

#endif
