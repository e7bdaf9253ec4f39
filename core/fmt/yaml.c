/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/map.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"

#define KEY_MAX 1000 /* bytes as written */

struct mark {
	size_t line, column;
};

struct yaml_doc {
	char *name;
	json_t *root;
	struct map marks; /* path -> struct mark * */
};

struct reader {
	yaml_parser_t parser;
	struct yaml_doc *doc;
	struct buf path;
	size_t nodes;
	struct err *e;
};

static int refuse(struct reader *r, yaml_mark_t at, const char *what, const char *hint)
{
	err_set(r->e, ERR_BAD_FILE, hint, "%s", what);
	return err_at(r->e, r->doc->name, at.line + 1, at.column + 1);
}

static int next(struct reader *r, yaml_event_t *ev)
{
	const yaml_parser_t *p = &r->parser;
	yaml_mark_t at;

	if (yaml_parser_parse(&r->parser, ev))
		return 0;
	at = p->problem_mark;
	if (p->error == YAML_READER_ERROR) {
		err_set(r->e, ERR_BAD_FILE, _("the file must be UTF-8 text"),
			_("this is not valid YAML: %s at byte %zu"), p->problem, p->problem_offset);
		return err_at(r->e, r->doc->name, p->mark.line + 1, p->mark.column + 1);
	}
	err_set(r->e, ERR_BAD_FILE, _("look at this line and at the one before it"),
		_("this is not valid YAML: %s%s%s"), p->context ? p->context : "",
		p->context ? ", " : "", p->problem ? p->problem : "?");
	return err_at(r->e, r->doc->name, at.line + 1, at.column + 1);
}

static void remember(struct reader *r, yaml_mark_t at)
{
	struct mark *m = X_NEW(struct mark);

	m->line = at.line + 1;
	m->column = at.column + 1;
	map_set(&r->doc->marks, buf_str(&r->path), m);
}

void yaml_path_add(struct buf *path, const char *name)
{
	if (path->len)
		buf_addc(path, '.');
	if (*name && !strpbrk(name, ".['"))
		buf_adds(path, name);
	else
		buf_addf(path, "'%s'", name);
}

static bool plain_null(const yaml_event_t *ev)
{
	const char *s = (const char *)ev->data.scalar.value;

	return ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (!*s || !strcmp(s, "~") || !strcmp(s, "null"));
}

static json_t *scalar(struct reader *r, const yaml_event_t *ev)
{
	json_t *j;

	if (plain_null(ev))
		return json_null();
	j = json_stringn((const char *)ev->data.scalar.value, ev->data.scalar.length);
	if (!j || strlen(json_string_value(j)) != ev->data.scalar.length) {
		json_decref(j);
		refuse(r, ev->start_mark, _("a value holds a NUL byte or broken UTF-8"), "");
		return NULL;
	}
	return j;
}

/* Anchors, aliases and tags can make small files huge or mean another thing than they show. */
static int plain_only(struct reader *r, const yaml_event_t *ev)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	if (ev->type == YAML_ALIAS_EVENT)
		return refuse(r, ev->start_mark, _("aliases are not allowed here"),
			_("write the value again in place of *name"));
	if (ev->type == YAML_SCALAR_EVENT) {
		anchor = ev->data.scalar.anchor;
		tag = ev->data.scalar.tag;
	} else if (ev->type == YAML_SEQUENCE_START_EVENT) {
		anchor = ev->data.sequence_start.anchor;
		tag = ev->data.sequence_start.tag;
	} else if (ev->type == YAML_MAPPING_START_EVENT) {
		anchor = ev->data.mapping_start.anchor;
		tag = ev->data.mapping_start.tag;
	}
	if (anchor)
		return refuse(
			r, ev->start_mark, _("anchors are not allowed here"), _("remove &name"));
	if (tag)
		return refuse(r, ev->start_mark, _("tags are not allowed here"), _("remove !tag"));
	if (++r->nodes > YAML_NODES_MAX)
		return refuse(r, ev->start_mark, _("the file holds too many values"), "");
	return 0;
}

static json_t *node(struct reader *r, yaml_event_t *ev, int depth);

static int sequence(struct reader *r, json_t *list, int depth)
{
	size_t length = r->path.len;

	for (;;) {
		yaml_event_t ev;
		json_t *item;

		if (next(r, &ev))
			return -1;
		if (ev.type == YAML_SEQUENCE_END_EVENT) {
			yaml_event_delete(&ev);
			return 0;
		}
		buf_addf(&r->path, "[%zu]", json_array_size(list));
		remember(r, ev.start_mark);
		item = node(r, &ev, depth);
		r->path.len = length;
		r->path.data[length] = '\0';
		if (!item)
			return -1;
		json_array_append_new(list, item);
	}
}

