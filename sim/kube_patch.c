/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/kube_call.h"

#include <stdlib.h>
#include <string.h>

static void merge(json_t *target, json_t *patch, bool strategic);

/* The key that identifies elements of a list in a strategic merge; NULL: the list is replaced. */
static const char *list_key(const json_t *list)
{
	static const char *const keys[] = {"name", "type", "uid", "containerPort", "mountPath"};

	for (size_t k = 0; k < COUNT(keys); k++) {
		size_t i;
		json_t *o;
		bool all = json_array_size(list) > 0;

		json_array_foreach(list, i, o) all = all && json_object_get(o, keys[k]);
		if (all)
			return keys[k];
	}
	return NULL;
}

static void merge_list(json_t *target, json_t *patch, const char *key)
{
	json_t *item, *have;
	size_t i, k;

	json_array_foreach(patch, i, item)
	{
		bool gone = !strcmp(json_path_str_or(item, "$patch", ""), "delete");
		bool found = false;

		json_array_foreach(target, k, have)
		{
			if (!json_equal(json_object_get(have, key), json_object_get(item, key)))
				continue;
			found = true;
			if (gone)
				json_array_remove(target, k);
			else
				merge(have, item, true);
			break;
		}
		if (!found && !gone)
			json_array_append_new(target, json_deep_copy(item));
	}
}

static void merge(json_t *target, json_t *patch, bool strategic)
{
	const char *name;
	json_t *v;

	json_object_foreach(patch, name, v)
	{
		json_t *have = json_object_get(target, name);
		const char *key =
			strategic && json_is_array(v) && json_is_array(have) ? list_key(v) : NULL;

		if (strategic && name[0] == '$')
			continue;
		if (json_is_null(v))
			json_object_del(target, name);
		else if (json_is_object(v) && json_is_object(have))
			merge(have, v, strategic);
		else if (key)
			merge_list(have, v, key);
		else if (json_is_object(v)) {
			json_t *fresh = json_object();

			merge(fresh, v, strategic);
			json_object_set_new(target, name, fresh);
		} else {
			json_object_set_new(target, name, json_deep_copy(v));
		}
	}
}

/* One decoded token of a JSON pointer at *p, which moves on; the caller's. */
static char *pointer_token(const char **p)
{
	size_t n = strcspn(*p, "/"), out = 0;
	char *token = x_strndup(*p, n);

	for (size_t i = 0; i < n; i++) {
		if (token[i] == '~' && (token[i + 1] == '0' || token[i + 1] == '1'))
			token[out++] = token[++i] == '0' ? '~' : '/';
		else
			token[out++] = token[i];
	}
	token[out] = '\0';
	*p += n + ((*p)[n] == '/');
	return token;
}

static json_t *child_of(json_t *at, const char *token)
{
	int64_t i;

	if (!json_is_array(at))
		return json_object_get(at, token);
	return text_to_i64(token, 0, 1 << 20, &i) < 0 ? NULL : json_array_get(at, (size_t)i);
}

/* Parent of the place a pointer names; *last is its final token (the caller's). */
static json_t *pointer_parent(json_t *root, const char *pointer, char **last)
{
	const char *p = *pointer == '/' ? pointer + 1 : pointer;
	json_t *at = root;

	for (;;) {
		char *token = pointer_token(&p);

		if (!*p) {
			*last = token;
			return at;
		}
		at = child_of(at, token);
		free(token);
		if (!at) {
			*last = NULL;
			return NULL;
		}
	}
}

static bool place(json_t *parent, const char *token, json_t *value, bool replace)
{
	int64_t i = (int64_t)json_array_size(parent);

	if (!json_is_array(parent))
		return json_object_set_new(parent, token, json_deep_copy(value)) == 0;
	if (strcmp(token, "-") != 0 && text_to_i64(token, 0, i, &i) < 0)
		return false;
	return replace ? json_array_set_new(parent, (size_t)i, json_deep_copy(value)) == 0
		       : json_array_insert_new(parent, (size_t)i, json_deep_copy(value)) == 0;
}

static bool take_out(json_t *parent, const char *token)
{
	int64_t i;

	if (!json_is_array(parent))
		return json_object_del(parent, token) == 0;
	return text_to_i64(token, 0, 1 << 20, &i) == 0 && json_array_remove(parent, (size_t)i) == 0;
}

static bool json_patch_op(json_t *root, const json_t *op)
{
	const char *name = json_path_str_or(op, "op", "");
	json_t *value = json_object_get(op, "value");
	AUTO_FREE char *last = NULL;
	json_t *parent = pointer_parent(root, json_path_str_or(op, "path", ""), &last);

	if (!parent)
		return false;
	if (!strcmp(name, "remove"))
		return take_out(parent, last);
	if (!strcmp(name, "test"))
		return json_equal(child_of(parent, last), value) != 0;
	if (!value || (strcmp(name, "add") != 0 && strcmp(name, "replace") != 0))
		return false;
	if (!strcmp(name, "replace") && !child_of(parent, last))
		return false;
	return place(parent, last, value, !strcmp(name, "replace"));
}

json_t *kube_patch_apply(const char *patch_type, const json_t *target, json_t *patch, char **why)
{
	json_t *out = json_deep_copy(target), *op;
	size_t i;

	if (!text_starts(patch_type, "application/json-patch+json")) {
		if (!json_is_object(patch)) {
			*why = x_strdup("the patch is not an object");
			json_decref(out);
			return NULL;
		}
		merge(out, patch,
			text_starts(patch_type, "application/strategic-merge-patch") ||
				text_starts(patch_type, "application/apply-patch"));
		return out;
	}
	json_array_foreach(patch, i, op)
	{
		if (json_patch_op(out, op))
			continue;
		*why = x_asprintf("the server rejected our request due to an error in our "
				  "request: operation %zu of the patch does not apply",
			i);
		json_decref(out);
		return NULL;
	}
	return out;
}
