/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/engine.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/io/child.h"
#include "core/run/checks.h"
#include "core/run/engine_in.h"
#include "core/run/tell.h"
#include "core/run/tfstate.h"

void engine_end(struct engine *en, int code, const struct err *e)
{
	if (en->ending)
		return;
	en->ending = true;
	en->exit_code = code;
	if (e)
		en->error = *e;
	loop_stop(en->loop);
}

/* At the end of a turn. */
static void write_series(void *arg)
{
	struct engine *en = arg;
	struct err e = {0};

	if (!en->series_dirty)
		return;
	en->series_dirty = false;
	if (record_series_write(&en->series, en->run->dir, &en->state, &e) != 0)
		engine_end(en, err_exit_code(e.code), &e);
}

void engine_emit(void *arg, const struct event *event)
{
	struct engine *en = arg;
	struct event ev = *event;
	struct err e = {0};

	if (!ev.at)
		ev.at = clock_now();
	if (!en->replaying && journal_append(en->journal, &ev, &e) < 0) {
		engine_end(en, err_exit_code(e.code), &e);
		if (ev.kind != EV_END) /* who listens is told of the end all the same */
			return;
		ev.number = en->exit_code;
	}
	if (!en->replaying && ev.kind == EV_ALERT)
		(void)record_alert(en->run->dir, ev.u.alert, ev.at, NULL);
	run_apply(&en->state, &ev);
	if (en->replaying)
		return;
	if (en->opts.on_event)
		en->opts.on_event(en->opts.arg, &en->state, &ev);
	if (ev.kind == EV_TRAINLOG || ev.kind == EV_POINT)
		en->series_dirty = true;
	job_event(en, &ev);
}

/* Has the stage been overtaken by its own end, or is it about to be? */
static bool held(const struct engine *en)
{
	enum stage_stop stop = en->state.stages[en->stage].stop;

	return en->state.held == en->stage || stop == STOP_ASKED || stop == STOP_SENT;
}

void engine_move(struct engine *en, enum stage_move move, const char *note, const char *cause,
	const char *cure)
{
	struct event ev = event_stage(en->stage, move, en->attempt);

	if (move == MOVE_DONE || move == MOVE_SKIP)
		cancel_overtaken(en);
	if (move == MOVE_DONE && !note && held(en))
		note = N_("it had ended before it was stopped; the next stage waits for you");
	ev.u.stage.note = note;
	ev.u.stage.cause = cause;
	ev.u.stage.cure = cure;
	if (cause) {
		ev.u.stage.cause_id = en->cause_id;
		en->cause_id = NULL;
	}
	engine_emit(en, &ev);
}

void engine_alone_no_more(struct engine *en)
{
	struct event mode = {.kind = EV_MODE, .on = false};

	if (en->state.go_on_alone)
		engine_emit(en, &mode);
}

const char *engine_value(const struct engine *en, const char *name)
{
	const char *v = values_get(&en->run->values, name);

	return v ? v : "";
}

char *engine_deployment(const struct engine *en)
{
	return tfstate_deployment(en->toolkit, engine_value(en, "CLUSTER_NAME"));
}

void engine_need_cluster(struct engine *en)
{
	struct cluster_spec spec = {.cloud = en->cloud,
		.project = engine_value(en, "PROJECT"),
		.region = engine_value(en, "REGION"),
		.name = engine_value(en, "CLUSTER_NAME"),
		.emit = engine_emit,
		.arg = en};

	if (!en->cluster)
		en->cluster = cluster_open(&spec);
}

bool engine_confirmed_cluster(const struct engine *en)
{
	return en->confirm_cluster && *en->confirm_cluster &&
	       strcmp(en->confirm_cluster, engine_value(en, "CLUSTER_NAME")) == 0;
}

bool engine_confirmed_bucket(const struct engine *en)
{
	return en->confirm_bucket && *en->confirm_bucket &&
	       strcmp(en->confirm_bucket, engine_value(en, "GCS_BUCKET")) == 0;
}

/* --- life */

static int replay(struct engine *en, struct err *e)
{
	int64_t at = 0, series_at = 0;
	int rc;

	en->replaying = true;
	rc = journal_replay(en->run->dir, &at, engine_emit, en, NULL, e);
	for (size_t i = 0; rc == 0 && i < en->run->recipe->stages.n; i++) {
		const struct recipe_stage *st = &en->run->recipe->stages.items[i];
		if (st->jobset)
			spool_replay(en->run->dir, st->jobset, "workload-container",
				stage_from_word(st->id), engine_emit, en);
	}
	if (rc == 0)
		rc = record_series_read(en->run->dir, &series_at, engine_emit, en, e);
	if (rc == 0)
		rc = record_checks_read(en->run->dir, engine_emit, en, e);
	en->replaying = false;
	return rc;
}

