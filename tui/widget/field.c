/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/widget/field.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "tui/glyph.h"

#include <string.h>
#include <wchar.h>

void field_fini(struct field *f)
{
	if (f->text.data)
		explicit_bzero(f->text.data, f->text.cap);
	buf_fini(&f->text);
	f->at = f->shift = 0;
}

void field_set(struct field *f, const char *text)
{
	if (f->text.data)
		explicit_bzero(f->text.data, f->text.cap);
	buf_clear(&f->text);
	buf_adds(&f->text, text ? text : "");
	f->at = f->text.len;
	f->shift = 0;
	f->trouble = FIELD_FINE;
}

const char *field_text(const struct field *f)
{
	return buf_str(&f->text);
}

static bool is_mark(uint32_t cp)
{
	return cp >= 0x300 && wcwidth((wchar_t)cp) == 0;
}

/* The next place where the cursor may stand. */
static size_t field_after(const struct field *f, size_t at)
{
	const char *s = buf_str(&f->text);
	uint32_t cp;
	if (at >= f->text.len)
		return f->text.len;
	at += text_decode(s + at, f->text.len - at, &cp);
	while (at < f->text.len) {
		size_t n = text_decode(s + at, f->text.len - at, &cp);
		if (!is_mark(cp))
			break;
		at += n;
	}
	return at;
}

static size_t field_before(const struct field *f, size_t at)
{
	size_t last = 0;
	for (size_t i = 0; i < at; i = field_after(f, i))
		last = i;
	return last;
}

static void field_delete(struct field *f, size_t from, size_t to)
{
	if (to <= from)
		return;
	memmove(f->text.data + from, f->text.data + to, f->text.len - to + 1);
	explicit_bzero(f->text.data + f->text.len - (to - from) + 1, to - from - 1);
	f->text.len -= to - from;
	f->at = from;
	if (f->shift > f->at)
		f->shift = f->at;
}

static void field_insert(struct field *f, const char *s, size_t n)
{
	if (f->text.len + n > FIELD_MAX) {
		f->trouble = FIELD_TOO_LONG;
		return;
	}
	size_t tail = f->text.len - f->at;
	buf_add(&f->text, s, n);
	memmove(f->text.data + f->at + n, f->text.data + f->at, tail);
	memcpy(f->text.data + f->at, s, n);
	f->at += n;
}

static void field_paste(struct field *f, const struct key *k)
{
	AUTO(buf_fini) struct buf line = {0};
	const char *s = k->text;
	size_t n = k->len;
	if (k->odd || k->cut) {
		f->trouble = k->odd ? FIELD_CONTROL : FIELD_TOO_LONG;
		return;
	}
	while (n > 0 && strchr(" \t\n", s[0]))
		s++, n--;
	while (n > 0 && strchr(" \t\n", s[n - 1]))
		n--;
	for (size_t i = 0; i < n; i++)
		if (s[i] != '\n' && !(f->masked && strchr(" \t", s[i])))
			buf_addc(&line, s[i] == '\t' ? ' ' : s[i]);
	field_insert(f, buf_str(&line), line.len);
	if (line.data)
		explicit_bzero(line.data, line.len);
}

static size_t field_word_start(const struct field *f)
{
	const char *s = buf_str(&f->text);
	size_t at = f->at;
	while (at > 0 && s[at - 1] == ' ')
		at--;
	while (at > 0 && s[at - 1] != ' ')
		at--;
	return at;
}

static bool field_control(struct field *f, uint32_t cp)
{
	switch (cp) {
	case 'a':
		f->at = 0;
		return true;
	case 'e':
		f->at = f->text.len;
		return true;
	case 'b':
		f->at = field_before(f, f->at);
		return true;
	case 'f':
		f->at = field_after(f, f->at);
		return true;
	case 'd':
		field_delete(f, f->at, field_after(f, f->at));
		return true;
	case 'k':
		field_delete(f, f->at, f->text.len);
		return true;
	case 'u':
		field_delete(f, 0, f->at);
		return true;
	case 'w':
		field_delete(f, field_word_start(f), f->at);
		return true;
	default:
		return false;
	}
}

static bool field_char(struct field *f, const struct key *k)
{
	char utf8[4];
	if (k->mods & MOD_CTRL)
		return field_control(f, k->cp);
	field_insert(f, utf8, text_encode(k->cp, utf8));
	return true;
}

static bool field_do(struct field *f, const struct key *k)
{
	switch (k->code) {
	case K_CHAR:
		return field_char(f, k);
	case K_PASTE:
		field_paste(f, k);
		return true;
	case K_LEFT:
		f->at = field_before(f, f->at);
		return true;
	case K_RIGHT:
		f->at = field_after(f, f->at);
		return true;
	case K_HOME:
		f->at = 0;
		return true;
	case K_END:
		f->at = f->text.len;
		return true;
	case K_BACKSPACE:
		field_delete(f, field_before(f, f->at), f->at);
		return true;
	case K_DEL:
		field_delete(f, f->at, field_after(f, f->at));
		return true;
	default:
		return false;
	}
}

bool field_key(struct field *f, const struct key *k, bool *changed)
{
	AUTO_FREE char *before = x_strndup(buf_str(&f->text), f->text.len);
	f->trouble = FIELD_FINE;
	bool used = field_do(f, k);
	if (changed)
		*changed = strcmp(before, buf_str(&f->text)) != 0;
	explicit_bzero(before, strlen(before));
	return used;
}

/* Cells between two offsets. */
static int field_cells(const struct field *f, size_t from, size_t to)
{
	const char *s = buf_str(&f->text);
	int cells = 0;
	while (from < to) {
		size_t next = field_after(f, from);
		uint32_t cp;
		text_decode(s + from, next - from, &cp);
		cells += f->masked ? 1 : text_cp_width(cp);
		from = next;
	}
	return cells;
}

void field_draw(
	struct field *f, struct surface *s, int y, int x, int w, bool focused, enum role role)
{
	const char *text = buf_str(&f->text);
	if (f->shift > f->at)
		f->shift = f->at;
	while (w > 0 && f->shift < f->at && field_cells(f, f->shift, f->at) > w - 1)
		f->shift = field_after(f, f->shift);
	surface_fill(s, y, x, 1, w, role);
	if (f->text.len == 0 && f->placeholder)
		surface_cut(s, y, x, w, ROLE_PLACEHOLDER, f->placeholder);
	if (!f->masked)
		surface_text(s, y, x, w, role, text + f->shift);
	else
		for (int i = 0, n = field_cells(f, f->shift, f->text.len); i < n && i < w; i++)
			surface_put(s, y, x + i, role, glyph(GLYPH_MASK));
	if (focused)
		surface_cursor(s, y, x + field_cells(f, f->shift, f->at));
}
