/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/body.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/redact.h"
#include "core/base/text.h"

#define LOOK_MAX ((size_t)65536) /* of a page, for its title and first words */

static size_t skip_blanks(const char *s, size_t n)
{
	size_t i = n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3) ? 3 : 0;

	while (i < n && isspace((unsigned char)s[i]))
		i++;
	return i;
}

static const char *find_word(const char *s, size_t n, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= n; i++)
		if (!strncasecmp(s + i, word, len))
			return s + i;
	return NULL;
}

static bool type_says(const char *type, const char *word)
{
	return type && find_word(type, strlen(type), word) != NULL;
}

/* Text has few broken sequences and no NUL among its first bytes. */
static bool is_text(const char *s, size_t n)
{
	size_t look = n < 2048 ? n : 2048, broken = 0;

	for (size_t i = 0; i < look;) {
		uint32_t cp;
		size_t len = text_decode(s + i, n - i, &cp);

		if (!s[i])
			return false;
		broken += cp == 0xfffd;
		i += len;
	}
	return broken * 10 <= look;
}

/* --- first line */

static void keep_line(struct body *b, const struct buf *raw)
{
	AUTO(buf_fini) struct buf clean = {0};
	AUTO_FREE char *safe = NULL;
	int cells = 160;
	size_t n;

	text_clean(&clean, buf_str(raw), raw->len);
	safe = redact_dup(buf_str(&clean));
	while ((n = text_fit(safe, cells, NULL)) >= sizeof(b->line))
		cells /= 2;
	snprintf(b->line, sizeof(b->line), "%.*s", (int)n, safe);
}

static const struct {
	const char *name;
	char is;
} entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''},
	{"&nbsp;", ' '}};

static size_t entity(const char *s, size_t n, char *c)
{
	for (size_t i = 0; i < COUNT(entities); i++) {
		size_t len = strlen(entities[i].name);

		if (n >= len && !strncmp(s, entities[i].name, len)) {
			*c = entities[i].is;
			return len;
		}
	}
	*c = *s;
	return 1;
}

