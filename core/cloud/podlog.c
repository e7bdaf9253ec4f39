/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/podlog.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "core/io/lines.h"
#include "core/io/retry.h"

#include <stdlib.h>
#include <string.h>

enum { WAIT_MS = 3000, REFUSED_MS = 30000 };

struct podlog {
	struct kube *kube;
	struct podlog_spec spec;
	char *ns, *pod, *container;
	struct time_stamp last; /* of the newest line given */
	size_t same; /* lines given with that stamp; 0 = given before our time: all of them */
	bool have_last;
	size_t same_again; /* lines with that stamp seen since the reconnection */
	bool catching_up;  /* after a reconnection, before the first new line */
	bool found;        /* the newest stamp was seen again */
	enum podlog_state state;
	struct kube_stream *stream;
	struct lines lines;
	struct retry retry;
	struct loop_timer *timer;
	bool heard;      /* bytes came on this stream */
	bool last_round; /* the container has terminated: the next end is final */
	int depth;
	bool dead;
};

static void open_log(struct podlog *p);
static void look_at_pod(struct podlog *p);

static void podlog_free(struct podlog *p)
{
	lines_fini(&p->lines);
	free(p->ns);
	free(p->pod);
	free(p->container);
	free(p);
}

static void enter(struct podlog *p)
{
	p->depth++;
}

static void leave(struct podlog *p)
{
	if (--p->depth == 0 && p->dead)
		podlog_free(p);
}

void podlog_close(struct podlog **pp)
{
	struct podlog *p = *pp;

	*pp = NULL;
	if (!p || p->dead)
		return;
	p->dead = true;
	kube_stream_close(&p->stream);
	loop_timer_cancel(&p->timer);
	cloud_cancel_all(kube_cloud(p->kube), p);
	if (p->depth == 0)
		podlog_free(p);
}

static void set_state(struct podlog *p, enum podlog_state state, const struct err *e)
{
	if (p->dead || (p->state == state && !e))
		return;
	p->state = state;
	if (p->spec.on_state)
		p->spec.on_state(p->spec.arg, state, e);
}

static void beat(struct podlog *p)
{
	if (!p->dead && p->spec.on_beat)
		p->spec.on_beat(p->spec.arg);
}

/* sinceTime has whole seconds: what came before comes again and is dropped here. */
static bool is_double(struct podlog *p, const struct time_stamp *t)
{
	int order = p->have_last ? time_stamp_cmp(t, &p->last) : 1;

	if (order > 0) {
		if (p->catching_up && p->have_last && !p->found && p->spec.on_gap)
			p->spec.on_gap(p->spec.arg);
		p->catching_up = false;
		return false;
	}
	if (!p->catching_up)
		return false; /* the container's clock stepped back: new lines all the same */
	if (order < 0)
		return true;
	p->found = true;
	return p->same == 0 || ++p->same_again <= p->same;
}

static void on_line(void *arg, const char *line, size_t n, bool cut)
{
	struct podlog *p = arg;
	struct time_stamp t;
	char stamp[TIME_SIZE];
	size_t used = 0;

	if (p->dead || !time_parse(line, n, &t, &used) || used >= sizeof(stamp))
		return;
	if (is_double(p, &t) || p->dead)
		return;
	memcpy(stamp, line, used);
	stamp[used] = '\0';
	if (used < n && line[used] == ' ')
		used++;
	if (p->have_last && time_stamp_cmp(&t, &p->last) == 0) {
		p->same++;
	} else {
		p->last = t;
		p->same = 1;
	}
	p->have_last = true;
	p->spec.on_line(p->spec.arg, stamp, time_stamp_ms(&t), line + used, n - used, cut);
}

static void again(void *arg)
{
	struct podlog *p = arg;

	p->timer = NULL;
	open_log(p);
}

static void look_again(void *arg)
{
	struct podlog *p = arg;

	p->timer = NULL;
	look_at_pod(p);
}

static void later(struct podlog *p, int64_t ms, void (*fn)(void *arg))
{
	if (p->dead)
		return;
	loop_timer_cancel(&p->timer);
	p->timer = loop_after(cloud_loop(kube_cloud(p->kube)), ms, fn, p);
}

static void on_head(void *arg)
{
	struct podlog *p = arg;

	enter(p);
	set_state(p, PODLOG_LIVE, NULL);
	beat(p);
	leave(p);
}

static void on_data(void *arg, const char *data, size_t n)
{
	struct podlog *p = arg;

	enter(p);
	p->heard = true;
	retry_reset(&p->retry);
	lines_feed(&p->lines, data, n);
	beat(p);
	leave(p);
}

/* An end means nothing by itself: rotation, a restart, a limit of the server, or the end. A line
 * that was cut by it comes again whole. */
