/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/observe.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/cloud/cloud.h"
#include "core/io/loop.h"
#include "core/run/beat.h"
#include "core/run/cluster.h"
#include "core/run/curves.h"
#include "core/run/discover.h"
#include "core/run/drafts.h"
#include "core/run/follow.h"
#include "core/run/journal.h"
#include "core/run/record.h"
#include "core/run/reservations.h"
#include "core/run/secure.h"
#include "core/run/spool.h"
#include "core/run/tail.h"
#include "core/run/tell.h"
#include "core/run/trees.h"

#define LOOK_MS       100   /* wall: at journal, records and spools */
#define TREES_MS      60000 /* run time */
#define TREES_WALL_MS 1000

struct spooled {
	struct observe *owner;
	enum stage_id stage;
	struct tail *tail;
};

struct observe {
	struct observe_spec spec;
	struct state state;
	int64_t journal_at, series_at;
	struct timespec checks_at, reservations_at, offers_at,
		drafts_at; /* when those files were last written */
	struct follow *follow;
	enum stage_id follow_stage;
	int follow_attempt, follow_undo;
	struct map spools; /* file -> struct spooled */
	struct cloud *cloud;
	struct cluster *cluster;
	struct trees *trees;
	struct curves *curves;
	struct loop_timer *look, *tree_timer;
	bool trees_due; /* a stage has ended: what the bucket holds is news */
	unsigned answered;
	bool engine_alive, folder_gone;
	int64_t engine_seen;         /* beat last told */
	int64_t newest[HEART_COUNT]; /* signs of life that the records tell, not told yet */
};

static void sign_of_life(struct observe *o, enum state_source source, int64_t at)
{
	if (at > o->newest[source])
		o->newest[source] = at;
}

/* Once a look, however many lines and points have come. */
static void tell_signs(struct observe *o)
{
	for (unsigned i = 0; i < HEART_COUNT; i++) {
		struct event ev = {.kind = EV_HEART, .number = (int64_t)i, .at = o->newest[i]};
		if (ev.at > o->state.heartbeats[i])
			observe_emit(o, &ev);
	}
}

void observe_emit(void *arg, const struct event *ev)
{
	struct observe *o = arg;

	switch (ev->kind) {
	case EV_JOBSET:
		o->answered |= TOPIC_BIT(TOPIC_JOBSET);
		break;
	case EV_POD:
		o->answered |= TOPIC_BIT(TOPIC_PODS);
		break;
	case EV_NODE:
		o->answered |= TOPIC_BIT(TOPIC_NODES);
		break;
	case EV_POINT:
		if (ev->u.point.at.source == SERIES_EVENT)
			sign_of_life(o, HEART_METRICS, ev->u.point.at.wall_ms);
		break;
	case EV_STAGE:
		o->trees_due |= ev->u.stage.move == MOVE_VERIFY || ev->u.stage.move == MOVE_DONE;
		break;
	default:
		break;
	}
	run_apply(&o->state, ev);
	if (o->spec.on_event)
		o->spec.on_event(o->spec.arg, &o->state, ev);
}

/* --- what is on disk */

static void on_spool_line(void *arg, const char *line, size_t n)
{
	struct spooled *s = arg;
	size_t stamp_n;
	int64_t ms;

	if (!record_spool_split(line, n, &stamp_n, &ms))
		return;
	sign_of_life(s->owner, HEART_LOG, ms);
	spool_line_event(s->stage, ms, line + stamp_n + 1, n - stamp_n - 1, observe_emit, s->owner);
}

static void spooled_free(void *value)
{
	struct spooled *s = value;

	if (!s)
		return;
	tail_close(&s->tail);
	free(s);
}

