/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/surface.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "tui/glyph.h"
#include "tui/term.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define REPLACEMENT 0xFFFD

static const struct cell blank = {.cp = ' ', .role = ROLE_TEXT};

void grid_fini(struct grid *g)
{
	free(g->cells);
	*g = (struct grid){.cursor_y = -1, .cursor_x = -1};
}

void grid_reset(struct grid *g, int rows, int cols)
{
	size_t n = (size_t)rows * (size_t)cols;
	if (rows != g->rows || cols != g->cols || !g->cells)
		g->cells = x_realloc(g->cells, (n ? n : 1) * sizeof(*g->cells));
	g->rows = rows;
	g->cols = cols;
	g->cursor_y = g->cursor_x = -1;
	for (size_t i = 0; i < n; i++)
		g->cells[i] = blank;
}

struct surface grid_surface(struct grid *g)
{
	return (struct surface){.grid = g, .h = g->rows, .w = g->cols};
}

struct surface surface_sub(const struct surface *s, int y, int x, int h, int w)
{
	if (y < 0) {
		h += y;
		y = 0;
	}
	if (x < 0) {
		w += x;
		x = 0;
	}
	if (y > s->h)
		y = s->h;
	if (x > s->w)
		x = s->w;
	if (h > s->h - y)
		h = s->h - y;
	if (w > s->w - x)
		w = s->w - x;
	return (struct surface){
		.grid = s->grid,
		.y = s->y + y,
		.x = s->x + x,
		.h = h > 0 ? h : 0,
		.w = w > 0 ? w : 0,
	};
}

static struct cell *cell_at(const struct surface *s, int y, int x)
{
	if (y < 0 || y >= s->h || x < 0 || x >= s->w)
		return NULL;
	return &s->grid->cells[(size_t)(s->y + y) * (size_t)s->grid->cols + (size_t)(s->x + x)];
}

/* Blanks whatever wide character has one half at this cell, so that no half is left over. */
static void cell_free(const struct surface *s, int y, int x)
{
	const struct grid *g = s->grid;
	int gx = s->x + x;
	struct cell *row = &g->cells[(size_t)(s->y + y) * (size_t)g->cols];
	if (row[gx].cp == 0 && gx > 0) {
		row[gx - 1].cp = ' ';
		row[gx].cp = ' ';
	}
	if (gx + 1 < g->cols && row[gx + 1].cp == 0)
		row[gx + 1].cp = ' ';
	row[gx].marks[0] = row[gx].marks[1] = 0;
}

/* Cells that cp takes when drawn; *cp becomes the replacement if it has no width of its own. */
static int drawn_width(uint32_t *cp)
{
	int w = *cp < 0x20 ? -1 : *cp < 0x7f ? 1 : wcwidth((wchar_t)*cp);
	if (w >= 0)
		return w;
	*cp = MB_CUR_MAX > 1 ? REPLACEMENT : '?';
	return 1;
}

static void cell_mark(const struct surface *s, int y, int x, uint32_t mark)
{
	struct cell *c = cell_at(s, y, x);
	if (c && c->cp == 0)
		c = cell_at(s, y, x - 1);
	for (int i = 0; c && i < CELL_MARKS; i++) {
		if (c->marks[i])
			continue;
		c->marks[i] = mark;
		return;
	}
}

void surface_put(struct surface *s, int y, int x, enum role role, uint32_t cp)
{
	int w = drawn_width(&cp);
	struct cell *c = cell_at(s, y, x), *right = w == 2 ? cell_at(s, y, x + 1) : NULL;
	if (w == 0) {
		cell_mark(s, y, x - 1, cp);
		return;
	}
	if (!c)
		return;
	cell_free(s, y, x);
	c->role = (uint8_t)role;
	if (w == 1) {
		c->cp = cp;
		return;
	}
	if (!right) {
		c->cp = ' ';
		return;
	}
	cell_free(s, y, x + 1);
	c->cp = cp;
	right->cp = 0;
	right->role = (uint8_t)role;
}

int surface_text(struct surface *s, int y, int x, int w, enum role role, const char *text)
{
	size_t n = strlen(text);
	int used = 0;
	if (w < 0 || w > s->w - x)
		w = s->w - x;
	while (n > 0) {
		uint32_t cp, shown;
		size_t bytes = text_decode(text, n, &cp);
		shown = cp;
		int cells = drawn_width(&shown);
		if (used + cells > w)
			break;
		if (used + cells > 0 || cells > 0)
			surface_put(s, y, x + used, role, cp);
		used += cells;
		text += bytes;
		n -= bytes;
	}
	return used;
}

int surface_textf(struct surface *s, int y, int x, int w, enum role role, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	AUTO_FREE char *text = x_vasprintf(fmt, ap);
	va_end(ap);
	return surface_cut(s, y, x, w, role, text);
}

int surface_cut(struct surface *s, int y, int x, int w, enum role role, const char *text)
{
	if (w < 0 || w > s->w - x)
		w = s->w - x;
	if (w <= 0)
		return 0;
	if (text_width(text) <= w)
		return surface_text(s, y, x, w, role, text);
	int used = surface_text(s, y, x, w - 1, role, text);
	surface_put(s, y, x + used, role, glyph(GLYPH_MORE));
	return used + 1;
}

int surface_right(struct surface *s, int y, int x_end, int w, enum role role, const char *text)
{
	int need = text_width(text);
	if (w < 0 || w > x_end)
		w = x_end;
	if (need > w)
		need = w;
	return surface_cut(s, y, x_end - need, need, role, text);
}

