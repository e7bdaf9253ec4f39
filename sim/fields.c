/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/fields.h"

#include "core/base/mem.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Reads one list of selectors up to its end or ')', copying from `in` to `out` what they name. */
static const char *keep(const char *s, const json_t *in, json_t *out);

static const char *keep_below(const char *s, const json_t *value, json_t **kept)
{
	const char *end = s;
	if (!json_is_array(value)) {
		*kept = json_object();
		return keep(s, value, *kept);
	}
	*kept = json_array();
	if (json_array_size(value) == 0)
		return keep(s, NULL, NULL);
	for (size_t i = 0; i < json_array_size(value); i++) {
		json_t *one = json_object();
		end = keep(s, json_array_get(value, i), one);
		json_array_append_new(*kept, one);
	}
	return end;
}

static void merge(json_t *out, const char *name, json_t *kept)
{
	json_t *old = json_object_get(out, name);
	if (json_is_object(old) && json_is_object(kept)) {
		json_object_update(old, kept);
		json_decref(kept);
	} else if (json_is_array(old) && json_is_array(kept)) {
		for (size_t i = 0; i < json_array_size(kept); i++)
			json_object_update(json_array_get(old, i), json_array_get(kept, i));
		json_decref(kept);
	} else {
		json_object_set_new(out, name, kept);
	}
}

static const char *keep_one(const char *s, const json_t *in, json_t *out)
{
	size_t n = strcspn(s, ",/()");
	AUTO_FREE char *name = x_strndup(s, n);
	json_t *value = json_object_get(in, name);
	s += n;
	if (strcmp(name, "*") == 0) {
		if (out && json_is_object(in))
			json_object_update(out, (json_t *)in);
		return s;
	}
	if (*s != '/' && *s != '(') {
		if (value && out)
			json_object_set(out, name, value);
		return s;
	}
	json_t *kept = NULL;
	bool group = *s == '(';
	if (group) {
		s = keep_below(s + 1, value, &kept);
		s += *s == ')';
	} else if (json_is_array(value)) {
		const char *end = s + 1;
		kept = json_array();
		for (size_t i = 0; i < json_array_size(value); i++) {
			json_t *one = json_object();
			end = keep_one(s + 1, json_array_get(value, i), one);
			json_array_append_new(kept, one);
		}
		s = json_array_size(value) ? end : keep_one(s + 1, NULL, NULL);
	} else {
		kept = json_object();
		s = keep_one(s + 1, value, kept);
	}
	if (value && out)
		merge(out, name, kept);
	else
		json_decref(kept);
	return s;
}

static const char *keep(const char *s, const json_t *in, json_t *out)
{
	while (*s && *s != ')') {
		const char *end = keep_one(s, in, out);
		s = end == s ? end + 1 : end;
		s += *s == ',';
	}
	return s;
}

json_t *fields_keep(json_t *j, const char *fields)
{
	json_t *out = json_object();
	keep(fields, j, out);
	json_decref(j);
	return out;
}
