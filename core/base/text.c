/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/base/buf.h"
#include "core/base/catalog.h"
#include "core/base/mem.h"

#define REPLACEMENT 0xfffdu

static enum lang language = LANG_EN;
static struct catalog *korean;
static char *catalog_dir;

/* Widths and ncurses need a UTF-8 locale: take the user's, else the one that is always there. */
static void set_locale(void)
{
	const char *set = setlocale(LC_ALL, "");

	if (!set || mbstowcs(NULL, "\xea\xb0\x80", 0) != 1)
		setlocale(LC_ALL, "C.UTF-8");
	setlocale(LC_NUMERIC, "C");
	setlocale(LC_MESSAGES, "C");
}

static enum lang language_of_environment(void)
{
	static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};

	for (size_t i = 0; i < COUNT(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return text_starts(value, "ko") ? LANG_KO : LANG_EN;
	}
	return LANG_EN;
}

/* Read when Korean is first wanted, and kept: texts taken from it stay valid over switches. */
static void load_catalog(void)
{
	AUTO_FREE char *path = NULL;

	if (korean || !catalog_dir)
		return;
	path = x_asprintf("%s/ko/LC_MESSAGES/rlpilot.mo", catalog_dir);
	korean = catalog_open(path);
}

void text_language(const char *lang, const char *localedir)
{
	set_locale();
	if (localedir) {
		free(catalog_dir);
		catalog_dir = x_strdup(localedir);
	}
	language = lang ? (strcmp(lang, "ko") == 0 ? LANG_KO : LANG_EN) : language_of_environment();
	if (language == LANG_KO)
		load_catalog();
}

const char *text_translate(const char *s)
{
	const char *found = language == LANG_KO && korean ? catalog_find(korean, s) : NULL;

	return found ? found : s;
}

const struct catalog *text_catalog(void)
{
	return language == LANG_KO ? korean : NULL;
}

enum lang text_lang(void)
{
	return language;
}

const char *text_lang_code(void)
{
	return language == LANG_KO ? "ko" : "en";
}

size_t text_decode(const char *s, size_t n, uint32_t *cp)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *u = (const unsigned char *)s;
	size_t len = u[0] < 0x80   ? 1
		     : u[0] < 0xc2 ? 0
		     : u[0] < 0xe0 ? 2
		     : u[0] < 0xf0 ? 3
		     : u[0] < 0xf5 ? 4
				   : 0;
	uint32_t v;

	*cp = REPLACEMENT;
	if (len == 1)
		*cp = u[0];
	if (len < 2 || len > n)
		return 1;
	v = u[0] & (0xffu >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 1;
		v = v << 6 | (u[i] & 0x3f);
	}
	if (v < least[len] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 1;
	*cp = v;
	return len;
}

size_t text_encode(uint32_t cp, char out[4])
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

int text_cp_width(uint32_t cp)
{
	int w = cp < 0x20 || cp == 0x7f ? -1 : wcwidth((wchar_t)cp);

	return w < 0 ? 1 : w;
}

size_t text_fit(const char *s, int cells, int *used)
{
	size_t at = 0, n = strlen(s);
	int sum = 0;

	while (at < n) {
		uint32_t cp;
		size_t len = text_decode(s + at, n - at, &cp);
		int w = text_cp_width(cp);

		if (sum + w > cells)
			break;
		sum += w;
		at += len;
	}
	if (used)
		*used = sum;
	return at;
}

int text_width(const char *s)
{
	int used;

	text_fit(s, 1 << 30, &used);
	return used;
}

char *text_cut(const char *s, int cells)
{
	size_t n = text_fit(s, cells, NULL);

	if (!s[n])
		return x_strdup(s);
	if (cells < 1)
		return x_strdup("");
	n = text_fit(s, cells - 1, NULL);
	return x_asprintf("%.*s\u2026", (int)n, s);
}

void text_pad(struct buf *out, const char *s, int cells)
{
	buf_adds(out, s);
	for (int used = text_width(s); used < cells; used++)
		buf_addc(out, ' ');
}

/* Length of a control sequence at s (which begins with ESC or a C1 byte pair), at least 1. */
static size_t sequence_length(const char *s, size_t n, uint32_t kind, size_t head)
{
	size_t i = head;

	if (kind == '[' || kind == 0x9b) { /* CSI … final byte 0x40-0x7e */
		while (i < n && (s[i] < 0x40 || s[i] > 0x7e) && (unsigned char)s[i] >= 0x20)
			i++;
		return i < n && s[i] >= 0x40 ? i + 1 : i;
	}
	if (kind == ']' || kind == 'P' || kind == '_' || kind == '^' || kind == 'X' ||
		(kind >= 0x90 && kind <= 0x9f && kind != 0x9b && kind != 0x9a && kind != 0x99)) {
		while (i < n && s[i] != '\a' && s[i] != '\n' &&
			!(s[i] == 0x1b && i + 1 < n && s[i + 1] == '\\'))
			i++; /* string, ended by BEL or ST */
		if (i < n && s[i] == '\a')
			return i + 1;
		return i < n && s[i] == 0x1b ? i + 2 : i;
	}
	return head;
}

static bool is_invisible_direction(uint32_t cp)
{
	return (cp >= 0x202a && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069) || cp == 0x200e ||
	       cp == 0x200f || cp == 0x061c || cp == 0x2028 || cp == 0x2029 || cp == 0xfeff;
}

void text_clean(struct buf *out, const char *s, size_t n)
{
	for (size_t at = 0; at < n;) {
		uint32_t cp;
		size_t plain = at, len;

		while (plain < n && s[plain] >= 0x20 && s[plain] < 0x7f)
			plain++;
		if (plain > at) {
			buf_add(out, s + at, plain - at);
			at = plain;
			continue;
		}
		len = text_decode(s + at, n - at, &cp);
		if (cp == 0x1b) {
			size_t head = at + 1 < n ? 2 : 1;

			at += sequence_length(
				s + at, n - at, head == 2 ? (unsigned char)s[at + 1] : 0, head);
		} else if (cp >= 0x80 && cp <= 0x9f) {
			at += sequence_length(s + at, n - at, cp, len);
		} else if (cp == '\n' || cp == '\t' || cp == '\r') {
			buf_addc(out, ' ');
			at += len;
		} else if (cp < 0x20 || cp == 0x7f || is_invisible_direction(cp)) {
			at += len;
		} else {
			char enc[4];

			buf_add(out, enc, text_encode(cp, enc));
			at += len;
		}
	}
}

char *text_clean_dup(const char *s)
{
	struct buf b = {0};

	text_clean(&b, s, strlen(s));
	return buf_take(&b);
}

char *text_trim(const char *s, size_t n)
{
	while (n && strchr(" \t\r\n", *s)) {
		s++;
		n--;
	}
	while (n && strchr(" \t\r\n", s[n - 1]))
		n--;
	return x_strndup(s, n);
}

bool text_is_ascii(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s >= 0x80)
			return false;
	return true;
}

bool text_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool text_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && strcmp(s + n - m, suffix) == 0;
}

int text_to_i64(const char *s, int64_t lo, int64_t hi, int64_t *out)
{
	char *end;
	long long v;

	if (!(*s == '-' || (*s >= '0' && *s <= '9')))
		return -1;
	errno = 0;
	v = strtoll(s, &end, 10);
	if (errno || *end || end == s || v < lo || v > hi)
		return -1;
	*out = v;
	return 0;
}
