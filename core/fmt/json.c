/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"

static void place_of(const char *data, size_t n, size_t at, size_t *line, size_t *column)
{
	*line = 1;
	*column = 1;
	for (size_t i = 0; i < at && i < n; i++) {
		if (data[i] == '\n') {
			++*line;
			*column = 1;
		} else {
			++*column;
		}
	}
}

/* jansson recurses to 2048 levels; this refuses earlier and says where. */
static int check_depth(const char *file, const char *data, size_t n, struct err *e)
{
	size_t depth = 0, line, column;
	bool text = false;

	for (size_t i = 0; i < n; i++) {
		char c = data[i];

		if (text) {
			if (c == '\\')
				i++;
			else if (c == '"')
				text = false;
		} else if (c == '"') {
			text = true;
		} else if (c == '{' || c == '[') {
			if (++depth <= JSON_DEPTH_MAX)
				continue;
			place_of(data, n, i, &line, &column);
			err_set(e, ERR_BAD_FILE, "", _("JSON is nested deeper than %d levels"),
				JSON_DEPTH_MAX);
			return err_at(e, file, line, column);
		} else if ((c == '}' || c == ']') && depth > 0) {
			depth--;
		}
	}
	return 0;
}

static json_t *parse(const char *file, const char *data, size_t n, struct err *e)
{
	json_error_t je;
	json_t *j;

	if (check_depth(file, data, n, e))
		return NULL;
	j = json_loadb(data, n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &je);
	if (j)
		return j;
	err_set(e, ERR_BAD_FILE, "", _("this is not valid JSON: %s"), je.text);
	err_at(e, file, je.line > 0 ? (size_t)je.line : 1, je.column > 0 ? (size_t)je.column : 1);
	return NULL;
}

json_t *json_parse(const char *data, size_t n, struct err *e)
{
	return parse("JSON", data, n, e);
}

json_t *json_read_file(const char *path, size_t max, struct err *e)
{
	AUTO(buf_fini) struct buf b = {0};

	if (path_read(path, max, &b, e))
		return NULL;
	return parse(path, buf_str(&b), b.len, e);
}

static char *dump(const json_t *j, size_t flags, const char *end)
{
	char *s = json_dumps(j, flags | JSON_ENCODE_ANY), *copy;

	if (!s)
		die("a JSON value cannot be written");
	copy = x_asprintf("%s%s", s, end);
	free(s);
	return copy;
}

char *json_line(const json_t *j)
{
	return dump(j, JSON_COMPACT | JSON_REAL_PRECISION(15), "");
}

char *json_pretty(const json_t *j)
{
	return dump(j, JSON_INDENT(2) | JSON_REAL_PRECISION(15), "\n");
}

/* One member name from *path into out; moves *path behind it. */
static void take_name(const char **path, char *out, size_t size)
{
	const char *p = *path;
	size_t n = 0;
	char quote = *p == '\'' ? *p++ : '\0';

	while (*p && (quote ? *p != quote : *p != '.' && *p != '[')) {
		if (n + 1 < size)
			out[n++] = *p;
		p++;
	}
	if (quote && *p == quote)
		p++;
	out[n] = '\0';
	*path = p;
}

json_t *json_path(const json_t *j, const char *path)
{
	char name[256];

	while (j && *path) {
		if (*path == '.') {
			path++;
		} else if (*path == '[') {
			char *end;
			long i = strtol(path + 1, &end, 10);

			if (i < 0)
				i += (long)json_array_size(j);
			j = i < 0 ? NULL : json_array_get(j, (size_t)i);
			path = *end == ']' ? end + 1 : end + strlen(end);
		} else {
			take_name(&path, name, sizeof(name));
			j = json_object_get(j, name);
		}
	}
	return (json_t *)(uintptr_t)j;
}

const char *json_path_str(const json_t *j, const char *path)
{
	return json_string_value(json_path(j, path));
}

const char *json_path_str_or(const json_t *j, const char *path, const char *dflt)
{
	const char *s = json_path_str(j, path);

	return s ? s : dflt;
}

int64_t json_path_i64(const json_t *j, const char *path, int64_t dflt)
{
	const json_t *v = json_path(j, path);
	int64_t n;

	if (json_is_integer(v))
		return json_integer_value(v);
	if (json_is_string(v))
		return text_to_i64(json_string_value(v), INT64_MIN, INT64_MAX, &n) ? dflt : n;
	if (json_is_real(v)) {
		double d = json_real_value(v);

		if (d > -9e18 && d < 9e18 && trunc(d) == d)
			return (int64_t)d;
	}
	return dflt;
}

double json_path_num(const json_t *j, const char *path, double dflt)
{
	const json_t *v = json_path(j, path);
	const char *s;
	char *end;
	double d;

	if (json_is_number(v))
		return json_number_value(v);
	s = json_string_value(v);
	if (!s || !*s)
		return dflt;
	errno = 0;
	d = strtod(s, &end);
	return *end || errno || !isfinite(d) ? dflt : d;
}

bool json_path_bool(const json_t *j, const char *path, bool dflt)
{
	const json_t *v = json_path(j, path);
	const char *s = json_string_value(v);

	if (json_is_boolean(v))
		return json_is_true(v);
	if (s && !strcmp(s, "true"))
		return true;
	if (s && !strcmp(s, "false"))
		return false;
	return dflt;
}

json_t *json_from_num(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *json_from_str(const char *s)
{
	AUTO(buf_fini) struct buf b = {0};
	json_t *j;

	if (!s)
		return json_null();
	j = json_string(s);
	if (j)
		return j;
	for (size_t n = strlen(s); n > 0;) {
		uint32_t cp;
		char utf8[4];
		size_t used = text_decode(s, n, &cp);

		buf_add(&b, utf8, text_encode(cp, utf8));
		s += used;
		n -= used;
	}
	return json_string(buf_str(&b));
}

void json_auto(json_t **j)
{
	json_decref(*j);
}
