/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/rig/vt.h"

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>
#include <vterm.h>

struct vt {
	VTerm *term;
	VTermScreen *screen;
	bool cursor_visible, alternate;
	struct buf title;
	unsigned long bytes;
};

static int vt_property(VTermProp prop, VTermValue *value, void *arg)
{
	struct vt *v = arg;
	if (prop == VTERM_PROP_CURSORVISIBLE)
		v->cursor_visible = value->boolean;
	if (prop == VTERM_PROP_ALTSCREEN)
		v->alternate = value->boolean;
	if (prop == VTERM_PROP_TITLE) {
		buf_clear(&v->title);
		buf_adds(&v->title, value->string);
	}
	return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = vt_property};

struct vt *vt_new(int rows, int cols)
{
	struct vt *v = X_NEW(struct vt);
	v->term = vterm_new(rows, cols);
	vterm_set_utf8(v->term, 1);
	v->screen = vterm_obtain_screen(v->term);
	vterm_screen_set_callbacks(v->screen, &callbacks, v);
	vterm_screen_enable_altscreen(v->screen, 1);
	vterm_screen_reset(v->screen, 1);
	v->cursor_visible = true;
	return v;
}

void vt_free(struct vt *v)
{
	if (!v)
		return;
	vterm_free(v->term);
	buf_fini(&v->title);
	free(v);
}

void vt_feed(struct vt *v, const char *data, size_t n)
{
	vterm_input_write(v->term, data, n);
	v->bytes += n;
}

void vt_resize(struct vt *v, int rows, int cols)
{
	vterm_set_size(v->term, rows, cols);
}

int vt_rows(const struct vt *v)
{
	int rows, cols;
	vterm_get_size(v->term, &rows, &cols);
	return rows;
}

int vt_cols(const struct vt *v)
{
	int rows, cols;
	vterm_get_size(v->term, &rows, &cols);
	return cols;
}

/* xterm's palette from 16 on; libvterm's own is a darker one. */
static void vt_palette(int index, uint8_t rgb[3])
{
	static const uint8_t levels[] = {0, 95, 135, 175, 215, 255};
	if (index >= 232) {
		rgb[0] = rgb[1] = rgb[2] = (uint8_t)(8 + 10 * (index - 232));
	} else if (index >= 16) {
		rgb[0] = levels[(index - 16) / 36];
		rgb[1] = levels[(index - 16) / 6 % 6];
		rgb[2] = levels[(index - 16) % 6];
	}
}

static int vt_color(const struct vt *v, VTermColor c, bool is_default, uint8_t rgb[3])
{
	int index = is_default ? -1 : VTERM_COLOR_IS_INDEXED(&c) ? c.indexed.idx : -2;
	vterm_screen_convert_color_to_rgb(v->screen, &c);
	rgb[0] = c.rgb.red;
	rgb[1] = c.rgb.green;
	rgb[2] = c.rgb.blue;
	vt_palette(index, rgb);
	return index;
}

void vt_cell(const struct vt *v, int y, int x, struct vt_cell *out)
{
	VTermScreenCell c;
	size_t n = 0;
	*out = (struct vt_cell){.fg = -1, .bg = -1, .width = 1, .text = " "};
	if (!vterm_screen_get_cell(v->screen, (VTermPos){.row = y, .col = x}, &c))
		return;
	out->fg = vt_color(v, c.fg, VTERM_COLOR_IS_DEFAULT_FG(&c.fg), out->fg_rgb);
	out->bg = vt_color(v, c.bg, VTERM_COLOR_IS_DEFAULT_BG(&c.bg), out->bg_rgb);
	out->bold = c.attrs.bold;
	out->underline = c.attrs.underline != 0;
	out->reverse = c.attrs.reverse;
	out->italic = c.attrs.italic;
	out->width = c.width;
	if (c.chars[0] == (uint32_t)-1) {
		out->width = 0;
		out->text[0] = '\0';
		return;
	}
	for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && c.chars[i]; i++)
		n += text_encode(c.chars[i], out->text + n);
	if (n)
		out->text[n] = '\0';
}

void vt_cursor(const struct vt *v, int *y, int *x, bool *visible)
{
	VTermPos p;
	vterm_state_get_cursorpos(vterm_obtain_state(v->term), &p);
	*y = p.row;
	*x = p.col;
	*visible = v->cursor_visible;
}

const char *vt_title(const struct vt *v)
{
	return buf_str(&v->title);
}

bool vt_alternate(const struct vt *v)
{
	return v->alternate;
}

unsigned long vt_bytes(const struct vt *v)
{
	return v->bytes;
}

size_t vt_answers(struct vt *v, char *out, size_t size)
{
	return vterm_output_read(v->term, out, size);
}

void vt_row(const struct vt *v, int y, struct buf *out)
{
	size_t start = out->len;
	for (int x = 0; x < vt_cols(v); x++) {
		struct vt_cell c;
		vt_cell(v, y, x, &c);
		buf_adds(out, c.text);
	}
	while (out->len > start && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

bool vt_has(const struct vt *v, const char *text)
{
	for (int y = 0; y < vt_rows(v); y++) {
		AUTO(buf_fini) struct buf row = {0};
		vt_row(v, y, &row);
		if (strstr(buf_str(&row), text))
			return true;
	}
	return false;
}
