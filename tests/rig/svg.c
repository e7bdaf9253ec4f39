/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/rig/golden.h"

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "tests/rig/vt.h"

#include <string.h>

#define CELL_W 8.43 /* advance of DejaVu Sans Mono at 14 px */
#define CELL_H 18.0
#define FONT   14
#define MARGIN 12.0
#define TOP    34.0
#define BACK   "#16181d"
#define FORE   "#d6d8dc"

struct look {
	char fg[8], bg[8]; /* bg "" = the picture's */
	bool bold, underline, italic;
};

static void hex(char out[8], const uint8_t rgb[3])
{
	static const char digits[] = "0123456789abcdef";
	out[0] = '#';
	for (int i = 0; i < 3; i++) {
		out[1 + 2 * i] = digits[rgb[i] >> 4];
		out[2 + 2 * i] = digits[rgb[i] & 15];
	}
	out[7] = '\0';
}

static struct look look_of(const struct vt_cell *c)
{
	struct look l = {.fg = FORE,
		.bg = "",
		.bold = c->bold,
		.underline = c->underline,
		.italic = c->italic};
	if (c->fg != -1)
		hex(l.fg, c->fg_rgb);
	if (c->bg != -1)
		hex(l.bg, c->bg_rgb);
	if (c->reverse) {
		char fg[8];
		memcpy(fg, l.fg, sizeof(fg));
		memcpy(l.fg, *l.bg ? l.bg : BACK, sizeof(l.fg));
		memcpy(l.bg, fg, sizeof(fg));
	}
	return l;
}

static void svg_escape(struct buf *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '<')
			buf_adds(out, "&lt;");
		else if (*s == '&')
			buf_adds(out, "&amp;");
		else
			buf_addc(out, *s);
	}
}

static void svg_rect(
	struct buf *out, double x, double y, double w, double h, const char *fill, double opacity)
{
	buf_addf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"", x,
		y, w, h, fill);
	if (opacity < 1)
		buf_addf(out, " fill-opacity=\"%.2f\"", opacity);
	buf_adds(out, "/>\n");
}

static double cell_x(int x)
{
	return MARGIN + CELL_W * x;
}

static double cell_y(int y)
{
	return TOP + CELL_H * y;
}

/* Lines from the middle of a cell to its edges. */
static bool svg_rule(struct buf *out, int y, int x, uint32_t cp, const char *fg)
{
	static const struct {
		uint32_t cp;
		bool left, right, up, down;
	} rules[] = {
		{0x2500, true, true, false, false},
		{0x2502, false, false, true, true},
		{0x252C, true, true, false, true},
		{0x2534, true, true, true, false},
		{0x251C, false, true, true, true},
		{0x2524, true, false, true, true},
		{0x2514, false, true, true, false},
	};
	double cx = cell_x(x) + CELL_W / 2, cy = cell_y(y) + CELL_H / 2;
	for (size_t i = 0; i < COUNT(rules); i++) {
		if (rules[i].cp != cp)
			continue;
		double from = rules[i].left ? cell_x(x) : cx,
		       to = rules[i].right ? cell_x(x + 1) : cx;
		double top = rules[i].up ? cell_y(y) : cy, end = rules[i].down ? cell_y(y + 1) : cy;
		if (to > from)
			svg_rect(out, from, cy, to - from + 0.1, 1, fg, 1);
		if (end > top)
			svg_rect(out, cx, top, 1, end - top + 0.1, fg, 1);
		return true;
	}
	return false;
}

/* Blocks and rules as shapes: they join without gaps whatever the font. */
static bool svg_shape(struct buf *out, int y, int x, const struct vt_cell *c, const struct look *l)
{
	uint32_t cp;
	text_decode(c->text, strlen(c->text), &cp);
	if (cp >= 0x2581 && cp <= 0x2588) {
		double h = CELL_H * (cp - 0x2580) / 8;
		svg_rect(out, cell_x(x), cell_y(y) + CELL_H - h, CELL_W + 0.1, h + 0.1, l->fg, 1);
		return true;
	}
	if (cp == 0x2591) {
		svg_rect(out, cell_x(x), cell_y(y), CELL_W + 0.1, CELL_H, l->fg, 0.45);
		return true;
	}
	return svg_rule(out, y, x, cp, l->fg);
}