/* Words of a piece of HTML, blanks joined; scripts and styles say nothing. */
static void plain_words(struct buf *out, const char *s, size_t n)
{
	static const char *const silent[][2] = {
		{"<script", "</script"}, {"<style", "</style"}, {"<!--", "-->"}};
	bool tag = false;

	for (size_t i = 0; i < n && out->len < 400;) {
		char c;
		const char *end = NULL;

		for (size_t k = 0; s[i] == '<' && k < COUNT(silent) && !end; k++)
			if (!strncasecmp(s + i, silent[k][0],
				    n - i < strlen(silent[k][0]) ? n - i : strlen(silent[k][0])))
				end = find_word(s + i, n - i, silent[k][1]);
		if (end) {
			i = (size_t)(end - s) + 1;
			tag = true;
			continue;
		}
		i += entity(s + i, n - i, &c);
		if (s[i - 1] == '<' || s[i - 1] == '>')
			tag = s[i - 1] == '<';
		if (tag || s[i - 1] == '>' || isspace((unsigned char)c))
			c = ' ';
		if (c != ' ' || (out->len && buf_str(out)[out->len - 1] != ' '))
			buf_addc(out, c);
	}
	while (out->len && buf_str(out)[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

static void page_line(struct body *b, const char *s, size_t n)
{
	AUTO(buf_fini) struct buf words = {0};
	size_t look = n < LOOK_MAX ? n : LOOK_MAX;
	const char *open = find_word(s, look, "<title"), *from, *end;

	from = open ? memchr(open, '>', look - (size_t)(open - s)) : NULL;
	end = from ? find_word(from, look - (size_t)(from - s), "</title") : NULL;
	if (end && end > from + 1)
		plain_words(&words, from + 1, (size_t)(end - from) - 1);
	if (!words.len)
		plain_words(&words, s, look);
	keep_line(b, &words);
}

static void text_line(struct body *b, const char *s, size_t n)
{
	AUTO(buf_fini) struct buf line = {0};
	size_t from = skip_blanks(s, n), len = 0;

	while (from + len < n && s[from + len] != '\n' && s[from + len] != '\r' && len < 400)
		len++;
	buf_add(&line, s + from, len);
	keep_line(b, &line);
}

/* --- kinds */

/* Ends inside a string, an object or a list: the rest has not come. */
static bool is_cut(const char *s, size_t n)
{
	size_t depth = 0;
	bool string = false;

	for (size_t i = 0; i < n; i++) {
		if (string && s[i] == '\\')
			i++;
		else if (s[i] == '"')
			string = !string;
		else if (!string && strchr("{[", s[i]) && s[i])
			depth++;
		else if (!string && strchr("}]", s[i]) && s[i] && depth)
			depth--;
	}
	return string || depth > 0;
}

static bool looks_html(const char *type, const char *s, size_t n)
{
	static const char *const begins[] = {
		"<!doctype", "<html", "<head", "<body", "<?xml", "<!--"};

	for (size_t i = 0; i < COUNT(begins); i++)
		if (n >= strlen(begins[i]) && !strncasecmp(s, begins[i], strlen(begins[i])))
			return true;
	return *s == '<' && type_says(type, "html");
}

void body_read(struct body *b, const char *type, const char *data, size_t n, size_t max)
{
	size_t from = skip_blanks(data, n);
	const char *s = data + from;

	*b = (struct body){.kind = BODY_TEXT, .n = n};
	if (from == n) {
		b->kind = BODY_EMPTY;
	} else if (*s == '{' || *s == '[') {
		b->json = n - from <= max ? json_parse(s, n - from, NULL) : NULL;
		b->kind = b->json ? BODY_JSON : is_cut(s, n - from) ? BODY_CUT : BODY_BROKEN;
		text_line(b, s, n - from);
	} else if (!is_text(s, n - from)) {
		b->kind = BODY_BYTES;
	} else if (looks_html(type, s, n - from)) {
		b->kind = BODY_HTML;
		page_line(b, s, n - from);
	} else {
		text_line(b, s, n - from);
	}
}

void body_fini(struct body *b)
{
	json_decref(b->json);
	b->json = NULL;
}

const char *body_kind_word(enum body_kind k)
{
	static const char *const words[] = {
#define X(name, word) [name] = word,
		BODY_KINDS(X)
#undef X
	};

	return words[k];
}

const char *body_cause(const struct body *b)
{
	static const char *const causes[] = {[BODY_EMPTY] = "answer-empty",
		[BODY_HTML] = "proxy-page",
		[BODY_CUT] = "answer-cut",
		[BODY_BROKEN] = "answer-foreign",
		[BODY_TEXT] = "answer-foreign",
		[BODY_BYTES] = "answer-foreign"};

	return b->kind < COUNT(causes) ? causes[b->kind] : NULL;
}

char *body_said(const struct body *b, const char *type)
{
	char kind[64] = "";

	if (type && *type) {
		AUTO_FREE char *clean = text_clean_dup(type);

		snprintf(kind, sizeof(kind), " (%.*s)", (int)text_fit(clean, 40, NULL), clean);
	}
	switch (b->kind) {
	case BODY_EMPTY:
		return x_strdup(_("an empty answer"));
	case BODY_HTML:
		return *b->line ? x_asprintf(_("a web page instead of JSON: %s"), b->line)
				: x_strdup(_("a web page instead of JSON"));
	case BODY_CUT:
		return x_asprintf(_("JSON that was cut off after %zu bytes"), b->n);
	case BODY_BROKEN:
		return x_asprintf(_("%zu bytes that begin as JSON and are none%s"), b->n, kind);
	case BODY_BYTES:
		return x_asprintf(_("%zu bytes that are no text%s"), b->n, kind);
	default:
		return x_strdup(b->line);
	}
}

/* --- tools */

static void put_lines(struct buf *said, const char *s, size_t n)
{
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	while (n && isspace((unsigned char)*s)) {
		s++;
		n--;
	}
	if (said && n)
		buf_addf(said, "%s%.*s", said->len ? "\n" : "", (int)n, s);
}

json_t *body_tool_json(const char *data, size_t n, struct buf *said, struct err *e)
{
	for (size_t i = 0; i < n;) {
		const char *nl = memchr(data + i, '\n', n - i);
		size_t end = nl ? (size_t)(nl - data) + 1 : n;
		size_t at = i + skip_blanks(data + i, end - i);
		json_error_t where;
		json_t *j = NULL;

		if (at < end && (data[at] == '{' || data[at] == '['))
			j = json_loadb(data + at, n - at,
				JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &where);
		if (j) {
			size_t over = at + (size_t)where.position;

			put_lines(said, data, i);
			put_lines(said, data + over, n > over ? n - over : 0);
			return j;
		}
		i = end;
	}
	err_set(e, ERR_FAILED, "", _("the program's output holds no JSON"));
	return NULL;
}
