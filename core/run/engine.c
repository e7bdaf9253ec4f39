/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/engine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/io/child.h"
#include "core/run/alerts.h"
#include "core/run/beat.h"
#include "core/run/checks.h"
#include "core/run/engine_in.h"
#include "core/run/tell.h"

#define INBOX_MS 100   /* wall */
#define BEAT_MS  10000 /* run time, and never more often than BEAT_WALL_MS */
#define BEAT_WALL_MS 500
#define TREES_MS 60000
#define TREES_WALL_MS 500
#define CHECKS_MS 100 /* wall, between two writings of the answers */

static void next_stage(void *arg);

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
		return;
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

void engine_move(struct engine *en, enum stage_move move, const char *note, const char *cause,
		 const char *cure)
{
	struct event ev = event_stage(en->stage, move, en->attempt);

	ev.u.stage.note = note;
	ev.u.stage.cause = cause;
	ev.u.stage.cure = cure;
	engine_emit(en, &ev);
}

static const char *value(const struct engine *en, const char *name)
{
	const char *v = values_get(&en->run->values, name);

	return v ? v : "";
}

void engine_need_cluster(struct engine *en)
{
	struct cluster_spec spec = {.cloud = en->cloud, .project = value(en, "PROJECT"),
				    .region = value(en, "REGION"),
				    .name = value(en, "CLUSTER_NAME"), .emit = engine_emit,
				    .arg = en};

	if (!en->cluster)
		en->cluster = cluster_open(&spec);
}

bool engine_confirmed_cluster(const struct engine *en)
{
	return en->confirm_cluster && *en->confirm_cluster &&
	       strcmp(en->confirm_cluster, value(en, "CLUSTER_NAME")) == 0;
}

bool engine_confirmed_bucket(const struct engine *en)
{
	return en->confirm_bucket && *en->confirm_bucket &&
	       strcmp(en->confirm_bucket, value(en, "GCS_BUCKET")) == 0;
}

/* --- what next */

static enum stage_id next_open(const struct engine *en)
{
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
static bool may_begin(struct engine *en, enum stage_id id)
{
	if (id != STAGE_CLEANUP || engine_confirmed_cluster(en))
		return true;
	if (en->opts.to_end)
		person_needed(en, _("clean-up deletes the cluster and needs its name"),
			      _("add --confirm CLUSTER_NAME"));
	return false;
}

static void next_stage(void *arg)
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
	if (may_begin(en, id))
		stage_begin(en, id);
}

/* Something may be going on outside that belongs to us: go back to it first. */
static bool interrupted(const struct engine *en, enum stage_id *id)
{
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		enum stage_state st = en->state.stages[i].state;
		if (st == ST_RUNNING || st == ST_VERIFYING || st == ST_UNKNOWN) {
			*id = (enum stage_id)i;
			return true;
		}
	}
	return false;
}

void engine_stage_over(struct engine *en)
{
	enum stage_id id = en->stage;
	enum stage_state st = en->state.stages[id].state;
	bool over = stage_state_over(st);
	struct err e = {0};

	stage_leave(en);
	if (en->opts.to_end) {
		if (over) {
			loop_defer(en->loop, next_stage, en);
			return;
		}
		err_set(&e, st == ST_BLOCKED ? ERR_BLOCKED :
			st == ST_CANCELLED   ? ERR_CANCELLED :
					       ERR_FAILED,
			en->state.stages[id].cure, _("stage %s: %s"), stage_word(id),
			en->state.stages[id].cause);
		engine_end(en, err_exit_code(e.code), &e);
		return;
	}
	if (!over)
		return;
	if (en->state.go_on_alone && id < STAGE_EXPORT)
		loop_defer(en->loop, next_stage, en);
}

/* --- intents */

static void set_mode(struct engine *en, bool on)
{
	struct event ev = {.kind = EV_MODE, .on = on};

	engine_emit(en, &ev);
	if (on && en->phase == PHASE_IDLE) {
		en->opts.from = STAGE_TOOLS;
		en->opts.to = STAGE_EXPORT;
		loop_defer(en->loop, next_stage, en);
	}
}

static void begin_one(struct engine *en, enum stage_id id)
{
	if (en->phase != PHASE_IDLE || id == STAGE_NONE)
		return;
	if (may_begin(en, id))
		stage_begin(en, id);
}

