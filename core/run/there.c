/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/there.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/io/loop.h"
#include "core/run/look_there.h"
#include "core/run/there_in.h"
#include "core/run/there_words.h"

#define LOOK_MS       100 /* wall, while the log grows; doubled in silence */
#define LOOK_LONG_MS  2000
#define BUSY_MS       1000
#define AGAIN_MS      1000 /* after a lost connection, doubled */
#define AGAIN_LONG_MS 60000
#define NO_SHELL      127 /* exit code of a login shell that finds no program */

static void connect_now(void *arg);
static void do_next(void *arg);

/* --- ends */

void there_fail(struct there *t, const struct err *e)
{
	t->spec.on_failed(t->spec.arg, e, there_has(t->dir, "sent"));
}

/* 0 = the first time. */
static int64_t doubled(int64_t ms, int64_t first, int64_t longest)
{
	return !ms ? first : ms * 2 > longest ? longest : ms * 2;
}

static void again_later(struct there *t, const struct err *e)
{
	ssh_close(&t->ssh);
	loop_timer_cancel(&t->timer);
	if (!there_has(t->dir, "sent")) {
		there_fail(t, e);
		return;
	}
	t->again = doubled(t->again, AGAIN_MS, AGAIN_LONG_MS);
	t->timer = loop_after_wall(t->spec.loop, t->again, connect_now, t);
	if (!t->down)
		t->spec.on_link(t->spec.arg, e);
	t->down = true;
}

/* A command there did not do what it was to do. */
static void refused(struct there *t, int code, const char *said)
{
	struct err e = {0};

	(void)there_trouble(t->at.host, code, said, &e);
	again_later(t, &e);
}

/* Said once. */
static void compare_clocks(struct there *t, const struct buf *out)
{
	AUTO_FREE char *line =
		t->clock_told ? NULL : there_clock(t->at.host, buf_str(out), (int64_t)time(NULL));

	if (!line)
		return;
	t->clock_told = true;
	t->spec.on_note(t->spec.arg, line);
}

static void later(struct there *t, int64_t ms)
{
	loop_timer_cancel(&t->timer);
	t->timer = loop_after_wall(t->spec.loop, ms, do_next, t);
}

/* --- the jobs' ends */

static void after_supervisor(struct there *t, int code, const struct buf *out, const char *said)
{
	(void)code, (void)said;
	compare_clocks(t, out);
	t->job = JOB_LOOK;
	later(t, 0);
}

static void start_it(struct there *t, bool script)
{
	t->job = script ? JOB_START : JOB_SCRIPT;
	later(t, 0);
}

static int keep_end(struct there *t, const struct attempt_look *look, struct err *e)
{
	AUTO_FREE char *text = x_asprintf("%d\n", look->exit);

	if (look->state == ATTEMPT_EXITED)
		return there_has(t->dir, "exit") ? 0 : there_put(t->dir, "exit", text, e);
	return look->state == ATTEMPT_LOST ? there_put(t->dir, "ended", "lost\n", e) : 0;
}

static void after_look(struct there *t, int code, const struct buf *out, const char *said)
{
	struct look_there got;
	struct attempt_look look;
	struct err e = {0};

	(void)code, (void)said;
	if (!look_there_parse(buf_str(out), out->len, &got)) {
		refused(t, 0, _("the answer cannot be read"));
		return;
	}
	t->again = 0;
	if (t->down)
		t->spec.on_link(t->spec.arg, NULL);
	t->down = false;
	look = attempt_judge(&got.facts);
	if (look.state == ATTEMPT_NONE && there_has(t->dir, "sent") && !got.script)
		look.state = ATTEMPT_LOST; /* what was taken there has been removed */
	if (there_add_log(t, got.log, got.log_n, &e) != 0) {
		there_fail(t, &e);
	} else if (got.log_n == LOOK_THERE_LOG) {
		later(t, 0); /* there is more: first all of it */
	} else if (look.state == ATTEMPT_NONE) {
		start_it(t, got.script);
	} else if (keep_end(t, &look, &e) != 0) {
		there_fail(t, &e);
	} else {
		t->pause = doubled(got.log_n ? 0 : t->pause, LOOK_MS, LOOK_LONG_MS);
		later(t, t->pause);
		t->spec.on_look(t->spec.arg, &look);
	}
}

static void after_script(struct there *t, int code, const struct buf *out, const char *said)
{
	(void)code, (void)out, (void)said;
	start_it(t, true);
}

