/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/kube_call.h"
#include "sim/kube_select.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static json_t *list_meta(int64_t rv, const char *next, size_t left)
{
	json_t *meta = json_pack("{s:o}", "resourceVersion", json_sprintf("%" PRId64, rv));

	if (next) {
		json_object_set_new(meta, "continue", json_string(next));
		json_object_set_new(meta, "remainingItemCount", json_integer((json_int_t)left));
	}
	return meta;
}

/* Continue tokens are "rv:namespace/name" in hexadecimal; false when this is none. */
static bool token_read(const char *token, int64_t *rv, char **key)
{
	AUTO_FREE char *plain = x_calloc(strlen(token) / 2 + 1, 1);
	char *colon;

	for (size_t i = 0; token[2 * i] && token[2 * i + 1]; i++) {
		char two[3] = {token[2 * i], token[2 * i + 1], '\0'};

		plain[i] = (char)strtol(two, NULL, 16);
	}
	colon = strchr(plain, ':');
	if (!colon)
		return false;
	*colon = '\0';
	*key = x_strdup(colon + 1);
	return text_to_i64(plain, 0, INT64_MAX, rv) == 0;
}

static char *token_make(int64_t rv, const json_t *last)
{
	AUTO_FREE char *key = kstore_key(last);
	AUTO_FREE char *plain = x_asprintf("%" PRId64 ":%s", rv, key);
	char *out = x_calloc(strlen(plain) * 2 + 1, 1);
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; plain[i]; i++) {
		out[2 * i] = digits[(unsigned char)plain[i] >> 4];
		out[2 * i + 1] = digits[(unsigned char)plain[i] & 15];
	}
	return out;
}

struct page {
	struct kube_select need;
	int64_t rv, limit;
	size_t at;
};

/* False: a reply has been given. */
static bool page_open(struct kube_call *c, struct page *page)
{
	const char *token = req_query(c->req, "continue");
	AUTO_FREE char *why = NULL;
	AUTO_FREE char *key = NULL;

	page->rv = kstore_version(c->k->store);
	page->limit = req_query_i64(c->req, "limit", 0);
	if (!kube_select_labels(&page->need, req_query(c->req, "labelSelector"), &why) ||
		!kube_select_fields(
			&page->need, c->type->key, req_query(c->req, "fieldSelector"), &why)) {
		kube_bad(c, why ? why : "unable to parse the selector");
		return false;
	}
	if (!token || !*token)
		return true;
	if (!token_read(token, &page->rv, &key)) {
		kube_bad(c, "continue key is not valid");
		return false;
	}
	page->at = kstore_after(c->k->store, c->type->key, key);
	return true;
}

/* Objects of this page; *next is the token of the following one or NULL, *left what it holds. */
static json_t *page_items(struct kube_call *c, struct page *page, char **next, size_t *left)
{
	json_t *items = json_array(), *o, *last = NULL;
	const char *ns = c->type->namespaced ? c->ns : NULL;

	*next = NULL;
	*left = 0;
	while ((o = kstore_next(c->k->store, c->type->key, ns, &page->at))) {
		if (!kube_select_match(&page->need, o))
			continue;
		if (page->limit > 0 && (int64_t)json_array_size(items) >= page->limit) {
			++*left;
			continue;
		}
		last = o;
		json_array_append_new(items, kube_view(c->type, o));
	}
	if (*left)
		*next = token_make(page->rv, last);
	return items;
}

static void list(struct kube_call *c)
{
	struct page page = {.at = 0};
	AUTO_FREE char *next = NULL;
	json_t *items, *meta, *out;
	size_t left;

	if (!page_open(c, &page)) {
		kube_select_fini(&page.need);
		return;
	}
	items = page_items(c, &page, &next, &left);
	meta = list_meta(page.rv, next, left);
	if (kube_wants_table(c->req)) {
		out = kube_table(c, items, true);
		json_object_set_new(out, "metadata", meta);
		json_decref(items);
	} else {
		out = json_pack("{s:o, s:o, s:o, s:o}", "kind",
			json_sprintf("%sList", c->type->kind), "apiVersion",
			*c->type->group ? json_sprintf("%s/%s", c->type->group, c->type->version)
					: json_string(c->type->version),
			"metadata", meta, "items", items);
	}
	reply_json(c->req, 200, out);
	kube_select_fini(&page.need);
}

static void get(struct kube_call *c)
{
	json_t *o = kstore_get(c->k->store, c->type->key, c->ns, c->name);
	json_t *items, *table;

	if (!o) {
		kube_not_found(c, c->name);
		return;
	}
	if (!kube_wants_table(c->req)) {
		reply_json(c->req, 200, kube_view(c->type, o));
		return;
	}
	items = json_pack("[o]", kube_view(c->type, o));
	table = kube_table(c, items, true);
	json_object_set_new(table, "metadata",
		json_pack("{s:O?}", "resourceVersion", json_path(o, "metadata.resourceVersion")));
	json_decref(items);
	reply_json(c->req, 200, table);
}

void kube_read(struct kube_call *c)
{
	if (c->type->review) {
		kube_not_allowed(c->req);
		return;
	}
	if (!c->name && req_query_true(c->req, "watch"))
		kube_watch_open(c);
	else if (!c->name)
		list(c);
	else if (!c->sub || !strcmp(c->sub, "status"))
		get(c);
	else if (!strcmp(c->sub, "log") && !strcmp(c->type->key, KUBE_PODS))
		kube_log(c);
	else
		kube_no_such_path(c->req);
}
