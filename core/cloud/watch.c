/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/watch.h"

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/map.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/items.h"
#include "core/fmt/json.h"
#include "core/io/retry.h"

#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 500,
	WATCH_S = 300, /* and up to as much again: client-go's 5 to 10 minutes */
	SLACK_S = 60,  /* silence of the connection beyond what was asked for */
	NOT_INSTALLED_MS = 5000,
	REFUSED_MS = 30000,
	HASTY_MS =
		100, /* wall: a stream that ends sooner without a word is not asked again at once */
};

struct known {
	char *uid, *version;
	unsigned seen; /* number of the last list that held it */
};

struct watch {
	struct kube *kube;
	char *path, *filter; /* filter: selectors as query, begins with '&', or "" */
	struct watch_spec spec;
	struct map objects; /* "namespace/name" -> struct known */
	char *kind, *version, *next_page;
	enum watch_state state;
	struct kube_stream *stream;
	struct items items;
	bool listing, heard;
	unsigned list;  /* number of the current list */
	int64_t opened; /* wall */
	struct retry retry;
	struct loop_timer *timer;
	struct err broken; /* why this stream cannot go on; code 0 = it can */
	bool gone;         /* history is lost: list again */
	int depth;
	bool dead;
};

static void open_list(struct watch *w);
static void open_watch(struct watch *w);

static void known_free(void *value)
{
	struct known *o = value;

	free(o->uid);
	free(o->version);
	free(o);
}

static void watch_free(struct watch *w)
{
	map_fini(&w->objects);
	items_fini(&w->items);
	free(w->path);
	free(w->filter);
	free(w->kind);
	free(w->version);
	free(w->next_page);
	free(w);
}

static void enter(struct watch *w)
{
	w->depth++;
}

static void leave(struct watch *w)
{
	if (--w->depth == 0 && w->dead)
		watch_free(w);
}

void watch_close(struct watch **wp)
{
	struct watch *w = *wp;

	*wp = NULL;
	if (!w || w->dead)
		return;
	w->dead = true;
	kube_stream_close(&w->stream);
	loop_timer_cancel(&w->timer);
	if (w->depth == 0)
		watch_free(w);
}

enum watch_state watch_state(const struct watch *w)
{
	return w->state;
}

size_t watch_count(const struct watch *w)
{
	return w->objects.live;
}

static void set_state(struct watch *w, enum watch_state state, const struct err *e)
{
	if (w->dead || (w->state == state && !e))
		return;
	w->state = state;
	if (w->spec.on_state)
		w->spec.on_state(w->spec.arg, state, e);
}

static void beat(struct watch *w)
{
	if (!w->dead && w->spec.on_beat)
		w->spec.on_beat(w->spec.arg);
}

static void tell(struct watch *w, enum watch_event ev, json_t *object)
{
	if (!w->dead)
		w->spec.on_object(w->spec.arg, ev, object);
}

static void tell_gone(struct watch *w, const char *key, const struct known *o)
{
	const char *slash = strchr(key, '/');
	AUTO_FREE char *ns = x_strndup(key, (size_t)(slash - key));
	AUTO(json_auto)
	json_t *object = json_pack("{s:s, s:{s:s, s:s, s:s}}", "kind", w->kind ? w->kind : "",
		"metadata", "name", slash + 1, "namespace", ns, "uid", o->uid);

	tell(w, WATCH_DELETED, object);
}

static char *key_of(const json_t *object)
{
	return x_asprintf("%s/%s", json_path_str_or(object, "metadata.namespace", ""),
		json_path_str_or(object, "metadata.name", ""));
}

/* Keeps what is present; tells what differs from before. */
static void present(struct watch *w, json_t *object)
{
	AUTO_FREE char *key = key_of(object);
	const char *uid = json_path_str_or(object, "metadata.uid", "");
	const char *version = json_path_str_or(object, "metadata.resourceVersion", "");
	struct known *o = map_get(&w->objects, key);
	enum watch_event ev = o ? WATCH_MODIFIED : WATCH_ADDED;

	if (o && strcmp(o->uid, uid) != 0) {
		tell_gone(w, key, o);
		ev = WATCH_ADDED;
	} else if (o && *version && strcmp(o->version, version) == 0) {
		o->seen = w->list;
		return;
	}
	o = X_NEW(struct known);
	*o = (struct known){x_strdup(uid), x_strdup(version), w->list};
	map_set(&w->objects, key, o);
	tell(w, ev, object);
}