/* The stage whose JobSet a pod belongs to, and whether the pod tells its story. */
static bool story_of(const struct run *r, const char *pod, enum stage_id *id)
{
	for (size_t i = 0; i < r->recipe->stages.n; i++) {
		const struct recipe_stage *st = &r->recipe->stages.items[i];
		AUTO_FREE char *prefix = st->jobset ? x_asprintf("%s-", st->jobset) : NULL;
		if (prefix && text_starts(pod, prefix)) {
			*id = stage_from_word(st->id);
			return *id != STAGE_NONE;
		}
	}
	return false;
}

/* They are read between the frames: the first one does not wait for megabytes of log. */
static void find_spools(struct observe *o)
{
	AUTO_FREE char *dir = path_join(o->spec.run->dir, "logs");
	struct strvec pods = {0};

	if (path_list(dir, &pods, NULL) != 0)
		return;
	for (size_t i = 0; i < pods.n; i++) {
		AUTO_FREE char *file =
			record_spool_path(o->spec.run->dir, pods.items[i], "workload-container");
		enum stage_id id;
		struct spooled *s;
		if (map_get(&o->spools, file) || !story_of(o->spec.run, pods.items[i], &id) ||
			!path_exists(file))
			continue;
		s = X_NEW(struct spooled);
		s->owner = o;
		s->stage = id;
		s->tail = tail_open(o->spec.loop, file, on_spool_line, s);
		map_set(&o->spools, file, s);
	}
	strvec_fini(&pods);
}

/* Follows the attempt that runs, else the one that ended last. */
static void find_attempt(struct observe *o)
{
	struct follow_spec spec = {.loop = o->spec.loop,
		.run_dir = o->spec.run->dir,
		.cluster = values_get(&o->spec.run->values, "CLUSTER_NAME"),
		.emit = observe_emit,
		.arg = o};
	const struct state_stage *st = NULL;

	for (unsigned i = 0; i < STAGE_COUNT; i++)
		if (o->state.stages[i].started &&
			(o->state.stages[i].attempt > 0 || o->state.stages[i].undo > 0) &&
			(!st || o->state.stages[i].started >= st->started))
			st = &o->state.stages[i];
	if (!st || (o->follow && st->id == o->follow_stage && st->undo == o->follow_undo &&
			   st->attempt == o->follow_attempt))
		return;
	follow_rest(o->follow);
	follow_close(&o->follow);
	o->follow_stage = spec.stage = st->id;
	o->follow_attempt = spec.attempt = st->attempt;
	o->follow_undo = spec.undo = st->undo;
	o->follow = follow_open(&spec);
	follow_now(o->follow);
}

/* Has a file been written since it was read last? */
static bool renewed(const struct observe *o, const char *name, struct timespec *at)
{
	AUTO_FREE char *file = path_join(o->spec.run->dir, name);
	struct stat st;

	if (stat(file, &st) != 0 ||
		(st.st_mtim.tv_sec == at->tv_sec && st.st_mtim.tv_nsec == at->tv_nsec))
		return false;
	*at = st.st_mtim;
	return true;
}

static void read_answers(struct observe *o)
{
	if (renewed(o, "checks.json", &o->checks_at))
		(void)record_checks_read(o->spec.run->dir, observe_emit, o, NULL);
	if (renewed(o, "reservations.json", &o->reservations_at))
		reservations_read(o->spec.run, observe_emit, o);
	if (renewed(o, "discover.json", &o->offers_at))
		discover_read(o->spec.run->dir, observe_emit, o);
	if (renewed(o, "drafts.json", &o->drafts_at))
		drafts_tell(o->spec.run->dir, observe_emit, o);
}

/* A value that was set while we look counts for our own questions too. */
static void on_journal(void *arg, const struct event *ev)
{
	struct observe *o = arg;
	struct values *v = &o->spec.run->values;

	if (ev->kind == EV_VALUE && !ev->u.value.secret) {
		values_unset(v, ev->u.value.name);
		values_put(v, ev->u.value.name, ev->u.value.value,
			value_origin_of(ev->u.value.origin), false);
	}
	observe_emit(o, ev);
}

