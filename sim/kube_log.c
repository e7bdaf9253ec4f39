/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/kube_log.h"

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "sim/kube_call.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX 9000000000 /* times beyond it do not fit into nanoseconds */

struct line {
	int64_t ns;     /* since 1970 */
	size_t at, len; /* in data, line end included */
};

struct follower {
	struct follower *next;
	struct klog *log;
	struct stream *stream;
	bool stamps;
	int64_t left; /* bytes it still wants; negative = no limit */
};

struct klog {
	struct buf data;
	struct line *items;
	size_t n, cap;
	size_t open; /* where the unfinished line begins */
	int64_t last_ns;
	bool ended;
	struct follower *followers;
	struct klog *previous;
};

static void followers_end(struct klog *log)
{
	while (log->followers) {
		struct follower *f = log->followers;

		log->followers = f->next;
		stream_end(f->stream);
		free(f);
	}
}

void klog_free(void *p)
{
	struct klog *log = p;

	if (!log)
		return;
	followers_end(log);
	klog_free(log->previous);
	buf_fini(&log->data);
	free(log->items);
	free(log);
}

static char *log_key(const char *uid, const char *container)
{
	return x_asprintf("%s/%s", uid, container);
}

struct klog *klog_find(const struct kube *k, const char *uid, const char *container)
{
	AUTO_FREE char *key = log_key(uid, container);

	return map_get(&k->logs, key);
}

/* Moves the content of a log that is over into a value of its own. */
static struct klog *retire(struct klog *log)
{
	struct klog *old = X_NEW(struct klog);

	klog_end(log);
	klog_free(log->previous);
	*old = *log;
	old->previous = NULL;
	*log = (struct klog){.last_ns = old->last_ns, .previous = old};
	return log;
}

struct klog *klog_start(struct kube *k, const char *uid, const char *container)
{
	AUTO_FREE char *key = log_key(uid, container);
	struct klog *log = map_get(&k->logs, key);

	if (log)
		return retire(log);
	log = X_NEW(struct klog);
	map_set(&k->logs, key, log);
	return log;
}

/* One line as a client sees it, appended to out. */
static void line_out(struct buf *out, const struct klog *log, const struct line *l, bool stamps)
{
	char text[TIME_SIZE];
	struct time_stamp t = {.s = l->ns / 1000000000, .ns = (int32_t)(l->ns % 1000000000)};

	if (stamps)
		buf_addf(out, "%s ", time_format_ns(&t, text));
	buf_add(out, log->data.data + l->at, l->len);
}

static void follower_drop(struct follower *f)
{
	for (struct follower **p = &f->log->followers; *p; p = &(*p)->next) {
		if (*p == f) {
			*p = f->next;
			break;
		}
	}
	free(f);
}

static void on_close(void *arg)
{
	follower_drop(arg);
}

static void follower_send(struct follower *f, const struct buf *b)
{
	size_t n = b->len;

	if (f->left >= 0 && (int64_t)n > f->left)
		n = (size_t)f->left;
	stream_write(f->stream, b->data, n);
	if (f->left < 0)
		return;
	f->left -= (int64_t)n;
	if (f->left == 0) {
		stream_end(f->stream);
		follower_drop(f);
	}
}

static void tell_followers(struct klog *log, size_t from)
{
	for (struct follower *f = log->followers, *next; f; f = next) {
		AUTO(buf_fini) struct buf out = {0};

		next = f->next;
		for (size_t i = from; i < log->n; i++)
			line_out(&out, log, &log->items[i], f->stamps);
		if (out.len)
			follower_send(f, &out);
	}
}

static void close_line(struct klog *log, int64_t ms)
{
	struct line *l = VEC_PUSH(log);
	/* the fraction below a millisecond is made up from the place in the log */
	int64_t ns = ms * 1000000 + (int64_t)((log->data.len * 2654435761u) % 1000000u);

	if (ns <= log->last_ns)
		ns = log->last_ns + 1013;
	log->last_ns = ns;
	*l = (struct line){.ns = ns, .at = log->open, .len = log->data.len - log->open};
	log->open = log->data.len;
}

void klog_write(struct klog *log, int64_t ms, const char *data, size_t n)
{
	size_t from = log->n;

	while (n > 0) {
		const char *nl = memchr(data, '\n', n);
		size_t take = nl ? (size_t)(nl - data) + 1 : n;

		buf_add(&log->data, data, take);
		if (nl)
			close_line(log, ms);
		data += take;
		n -= take;
	}
	if (log->n > from)
		tell_followers(log, from);
}

void klog_end(struct klog *log)
{
	size_t from = log->n;

	if (log->ended)
		return;
	if (log->data.len > log->open) {
		close_line(log, log->last_ns / 1000000);
		tell_followers(log, from);
	}
	log->ended = true;
	followers_end(log);
}