static void set_value(struct engine *en, const struct intent *in)
{
	struct event ev = {.kind = EV_VALUE};
	const struct value *v;
	struct err e = {0};

	if (en->run->frozen && !(values_find(&en->run->values, in->name) &&
				 values_find(&en->run->values, in->name)->secret)) {
		log_line("run", "value %s refused: the run has begun", in->name);
		return;
	}
	if (values_put_checked(&en->run->values, en->run->recipe, in->name, in->text, VALUE_TYPED,
			       &e) != 0) {
		log_line("run", "value %s refused: %s", in->name, e.what);
		return;
	}
	values_derive(&en->run->values, en->run->recipe);
	(void)run_save(en->run, NULL);
	for (size_t i = 0; i < en->run->values.n; i++) {
		v = &en->run->values.items[i];
		ev.u.value.name = v->name;
		ev.u.value.value = v->value;
		ev.u.value.origin = value_origin_word(v->origin);
		ev.u.value.secret = v->secret;
		if (strcmp(v->name, in->name) == 0 || v->origin == VALUE_DERIVED)
			engine_emit(en, &ev);
	}
}

static void set_deviation(struct engine *en, const struct intent *in)
{
	struct event ev = {.kind = EV_DEVIATION, .on = strcmp(in->text, "on") == 0};

	if (en->run->frozen || deviation_switch(en->run->recipe, &en->run->deviations, in->name,
						ev.on, NULL) != 0)
		return;
	(void)run_save(en->run, NULL);
	ev.u.deviation.id = in->name;
	engine_emit(en, &ev);
}

static void confirm(char **slot, const char *typed)
{
	free(*slot);
	*slot = x_strdup(typed);
}

static void skip_stage(struct engine *en, const struct intent *in)
{
	struct event ev;

	if (in->stage == STAGE_NONE || en->phase != PHASE_IDLE)
		return;
	ev = event_stage(in->stage, MOVE_SKIP, en->state.stages[in->stage].attempt);
	ev.u.stage.note = in->text;
	engine_emit(en, &ev);
}

static void acknowledge(struct engine *en, const char *id)
{
	for (size_t i = 0; i < en->state.alerts.n; i++) {
		struct state_alert a = en->state.alerts.items[i];
		struct event ev = {.kind = EV_ALERT};
		if (strcmp(a.id, id) != 0)
			continue;
		a.state = (char *)"acknowledged";
		ev.u.alert = &a;
		engine_emit(en, &ev);
		return;
	}
}

/* Answers go to the file as they come, but not one by one: screens read it. */
static void on_check(void *arg, const struct state_check *c)
{
	struct engine *en = arg;
	struct event ev = {.kind = EV_CHECK};

	ev.u.check = c;
	engine_emit(en, &ev);
	if (clock_wall() - en->checks_written < CHECKS_MS)
		return;
	en->checks_written = clock_wall();
	(void)record_checks(en->run->dir, &en->state, NULL);
}

static void on_checks(void *arg)
{
	struct engine *en = arg;

	en->checks = NULL;
	(void)record_checks(en->run->dir, &en->state, NULL);
}

/* One check or a group, "" = all; one round at a time. */
static void rerun_checks(struct engine *en, const char *id)
{
	struct checks_place place = {.cloud = en->cloud, .recipe = en->run->recipe,
				     .values = &en->run->values, .toolkit = en->toolkit,
				     .on_check = on_check, .done = on_checks, .arg = en};
	struct strvec only = {0};
	struct err e = {0};

	if (!*id || text_starts(id, "reservation"))
		reservations_ask(&en->reservations);
	if (en->checks)
		return;
	if (*id)
		strvec_push(&only, id);
	en->checks = checks_ask(&place, &only, &e);
	if (!en->checks)
		log_line("run", "checks: %s", e.what);
	strvec_fini(&only);
}