static void after_start(struct there *t, int code, const struct buf *out, const char *said)
{
	bool busy = text_starts(buf_str(out), "busy");

	t->job = JOB_LOOK;
	if (!busy && !text_starts(buf_str(out), "going")) {
		refused(t, code, said);
		return;
	}
	if (busy)
		log_line("run", "an earlier attempt still works on %s", t->at.host);
	later(t, busy ? BUSY_MS : LOOK_MS);
}

static void after_give_up(struct there *t, int code, const struct buf *out, const char *said)
{
	bool given = text_starts(buf_str(out), "given");
	struct err e = {0};

	(void)code, (void)said;
	t->give_up = false;
	if (given && there_put(t->dir, "ended", "never began\n", &e) != 0) {
		there_fail(t, &e);
		return;
	}
	later(t, LOOK_MS);
	t->spec.on_given_up(t->spec.arg, given);
}

static void after_stop(struct there *t, int code, const struct buf *out, const char *said)
{
	(void)code, (void)out, (void)said;
	t->stop = false;
	later(t, LOOK_MS);
}

static const struct {
	void (*after)(struct there *t, int code, const struct buf *out, const char *said);
	bool any_code; /* it may still run */
} jobs[] = {
	[JOB_SUPERVISOR] = {after_supervisor, false},
	[JOB_LOOK] = {after_look, false},
	[JOB_SCRIPT] = {after_script, false},
	[JOB_START] = {after_start, true},
	[JOB_GIVE_UP] = {after_give_up, false},
	[JOB_STOP] = {after_stop, true},
};

static enum there_job current(const struct there *t)
{
	if (t->job == JOB_SUPERVISOR)
		return t->job;
	return t->stop ? JOB_STOP : t->give_up ? JOB_GIVE_UP : t->job;
}

void there_done(void *arg, int code, struct buf *out, const char *said)
{
	struct there *t = arg;
	struct err e = {0};

	if (code != NO_SHELL && there_answer(t->at.host, out, said, &e) != 0)
		again_later(t, &e);
	else if (code != 0 && !jobs[t->running].any_code)
		refused(t, code, said);
	else
		jobs[t->running].after(t, code, out, said);
}

static void do_next(void *arg)
{
	struct there *t = arg;

	t->timer = NULL;
	t->running = current(t);
	if (t->ssh && ssh_ready(t->ssh))
		there_begin(t);
}

/* --- the connection */

static void on_ready(void *arg)
{
	struct there *t = arg;

	t->job = JOB_SUPERVISOR;
	do_next(t);
}

static void on_down(void *arg, const struct err *why, bool again)
{
	struct there *t = arg;
	struct err e = *why;

	if (again) {
		again_later(t, &e);
		return;
	}
	ssh_close(&t->ssh);
	there_fail(t, &e);
}

static void connect_now(void *arg)
{
	struct there *t = arg;
	struct ssh_spec spec = {.at = t->at, .on_ready = on_ready, .on_down = on_down, .arg = t};

	t->timer = NULL;
	t->ssh = ssh_open(t->spec.loop, &spec);
}

/* --- outside */

struct there *there_open(const struct there_spec *spec, struct err *e)
{
	AUTO_FREE char *address = NULL;
	AUTO_FREE char *folder = NULL;
	struct ssh_address at;
	struct there *t;
	const char *stage = spec->dir + strlen(spec->dir);

	if (there_where(spec->dir, &address, &folder, e) != 0 ||
		ssh_address_parse(address, &at, e) != 0)
		return NULL;
	for (int slashes = 0; slashes < 3 && stage > spec->dir;)
		slashes += *--stage == '/';
	t = X_NEW(struct there);
	t->spec = *spec;
	t->dir = x_strdup(spec->dir);
	t->stage = x_strdup(stage + 1);
	t->folder = x_strdup(folder);
	t->at = at;
	connect_now(t);
	return t;
}

void there_give_up(struct there *t)
{
	t->give_up = true;
}

void there_stop(struct there *t)
{
	t->stop = true;
}

void there_close(struct there **tp)
{
	struct there *t = *tp;

	if (!t)
		return;
	*tp = NULL;
	loop_timer_cancel(&t->timer);
	ssh_close(&t->ssh);
	free(t->dir);
	free(t->folder);
	free(t->stage);
	free(t);
}
