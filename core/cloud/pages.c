/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/pages.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"

#include <stdlib.h>
#include <string.h>

const char pages_google[] = "pageToken";
const char pages_kube[] = "continue";

struct walk {
	struct cloud *cloud;
	struct pages_spec spec;
	char *path, *token;
	int pages;
};

struct merge {
	const char *key;
	json_t *items, *last;
	struct cloud_done done;
};

static void walk_free(struct walk *w)
{
	cloud_cancel_all(w->cloud, w);
	free(w->path);
	free(w->token);
	free(w);
}

static void walk_drop(void *job)
{
	struct walk *w = job;

	if (w->spec.on_drop)
		w->spec.on_drop(w->spec.arg);
	walk_free(w);
}

static void walk_end(struct walk *w, const struct err *e)
{
	struct pages_spec spec = w->spec;

	cloud_job_end(w->cloud, w);
	walk_free(w);
	spec.on_end(spec.arg, e);
}

static void page_came(void *arg, json_t *page, const struct err *e);

static void ask_page(struct walk *w)
{
	struct cloud_request req = w->spec.req;
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, w->path);
	if (w->token) {
		buf_addf(&path, "%c%s=", strchr(w->path, '?') ? '&' : '?', w->spec.param);
		http_escape(&path, w->token);
	}
	req.path = buf_str(&path);
	req.done = (struct cloud_done){page_came, w};
	cloud_send(w->cloud, &req);
}

static void page_came(void *arg, json_t *page, const struct err *e)
{
	struct walk *w = arg;
	const char *next;
	struct err loop = {0};

	if (e) {
		walk_end(w, e);
		return;
	}
	w->spec.on_page(w->spec.arg, page);
	next = json_path_str(
		page, w->spec.param == pages_kube ? "metadata.continue" : "nextPageToken");
	if (!next || !*next) {
		walk_end(w, NULL);
		return;
	}
	if (++w->pages >= PAGES_MAX || (w->token && strcmp(w->token, next) == 0)) {
		err_set(&loop, ERR_UNREACHABLE, _("try again"), _("%s: the list does not end"),
			w->path);
		walk_end(w, &loop);
		return;
	}
	free(w->token);
	w->token = x_strdup(next);
	ask_page(w);
}

void pages_walk(struct cloud *c, const struct pages_spec *spec)
{
	struct walk *w = X_NEW(struct walk);

	w->cloud = c;
	w->spec = *spec;
	w->path = x_strdup(spec->req.path);
	cloud_job_begin(c, w, spec->owner, walk_drop);
	ask_page(w);
}

static void merge_free(void *arg)
{
	struct merge *m = arg;

	json_decref(m->items);
	json_decref(m->last);
	free(m);
}

static void merge_page(void *arg, json_t *page)
{
	struct merge *m = arg;
	json_t *items = json_object_get(page, m->key);

	if (json_is_array(items))
		json_array_extend(m->items, items);
	json_decref(m->last);
	m->last = json_incref(page);
}

static void merge_end(void *arg, const struct err *e)
{
	struct merge *m = arg;

	if (!e)
		json_object_set(m->last, m->key, m->items);
	m->done.fn(m->done.arg, e ? NULL : m->last, e);
	merge_free(m);
}

void pages_merge(struct cloud *c, const struct cloud_request *req, const char *param,
	const char *key, struct cloud_done done)
{
	struct merge *m = X_NEW(struct merge);

	m->key = key;
	m->items = json_array();
	m->done = done;
	pages_walk(c, &(struct pages_spec){.req = *req,
			      .param = param,
			      .owner = done.arg,
			      .on_page = merge_page,
			      .on_end = merge_end,
			      .on_drop = merge_free,
			      .arg = m});
}