static void absent(struct watch *w, json_t *object)
{
	AUTO_FREE char *key = key_of(object);

	if (!map_get(&w->objects, key))
		return;
	map_del(&w->objects, key);
	tell(w, WATCH_DELETED, object);
}

static void drop_unseen(struct watch *w)
{
	const char *key;
	void *value;

	for (size_t i = 0; !w->dead && map_next(&w->objects, &i, &key, &value);) {
		struct known *o = value;
		AUTO_FREE char *gone = x_strdup(key);
		struct known was;

		if (o->seen == w->list)
			continue;
		was = (struct known){x_strdup(o->uid), NULL, 0};
		map_del(&w->objects, gone);
		tell_gone(w, gone, &was);
		free(was.uid);
	}
}

static void keep(char **slot, const char *value)
{
	char *copy = x_strdup(value);

	free(*slot);
	*slot = copy;
}

static void change(struct watch *w, const json_t *doc)
{
	const char *type = json_path_str_or(doc, "type", "");
	json_t *object = json_object_get(doc, "object");
	const char *version = json_path_str(object, "metadata.resourceVersion");

	if (strcmp(type, "ERROR") == 0) {
		w->gone = true;
		err_set(&w->broken, ERR_UNREACHABLE,
			_("nothing to do: rlpilot lists again by itself"),
			_("the watch of %s ended: %.200s"), w->path,
			json_path_str_or(object, "message", ""));
		w->broken.http = (int)json_path_i64(object, "code", 0);
		return;
	}
	if (version)
		keep(&w->version, version);
	w->heard = true;
	retry_reset(&w->retry);
	if (strcmp(type, "DELETED") == 0)
		absent(w, object);
	else if (strcmp(type, "BOOKMARK") != 0)
		present(w, object);
}

static void on_item(void *arg, const char *text, size_t n)
{
	struct watch *w = arg;
	AUTO(json_auto) json_t *j = NULL;

	if (w->dead || w->broken.code)
		return;
	j = json_parse(text, n, &w->broken);
	if (!j)
		w->gone = true;
	else if (w->listing)
		present(w, j);
	else
		change(w, j);
}

static void again_list(void *arg)
{
	struct watch *w = arg;

	w->timer = NULL;
	open_list(w);
}

static void again_watch(void *arg)
{
	struct watch *w = arg;

	w->timer = NULL;
	open_watch(w);
}

static void later(struct watch *w, int64_t ms, bool list)
{
	if (w->dead)
		return;
	loop_timer_cancel(&w->timer);
	w->timer =
		loop_after(cloud_loop(kube_cloud(w->kube)), ms, list ? again_list : again_watch, w);
}

static void trouble(struct watch *w, int64_t retry_after_s, const struct err *e)
{
	bool list = w->listing || w->gone || e->http == 410;

	log_line("watch", "path=%s http=%d list=%d %s", w->path, e->http, list, e->what);
	w->gone = false;
	if (e->http == 404) {
		w->list++;
		drop_unseen(w);
		set_state(w, WATCH_NOT_INSTALLED, NULL);
		later(w, NOT_INSTALLED_MS, true);
	} else if (e->http == 401 || e->http == 403) {
		set_state(w, WATCH_REFUSED, e);
		later(w, REFUSED_MS, list);
	} else {
		set_state(w, WATCH_LOST, e);
		later(w, retry_next(&w->retry, retry_after_s), list);
	}
}

static void page_ended(struct watch *w)
{
	AUTO(json_auto) json_t *rest = NULL;
	size_t n;
	const char *text, *more, *kind;

	if (items_end(&w->items, &w->broken) != 0) {
		struct err e = w->broken;

		trouble(w, -1, &e);
		return;
	}
	text = items_rest(&w->items, &n);
	rest = json_parse(text, n, NULL);
	kind = json_path_str_or(rest, "kind", "");
	if (text_ends(kind, "List")) {
		free(w->kind);
		w->kind = x_strndup(kind, strlen(kind) - 4);
	}
	keep(&w->version, json_path_str_or(rest, "metadata.resourceVersion", ""));
	more = json_path_str(rest, "metadata.continue");
	keep(&w->next_page, more && *more ? more : NULL);
	if (w->next_page) {
		open_list(w);
		return;
	}
	retry_reset(&w->retry);
	drop_unseen(w);
	set_state(w, WATCH_LIVE, NULL);
	if (!w->dead && w->spec.on_synced)
		w->spec.on_synced(w->spec.arg);
	open_watch(w);
}

