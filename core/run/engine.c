/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/engine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/machine.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/io/child.h"
#include "core/run/alerts.h"
#include "core/run/beat.h"
#include "core/run/checks.h"
#include "core/run/engine_in.h"
#include "core/run/tell.h"
#include "core/run/tfstate.h"

#define INBOX_MS      100                     /* wall */
#define IDLE_MS       600000                  /* wall */
#define WATCH_MS      ((int64_t)72 * 3600000) /* run time: a pool that costs is watched for so long */
#define BEAT_MS       10000                   /* run time, and never more often than BEAT_WALL_MS */
#define BEAT_WALL_MS  500
#define TREES_MS      60000
#define TREES_WALL_MS 500

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

/* --- what next */

static enum stage_id next_open(const struct engine *en)
{
	if (en->opts.again && !en->begun)
		return en->opts.from;
	for (unsigned i = en->opts.from; i <= en->opts.to && i < STAGE_COUNT; i++)
		if (!stage_state_over(en->state.stages[i].state))
			return (enum stage_id)i;
	return STAGE_NONE;
}

static void person_needed(struct engine *en, const char *what, const char *cure)
{
	struct err e = {0};

	err_set(&e, ERR_PERSON, cure, "%s", what);
	engine_end(en, err_exit_code(ERR_PERSON), &e);
}

/* Clean-up is never begun by itself: its name must have been typed. */
bool engine_may_begin(struct engine *en, enum stage_id id)
{
	if (id != STAGE_CLEANUP || engine_confirmed_cluster(en))
		return true;
	if (en->opts.to_end)
		person_needed(en, _("clean-up deletes the cluster and needs its name"),
			_("add --confirm CLUSTER_NAME"));
	return false;
}

void engine_next(void *arg)
{
	struct engine *en = arg;
	enum stage_id id = next_open(en);

	if (en->ending || en->phase != PHASE_IDLE)
		return;
	if (id == STAGE_NONE) {
		if (en->opts.to_end)
			engine_end(en, 0, NULL);
		return;
	}
	if (engine_may_begin(en, id))
		stage_begin(en, id);
}

/* Something may be going on outside that belongs to us: go back to it first. */
static bool interrupted(const struct engine *en, enum stage_id *id)
{
	enum stage_id unended = state_unended(&en->state);

	if (unended != STAGE_NONE)
		*id = unended;
	return unended != STAGE_NONE;
}

/* A stage has not come to its end, or a stop came too late for it. */
static void end_over_stage(struct engine *en, const struct state_stage *st, bool over)
{
	struct err e = {0};

	err_set(&e,
		st->state == ST_BLOCKED             ? ERR_BLOCKED
		: over || st->state == ST_CANCELLED ? ERR_CANCELLED
						    : ERR_FAILED,
		over ? _("start it again: it goes on with the next stage") : st->cure,
		_("stage %s: %s"), stage_word(st->id),
		over         ? _("it had ended before it was stopped; nothing more is begun")
		: *st->cause ? st->cause
			     : _("it was stopped"));
	engine_end(en, err_exit_code(e.code), &e);
}

void engine_stage_over(struct engine *en)
{
	enum stage_id id = en->stage;
	enum stage_state st = en->state.stages[id].state;
	bool over = stage_state_over(st);

	stage_leave(en);
	if (en->opts.to_end && st == ST_TODO) { /* undone */
		engine_end(en, 0, NULL);
		return;
	}
	if (en->opts.to_end) {
		if (over && !(en->state.held == id && next_open(en) != STAGE_NONE))
			loop_defer(en->loop, engine_next, en);
		else
			end_over_stage(en, &en->state.stages[id], over);
		return;
	}
	if (over && en->state.go_on_alone && id < STAGE_EXPORT)
		loop_defer(en->loop, engine_next, en);
}

/* --- at each look */

static bool same_pool(const struct cost *a, const struct cost *b)
{
	return a->chips == b->chips && a->since_ms == b->since_ms;
}

