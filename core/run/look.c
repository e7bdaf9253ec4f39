/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/map.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/cloud/cloud.h"
#include "core/recipe/causes.h"
#include "core/run/beat.h"
#include "core/run/checks.h"
#include "core/run/cluster.h"
#include "core/run/curves.h"
#include "core/run/event.h"
#include "core/run/folder.h"
#include "core/run/journal.h"
#include "core/run/record.h"
#include "core/run/spool.h"
#include "core/run/token.h"
#include "core/run/trees.h"

#define STORY_CONTAINER "workload-container"
#define REFRESH_MS      200

struct look {
	struct loop *loop;
	char *dir, *toolkit; /* NULL: no run */
	struct run *run;
	struct recipe *recipe; /* own one, when there is no run */
	struct values values;
	struct state state;
	int64_t journal_at, series_at;
	struct map spools; /* file -> int64_t *, bytes read */
	struct cloud *cloud;
	struct cluster *cluster;
	struct curves *curves;
	struct trees *trees;
	struct checks *checks;
	unsigned waiting;
	struct err error;
	struct loop_timer *deadline, *tick;
	bool late;
	bool (*done)(void *arg);
	void *done_arg;
};

static void apply(void *arg, const struct event *ev)
{
	struct look *l = arg;

	run_apply(&l->state, ev);
}

static int64_t *spool_position(struct look *l, const char *file)
{
	int64_t *at = map_get(&l->spools, file);

	if (!at) {
		at = X_NEW(int64_t);
		map_set(&l->spools, file, at);
	}
	return at;
}

/* A sign of life that a record tells, not older than what is known. */
static void beat_at(struct look *l, enum state_source source, int64_t at)
{
	struct event ev = {.kind = EV_HEART, .number = source, .at = at};

	if (at > l->state.heartbeats[source])
		run_apply(&l->state, &ev);
}

/* Whole lines from where the last look ended. */
static void read_spool(struct look *l, const char *file, enum stage_id stage)
{
	int64_t *at = spool_position(l, file);
	FILE *f = fopen(file, "re");
	char *line = NULL;
	size_t cap = 0, stamp_n;
	ssize_t n;

	if (!f)
		return;
	if (fseeko(f, (off_t)*at, SEEK_SET) == 0)
		while ((n = getline(&line, &cap, f)) > 0 && line[n - 1] == '\n') {
			int64_t ms;
			size_t len = (size_t)n - 1;

			*at += n;
			if (!record_spool_split(line, len, &stamp_n, &ms))
				continue;
			beat_at(l, HEART_LOG, ms);
			spool_line_event(
				stage, ms, line + stamp_n + 1, len - stamp_n - 1, apply, l);
		}
	free(line);
	fclose(f);
}

static void read_spools(struct look *l)
{
	const struct recipe *r = look_recipe(l);
	AUTO_FREE char *dir = path_join(l->dir, "logs");
	AUTO(strvec_fini) struct strvec pods = {0};

	if (path_list(dir, &pods, NULL))
		return;
	for (size_t i = 0; i < r->stages.n; i++) {
		AUTO_FREE char *prefix = NULL;

		if (!r->stages.items[i].jobset)
			continue;
		prefix = x_asprintf("%s-", r->stages.items[i].jobset);
		for (size_t k = 0; k < pods.n; k++) {
			AUTO_FREE char *file =
				record_spool_path(l->dir, pods.items[k], STORY_CONTAINER);

			if (text_starts(pods.items[k], prefix))
				read_spool(l, file, stage_from_word(r->stages.items[i].id));
		}
	}
}

static void read_beat(struct look *l)
{
	struct event ev = {.kind = EV_ENGINE};
	char host[256] = "";

	if (beat_read(l->dir, host, sizeof(host), &ev.u.engine.pid, &ev.u.engine.beat))
		return;
	ev.u.engine.host = host;
	if (look_engine(l) || !l->state.stopped)
		run_apply(&l->state, &ev);
}

/* The newest point that came from an event file. */
static void read_metrics_beat(struct look *l)
{
	const struct series *s = series_find(&l->state.series, SERIES_REWARD);
	const struct series_point *last = s ? series_last(s) : NULL;

	if (last && last->source == SERIES_EVENT)
		beat_at(l, HEART_METRICS, last->wall_ms);
}

