/* SPDX-License-Identifier: Apache-2.0 */
#include "core/recipe/decode.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/match.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/recipe/recipe.h"

struct any_list {
	void *items;
	size_t n;
};

int decode_error(struct decode *d, const char *hint, const char *fmt, ...)
{
	char what[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	err_set(d->e, ERR_BAD_FILE, hint, "%s", what);
	return yaml_at(d->doc, buf_str(&d->path), d->e);
}

void decode_fini(struct decode *d)
{
	buf_fini(&d->path);
	free(d->refs.items);
	free(d->texts.items);
}

void *decode_alloc(struct decode *d, size_t n)
{
	void *p = arena_alloc(d->arena, n ? n : 1);

	memset(p, 0, n);
	return p;
}

static void path_cut(struct decode *d, size_t n)
{
	d->path.len = n;
	if (d->path.data)
		d->path.data[n] = '\0';
}

static void add_ref(struct decode *d, enum ref_kind kind, const char *name)
{
	struct ref *r = VEC_PUSH(&d->refs);

	r->kind = kind;
	r->name = name;
	yaml_place(d->doc, buf_str(&d->path), &r->line, &r->column);
}

bool template_next(const char *s, struct template_ref *out)
{
	while ((s = strstr(s, "${"))) {
		size_t n = strspn(s + 2, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
		const char *p = s + 2 + n, *end = strchr(p, '}');

		if (n && end && (p == end || !strncmp(p, ":-", 2))) {
			out->at = s;
			out->name = s + 2;
			out->name_n = n;
			out->dflt = p == end ? NULL : p + 2;
			out->dflt_n = p == end ? 0 : (size_t)(end - p - 2);
			out->len = (size_t)(end + 1 - s);
			return true;
		}
		s += 2;
	}
	return false;
}

const char *decode_template(struct decode *d, const char *s)
{
	const char *copy = arena_strdup(d->arena, s), *p = copy;
	struct template_ref t;

	while (template_next(p, &t)) {
		add_ref(d, REF_VARIABLE, arena_printf(d->arena, "%.*s", (int)t.name_n, t.name));
		p = t.at + t.len;
	}
	return copy;
}

static int need_string(struct decode *d, const json_t *j, const char **out)
{
	*out = json_string_value(j);
	if (*out && **out)
		return 0;
	return decode_error(d, _("write one value behind the colon"), _("a text is expected here"));
}

static int one_of(struct decode *d, const char *s, const char *const *words, size_t *at)
{
	AUTO(buf_fini) struct buf hint = {0};

	buf_adds(&hint, _("expected one of:"));
	for (size_t i = 0; words[i]; i++) {
		*at = i;
		if (!strcmp(words[i], s))
			return 0;
		buf_addf(&hint, "%s %s", i ? "," : "", words[i]);
	}
	return decode_error(d, buf_str(&hint), _("\"%s\" is not known here"), s);
}

static int field_str(struct decode *d, const struct field *f, const json_t *j, const char **out)
{
	const char *s;
	size_t at;

	if (need_string(d, j, &s) || (f->words && one_of(d, s, f->words, &at)))
		return -1;
	if (f->kind == FIELD_MATCH) {
		struct err e = {0};
		struct match *m = match_new(s, false, &e);

		if (!m)
			return decode_error(d, _("correct the pattern (PCRE2)"), "%s", e.what);
		match_free(m);
	}
	if (f->kind == FIELD_TEMPLATE) {
		*out = decode_template(d, s);
		return 0;
	}
	*out = arena_strdup(d->arena, s);
	if (f->is_ref)
		add_ref(d, f->ref, *s == '!' ? *out + 1 : *out);
	return 0;
}

static int field_text(struct decode *d, const json_t *j, struct recipe_text *out)
{
	const char *key;
	json_t *value;
	size_t length = d->path.len;

	if (!json_is_object(j))
		return decode_error(d, _("write {en: …, ko: …}"),
			_("a text in both languages is expected here"));
	json_object_foreach((json_t *)(uintptr_t)j, key, value)
	{
		const char *s;
		int rc;

		yaml_path_add(&d->path, key);
		if (strcmp(key, "en") && strcmp(key, "ko"))
			rc = decode_error(
				d, _("expected one of: en, ko"), _("unknown key \"%s\""), key);
		else
			rc = need_string(d, value, &s);
		path_cut(d, length);
		if (rc)
			return -1;
		*(*key == 'e' ? &out->en : &out->ko) = arena_strdup(d->arena, s);
	}
	if (!out->en || !out->ko)
		return decode_error(d, _("write {en: …, ko: …}"), _("the text has no \"%s\""),
			out->en ? "ko" : "en");
	*VEC_PUSH(&d->texts) = (struct text_pair){out->en, out->ko};
	return 0;
}

/* "90s", "20m", "1h30m" -> seconds; 0 = wrong. */
static uint32_t span_part(const char *s, const char **end)
{
	uint32_t total = 0;

	for (; *s >= '0' && *s <= '9'; s++) {
		char *unit;
		unsigned long n = strtoul(s, &unit, 10);
		uint32_t factor = *unit == 's' ? 1 : *unit == 'm' ? 60 : *unit == 'h' ? 3600 : 0;

		if (n > 100000 || !factor)
			return 0;
		total += (uint32_t)n * factor;
		s = unit;
	}
	*end = s;
	return total;
}

static int field_span(struct decode *d, const json_t *j, uint32_t out[2])
{
	const char *s, *p;

	if (need_string(d, j, &s))
		return -1;
	out[0] = span_part(s, &p);
	out[1] = out[0];
	if (out[0] && *p == '-')
		out[1] = span_part(p + 1, &p);
	if (!out[0] || *p || out[1] < out[0])
		return decode_error(d, _("write a time like 90s, 20m-45m or 1h-3h"),
			_("\"%s\" is not a time"), s);
	return 0;
}

static int field_number(struct decode *d, const struct field *f, const json_t *j, char *at)
{
	double v = json_path_num(j, "", NAN);
	int64_t i = json_path_i64(j, "", -1);

	if (f->kind == FIELD_REAL) {
		if (isnan(v))
			return decode_error(d, _("write a number"), _("a number is expected here"));
		memcpy(at, &v, sizeof(v));
		return 0;
	}
	if (i < 0 || (f->kind == FIELD_U32 && i > UINT32_MAX))
		return decode_error(d, _("write a whole number"),
			_("a whole number, 0 or more, is expected here"));
	if (f->kind == FIELD_U32)
		*(uint32_t *)(void *)at = (uint32_t)i;
	else if (f->kind == FIELD_U64)
		*(uint64_t *)(void *)at = (uint64_t)i;
	else
		*(size_t *)(void *)at = (size_t)i;
	return 0;
}

static int field_bool(struct decode *d, const json_t *j, bool *out)
{
	bool yes = json_path_bool(j, "", false);

	if (yes != json_path_bool(j, "", true))
		return decode_error(
			d, _("expected one of: true, false"), _("true or false is expected here"));
	*out = yes;
	return 0;
}

static int add_pair(struct decode *d, struct recipe_pair *p, const char *key, const json_t *j)
{
	size_t length = d->path.len;
	const char *s = json_string_value(j);
	int rc = 0;

	yaml_path_add(&d->path, key);
	p->name = arena_strdup(d->arena, key);
	if (s)
		p->value = decode_template(d, s);
	else
		rc = decode_error(d, "", _("a text is expected here"));
	path_cut(d, length);
	return rc;
}

static int field_pairs(struct decode *d, const json_t *j, struct recipe_pairs *out)
{
	const char *key;
	json_t *value;

	if (!json_is_object(j))
		return decode_error(
			d, _("write {name: value}"), _("names with values are expected here"));
	out->items = decode_alloc(d, json_object_size(j) * sizeof(*out->items));
	json_object_foreach((json_t *)(uintptr_t)j, key, value)
	{
		if (add_pair(d, &out->items[out->n++], key, value))
			return -1;
	}
	return 0;
}

static int decode_field(struct decode *d, const struct field *f, const json_t *j, char *base);

/* Every item of a list through one field row, item size apart. */
static int field_items(struct decode *d, const struct field *item, size_t size, const json_t *j,
	struct any_list *out)
{
	size_t length = d->path.len, i;
	json_t *value;

	if (!json_is_array(j))
		return decode_error(
			d, _("write [a, b] or lines with \"- \""), _("a list is expected here"));
	out->items = decode_alloc(d, json_array_size(j) * size);
	json_array_foreach(j, i, value)
	{
		int rc;

		buf_addf(&d->path, "[%zu]", i);
		rc = decode_field(d, item, value, (char *)out->items + i * size);
		path_cut(d, length);
		if (rc)
			return -1;
		out->n++;
	}
	return 0;
}

static int field_list(struct decode *d, const struct field *f, const json_t *j, char *at)
{
	struct field item = *f;
	struct any_list list = {0};
	size_t size = sizeof(const char *);

	item.offset = 0;
	if (f->kind == FIELD_NAMES) {
		item.kind = FIELD_STR;
	} else if (f->kind == FIELD_TEXTS) {
		item.kind = FIELD_TEXT;
		size = sizeof(struct recipe_text);
	} else {
		item.kind = FIELD_STRUCT;
		size = f->sub->size;
	}
	if (field_items(d, &item, size, j, &list))
		return -1;
	memcpy(at, &list, sizeof(list));
	return 0;
}

static int field_word(struct decode *d, const struct field *f, const json_t *j, char *at)
{
	const char *s;
	size_t i;
	int word;

	if (need_string(d, j, &s) || one_of(d, s, f->words, &i))
		return -1;
	word = (int)i;
	memcpy(at, &word, sizeof(word));
	return 0;
}

static int field_ptr(struct decode *d, const struct field *f, const json_t *j, char *at)
{
	void *p = decode_alloc(d, f->sub->size);

	memcpy(at, &p, sizeof(p));
	return decode_table(d, f->sub, j, p);
}

static int decode_field(struct decode *d, const struct field *f, const json_t *j, char *base)
{
	char *at = base + f->offset;

	switch (f->kind) {
	case FIELD_STR:
	case FIELD_TEMPLATE:
	case FIELD_MATCH:
		return field_str(d, f, j, (const char **)(void *)at);
	case FIELD_TEXT:
		return field_text(d, j, (struct recipe_text *)(void *)at);
	case FIELD_BOOL:
		return field_bool(d, j, (bool *)at);
	case FIELD_U32:
	case FIELD_U64:
	case FIELD_SIZE:
	case FIELD_REAL:
		return field_number(d, f, j, at);
	case FIELD_SPAN:
		return field_span(d, j, (uint32_t *)(void *)at);
	case FIELD_WORD:
		return field_word(d, f, j, at);
	case FIELD_TEXTS:
	case FIELD_NAMES:
	case FIELD_LIST:
		return field_list(d, f, j, at);
	case FIELD_PAIRS:
		return field_pairs(d, j, (struct recipe_pairs *)(void *)at);
	case FIELD_STRUCT:
		return decode_table(d, f->sub, j, at);
	case FIELD_PTR:
		return field_ptr(d, f, j, at);
	case FIELD_OWN:
		return f->own(d, j, at);
	}
	return -1;
}

static const struct field *find_field(const struct schema *s, const char *key)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!strcmp(s->fields[i].key, key))
			return &s->fields[i];
	}
	return NULL;
}

