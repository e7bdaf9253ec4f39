/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/cloud/podlog.h"
#include "core/run/record.h"

#define SPOOL_MAX ((size_t)256 << 20)

struct spool {
	enum stage_id stage;
	bool story, aside, ended;
	FILE *file;
	struct podlog *log;
	void (*emit)(void *arg, const struct event *ev);
	void *arg;
};

void spool_line_event(enum stage_id stage, int64_t time_ms, const char *line, size_t n,
	void (*emit)(void *arg, const struct event *ev), void *arg)
{
	struct trainlog_event told;
	struct event ev = {.kind = EV_TRAINLOG};

	trainlog_parse(line, n, &told);
	if (told.kind == TRAINLOG_NONE)
		return;
	ev.u.log.id = stage;
	ev.u.log.line = &told;
	ev.u.log.time = time_ms;
	emit(arg, &ev);
}

static void on_line(
	void *arg, const char *stamp, int64_t time_ms, const char *line, size_t n, bool cut)
{
	struct spool *s = arg;

	(void)cut;
	record_spool_line(s->file, stamp, line, n);
	if (s->story)
		spool_line_event(s->stage, time_ms, line, n, s->emit, s->arg);
}

static void on_gap(void *arg)
{
	(void)arg;
	log_line("run", "spool: lines may be missing here");
}

static void on_state(void *arg, enum podlog_state state, const struct err *e)
{
	struct spool *s = arg;

	if (state == PODLOG_ENDED || state == PODLOG_GONE || state == PODLOG_REFUSED)
		s->ended = true;
	if (e)
		log_line("run", "spool: %s", e->what);
	fflush(s->file);
}

static void on_beat(void *arg)
{
	struct spool *s = arg;
	struct event ev = {.kind = EV_HEART, .number = HEART_LOG};

	fflush(s->file);
	if (s->story)
		s->emit(s->arg, &ev);
}

/* Cuts a torn last line off and gives the stamp of the last whole one; the caller's, or NULL. */
static char *last_stamp(const char *file)
{
	AUTO(buf_fini) struct buf b = {.max = SPOOL_MAX};
	const char *end, *start;
	size_t stamp_n;
	int64_t ms;

	if (!path_exists(file) || path_read(file, SPOOL_MAX, &b, NULL) != 0 || !b.len)
		return NULL;
	end = b.data + b.len - 1;
	while (end > b.data && *end != '\n')
		end--;
	if (*end != '\n')
		end = b.data - 1;
	if ((size_t)(end + 1 - b.data) < b.len && truncate(file, end + 1 - b.data) != 0)
		log_line("run", "spool: a torn line stays in %s", file);
	if (end < b.data)
		return NULL;
	for (start = end; start > b.data && start[-1] != '\n'; start--)
		;
	if (!record_spool_split(start, (size_t)(end - start), &stamp_n, &ms))
		return NULL;
	return x_strndup(start, stamp_n);
}

struct spool *spool_open(const struct spool_spec *spec, struct err *e)
{
	AUTO_FREE char *path = record_spool_path(spec->run_dir, spec->pod, spec->container);
	AUTO_FREE char *since = last_stamp(path);
	FILE *file = record_spool_open(spec->run_dir, spec->pod, spec->container, e);
	struct spool *s;
	struct podlog_spec follow;

	if (!file)
		return NULL;
	s = X_NEW(struct spool);
	s->stage = spec->stage;
	s->story = spec->story;
	s->aside = spec->aside;
	s->file = file;
	s->emit = spec->emit;
	s->arg = spec->arg;
	follow = (struct podlog_spec){.ns = spec->ns,
		.pod = spec->pod,
		.container = spec->container,
		.since = since,
		.on_line = on_line,
		.on_gap = on_gap,
		.on_state = on_state,
		.on_beat = on_beat,
		.arg = s};
	s->log = podlog_open(spec->kube, &follow);
	return s;
}

bool spool_ended(const struct spool *s)
{
	return s->ended || s->aside;
}

bool spool_over(const struct spool *s)
{
	return s->ended;
}

void spool_awaited(struct spool *s)
{
	s->aside = false;
}

void spool_close(struct spool **sp)
{
	struct spool *s = *sp;

	if (!s)
		return;
	*sp = NULL;
	podlog_close(&s->log);
	fclose(s->file);
	free(s);
}

static void replay_file(const char *file, enum stage_id stage,
	void (*emit)(void *arg, const struct event *ev), void *arg)
{
	AUTO(buf_fini) struct buf b = {.max = SPOOL_MAX};
	const char *at, *end, *nl;

	if (!path_exists(file) || path_read(file, SPOOL_MAX, &b, NULL) != 0)
		return;
	at = buf_str(&b);
	end = at + b.len;
	while ((nl = memchr(at, '\n', (size_t)(end - at)))) {
		size_t stamp_n, n = (size_t)(nl - at);
		int64_t ms;
		if (record_spool_split(at, n, &stamp_n, &ms))
			spool_line_event(stage, ms, at + stamp_n + 1, n - stamp_n - 1, emit, arg);
		at = nl + 1;
	}
}

void spool_replay(const char *run_dir, const char *jobset, const char *container,
	enum stage_id stage, void (*emit)(void *arg, const struct event *ev), void *arg)
{
	AUTO_FREE char *dir = path_join(run_dir, "logs");
	AUTO_FREE char *prefix = x_asprintf("%s-", jobset);
	struct strvec pods = {0};

	if (path_list(dir, &pods, NULL) != 0)
		return;
	for (size_t i = 0; i < pods.n; i++) {
		AUTO_FREE char *file = record_spool_path(run_dir, pods.items[i], container);
		if (text_starts(pods.items[i], prefix))
			replay_file(file, stage, emit, arg);
	}
	strvec_fini(&pods);
}