static void read_beat(struct observe *o)
{
	char host[256] = "";
	struct event ev = {.kind = EV_ENGINE};

	o->engine_alive = run_locked(o->spec.run->dir, NULL, NULL, 0);
	if (beat_read(o->spec.run->dir, host, sizeof(host), &ev.u.engine.pid, &ev.u.engine.beat) !=
			0 ||
		ev.u.engine.beat == o->engine_seen)
		return;
	o->engine_seen = ev.u.engine.beat;
	ev.u.engine.host = host;
	if (o->engine_alive || !o->state.stopped)
		observe_emit(o, &ev);
}

void observe_now(struct observe *o)
{
	const char *dir = o->spec.run->dir;

	(void)journal_replay(dir, &o->journal_at, on_journal, o, NULL, NULL);
	(void)record_series_read(dir, &o->series_at, observe_emit, o, NULL);
	find_attempt(o);
	find_spools(o);
	tell_signs(o);
	read_answers(o);
	read_beat(o);
	secure_tell(o->spec.run->recipe, &o->state, observe_emit, o);
}

/* --- what the cloud says */

struct cloud *observe_cloud(struct observe *o)
{
	if (!o->cloud)
		o->cloud = cloud_new(o->spec.loop);
	return o->cloud;
}

static void on_trees(void *arg, struct checkpoint_list *list, const struct err *e)
{
	struct observe *o = arg;
	struct event ev = {.kind = EV_CHECKPOINTS};
	struct event beat = {.kind = EV_HEART, .number = HEART_API};

	o->trees = NULL;
	if (e)
		return;
	o->answered |= TOPIC_BIT(TOPIC_CHECKPOINTS);
	ev.u.checkpoints = list;
	observe_emit(o, &ev);
	observe_emit(o, &beat);
}

void observe_ask_trees(struct observe *o)
{
	struct trees_spec spec = {.cloud = observe_cloud(o),
		.recipe = o->spec.run->recipe,
		.values = &o->spec.run->values,
		.state = &o->state,
		.fn = on_trees,
		.arg = o};

	if (!o->trees)
		o->trees = trees_ask(&spec);
}

static void ask_trees_again(void *arg)
{
	struct observe *o = arg;
	int64_t wall = clock_wall_span(TREES_MS);

	o->tree_timer = NULL;
	observe_ask_trees(o);
	o->tree_timer = loop_after_wall(
		o->spec.loop, wall < TREES_WALL_MS ? TREES_WALL_MS : wall, ask_trees_again, o);
}

/* The JobSet of the stage that runs, else of the newest that has one. */
static const char *jobset_to_watch(const struct observe *o)
{
	const struct recipe *r = o->spec.run->recipe;
	const char *name = r->watch.jobset;
	bool running = false;

	for (size_t i = 0; i < r->stages.n && !running; i++) {
		const struct recipe_stage *st = &r->stages.items[i];
		enum stage_id id = stage_from_word(st->id);
		if (!st->jobset || id == STAGE_NONE || o->state.stages[id].state == ST_TODO)
			continue;
		name = st->jobset;
		running = stage_state_works(o->state.stages[id].state);
	}
	return name;
}

static bool cluster_may_exist(const struct observe *o)
{
	enum stage_state deploy = o->state.stages[STAGE_CLUSTER].state;

	return deploy != ST_TODO && deploy != ST_BLOCKED &&
	       o->state.stages[STAGE_CLEANUP].state != ST_DONE;
}

static void follow_cluster(struct observe *o)
{
	const struct values *v = &o->spec.run->values;
	struct cluster_spec spec = {.cloud = observe_cloud(o),
		.project = values_get(v, "PROJECT"),
		.region = values_get(v, "REGION"),
		.name = values_get(v, "CLUSTER_NAME"),
		.emit = observe_emit,
		.arg = o};

	if (!cluster_may_exist(o)) {
		struct event gone = {.kind = EV_CLUSTER_GONE};
		if (o->cluster)
			observe_emit(o, &gone);
		cluster_close(&o->cluster);
		return;
	}
	if (!o->cluster && spec.project && spec.region && spec.name)
		o->cluster = cluster_open(&spec);
	if (o->cluster)
		cluster_jobset(o->cluster, jobset_to_watch(o));
	if (cluster_live(o->cluster))
		o->answered |= TOPIC_BIT(TOPIC_NODES) | TOPIC_BIT(TOPIC_JOBSET);
}