size_t wrap_fit(const char *s, int w, size_t *skip)
{
	size_t line = strcspn(s, "\n"), at = 0, blank_at = 0;
	int used = 0;
	*skip = 0;
	while (at < line) {
		uint32_t cp;
		size_t bytes = text_decode(s + at, line - at, &cp);
		int cells = text_cp_width(cp);
		if (used + cells > w)
			break;
		if (cp == ' ')
			blank_at = at;
		used += cells;
		at += bytes;
	}
	if (at == line) {
		*skip = s[line] == '\n';
		return at;
	}
	if (s[at] == ' ') {
		*skip = 1;
		return at;
	}
	if (blank_at > 0) {
		*skip = 1;
		return blank_at;
	}
	if (at == 0) {
		uint32_t cp;
		*skip = text_decode(s, line, &cp);
	}
	return at;
}

int wrap_rows(const char *text, int w)
{
	int rows = 0;
	while (*text && w > 0) {
		size_t skip, n = wrap_fit(text, w, &skip);
		text += n + skip;
		rows++;
	}
	return rows;
}

int surface_wrap(struct surface *s, int y, int x, int h, int w, enum role role, const char *text)
{
	int rows = 0;
	if (w < 0 || w > s->w - x)
		w = s->w - x;
	while (*text && rows < h && w > 0) {
		size_t skip, n = wrap_fit(text, w, &skip);
		AUTO_FREE char *line = x_strndup(text, n);
		surface_text(s, y + rows, x, w, role, line);
		text += n + skip;
		rows++;
	}
	return rows;
}

void surface_fill(struct surface *s, int y, int x, int h, int w, enum role role)
{
	for (int i = 0; i < h; i++)
		for (int j = 0; j < w; j++)
			surface_put(s, y + i, x + j, role, ' ');
}

void surface_role(struct surface *s, int y, int x, int w, enum role role)
{
	for (int j = 0; j < w; j++) {
		struct cell *c = cell_at(s, y, x + j);
		if (c)
			c->role = (uint8_t)role;
	}
}

void surface_rule(struct surface *s, int y, const char *title, const char *hint)
{
	for (int x = 0; x < s->w; x++)
		surface_put(s, y, x, ROLE_RULE, glyph(GLYPH_HRULE));
	if (hint && *hint) {
		int w = text_width(hint);
		if (w + 4 <= s->w && (!title || text_width(title) + w + 8 <= s->w)) {
			surface_put(s, y, s->w - w - 3, ROLE_RULE, ' ');
			surface_text(s, y, s->w - w - 2, w, ROLE_DIM, hint);
			surface_put(s, y, s->w - 2, ROLE_RULE, ' ');
		}
	}
	if (title && *title && s->w > 4) {
		int w = surface_cut(s, y, 2, s->w - 4, ROLE_TITLE, title);
		surface_put(s, y, 1, ROLE_RULE, ' ');
		surface_put(s, y, 2 + w, ROLE_RULE, ' ');
	}
}

void surface_vrule(struct surface *s, int x)
{
	for (int y = 0; y < s->h; y++)
		surface_put(s, y, x, ROLE_RULE, glyph(GLYPH_VRULE));
}

void surface_cursor(struct surface *s, int y, int x)
{
	if (y < 0 || y >= s->h || x < 0 || x >= s->w)
		return;
	s->grid->cursor_y = s->y + y;
	s->grid->cursor_x = s->x + x;
}

/* Attributes of one role in curses' terms. */
static attr_t show_attributes(const struct style *st, short *pair)
{
	static const struct {
		unsigned flag;
		attr_t attribute;
	} flags[] = {
		{STYLE_BOLD, A_BOLD},
		{STYLE_DIM, A_DIM},
		{STYLE_UNDERLINE, A_UNDERLINE},
		{STYLE_REVERSE, A_REVERSE},
		{STYLE_ITALIC, A_ITALIC},
	};
	attr_t a = A_NORMAL;
	for (size_t i = 0; i < COUNT(flags); i++)
		if (st->flags & flags[i].flag)
			a |= flags[i].attribute;
	*pair = 0;
	if (term_colors() > 0 && (st->fg >= 0 || st->bg >= 0)) {
		int p = alloc_pair(st->fg, st->bg);
		*pair = (short)(p > 0 ? p : 0);
	}
	return a;
}

static void show_row(
	const struct grid *g, int y, const attr_t *attributes, const short *pairs, cchar_t *out)
{
	const struct cell *row = &g->cells[(size_t)y * (size_t)g->cols];
	int n = 0;
	for (int x = 0; x < g->cols; x++) {
		const struct cell *c = &row[x];
		if (c->cp == 0)
			continue;
		wchar_t text[CELL_MARKS + 2] = {(wchar_t)c->cp};
		for (int i = 0; i < CELL_MARKS; i++)
			text[i + 1] = (wchar_t)c->marks[i];
		setcchar(&out[n++], text, attributes[c->role], pairs[c->role], NULL);
	}
	mvwadd_wchnstr(stdscr, y, 0, out, n);
}

void grid_show(const struct grid *g, const struct theme *t, enum theme_form form)
{
	attr_t attributes[ROLE_COUNT];
	short pairs[ROLE_COUNT];
	for (int r = 0; r < ROLE_COUNT; r++)
		attributes[r] = show_attributes(&t->styles[form][r], &pairs[r]);
	AUTO_FREE cchar_t *out = x_calloc((size_t)g->cols + 1, sizeof(*out));
	int rows = g->rows < LINES ? g->rows : LINES;
	for (int y = 0; y < rows; y++)
		show_row(g, y, attributes, pairs, out);
	if (g->cursor_y >= 0)
		wmove(stdscr, g->cursor_y, g->cursor_x);
	curs_set(g->cursor_y >= 0);
	wnoutrefresh(stdscr);
	doupdate();
}