void klog_drop_pod(struct kube *k, const char *uid)
{
	AUTO(strvec_fini) struct strvec keys = {0};
	AUTO_FREE char *prefix = x_asprintf("%s/", uid);
	const char *key;
	void *v;

	for (size_t i = 0; map_next(&k->logs, &i, &key, &v);) {
		if (text_starts(key, prefix))
			strvec_push(&keys, key);
	}
	for (size_t i = 0; i < keys.n; i++)
		map_del(&k->logs, keys.items[i]);
}

/* First line that tailLines, sinceTime and sinceSeconds leave. */
static size_t first_line(const struct kube_call *c, const struct klog *log)
{
	int64_t tail = req_query_i64(c->req, "tailLines", -1);
	int64_t seconds = req_query_i64(c->req, "sinceSeconds", -1);
	const char *since = req_query(c->req, "sinceTime");
	struct time_stamp t;
	int64_t ns = INT64_MIN;
	size_t i = tail >= 0 && (uint64_t)tail < log->n ? log->n - (size_t)tail : 0;

	if (since && time_parse(since, strlen(since), &t, NULL) && t.s < SECONDS_MAX)
		ns = t.s * 1000000000 + t.ns;
	else if (seconds >= 0 && seconds < SECONDS_MAX)
		ns = (kube_now(c->k) - seconds * 1000) * 1000000;
	while (i < log->n && log->items[i].ns < ns)
		i++;
	return i;
}

static void serve(struct kube_call *c, struct klog *log)
{
	AUTO(buf_fini) struct buf out = {0};
	bool stamps = req_query_true(c->req, "timestamps");
	int64_t limit = req_query_i64(c->req, "limitBytes", -1);
	struct follower *f;

	for (size_t i = first_line(c, log); i < log->n; i++)
		line_out(&out, log, &log->items[i], stamps);
	if (!req_query_true(c->req, "follow") || log->ended) {
		if (limit >= 0 && (int64_t)out.len > limit)
			out.len = (size_t)limit;
		reply_bytes(c->req, 200, "text/plain", buf_str(&out), out.len);
		return;
	}
	f = X_NEW(struct follower);
	f->log = log;
	f->stamps = stamps;
	f->left = limit > 0 ? limit : -1;
	f->next = log->followers;
	log->followers = f;
	f->stream = reply_stream(c->req, "text/plain", on_close, f);
	if (out.len)
		follower_send(f, &out);
}

static json_t *by_name(const json_t *list, const char *name)
{
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
	{
		if (!strcmp(json_path_str_or(o, "name", ""), name))
			return o;
	}
	return NULL;
}

static char *names_of(const json_t *list)
{
	struct buf b = {0};
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
		buf_addf(&b, "%s%s", i ? " " : "", json_path_str_or(o, "name", ""));
	return buf_take(&b);
}

/* The container meant; NULL: a reply has been given. */
static const char *pick_container(struct kube_call *c, const json_t *pod)
{
	const char *name = req_query(c->req, "container");
	json_t *mains = json_path(pod, "spec.containers");
	json_t *inits = json_path(pod, "spec.initContainers");
	AUTO_FREE char *a = names_of(mains);
	AUTO_FREE char *b = names_of(inits);
	AUTO_FREE char *why = NULL;

	if (!name || !*name) {
		if (json_array_size(mains) == 1)
			return json_path_str(mains, "[0].name");
		why = x_asprintf("a container name must be specified for pod %s, choose one of: "
				 "[%s]%s%s%s",
			c->name, a, *b ? " or one of the init containers: [" : "", b,
			*b ? "]" : "");
	} else if (by_name(mains, name) || by_name(inits, name)) {
		return name;
	} else {
		why = x_asprintf("container %s is not valid for pod %s", name, c->name);
	}
	kube_bad(c, why);
	return NULL;
}

static const char *waiting_reason(const json_t *pod, const char *container)
{
	json_t *st = by_name(json_path(pod, "status.containerStatuses"), container);

	if (!st)
		st = by_name(json_path(pod, "status.initContainerStatuses"), container);
	return json_path_str_or(st, "state.waiting.reason", "ContainerCreating");
}

void kube_log(struct kube_call *c)
{
	json_t *pod = kstore_get(c->k->store, KUBE_PODS, c->ns, c->name);
	const char *container;
	struct klog *log;
	AUTO_FREE char *why = NULL;

	if (!pod) {
		kube_not_found(c, c->name);
		return;
	}
	container = pick_container(c, pod);
	if (!container)
		return;
	if (!json_path(pod, "spec.nodeName")) {
		reply_bytes(c->req, 200, "text/plain", "", 0);
		return;
	}
	log = klog_find(c->k, kstore_uid(pod), container);
	if (log && !req_query_true(c->req, "previous")) {
		serve(c, log);
		return;
	}
	if (log && log->previous) {
		serve(c, log->previous);
		return;
	}
	if (req_query_true(c->req, "previous"))
		why = x_asprintf("previous terminated container \"%s\" in pod \"%s\" not found",
			container, c->name);
	else
		why = x_asprintf("container \"%s\" in pod \"%s\" is waiting to start: %s",
			container, c->name, waiting_reason(pod, container));
	kube_bad(c, why);
}
