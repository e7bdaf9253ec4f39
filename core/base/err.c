/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/recorded.h"
#include "core/base/redact.h"
#include "core/base/text.h"

/* snprintf's cut may fall inside a character: take the broken tail away. */
static void whole_characters(char *s, size_t size)
{
	size_t n = strlen(s);
	size_t back = 0;

	if (n + 1 < size)
		return;
	while (back < 4 && back < n && ((unsigned char)s[n - 1 - back] & 0xc0) == 0x80)
		back++;
	if (back < n && ((unsigned char)s[n - 1 - back] & 0xc0) == 0xc0)
		s[n - 1 - back] = '\0';
}

__attribute__((format(printf, 4, 0))) static void fill(
	struct err *e, enum err_code code, const char *hint, const char *fmt, va_list ap)
{
	err_clear(e);
	e->code = code;
	vsnprintf(e->what, sizeof(e->what), fmt, ap);
	whole_characters(e->what, sizeof(e->what));
	snprintf(e->hint, sizeof(e->hint), "%s", hint ? hint : "");
	whole_characters(e->hint, sizeof(e->hint));
}

int err_set(struct err *e, enum err_code code, const char *hint, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	fill(e, code, hint, fmt, ap);
	va_end(ap);
	return -1;
}

/* Reasons that people meet; in the catalogue by these lines. Other ones stay in English. */
static const char *reason(int errnum)
{
	static const char *const known[] = {
		N_("Permission denied"),
		N_("Operation not permitted"),
		N_("No such file or directory"),
		N_("File exists"),
		N_("Not a directory"),
		N_("Is a directory"),
		N_("Directory not empty"),
		N_("No space left on device"),
		N_("Disk quota exceeded"),
		N_("Read-only file system"),
		N_("File too large"),
		N_("File name too long"),
		N_("Too many levels of symbolic links"),
		N_("Too many open files"),
		N_("Input/output error"),
		N_("Invalid argument"),
		N_("Broken pipe"),
		N_("Exec format error"),
		N_("Text file busy"),
		N_("Argument list too long"),
		N_("Cannot allocate memory"),
		N_("Resource temporarily unavailable"),
		N_("Connection refused"),
		N_("Connection reset by peer"),
		N_("Address already in use"),
		N_("Network is unreachable"),
		N_("No route to host"),
		N_("Connection timed out"),
	};
	const char *text = strerror(errnum);

	for (size_t i = 0; i < COUNT(known); i++)
		if (strcmp(known[i], text) == 0)
			return _(known[i]);
	return text;
}

int err_errno(struct err *e, enum err_code code, int errnum, const char *hint, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	if (!e)
		return -1;
	va_start(ap, fmt);
	fill(e, code, hint, fmt, ap);
	va_end(ap);
	n = strlen(e->what);
	snprintf(e->what + n, sizeof(e->what) - n, ": %s", reason(errnum));
	return -1;
}

int err_at(struct err *e, const char *file, size_t line, size_t column)
{
	if (e)
		snprintf(e->place, sizeof(e->place), "%s:%zu:%zu", file, line, column);
	return -1;
}

void err_clear(struct err *e)
{
	if (e)
		memset(e, 0, sizeof(*e));
}

int err_exit_code(enum err_code code)
{
	static const int codes[] = {
#define X(name, exit_code) [name] = exit_code,
		ERR_CODES(X)
#undef X
	};

	return (size_t)code < COUNT(codes) ? codes[code] : 1;
}

void err_print(const struct err *e)
{
	AUTO_FREE char *what = recorded_text(e->what); /* an engine's errors are English */
	AUTO_FREE char *hint = recorded_text(e->hint);
	AUTO(buf_fini) struct buf raw = {0};
	AUTO(buf_fini) struct buf clean = {0};
	AUTO(buf_fini) struct buf safe = {0};

	buf_adds(&raw, "rlpilot: ");
	if (e->place[0])
		buf_addf(&raw, "%s: ", e->place);
	buf_adds(&raw, what);
	if (*hint)
		buf_addf(&raw, " (%s)", hint);
	text_clean(&clean, raw.data, raw.len);
	redact(&safe, buf_str(&clean), clean.len);
	fprintf(stderr, "%s\n", buf_str(&safe));
}
