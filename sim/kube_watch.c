/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/kube_watch.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/io/loop.h"
#include "sim/clock.h"
#include "sim/fault_plan.h"
#include "sim/kube_call.h"
#include "sim/kube_select.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BOOKMARK_MS    60000 /* of pretend time; stream timeouts are of real time */
#define TIMEOUT_DFLT_S 1800
#define TIMEOUT_MAX_S  1000000
#define PENDING_MAX    ((size_t)32 << 20)

struct kube_watch {
	struct kube_watch *next;
	struct kube *k;
	const struct kube_type *type;
	struct kube_select need;
	char *ns; /* NULL: all */
	char *path;
	struct stream *stream;
	bool table, columns_sent, bookmarks;
	struct loop_timer *timeout;
	uint64_t bookmark;
};

static const char *const type_names[] = {
	[KEVENT_ADDED] = "ADDED", [KEVENT_MODIFIED] = "MODIFIED", [KEVENT_DELETED] = "DELETED"};

static void watch_free(struct kube_watch *w)
{
	for (struct kube_watch **p = &w->k->watches; *p; p = &(*p)->next) {
		if (*p == w) {
			*p = w->next;
			break;
		}
	}
	loop_timer_cancel(&w->timeout);
	sim_cancel(w->k->sim, &w->bookmark);
	kube_select_fini(&w->need);
	free(w->ns);
	free(w->path);
	free(w);
}

static void on_close(void *arg)
{
	watch_free(arg);
}

static void on_timeout(void *arg)
{
	struct kube_watch *w = arg;

	w->timeout = NULL;
	stream_end(w->stream);
	watch_free(w);
}

static void send(struct kube_watch *w, const char *type, json_t *object)
{
	json_t *shown = kube_view(w->type, object);

	if (w->table) {
		struct kube_call c = {.k = w->k, .type = w->type};
		json_t *items = json_pack("[o]", shown);

		shown = kube_table(&c, items, !w->columns_sent);
		w->columns_sent = true;
		json_decref(items);
	}
	shown = json_pack("{s:s, s:o}", "type", type, "object", shown);
	stream_json(w->stream, shown);
	json_decref(shown);
}

static void send_bookmark(struct kube_watch *w, bool initial_end)
{
	json_t *o = json_pack("{s:s, s:o, s:{s:o, s:n}}", "kind", w->type->kind, "apiVersion",
		*w->type->group ? json_sprintf("%s/%s", w->type->group, w->type->version)
				: json_string(w->type->version),
		"metadata", "resourceVersion",
		json_sprintf("%" PRId64, kstore_version(w->k->store)), "creationTimestamp");
	json_t *ev;

	if (initial_end)
		json_object_set_new(json_object_get(o, "metadata"), "annotations",
			json_pack("{s:s}", "k8s.io/initial-events-end", "true"));
	ev = json_pack("{s:s, s:o}", "type", "BOOKMARK", "object", o);
	stream_json(w->stream, ev);
	json_decref(ev);
}

static void on_bookmark(void *arg)
{
	struct kube_watch *w = arg;

	/* A control plane that resets new connections has dropped the open ones too. */
	if (fault_take_one(w->k->sim, FAULT_RESET, w->path)) {
		stream_end(w->stream);
		watch_free(w);
		return;
	}
	send_bookmark(w, false);
	w->bookmark = sim_after(w->k->sim, BOOKMARK_MS, on_bookmark, w);
}

static bool sees(const struct kube_watch *w, const json_t *object)
{
	return object && (!w->ns || !strcmp(w->ns, kstore_ns(object))) &&
	       kube_select_match(&w->need, object);
}

/* An object that begins or ceases to match comes and goes for this watch. */
static void on_event(void *arg, const struct kevent *ev)
{
	struct kube_watch *w = arg;
	bool now = sees(w, ev->object), was = sees(w, ev->before);

	if (ev->type == KEVENT_DELETED) {
		if (was)
			send(w, "DELETED", ev->object);
	} else if (now) {
		send(w, type_names[was ? KEVENT_MODIFIED : KEVENT_ADDED], ev->object);
	} else if (was) {
		send(w, "DELETED", ev->object);
	}
}

void kube_watch_tell(struct kube *k, const struct kevent *ev)
{
	for (struct kube_watch *w = k->watches, *next; w; w = next) {
		next = w->next;
		if (strcmp(w->type->key, ev->res) != 0)
			continue;
		on_event(w, ev);
		if (stream_pending(w->stream) > PENDING_MAX) {
			stream_end(w->stream);
			watch_free(w);
		}
	}
}

void kube_watch_end_all(struct kube *k)
{
	while (k->watches) {
		stream_end(k->watches->stream);
		watch_free(k->watches);
	}
}

static void send_all(struct kube_watch *w)
{
	size_t at = 0;
	json_t *o;

	while ((o = kstore_next(w->k->store, w->type->key, NULL, &at))) {
		if (sees(w, o))
			send(w, "ADDED", o);
	}
}

/* The start of the stream; false when it has to end at once (version too old). */
static bool begin(struct kube_watch *w, const char *rv_text, bool initial)
{
	int64_t rv = 0;
	json_t *ev;

	if (rv_text && *rv_text && text_to_i64(rv_text, 0, INT64_MAX, &rv) < 0)
		rv = 0;
	if (rv == 0 || initial) {
		send_all(w);
		if (initial)
			send_bookmark(w, true);
		return true;
	}
	if (kstore_replay(w->k->store, w->type->key, rv, on_event, w))
		return true;
	ev = json_pack("{s:s, s:{s:s, s:s, s:{}, s:s, s:o, s:s, s:i}}", "type", "ERROR", "object",
		"kind", "Status", "apiVersion", "v1", "metadata", "status", "Failure", "message",
		json_sprintf("too old resource version: %" PRId64 " (%" PRId64 ")", rv,
			kstore_version(w->k->store)),
		"reason", "Expired", "code", 410);
	stream_json(w->stream, ev);
	json_decref(ev);
	return false;
}

void kube_watch_open(struct kube_call *c)
{
	struct kube_watch *w = X_NEW(struct kube_watch);
	AUTO_FREE char *why = NULL;
	AUTO_FREE char *rv = x_strdup(req_query(c->req, "resourceVersion"));
	bool initial = req_query_true(c->req, "sendInitialEvents");
	int64_t timeout = req_query_i64(c->req, "timeoutSeconds", TIMEOUT_DFLT_S);

	w->k = c->k;
	w->type = c->type;
	w->ns = c->type->namespaced ? x_strdup(c->ns) : NULL;
	w->path = x_strdup(c->req->path);
	if (!kube_select_labels(&w->need, req_query(c->req, "labelSelector"), &why) ||
		!kube_select_fields(
			&w->need, c->type->key, req_query(c->req, "fieldSelector"), &why)) {
		kube_bad(c, why ? why : "unable to parse the selector");
		watch_free(w);
		return;
	}
	w->table = kube_wants_table(c->req);
	w->bookmarks = req_query_true(c->req, "allowWatchBookmarks");
	w->stream = reply_stream(c->req, "application/json", on_close, w);
	if (!begin(w, rv, initial)) {
		stream_end(w->stream);
		watch_free(w);
		return;
	}
	w->next = c->k->watches;
	c->k->watches = w;
	if (timeout > 0 && timeout < TIMEOUT_MAX_S)
		w->timeout = loop_after_wall(c->k->sim->loop, timeout * 1000, on_timeout, w);
	if (w->bookmarks)
		w->bookmark = sim_after(c->k->sim, BOOKMARK_MS, on_bookmark, w);
}