/* The cost meter's begin and end go to the journal once the count of nodes stands still. */
static void keep_pool(struct engine *en, bool now)
{
	const struct cost *c = &en->state.cost;
	struct event ev = {.kind = EV_POOL};

	if (!same_pool(c, &en->pool) && (now || same_pool(c, &en->pool_seen))) {
		en->pool = *c;
		ev.u.pool.chips = c->chips;
		ev.u.pool.since = c->since_ms;
		engine_emit(en, &ev);
	}
	en->pool_seen = *c;
}

static void engine_busy(struct engine *en)
{
	en->busy_wall = clock_wall();
	en->busy = clock_now();
}

/* Without work and wishes an engine ends: the next screen starts it again. */
static void rest_in_peace(struct engine *en)
{
	AUTO_FREE char *file = path_join(en->run->dir, "run.yaml");
	struct err e = {0};
	bool watches = en->state.cost.chips > 0 && clock_now() - en->busy < WATCH_MS;

	if (en->phase != PHASE_IDLE || en->checks)
		engine_busy(en);
	if (!path_exists(file)) {
		err_set(&e, ERR_CANNOT_WRITE,
			_("put it back, or open it where it is now: rlpilot --run FOLDER"),
			_("the run folder %s has been removed or moved"), en->run->dir);
		engine_end(en, err_exit_code(e.code), &e);
	} else if (!en->opts.to_end && !watches && clock_wall() - en->busy_wall > IDLE_MS) {
		engine_end(en, 0, NULL);
	}
}

static void read_inbox(void *arg)
{
	struct engine *en = arg;
	struct intent in;
	bool settled = true;

	en->inbox = NULL;
	while (!en->ending && settled && intent_take(en->run->dir, &in)) {
		engine_busy(en);
		engine_act(en, &in);
		settled = !en->ending && intent_settle(&in);
		intent_fini(&in);
	}
	alerts_judge(&en->state, engine_emit, en);
	keep_pool(en, false);
	rest_in_peace(en);
	en->inbox = loop_after_wall(en->loop, INBOX_MS, read_inbox, en);
}

/* --- life */

static int64_t at_least(int64_t run_ms, int64_t wall_ms)
{
	int64_t wall = clock_wall_span(run_ms);

	return wall < wall_ms ? wall_ms : wall;
}

static void give_beat(void *arg)
{
	struct engine *en = arg;
	char host[MACHINE_SIZE];
	struct event ev = {.kind = EV_ENGINE};

	ev.u.engine.host = machine_name(host);
	ev.u.engine.pid = getpid();
	ev.u.engine.beat = clock_now();
	engine_emit(en, &ev);
	(void)beat_write(en->run->dir, host, getpid(), ev.u.engine.beat, NULL);
	en->beat = loop_after_wall(en->loop, at_least(BEAT_MS, BEAT_WALL_MS), give_beat, en);
}

static void look_at_trees(void *arg)
{
	struct engine *en = arg;

	en->tree_timer = NULL;
	job_ask_trees(en);
	en->tree_timer =
		loop_after_wall(en->loop, at_least(TREES_MS, TREES_WALL_MS), look_at_trees, en);
}

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

/* What may still be at work comes first, before any wish: it may be the one that is to be stopped.
 */
static void go_on_interrupted(struct engine *en)
{
	enum stage_id id;

	if (interrupted(en, &id))
		stage_begin(en, id);
}

/* A stage that failed or was stopped waits for a person. */
static bool begins_alone(const struct engine *en)
{
	enum stage_id id = next_open(en);
	enum stage_state st = id == STAGE_NONE ? ST_TODO : en->state.stages[id].state;

	return en->opts.to_end || (en->state.go_on_alone && st != ST_FAILED && st != ST_CANCELLED);
}

static void first_step(void *arg)
{
	struct engine *en = arg;

	if (en->phase == PHASE_IDLE && begins_alone(en)) /* else something has begun already */
		engine_next(en);
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
	loop_timer_cancel(&en->inbox);
	loop_timer_cancel(&en->beat);
	loop_timer_cancel(&en->tree_timer);
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
		keep_pool(en, true);
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
	give_beat(&en);
	go_on_interrupted(&en);
	read_inbox(&en);
	look_at_trees(&en);
	loop_defer(l, first_step, &en);
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