int look_refresh(struct look *l, struct err *e)
{
	if (!l->dir)
		return 0;
	if (journal_replay(l->dir, &l->journal_at, apply, l, NULL, e))
		return -1;
	read_spools(l);
	read_beat(l);
	if (record_series_read(l->dir, &l->series_at, apply, l, e))
		return -1;
	read_metrics_beat(l);
	engine_tell(l->dir, &l->state, apply, l);
	return record_checks_read(l->dir, apply, l, e);
}

static int open_without_run(struct look *l, const char *recipe, struct err *e)
{
	if (recipe_find(recipe, &l->recipe, e))
		return -1;
	recipe_causes_use(l->recipe);
	values_start(&l->values, l->recipe, getenv);
	token_find(&l->values, l->recipe, NULL);
	return 0;
}

static int open_run(struct look *l, const char *name, const char *recipe, struct err *e)
{
	if (run_find(name, &l->dir, e)) {
		if (!recipe || name)
			return -1;
		err_clear(e);
		return open_without_run(l, recipe, e);
	}
	l->toolkit = path_join(l->dir, "toolkit");
	return run_open(l->dir, &l->run, e) || look_refresh(l, e) ? -1 : 0;
}

int look_open(
	struct loop *loop, const char *name, const char *recipe, struct look **out, struct err *e)
{
	struct look *l = X_NEW(struct look);

	l->loop = loop;
	l->spools.free_value = free;
	state_init(&l->state);
	if (open_run(l, name, recipe, e)) {
		look_close(&l);
		return -1;
	}
	*out = l;
	return 0;
}

void look_close(struct look **lp)
{
	struct look *l = *lp;

	if (!l)
		return;
	*lp = NULL;
	loop_timer_cancel(&l->deadline);
	loop_timer_cancel(&l->tick);
	checks_drop(&l->checks);
	trees_drop(&l->trees);
	curves_close(&l->curves);
	cluster_close(&l->cluster);
	if (l->cloud)
		cloud_free(l->cloud);
	if (l->run)
		run_close(l->run);
	values_fini(&l->values);
	if (l->recipe)
		recipe_free(l->recipe);
	state_fini(&l->state);
	map_fini(&l->spools);
	free(l->dir);
	free(l->toolkit);
	free(l);
}

const struct state *look_state(const struct look *l)
{
	return &l->state;
}

const struct recipe *look_recipe(const struct look *l)
{
	return l->run ? l->run->recipe : l->recipe;
}

const struct values *look_values(const struct look *l)
{
	return l->run ? &l->run->values : &l->values;
}

const char *look_dir(const struct look *l)
{
	return l->dir;
}

bool look_engine(const struct look *l)
{
	return l->dir && run_locked(l->dir, NULL, NULL, 0);
}

bool look_has_cluster(const struct look *l)
{
	enum stage_state made = l->state.stages[STAGE_CLUSTER].state;

	return made != ST_TODO && made != ST_BLOCKED &&
	       l->state.stages[STAGE_CLEANUP].state != ST_DONE;
}

bool look_cluster_gone(const struct look *l)
{
	return look_has_cluster(l) && stage_state_over(l->state.stages[STAGE_CLUSTER].state) &&
	       cluster_gone(l->cluster);
}

bool look_is_training(const struct look *l)
{
	return stage_state_works(l->state.stages[STAGE_TRAIN].state);
}

/* Of the newest stage that has one and has begun, else the recipe's own. */
static const char *jobset_to_watch(const struct look *l)
{
	const struct recipe *r = look_recipe(l);
	const char *name = r->watch.jobset;

	for (size_t i = 0; i < r->stages.n; i++) {
		enum stage_id id = stage_from_word(r->stages.items[i].id);

		if (r->stages.items[i].jobset && id != STAGE_NONE &&
			l->state.stages[id].state != ST_TODO)
			name = r->stages.items[i].jobset;
	}
	return name;
}

static void answered(struct look *l, unsigned what, const struct err *e)
{
	struct event ev = {.kind = EV_HEART, .number = HEART_API};

	l->waiting &= ~what;
	if (e && !l->error.code)
		l->error = *e;
	else if (!e)
		run_apply(&l->state, &ev);
	if (!l->waiting)
		loop_stop(l->loop);
}

static void on_turn(void *arg)
{
	struct look *l = arg;

	if (l->waiting & LOOK_CLUSTER && (cluster_synced(l->cluster) || cluster_gone(l->cluster)))
		answered(l, LOOK_CLUSTER, NULL);
	if (l->done && l->done(l->done_arg))
		loop_stop(l->loop);
}