static int take_key(struct reader *r, yaml_event_t *ev, const json_t *object)
{
	const char *key;

	if (plain_only(r, ev))
		return -1;
	if (ev->type != YAML_SCALAR_EVENT)
		return refuse(r, ev->start_mark, _("a key must be a plain word"), "");
	key = (const char *)ev->data.scalar.value;
	if (strlen(key) != ev->data.scalar.length || strlen(key) > 200)
		return refuse(r, ev->start_mark, _("a key is too long or holds a NUL byte"), "");
	if (!json_object_get(object, key))
		return 0;
	err_set(r->e, ERR_BAD_FILE, _("keep one of the two"), _("the key \"%s\" stands here twice"),
		key);
	return err_at(r->e, r->doc->name, ev->start_mark.line + 1, ev->start_mark.column + 1);
}

static int mapping(struct reader *r, json_t *object, int depth)
{
	size_t length = r->path.len;

	for (;;) {
		yaml_event_t key, ev;
		json_t *value = NULL;
		bool end;

		if (next(r, &key))
			return -1;
		end = key.type == YAML_MAPPING_END_EVENT;
		if (!end && take_key(r, &key, object) == 0) {
			yaml_path_add(&r->path, (const char *)key.data.scalar.value);
			remember(r, key.start_mark);
			if (next(r, &ev) == 0)
				value = node(r, &ev, depth);
			r->path.len = length;
			if (r->path.data)
				r->path.data[length] = '\0';
		}
		if (value &&
			json_object_set_new(object, (const char *)key.data.scalar.value, value)) {
			refuse(r, key.start_mark, _("a key holds broken UTF-8"), "");
			value = NULL;
		}
		yaml_event_delete(&key);
		if (end)
			return 0;
		if (!value)
			return -1;
	}
}

/* Builds the node that ev begins and deletes ev. NULL: refused. */
static json_t *node(struct reader *r, yaml_event_t *ev, int depth)
{
	yaml_event_type_t type = ev->type;
	json_t *j = NULL;
	int bad = plain_only(r, ev);

	if (!bad && depth >= YAML_DEPTH_MAX)
		bad = refuse(r, ev->start_mark, _("the file is nested too deeply"), "");
	if (!bad && type == YAML_SCALAR_EVENT)
		j = scalar(r, ev);
	yaml_event_delete(ev);
	if (bad || type == YAML_SCALAR_EVENT)
		return j;
	if (type == YAML_SEQUENCE_START_EVENT) {
		j = json_array();
		bad = sequence(r, j, depth + 1);
	} else {
		j = json_object();
		bad = mapping(r, j, depth + 1);
	}
	if (!bad)
		return j;
	json_decref(j);
	return NULL;
}

static json_t *document(struct reader *r)
{
	json_t *root = NULL;
	bool seen = false;

	for (;;) {
		yaml_event_t ev;
		yaml_event_type_t type;

		if (next(r, &ev))
			break;
		type = ev.type;
		if (type == YAML_DOCUMENT_START_EVENT && seen) {
			refuse(r, ev.start_mark, _("a second document begins here"),
				_("remove the line with ---"));
			yaml_event_delete(&ev);
			break;
		}
		if (type == YAML_STREAM_START_EVENT || type == YAML_DOCUMENT_END_EVENT ||
			type == YAML_DOCUMENT_START_EVENT || type == YAML_STREAM_END_EVENT) {
			seen = seen || type == YAML_DOCUMENT_START_EVENT;
			yaml_event_delete(&ev);
			if (type == YAML_STREAM_END_EVENT)
				return root ? root : json_null();
			continue;
		}
		root = node(r, &ev, 0);
		if (!root)
			return NULL;
	}
	json_decref(root);
	return NULL;
}

struct yaml_doc *yaml_parse(const char *name, const char *data, size_t n, struct err *e)
{
	struct reader r = {.e = e};

	if (n > YAML_BYTES_MAX) {
		err_set(e, ERR_BAD_FILE, "", _("the file is larger than %zu bytes"),
			YAML_BYTES_MAX);
		err_at(e, name, 1, 1);
		return NULL;
	}
	r.doc = X_NEW(struct yaml_doc);
	r.doc->name = x_strdup(name);
	r.doc->marks.free_value = free;
	if (!yaml_parser_initialize(&r.parser))
		die("no memory for the YAML parser");
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)data, n);
	r.doc->root = document(&r);
	yaml_parser_delete(&r.parser);
	buf_fini(&r.path);
	if (r.doc->root)
		return r.doc;
	yaml_close(r.doc);
	return NULL;
}

