/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/items.h"

#include "core/base/err.h"
#include "core/base/text.h"

#include <string.h>

void items_init(struct items *it, enum items_form form, const char *key,
	void (*on_item)(void *arg, const char *json, size_t n), void *arg)
{
	*it = (struct items){.form = form, .key = key, .on_item = on_item, .arg = arg};
	it->item.max = it->rest.max = ITEMS_MAX;
}

static int fail(struct items *it, struct err *e, const char *why)
{
	it->failed = true;
	return err_set(e, ERR_UNREACHABLE, _("try again; a proxy may have changed the answer"),
		_("the answer is not JSON of the expected form: %s"), why);
}

/* Where bytes of now belong; NULL = nowhere. */
static struct buf *sink(struct items *it)
{
	if (it->begun)
		return &it->item;
	return it->form == ITEMS_LIST && !it->in_array ? &it->rest : NULL;
}

static void flush(struct items *it, const char *data, size_t *from, size_t to)
{
	struct buf *b = sink(it);

	if (b && to > *from)
		buf_add(b, data + *from, to - *from);
	*from = to;
}

static bool key_matches(const struct items *it)
{
	size_t n = strlen(it->key);

	return it->key_to == it->key_from + n + 2 &&
	       memcmp(it->rest.data + it->key_from + 1, it->key, n) == 0;
}

static int open_bracket(struct items *it, const char *data, size_t *from, size_t i, struct err *e)
{
	bool top = it->depth == 0;

	if (top && (data[i] != '{' || it->done))
		return fail(it, e, _("an object was expected"));
	if ((top && it->form == ITEMS_STREAM) || (it->in_array && it->depth == 2)) {
		if (data[i] != '{')
			return fail(it, e, _("the list holds something other than an object"));
		flush(it, data, from, i);
		it->begun = true;
	} else if (it->depth == 1 && it->key_next && data[i] == '[' && !it->begun) {
		flush(it, data, from, i + 1);
		it->in_array = true;
	}
	it->key_next = false;
	it->depth++;
	return 0;
}

static int close_bracket(struct items *it, const char *data, size_t *from, size_t i, struct err *e)
{
	if (it->depth == 0)
		return fail(it, e, _("there is one closing bracket too many"));
	it->depth--;
	if (it->begun && it->depth == (it->form == ITEMS_LIST ? 2U : 0U)) {
		flush(it, data, from, i + 1);
		it->begun = false;
		if (it->item.cut)
			return fail(it, e, _("one object is longer than 8 MiB"));
		it->on_item(it->arg, buf_str(&it->item), it->item.len);
		buf_clear(&it->item);
	} else if (it->in_array && it->depth == 1) {
		*from = i;
		it->in_array = false;
	} else if (it->depth == 0) {
		it->done = true;
	}
	return 0;
}

static void begin_string(struct items *it, const char *data, size_t *from, size_t i)
{
	it->in_string = true;
	if (it->form != ITEMS_LIST || it->depth != 1)
		return;
	flush(it, data, from, i);
	it->key_from = it->rest.len;
	it->key_to = 0;
	it->key_next = false;
}

static void in_string(struct items *it, const char *data, size_t *from, size_t i)
{
	if (it->escaped) {
		it->escaped = false;
	} else if (data[i] == '\\') {
		it->escaped = true;
	} else if (data[i] == '"') {
		it->in_string = false;
		if (it->form != ITEMS_LIST || it->depth != 1)
			return;
		flush(it, data, from, i + 1);
		it->key_to = it->rest.len;
	}
}

static int outside(struct items *it, const char *data, size_t *from, size_t i, struct err *e)
{
	char c = data[i];

	if (c == '{' || c == '[')
		return open_bracket(it, data, from, i, e);
	if (c == '}' || c == ']')
		return close_bracket(it, data, from, i, e);
	if (strchr(" \t\r\n", c) && c)
		return 0;
	if (it->depth == 0)
		return fail(it, e, _("an object was expected"));
	if (it->in_array && it->depth == 2 && c != ',')
		return fail(it, e, _("the list holds something other than an object"));
	if (c == '"')
		begin_string(it, data, from, i);
	else if (it->form == ITEMS_LIST && it->depth == 1)
		it->key_next = c == ':' && key_matches(it);
	return 0;
}

int items_feed(struct items *it, const char *data, size_t n, struct err *e)
{
	size_t from = 0;

	if (it->failed)
		return fail(it, e, _("an earlier part was broken"));
	for (size_t i = 0; i < n; i++) {
		if (it->in_string)
			in_string(it, data, &from, i);
		else if (outside(it, data, &from, i, e) != 0)
			return -1;
	}
	flush(it, data, &from, n);
	if (it->item.cut || it->rest.cut)
		return fail(it, e, _("one object is longer than 8 MiB"));
	return 0;
}

int items_end(struct items *it, struct err *e)
{
	if (it->failed)
		return fail(it, e, _("an earlier part was broken"));
	if (it->depth || (it->form == ITEMS_LIST && !it->done))
		return fail(it, e, _("it ends early"));
	return 0;
}

const char *items_rest(const struct items *it, size_t *n)
{
	*n = it->rest.len;
	return buf_str(&it->rest);
}

void items_fini(struct items *it)
{
	buf_fini(&it->item);
	buf_fini(&it->rest);
}
