/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/shell.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
static const char name_rest[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			   "0123456789_@%+=:,./-";

void shell_quote(struct buf *out, const char *s)
{
	if (*s && strspn(s, safe) == strlen(s)) {
		buf_adds(out, s);
		return;
	}
	buf_addc(out, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			buf_adds(out, "'\\''");
		else
			buf_addc(out, *s);
	}
	buf_addc(out, '\'');
}

void shell_inside_double(struct buf *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strchr("\\\"`$", s[i]) && s[i])
			buf_addc(out, '\\');
		buf_addc(out, s[i]);
	}
}

void shell_words(struct buf *out, char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_addc(out, ' ');
		shell_quote(out, words[i]);
	}
}

/* One quoted or bare run of a word; false when a quote is open or something would be expanded. */
static bool take_part(const char **s, struct buf *out)
{
	const char *p = *s;

	if (*p == '\'') {
		for (p++; *p && *p != '\''; p++)
			buf_addc(out, *p);
	} else if (*p == '"') {
		for (p++; *p && *p != '"'; p++) {
			if (*p == '$' || *p == '`')
				return false;
			if (*p == '\\' && p[1] && strchr("\\\"`$\n", p[1])) {
				p++;
				if (*p == '\n')
					continue;
			}
			buf_addc(out, *p);
		}
	} else if (*p == '\\' && p[1]) {
		buf_addc(out, *++p);
	} else if (strchr("$`|&;<>()*?[~", *p)) {
		return false;
	} else {
		buf_addc(out, *p);
	}
	if (!*p)
		return false;
	*s = p + 1;
	return true;
}

static const char *skip_empty(const char *p)
{
	for (;;) {
		p += strspn(p, " \t\r\n");
		if (*p != '#')
			return p;
		p += strcspn(p, "\n");
	}
}

int shell_assignment(const char **s, char **name, char **value)
{
	AUTO(buf_fini) struct buf b = {0};
	const char *p = skip_empty(*s), *start;
	size_t n;

	*s = p;
	if (!*p)
		return 0;
	if (!strncmp(p, "export", 6) && (p[6] == ' ' || p[6] == '\t'))
		p += 6 + strspn(p + 6, " \t");
	start = p;
	n = strspn(p, name_rest);
	if (!n || !strchr(letters, *p) || p[n] != '=')
		return -1;
	for (p += n + 1; *p && !strchr(" \t\r\n", *p);) {
		if (!take_part(&p, &b)) {
			*s = p;
			return -1;
		}
	}
	p += strspn(p, " \t\r");
	if (*p == '#')
		p += strcspn(p, "\n");
	if (*p && *p != '\n') {
		*s = p;
		return -1;
	}
	*name = x_strndup(start, n);
	*value = x_strdup(buf_str(&b));
	*s = p;
	return 1;
}