static bool look_same(const struct look *a, const struct look *b)
{
	return strcmp(a->fg, b->fg) == 0 && a->bold == b->bold && a->underline == b->underline &&
	       a->italic == b->italic;
}

static void svg_text(
	struct buf *out, int y, int x, int cells, const struct look *l, const char *text)
{
	buf_addf(out, "<text x=\"%.2f\" y=\"%.2f\" fill=\"%s\"", cell_x(x),
		cell_y(y) + CELL_H - 4.5, l->fg);
	if (cells > 1)
		buf_addf(out, " textLength=\"%.2f\" lengthAdjust=\"spacingAndGlyphs\"",
			CELL_W * cells);
	buf_addf(out, "%s%s%s>", l->bold ? " font-weight=\"bold\"" : "",
		l->underline ? " text-decoration=\"underline\"" : "",
		l->italic ? " font-style=\"italic\"" : "");
	svg_escape(out, text);
	buf_adds(out, "</text>\n");
}

static void svg_back(const struct vt *v, int y, struct buf *out)
{
	for (int x = 0; x < vt_cols(v);) {
		struct vt_cell c;
		vt_cell(v, y, x, &c);
		struct look l = look_of(&c);
		int end = x + 1;
		for (; end < vt_cols(v); end++) {
			vt_cell(v, y, end, &c);
			struct look next = look_of(&c);
			if (strcmp(next.bg, l.bg) != 0)
				break;
		}
		if (*l.bg)
			svg_rect(out, cell_x(x), cell_y(y), CELL_W * (end - x), CELL_H, l.bg, 1);
		x = end;
	}
}

/* Words of one look as one text; a wide character stands alone. */
static void svg_row(const struct vt *v, int y, struct buf *out)
{
	AUTO(buf_fini) struct buf run = {0};
	struct look look = {0};
	int start = 0, cells = 0;
	for (int x = 0; x <= vt_cols(v); x++) {
		struct vt_cell c = {.text = " ", .width = 1, .fg = -1, .bg = -1};
		if (x < vt_cols(v))
			vt_cell(v, y, x, &c);
		struct look l = look_of(&c);
		bool blank = strcmp(c.text, " ") == 0 || !c.width;
		if (run.len && (blank || c.width == 2 || !look_same(&l, &look))) {
			svg_text(out, y, start, cells, &look, buf_str(&run));
			buf_clear(&run);
		}
		if (blank || svg_shape(out, y, x, &c, &l))
			continue;
		if (c.width == 2) {
			svg_text(out, y, x, 2, &l, c.text);
			continue;
		}
		if (!run.len) {
			start = x;
			cells = 0;
			look = l;
		}
		buf_adds(&run, c.text);
		cells = x + 1 - start;
	}
}

void svg_dump(const struct vt *v, const char *title, struct buf *out)
{
	double w = MARGIN * 2 + CELL_W * vt_cols(v), h = TOP + CELL_H * vt_rows(v) + MARGIN;
	static const char *const lights[] = {"#ed6a5e", "#f5bf4f", "#61c554"};
	buf_addf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"viewBox=\"0 0 %.0f %.0f\" font-family=\"DejaVu Sans Mono, Noto Sans Mono CJK KR, "
		"Menlo, Consolas, monospace\" font-size=\"%d\" xml:space=\"preserve\">\n",
		w, h, w, h, FONT);
	buf_addf(out, "<rect width=\"%.0f\" height=\"%.0f\" rx=\"8\" fill=\"%s\"/>\n", w, h, BACK);
	for (int i = 0; i < 3; i++)
		buf_addf(out, "<circle cx=\"%d\" cy=\"17\" r=\"5.5\" fill=\"%s\"/>\n", 20 + 18 * i,
			lights[i]);
	buf_addf(out, "<text x=\"%.0f\" y=\"22\" fill=\"#9a9da3\" text-anchor=\"middle\">", w / 2);
	svg_escape(out, title);
	buf_adds(out, "</text>\n");
	for (int y = 0; y < vt_rows(v); y++) {
		svg_back(v, y, out);
		svg_row(v, y, out);
	}
	buf_adds(out, "</svg>\n");
}