static void on_end(void *arg, int64_t retry_after_s, const struct err *e)
{
	struct podlog *p = arg;

	enter(p);
	p->stream = NULL;
	if (!e && p->last_round)
		lines_end(&p->lines);
	else
		lines_reset(&p->lines);
	if (!e && p->last_round) {
		set_state(p, PODLOG_ENDED, NULL);
	} else if (!e || e->http == 400 || e->http == 404) {
		look_at_pod(p);
	} else if (e->http == 401 || e->http == 403) {
		set_state(p, PODLOG_REFUSED, e);
		later(p, REFUSED_MS, again);
	} else {
		set_state(p, PODLOG_LOST, e);
		later(p, retry_next(&p->retry, retry_after_s), again);
	}
	leave(p);
}

static void open_log(struct podlog *p)
{
	AUTO(buf_fini) struct buf path = {0};
	char since[TIME_SIZE];

	buf_adds(&path, "/api/v1/namespaces/");
	http_escape(&path, p->ns);
	buf_adds(&path, "/pods/");
	http_escape(&path, p->pod);
	buf_adds(&path, "/log?follow=true&timestamps=true&container=");
	http_escape(&path, p->container);
	if (p->have_last) {
		buf_adds(&path, "&sinceTime=");
		http_escape(&path, time_format(p->last.s * 1000, since));
	}
	p->catching_up = p->have_last;
	p->found = p->heard = false;
	p->same_again = 0;
	p->stream = kube_stream_open(p->kube, &(struct kube_stream_spec){.path = buf_str(&path),
						      .on_head = on_head,
						      .on_data = on_data,
						      .on_end = on_end,
						      .arg = p});
}

enum container_state { CONTAINER_WAITING, CONTAINER_RUNNING, CONTAINER_TERMINATED };

static enum container_state state_of(const json_t *pod, const char *container)
{
	static const char *const lists[] = {
		"status.containerStatuses", "status.initContainerStatuses"};
	const char *phase = json_path_str_or(pod, "status.phase", "");

	for (size_t l = 0; l < COUNT(lists); l++) {
		const json_t *list = json_path(pod, lists[l]);

		for (size_t i = 0; i < json_array_size(list); i++) {
			const json_t *c = json_array_get(list, i);

			if (strcmp(json_path_str_or(c, "name", ""), container) != 0)
				continue;
			if (json_path(c, "state.running"))
				return CONTAINER_RUNNING;
			if (json_path(c, "state.terminated") &&
				strcmp(json_path_str_or(pod, "spec.restartPolicy", ""), "Always") !=
					0)
				return CONTAINER_TERMINATED;
			return CONTAINER_WAITING;
		}
	}
	return strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0
		       ? CONTAINER_TERMINATED
		       : CONTAINER_WAITING;
}

/* A restart that is still to come shows as terminated, too, while the pod runs. */
static bool is_over(const json_t *pod, const char *container)
{
	const char *phase = json_path_str_or(pod, "status.phase", "");

	return state_of(pod, container) == CONTAINER_TERMINATED &&
	       (strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0 ||
		       strcmp(json_path_str_or(pod, "spec.restartPolicy", ""), "Never") == 0);
}

static void pod_came(void *arg, json_t *pod, const struct err *e)
{
	struct podlog *p = arg;

	enter(p);
	if (!e)
		beat(p);
	if (p->dead) {
		/* closed by the beat */
	} else if (e && e->http == 404) {
		set_state(p, PODLOG_GONE, NULL);
	} else if (e) {
		set_state(p, PODLOG_LOST, e);
		later(p, retry_next(&p->retry, -1), look_again);
	} else if (is_over(pod, p->container)) {
		p->last_round = true;
		open_log(p);
	} else if (state_of(pod, p->container) == CONTAINER_RUNNING) {
		later(p, p->heard ? 1 : retry_next(&p->retry, -1), again);
	} else {
		set_state(p, PODLOG_WAITING, NULL);
		later(p, WAIT_MS, look_again);
	}
	leave(p);
}

static void look_at_pod(struct podlog *p)
{
	AUTO(buf_fini) struct buf path = {0};

	if (p->dead)
		return;
	buf_adds(&path, "/api/v1/namespaces/");
	http_escape(&path, p->ns);
	buf_adds(&path, "/pods/");
	http_escape(&path, p->pod);
	kube_get(p->kube, buf_str(&path), (struct cloud_done){pod_came, p});
}

struct podlog *podlog_open(struct kube *k, const struct podlog_spec *spec)
{
	struct podlog *p = X_NEW(struct podlog);

	p->kube = k;
	p->spec = *spec;
	p->ns = x_strdup(spec->ns);
	p->pod = x_strdup(spec->pod);
	p->container = x_strdup(spec->container);
	if (spec->since)
		p->have_last = time_parse(spec->since, strlen(spec->since), &p->last, NULL);
	p->state = PODLOG_WAITING;
	lines_init(&p->lines, on_line, p);
	retry_init(&p->retry, &retry_stream, (uint64_t)(uintptr_t)p);
	open_log(p);
	return p;
}