static void act_on(struct engine *en, const struct intent *in)
{
	struct err e = {0};

	if (in->kind != INTENT_GO_ON && in->kind != INTENT_STOP_AFTER &&
	    in->kind != INTENT_SET_VALUE)
		(void)journal_note(en->journal, "intent", in->stage, intent_word(in->kind), &e);
	switch (in->kind) {
	case INTENT_SET_VALUE:
		set_value(en, in);
		break;
	case INTENT_START:
	case INTENT_RETRY:
		begin_one(en, in->stage);
		break;
	case INTENT_GO_ON:
	case INTENT_STOP_AFTER:
		set_mode(en, in->kind == INTENT_GO_ON);
		break;
	case INTENT_SKIP:
		skip_stage(en, in);
		break;
	case INTENT_CANCEL:
		stage_cancel(en, in->text);
		break;
	case INTENT_CONFIRM_CLEANUP:
		confirm(&en->confirm_cluster, in->text);
		if (engine_confirmed_cluster(en))
			begin_one(en, STAGE_CLEANUP);
		break;
	case INTENT_CONFIRM_BUCKET:
		confirm(&en->confirm_bucket, in->text);
		break;
	case INTENT_KEEP_BUCKET:
		confirm(&en->confirm_bucket, "");
		break;
	case INTENT_DEVIATION:
		set_deviation(en, in);
		break;
	case INTENT_ACK:
		acknowledge(en, in->text);
		break;
	case INTENT_CHOOSE_RESERVATION: {
		struct intent set = {INTENT_SET_VALUE, STAGE_NONE, (char *)"RESERVATION", in->name};
		set_value(en, &set);
		set.name = (char *)"ZONE";
		set.text = in->text;
		if (*in->text)
			set_value(en, &set);
		break;
	}
	case INTENT_RERUN_CHECK:
		rerun_checks(en, in->text);
		break;
	case INTENT_STOP:
		engine_end(en, 0, NULL);
		break;
	default:
		break;
	}
}

static void read_inbox(void *arg)
{
	struct engine *en = arg;
	struct intent in;

	en->inbox = NULL;
	while (!en->ending && intent_take(en->run->dir, &in)) {
		act_on(en, &in);
		intent_fini(&in);
	}
	alerts_judge(&en->state, engine_emit, en);
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
	char host[256];
	struct event ev = {.kind = EV_ENGINE};

	if (gethostname(host, sizeof(host)) != 0)
		host[0] = '\0';
	ev.u.engine.host = host;
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

static void first_step(void *arg)
{
	struct engine *en = arg;
	enum stage_id id;

	if (interrupted(en, &id)) {
		stage_begin(en, id);
		return;
	}
	if (en->opts.to_end)
		next_stage(en);
	else if (en->state.go_on_alone)
		next_stage(en);
}

static int open_all(struct engine *en, struct err *e)
{
	en->journal = journal_open(en->run->dir, e);
	if (!en->journal || replay(en, e) != 0)
		return -1;
	record_series_init(&en->series, &en->state);
	en->cloud = cloud_new(en->loop);
	en->toolkit = path_join(en->run->dir, "toolkit");
	en->reservations = (struct reservations_spec){en->cloud, en->run, engine_emit, en};
	en->place = (struct facts_place){en->cloud,         &en->cluster, en->run->recipe,
					 &en->run->values, &en->state,   en->toolkit};
	if (path_mkdirs(en->toolkit, e) != 0)
		return -1;
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
	reservations_drop(&en->reservations);
	cluster_close(&en->cluster);
	if (en->cloud) {
		write_series(en);
		engine_emit(en, &ev);
		cloud_free(en->cloud);
	}
	record_series_fini(&en->series);
	journal_close(en->journal);
	state_fini(&en->state);
	free(en->toolkit);
	free(en->confirm_cluster);
	free(en->confirm_bucket);
}

int engine_run(struct loop *l, struct run *r, const struct engine_opts *opts, struct err *e)
{
	struct engine en = {.loop = l, .run = r, .opts = *opts, .stage = STAGE_NONE};

	if (run_lock(r, e) != 0)
		return err_exit_code(e->code);
	state_init(&en.state);
	en.confirm_cluster = x_strdup(opts->confirm_cluster);
	en.confirm_bucket = x_strdup(opts->confirm_bucket);
	if (open_all(&en, e) != 0) {
		en.exit_code = err_exit_code(e->code);
		close_all(&en);
		return en.exit_code;
	}
	loop_on_turn(l, write_series, &en);
	give_beat(&en);
	read_inbox(&en);
	look_at_trees(&en);
	loop_defer(l, first_step, &en);
	loop_run(l);
	close_all(&en);
	if (en.error.code)
		*e = en.error;
	return en.exit_code;
}

int engine_start_detached(struct loop *l, const char *program, const char *run_dir, struct err *e)
{
	const char *argv[] = {program, "--lang", text_lang_code(), "engine", "--run-dir", run_dir, NULL};
	AUTO_FREE char *log = path_join(run_dir, "engine.log");
	struct child_spec spec = {.argv = argv, .cwd = "/", .out_file = log, .err_file = log,
				  .detached = true};
	struct child *c;

	if (run_locked(run_dir, NULL, NULL, 0))
		return 0;
	c = child_start(l, &spec, e);
	if (!c)
		return -1;
	child_forget(&c);
	return 0;
}