static void watch_ended(struct watch *w)
{
	bool hasty = !w->heard && clock_wall() - w->opened < HASTY_MS;

	if (items_end(&w->items, NULL) != 0)
		log_line("watch", "path=%s ended inside an object", w->path);
	if (hasty)
		later(w, retry_next(&w->retry, -1), false);
	else
		open_watch(w);
}

static void on_head(void *arg)
{
	struct watch *w = arg;

	enter(w);
	if (!w->listing)
		set_state(w, WATCH_LIVE, NULL);
	beat(w);
	leave(w);
}

static void on_data(void *arg, const char *data, size_t n)
{
	struct watch *w = arg;

	enter(w);
	if (items_feed(&w->items, data, n, w->broken.code ? NULL : &w->broken) != 0)
		w->gone = true;
	beat(w);
	if (!w->dead && w->broken.code) {
		struct err e = w->broken;

		kube_stream_close(&w->stream);
		trouble(w, -1, &e);
	}
	leave(w);
}

static void on_end(void *arg, int64_t retry_after_s, const struct err *e)
{
	struct watch *w = arg;

	enter(w);
	w->stream = NULL;
	if (e)
		trouble(w, retry_after_s, e);
	else if (w->listing)
		page_ended(w);
	else
		watch_ended(w);
	leave(w);
}

static void open_stream(struct watch *w, bool listing, const char *query, int idle_s)
{
	AUTO_FREE char *path = x_asprintf("%s?%s%s", w->path, query, w->filter);

	w->listing = listing;
	w->heard = false;
	w->opened = clock_wall();
	err_clear(&w->broken);
	items_fini(&w->items);
	items_init(&w->items, listing ? ITEMS_LIST : ITEMS_STREAM, "items", on_item, w);
	w->stream = kube_stream_open(w->kube, &(struct kube_stream_spec){.path = path,
						      .idle_ms = idle_s * 1000,
						      .on_head = on_head,
						      .on_data = on_data,
						      .on_end = on_end,
						      .arg = w});
}

static void open_list(struct watch *w)
{
	AUTO(buf_fini) struct buf query = {0};

	if (w->dead)
		return;
	buf_addf(&query, "limit=%d", PAGE);
	if (w->next_page) {
		buf_adds(&query, "&continue=");
		http_escape(&query, w->next_page);
	} else {
		w->list++;
		if (w->state != WATCH_NOT_INSTALLED && w->state != WATCH_REFUSED)
			set_state(w, WATCH_LISTING, NULL);
	}
	if (!w->dead)
		open_stream(w, true, buf_str(&query), SLACK_S);
	keep(&w->next_page, NULL);
}

static void open_watch(struct watch *w)
{
	AUTO(buf_fini) struct buf query = {0};
	int seconds = WATCH_S + (int)(clock_wall() % WATCH_S);

	if (w->dead)
		return;
	buf_addf(&query,
		"watch=1&allowWatchBookmarks=true&timeoutSeconds=%d&resourceVersion=", seconds);
	http_escape(&query, w->version);
	open_stream(w, false, buf_str(&query), seconds + SLACK_S);
}

static void add_filter(struct buf *out, const char *name, const char *value)
{
	if (!value)
		return;
	buf_addf(out, "&%s=", name);
	http_escape(out, value);
}

struct watch *watch_open(struct kube *k, const struct watch_spec *spec)
{
	struct watch *w = X_NEW(struct watch);
	struct buf filter = {0};

	add_filter(&filter, "labelSelector", spec->label_selector);
	add_filter(&filter, "fieldSelector", spec->field_selector);
	w->kube = k;
	w->spec = *spec;
	w->path = x_strdup(spec->path);
	w->filter = buf_take(&filter);
	w->objects.free_value = known_free;
	w->state = WATCH_LISTING;
	retry_init(&w->retry, &retry_stream, (uint64_t)(uintptr_t)w);
	open_list(w);
	return w;
}