static int open_all(struct engine *en, struct err *e)
{
	en->journal = journal_open(en->run->dir, e);
	if (!en->journal || replay(en, e) != 0)
		return -1;
	record_series_init(&en->series, &en->state);
	en->cloud = cloud_new(en->loop);
	en->toolkit = path_join(en->run->dir, "toolkit");
	en->reservations = (struct reservations_spec){
		.cloud = en->cloud, .run = en->run, .emit = engine_emit, .arg = en};
	en->discover = discover_open(&(struct discover_spec){en->cloud, en->run, engine_emit, en});
	en->place = (struct facts_place){en->cloud, &en->cluster, en->run->recipe, &en->run->values,
		&en->run->deviations, &en->state, en->toolkit};
	if (path_mkdirs(en->toolkit, e) != 0)
		return -1;
	if (en->run->moved_from) {
		AUTO_FREE char *note =
			x_asprintf("taken over from the machine %s; what it had started there "
				   "counts as lost",
				en->run->moved_from);
		if (journal_note(en->journal, "intent", STAGE_NONE, note, e) != 0)
			return -1;
		log_line("run", "%s", note);
	}
	tell_run(en->run, engine_emit, en);
	tell_values(en->run, &en->state, engine_emit, en);
	tell_plan(en->run, engine_emit, en);
	return 0;
}

static void close_all(struct engine *en)
{
	struct event ev = {.kind = EV_END, .number = en->exit_code};

	if (en->recipe)
		stage_leave(en);
	engine_rounds_end(en);
	loop_on_turn_stop(en->loop, write_series, en);
	loop_defer_drop(en->loop, en);
	trees_drop(&en->trees);
	checks_drop(&en->checks);
	strvec_fini(&en->checks_next);
	reservations_drop(&en->reservations);
	discover_close(&en->discover);
	cluster_close(&en->cluster);
	if (en->cloud) {
		write_series(en);
		engine_keep_pool(en, true);
		engine_emit(en, &ev);
		cloud_free(en->cloud);
	}
	record_series_fini(&en->series);
	journal_close(en->journal);
	state_fini(&en->state);
	free(en->toolkit);
	free(en->remote);
	free(en->confirm_cluster);
	free(en->confirm_bucket);
}

/* An earlier life may have had no room for the copy, or no time. */
static void keep_state_again(struct engine *en)
{
	enum stage_id id = state_unended(&en->state);
	struct err e = {0};

	if (id != STAGE_CLUSTER && id != STAGE_CLEANUP && act_keep_tfstate(en, &e) != 0)
		log_line("run", "terraform's state is not copied: %s", e.what);
}

static int run_locked_by_us(
	struct loop *l, struct run *r, const struct engine_opts *opts, struct err *e)
{
	struct engine en = {.loop = l, .run = r, .opts = *opts, .stage = STAGE_NONE};

	state_init(&en.state);
	en.confirm_cluster = x_strdup(opts->confirm_cluster);
	en.confirm_bucket = x_strdup(opts->confirm_bucket);
	if (open_all(&en, e) != 0) {
		en.exit_code = err_exit_code(e->code);
		close_all(&en);
		return en.exit_code;
	}
	engine_busy(&en);
	en.pool = en.pool_seen = en.state.cost;
	loop_on_turn(l, write_series, &en);
	engine_give_beat(&en);
	keep_state_again(&en);
	engine_go_on(&en); /* before any wish: it may be the one that is to be stopped */
	engine_rounds_begin(&en);
	loop_defer(l, engine_first_step, &en);
	loop_run(l);
	close_all(&en);
	if (en.error.code)
		*e = en.error;
	return en.exit_code;
}

/* Records are English, whoever started the engine: a screen shows them in its own language. */
int engine_run(struct loop *l, struct run *r, const struct engine_opts *opts, struct err *e)
{
	const char *lang = text_lang_code();
	int code;

	text_language("en", NULL);
	code = run_lock(r, e) == 0 ? run_locked_by_us(l, r, opts, e) : err_exit_code(e->code);
	text_language(lang, NULL);
	return code;
}

int engine_start_detached(struct loop *l, const char *program, const char *run_dir, struct err *e)
{
	const char *argv[] = {program, "engine", "--run-dir", run_dir, NULL};
	AUTO_FREE char *log = path_join(run_dir, "engine.log");
	struct child_spec spec = {
		.argv = argv, .cwd = "/", .out_file = log, .err_file = log, .detached = true};
	struct child *c;

	if (run_locked(run_dir, NULL, NULL, 0))
		return 0;
	c = child_start(l, &spec, e);
	if (!c)
		return -1;
	child_forget(&c);
	return 0;
}
