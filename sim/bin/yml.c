/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/bin/yml.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/json.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_plain(const char *s)
{
	static const char *const words[] = {"true", "false", "null", "yes", "no", "on", "off", "~"};
	int64_t number;
	char *end;
	if (!*s || strpbrk(s, "\n\"\\#{}[],&*!|>%@`") || strstr(s, ": ") || strchr(" -?:'", *s) ||
		s[strlen(s) - 1] == ':' || s[strlen(s) - 1] == ' ')
		return false;
	strtod(s, &end);
	if (!*end || !text_to_i64(s, INT64_MIN, INT64_MAX, &number))
		return false;
	for (size_t i = 0; i < COUNT(words); i++)
		if (!strcmp(words[i], s))
			return false;
	return true;
}

static void write_string(struct buf *out, const char *s)
{
	if (is_plain(s)) {
		buf_adds(out, s);
	} else if (!strpbrk(s, "\n\\\"")) {
		buf_addc(out, '\'');
		for (; *s; s++)
			buf_adds(out, *s == '\'' ? "''" : (char[]){*s, '\0'});
		buf_addc(out, '\'');
	} else {
		json_t *j = json_string(s);
		char *text = json_dumps(j, JSON_ENCODE_ANY);
		buf_adds(out, text ? text : "\"\"");
		free(text);
		json_decref(j);
	}
}

static void write_node(struct buf *out, const json_t *j, int depth, bool inline_first);

static void indent(struct buf *out, int depth)
{
	buf_addf(out, "%*s", depth * 2, "");
}

static void write_map(struct buf *out, const json_t *j, int depth, bool inline_first)
{
	const char *key;
	json_t *v;
	json_object_foreach((json_t *)j, key, v)
	{
		if (!inline_first)
			indent(out, depth);
		inline_first = false;
		write_string(out, key);
		buf_addc(out, ':');
		if (json_is_object(v) && json_object_size(v)) {
			buf_addc(out, '\n');
			write_node(out, v, depth + 1, false);
		} else if (json_is_array(v) && json_array_size(v)) {
			buf_addc(out, '\n');
			write_node(out, v, depth, false);
		} else {
			buf_addc(out, ' ');
			write_node(out, v, 0, true);
		}
	}
}

static void write_node(struct buf *out, const json_t *j, int depth, bool inline_first)
{
	if (json_is_object(j) && json_object_size(j)) {
		write_map(out, j, depth, inline_first);
		return;
	}
	if (json_is_array(j) && json_array_size(j)) {
		size_t i;
		json_t *v;
		json_array_foreach(j, i, v)
		{
			indent(out, depth);
			buf_adds(out, "- ");
			write_node(out, v, depth + 1, true);
		}
		return;
	}
	if (json_is_string(j)) {
		write_string(out, json_string_value(j));
	} else {
		char *text = json_dumps(j, JSON_ENCODE_ANY);
		buf_adds(out, text ? text : "null");
		free(text);
	}
	buf_addc(out, '\n');
}

void yml_write(struct buf *out, const json_t *j)
{
	write_node(out, j, 0, false);
}

struct line {
	int indent;
	char *text;
};

struct reader {
	struct line *items;
	size_t n, cap, at;
};

static json_t *scalar(const char *s)
{
	int64_t number;
	if (!strcmp(s, "true") || !strcmp(s, "false"))
		return json_boolean(*s == 't');
	if (!strcmp(s, "null") || !strcmp(s, "~") || !*s)
		return json_null();
	if (!strcmp(s, "{}") || !strcmp(s, "[]"))
		return *s == '{' ? json_object() : json_array();
	if (*s == '"')
		return json_loads(s, JSON_DECODE_ANY, NULL);
	if (*s != '\'')
		return text_to_i64(s, INT64_MIN, INT64_MAX, &number) ? json_string(s)
								     : json_integer(number);
	AUTO(buf_fini) struct buf b = {0};
	for (const char *p = s + 1; *p && !(*p == '\'' && p[1] != '\''); p++) {
		buf_addc(&b, *p);
		p += *p == '\'';
	}
	return json_string(buf_str(&b));
}

/* The colon that ends a key; NULL when the text is a scalar. */
static char *key_end(char *text)
{
	char *p = text;
	if (*p == '"' || *p == '\'') {
		char quote = *p++;
		while (*p && (*p != quote || (quote == '\'' && p[1] == quote)))
			p += 1 + ((quote == '"' && *p == '\\' && p[1]) ||
					 (quote == '\'' && *p == quote));
		return *p && p[1] == ':' ? p + 1 : NULL;
	}
	for (; *p; p++)
		if (*p == ':' && (!p[1] || p[1] == ' '))
			return p;
	return NULL;
}

static json_t *node(struct reader *r, int at_least);

static json_t *list(struct reader *r, int depth)
{
	json_t *j = json_array();
	while (r->at < r->n && r->items[r->at].indent == depth &&
		text_starts(r->items[r->at].text, "-")) {
		struct line *l = &r->items[r->at];
		char *rest = l->text + 1 + strspn(l->text + 1, " ");
		if (!*rest) {
			r->at++;
			json_array_append_new(j, node(r, depth + 1));
		} else if (*rest == '{' || *rest == '[' || !key_end(rest)) {
			r->at++;
			json_array_append_new(j, scalar(rest));
		} else {
			l->indent += (int)(rest - l->text);
			l->text = rest;
			json_array_append_new(j, node(r, l->indent));
		}
	}
	return j;
}

static json_t *map(struct reader *r, int depth)
{
	json_t *j = json_object();
	while (r->at < r->n && r->items[r->at].indent == depth) {
		struct line *l = &r->items[r->at];
		char *colon = key_end(l->text);
		if (!colon)
			break;
		*colon = '\0';
		json_t *key = scalar(l->text);
		AUTO_FREE char *name =
			x_strdup(json_is_string(key) ? json_string_value(key) : l->text);
		json_decref(key);
		char *rest = colon + 1 + strspn(colon + 1, " ");
		r->at++;
		bool list_follows = r->at < r->n && r->items[r->at].indent == depth &&
				    *r->items[r->at].text == '-';
		json_object_set_new(j, name,
			*rest          ? scalar(rest)
			: list_follows ? list(r, depth)
				       : node(r, depth + 1));
	}
	return j;
}

static json_t *node(struct reader *r, int at_least)
{
	if (r->at >= r->n || r->items[r->at].indent < at_least)
		return json_null();
	struct line *l = &r->items[r->at];
	if (*l->text == '-' && (l->text[1] == ' ' || !l->text[1]))
		return list(r, l->indent);
	if (key_end(l->text))
		return map(r, l->indent);
	r->at++;
	return scalar(l->text);
}

json_t *yml_read(const char *text)
{
	json_t *j = json_parse(text, strlen(text), NULL);
	struct strvec lines = {0};
	struct reader r = {0};
	if (j)
		return j;
	strvec_split(&lines, text, "\r\n");
	for (size_t i = 0; i < lines.n; i++) {
		char *l = lines.items[i];
		size_t n = strspn(l, " ");
		if (!l[n] || l[n] == '#' || !strcmp(l, "---"))
			continue;
		struct line *one = VEC_PUSH(&r);
		one->indent = (int)n;
		one->text = l + n;
	}
	j = r.n ? node(&r, 0) : NULL;
	if (r.at < r.n) {
		json_decref(j);
		j = NULL;
	}
	free(r.items);
	strvec_fini(&lines);
	return j;
}