/* With an engine the curves come from its records. */
static void follow_curves(struct observe *o)
{
	struct curves_spec spec = {.cloud = observe_cloud(o),
		.recipe = o->spec.run->recipe,
		.values = &o->spec.run->values,
		.emit = observe_emit,
		.arg = o};
	bool wanted = !o->engine_alive && o->state.stages[STAGE_TRAIN].state == ST_RUNNING;

	if (wanted && !o->curves)
		o->curves = curves_open(&spec);
	else if (!wanted)
		curves_close(&o->curves);
}

/* Removed or moved under an open screen: what is shown is old and nothing can be done with it. */
static void look_for_folder(struct observe *o)
{
	AUTO_FREE char *file = path_join(o->spec.run->dir, "run.yaml");
	AUTO_FREE char *text = NULL;
	bool gone = !path_exists(file);
	struct state_alert alert = {
		.id = (char *)ALERT_FOLDER_GONE, .state = (char *)(gone ? "raised" : "cleared")};
	struct event ev = {.kind = EV_ALERT};

	if (o->folder_gone == gone)
		return;
	o->folder_gone = gone;
	alert.text = text = x_asprintf(
		_("the run folder is gone, what is shown is old: q leaves (%s)"), o->spec.run->dir);
	ev.u.alert = &alert;
	observe_emit(o, &ev);
}

static void look(void *arg)
{
	struct observe *o = arg;

	o->look = NULL;
	look_for_folder(o);
	observe_now(o);
	engine_tell(o->spec.run->dir, &o->state, observe_emit, o);
	if (o->spec.live) {
		follow_cluster(o);
		follow_curves(o);
	}
	if (o->spec.live && o->trees_due && !o->trees) {
		o->trees_due = false;
		observe_ask_trees(o);
	}
	o->look = loop_after_wall(o->spec.loop, LOOK_MS, look, o);
}

/* --- life */

struct observe *observe_open(const struct observe_spec *spec, struct err *e)
{
	struct observe *o = X_NEW(struct observe);

	o->spec = *spec;
	o->spools.free_value = spooled_free;
	o->follow_stage = STAGE_NONE;
	state_init(&o->state);
	if (journal_replay(spec->run->dir, &o->journal_at, observe_emit, o, NULL, e) != 0) {
		observe_close(&o);
		return NULL;
	}
	if (!o->state.opened)
		tell_run(spec->run, observe_emit, o);
	tell_values(spec->run, &o->state, observe_emit, o);
	tell_plan(spec->run, observe_emit, o);
	observe_now(o);
	if (spec->live)
		ask_trees_again(o);
	look(o);
	return o;
}

struct state *observe_state(struct observe *o)
{
	return &o->state;
}

unsigned observe_answered(const struct observe *o)
{
	return o->answered;
}

bool observe_engine_alive(const struct observe *o)
{
	return o->engine_alive;
}

bool observe_folder_gone(const struct observe *o)
{
	return o->folder_gone;
}

void observe_close(struct observe **op)
{
	struct observe *o = *op;

	if (!o)
		return;
	*op = NULL;
	loop_timer_cancel(&o->look);
	loop_timer_cancel(&o->tree_timer);
	follow_close(&o->follow);
	map_fini(&o->spools);
	trees_drop(&o->trees);
	curves_close(&o->curves);
	cluster_close(&o->cluster);
	if (o->cloud)
		cloud_free(o->cloud);
	state_fini(&o->state);
	free(o);
}