struct yaml_doc *yaml_read(const char *path, struct err *e)
{
	AUTO(buf_fini) struct buf b = {0};

	if (path_read(path, YAML_BYTES_MAX, &b, e))
		return NULL;
	return yaml_parse(path, buf_str(&b), b.len, e);
}

void yaml_close(struct yaml_doc *d)
{
	if (!d)
		return;
	json_decref(d->root);
	map_fini(&d->marks);
	free(d->name);
	free(d);
}

const json_t *yaml_root(const struct yaml_doc *d)
{
	return d->root;
}

const char *yaml_name(const struct yaml_doc *d)
{
	return d->name;
}

void yaml_place(const struct yaml_doc *d, const char *path, size_t *line, size_t *column)
{
	AUTO_FREE char *p = x_strdup(path);

	*line = 1;
	*column = 1;
	while (*p) {
		const struct mark *m = map_get(&d->marks, p);
		char *dot, *bracket;

		if (m) {
			*line = m->line;
			*column = m->column;
			return;
		}
		dot = strrchr(p, '.');
		bracket = strrchr(p, '[');
		if (!dot || (bracket && bracket > dot))
			dot = bracket;
		*(dot ? dot : p) = '\0';
	}
}

int yaml_at(const struct yaml_doc *d, const char *path, struct err *e)
{
	size_t line, column;

	yaml_place(d, path, &line, &column);
	return err_at(e, d->name, line, column);
}

/* What a YAML reader takes as a line's end or refuses: controls, NEL, LS, PS, BOM, no characters.
 */
static bool unprintable(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x2028 || cp == 0x2029 ||
	       cp == 0xfeff || cp == 0xfffe || cp == 0xffff;
}

static void dump_scalar(const char *s, struct buf *out)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_./-";

	if (*s && *s != '-' && strspn(s, plain) == strlen(s) && strcmp(s, "null")) {
		buf_adds(out, s);
		return;
	}
	buf_addc(out, '"');
	for (size_t left = strlen(s), used; left > 0; s += used, left -= used) {
		uint32_t cp;

		used = text_decode(s, left, &cp);
		if (cp == '"' || cp == '\\')
			buf_addf(out, "\\%c", (char)cp);
		else if (cp == '\n')
			buf_adds(out, "\\n");
		else if (unprintable(cp))
			buf_addf(out, "\\u%04x", (unsigned)cp);
		else
			buf_add(out, s, used);
	}
	buf_addc(out, '"');
}

static void dump_node(const json_t *j, int indent, bool inside_list, struct buf *out);

static void dump_value(const json_t *j, int indent, bool inside_list, struct buf *out)
{
	AUTO_FREE char *text = NULL;
	bool nested = json_is_object(j) || json_is_array(j);

	if (nested && json_object_size(j) + json_array_size(j) > 0) {
		if (!inside_list)
			buf_addc(out, '\n');
		dump_node(j, indent, inside_list, out);
		return;
	}
	buf_addc(out, ' ');
	if (nested) {
		buf_adds(out, json_is_object(j) ? "{}" : "[]");
	} else if (json_is_string(j)) {
		dump_scalar(json_string_value(j), out);
	} else {
		text = json_line(j);
		buf_adds(out, text);
	}
	buf_addc(out, '\n');
}

/* A reader takes a key of at most 1024 characters before its colon; a longer one wants its own
 * line.
 */
static void dump_key(const char *key, int indent, struct buf *out)
{
	AUTO(buf_fini) struct buf word = {0};

	dump_scalar(key, &word);
	if (word.len > KEY_MAX)
		buf_addf(out, "? %s\n%*s:", buf_str(&word), indent, "");
	else
		buf_addf(out, "%s:", buf_str(&word));
}

static void dump_node(const json_t *j, int indent, bool inside_list, struct buf *out)
{
	const char *key;
	json_t *value;
	size_t i;
	bool first = inside_list;

	json_object_foreach((json_t *)(uintptr_t)j, key, value)
	{
		buf_addf(out, "%*s", first ? 1 : indent, first ? " " : "");
		first = false;
		dump_key(key, indent, out);
		dump_value(value, indent + 2, false, out);
	}
	json_array_foreach(j, i, value)
	{
		buf_addf(out, "%*s", first ? 1 : indent, first ? " " : "");
		first = false;
		buf_addc(out, '-');
		dump_value(value, indent + 2, true, out);
	}
}

void yaml_dump(const json_t *j, struct buf *out)
{
	if (json_object_size(j) + json_array_size(j) > 0)
		dump_node(j, 0, false, out);
	else
		dump_value(j, 0, false, out);
}
