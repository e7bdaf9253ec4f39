/* SPDX-License-Identifier: Apache-2.0 */
/* What comes again and again: the beat, the inbox, a look at the trees in the bucket; and the end
 * of an engine that has had nothing to do for long. */
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/machine.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/run/alerts.h"
#include "core/run/beat.h"
#include "core/run/engine_in.h"

#define INBOX_MS      100                     /* wall */
#define IDLE_MS       600000                  /* wall */
#define WATCH_MS      ((int64_t)72 * 3600000) /* run time: a pool that costs is watched for so long */
#define BEAT_MS       10000                   /* run time, and never more often than BEAT_WALL_MS */
#define BEAT_WALL_MS  500
#define TREES_MS      60000
#define TREES_WALL_MS 500

static bool same_pool(const struct cost *a, const struct cost *b)
{
	return a->chips == b->chips && a->since_ms == b->since_ms;
}

void engine_keep_pool(struct engine *en, bool now)
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

void engine_busy(struct engine *en)
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
	engine_keep_pool(en, false);
	rest_in_peace(en);
	en->inbox = loop_after_wall(en->loop, INBOX_MS, read_inbox, en);
}

static int64_t at_least(int64_t run_ms, int64_t wall_ms)
{
	int64_t wall = clock_wall_span(run_ms);

	return wall < wall_ms ? wall_ms : wall;
}

void engine_give_beat(void *arg)
{
	struct engine *en = arg;
	char host[MACHINE_SIZE];
	struct event ev = {.kind = EV_ENGINE};

	ev.u.engine.host = machine_name(host);
	ev.u.engine.pid = getpid();
	ev.u.engine.beat = clock_now();
	engine_emit(en, &ev);
	(void)beat_write(en->run->dir, host, getpid(), ev.u.engine.beat, NULL);
	en->beat = loop_after_wall(en->loop, at_least(BEAT_MS, BEAT_WALL_MS), engine_give_beat, en);
}

static void look_at_trees(void *arg)
{
	struct engine *en = arg;

	en->tree_timer = NULL;
	job_ask_trees(en);
	en->tree_timer =
		loop_after_wall(en->loop, at_least(TREES_MS, TREES_WALL_MS), look_at_trees, en);
}

void engine_rounds_begin(struct engine *en)
{
	read_inbox(en);
	look_at_trees(en);
}

void engine_rounds_end(struct engine *en)
{
	loop_timer_cancel(&en->inbox);
	loop_timer_cancel(&en->beat);
	loop_timer_cancel(&en->tree_timer);
}