static void on_trees(void *arg, struct checkpoint_list *list, const struct err *e)
{
	struct look *l = arg;
	struct event ev = {.kind = EV_CHECKPOINTS};

	l->trees = NULL;
	ev.u.checkpoints = list;
	if (!e)
		run_apply(&l->state, &ev);
	answered(l, LOOK_TREES, e);
}

static void on_curves(void *arg)
{
	answered(arg, LOOK_CURVES, NULL);
}

static void on_check(void *arg, const struct state_check *check)
{
	struct event ev = {.kind = EV_CHECK};

	ev.u.check = check;
	apply(arg, &ev);
}

static void on_checks(void *arg)
{
	struct look *l = arg;

	l->checks = NULL;
	answered(l, LOOK_CHECKS, NULL);
}

static void ask_cluster(struct look *l)
{
	const struct values *v = look_values(l);
	struct cluster_spec spec = {.cloud = l->cloud,
		.project = values_get(v, "PROJECT"),
		.region = values_get(v, "REGION"),
		.name = values_get(v, "CLUSTER_NAME"),
		.ns = look_recipe(l)->watch.ns,
		.emit = apply,
		.arg = l};

	if (!l->cluster)
		l->cluster = cluster_open(&spec);
	cluster_jobset(l->cluster, jobset_to_watch(l));
}

static void ask_curves(struct look *l)
{
	struct curves_spec spec = {.cloud = l->cloud,
		.recipe = look_recipe(l),
		.values = look_values(l),
		.emit = apply,
		.arg = l};

	if (!l->curves)
		l->curves = curves_open(&spec);
	curves_finish(l->curves, on_curves, l);
}

static void ask_trees(struct look *l)
{
	struct trees_spec spec = {.cloud = l->cloud,
		.recipe = look_recipe(l),
		.values = look_values(l),
		.state = &l->state,
		.fn = on_trees,
		.arg = l};

	trees_drop(&l->trees);
	l->trees = trees_ask(&spec);
}

static int ask_checks(struct look *l, const struct strvec *only, struct err *e)
{
	struct checks_place place = {.cloud = l->cloud,
		.recipe = look_recipe(l),
		.values = look_values(l),
		.deviations = l->run ? &l->run->deviations : NULL,
		.toolkit = l->toolkit,
		.on_check = on_check,
		.done = on_checks,
		.arg = l};

	l->checks = checks_ask(&place, only, e);
	return l->checks ? 0 : -1;
}

static void on_deadline(void *arg)
{
	struct look *l = arg;

	l->deadline = NULL;
	l->late = true;
	loop_stop(l->loop);
}

static void run_loop(struct look *l, int64_t wall_ms)
{
	l->late = false;
	if (wall_ms >= 0)
		l->deadline = loop_after_wall(l->loop, wall_ms, on_deadline, l);
	loop_on_turn(l->loop, on_turn, l);
	loop_run(l->loop);
	loop_on_turn_stop(l->loop, on_turn, l);
	loop_timer_cancel(&l->deadline);
}

int look_ask(
	struct look *l, unsigned what, const struct strvec *only, int64_t wall_ms, struct err *e)
{
	if (!what)
		return 0;
	if (!l->cloud)
		l->cloud = cloud_new(l->loop);
	err_clear(&l->error);
	l->waiting = what;
	if (what & LOOK_CHECKS && ask_checks(l, only, e))
		return -1;
	if (what & LOOK_CLUSTER)
		ask_cluster(l);
	if (what & LOOK_TREES)
		ask_trees(l);
	if (what & LOOK_CURVES)
		ask_curves(l);
	run_loop(l, wall_ms);
	if (l->error.code) {
		if (e)
			*e = l->error;
		return -1;
	}
	if (l->waiting)
		return err_set(e, ERR_UNREACHABLE, _("check the network, then try again"),
			_("the cloud does not answer"));
	return 0;
}

static void on_tick(void *arg)
{
	struct look *l = arg;
	struct err e = {0};

	l->tick = loop_after_wall(l->loop, REFRESH_MS, on_tick, l);
	if (look_refresh(l, &e) == 0 && l->cluster)
		cluster_jobset(l->cluster, jobset_to_watch(l));
}

bool look_run(struct look *l, bool (*done)(void *arg), void *arg, int64_t wall_ms)
{
	if (done(arg))
		return true;
	l->done = done;
	l->done_arg = arg;
	l->tick = loop_after_wall(l->loop, REFRESH_MS, on_tick, l);
	run_loop(l, wall_ms);
	loop_timer_cancel(&l->tick);
	l->done = NULL;
	return !l->late;
}