static int unknown_key(struct decode *d, const struct schema *s, const char *key)
{
	AUTO(buf_fini) struct buf hint = {0};

	buf_addf(&hint, _("%s takes:"), _(s->what));
	for (size_t i = 0; i < s->n; i++)
		buf_addf(&hint, "%s %s", i ? "," : "", s->fields[i].key);
	return decode_error(d, buf_str(&hint), _("unknown key \"%s\""), key);
}

static int one_key(struct decode *d, const struct schema *s, const char *key, const json_t *value,
	char *target)
{
	const struct field *f = find_field(s, key);
	struct recipe_pairs *rest;

	if (f) {
		size_t length = d->path.len;
		int rc;

		yaml_path_add(&d->path, key);
		rc = decode_field(d, f, value, target);
		path_cut(d, length);
		return rc;
	}
	if (s->has_rest) {
		rest = (struct recipe_pairs *)(void *)(target + s->rest_at);
		return add_pair(d, &rest->items[rest->n++], key, value);
	}
	yaml_path_add(&d->path, key);
	return unknown_key(d, s, key);
}

int decode_table(struct decode *d, const struct schema *s, const json_t *j, void *target)
{
	const char *key;
	json_t *value;

	if (s->has_string && json_is_string(j)) {
		*(const char **)(void *)((char *)target + s->string_at) =
			decode_template(d, json_string_value(j));
		return s->check ? s->check(d, target) : 0;
	}
	if (!json_is_object(j))
		return decode_error(
			d, _("write keys with values"), _("%s is expected here"), _(s->what));
	if (s->has_rest) {
		struct recipe_pairs *rest =
			(struct recipe_pairs *)(void *)((char *)target + s->rest_at);

		rest->items = decode_alloc(d, json_object_size(j) * sizeof(*rest->items));
	}
	json_object_foreach((json_t *)(uintptr_t)j, key, value)
	{
		if (one_key(d, s, key, value, target))
			return -1;
	}
	for (size_t i = 0; i < s->n; i++) {
		if (s->fields[i].required && !json_object_get(j, s->fields[i].key))
			return decode_error(d, _("add it"), _("%s has no \"%s\""), _(s->what),
				s->fields[i].key);
	}
	return s->check ? s->check(d, target) : 0;
}
