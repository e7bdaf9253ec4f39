/* SPDX-License-Identifier: Apache-2.0 */
/* What is begun next, and what an engine that goes to its end ends with. */
#include "core/base/text.h"
#include "core/run/engine_in.h"

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
	en->wanted = en->opts.to_end && en->opts.chooses;
	if (engine_may_begin(en, id))
		stage_begin(en, id);
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

void engine_go_on(struct engine *en)
{
	enum stage_id id = state_unended(&en->state);

	if (id != STAGE_NONE)
		stage_begin(en, id);
}

/* A stage that failed or was stopped waits for a person. */
static bool begins_alone(const struct engine *en)
{
	enum stage_id id = next_open(en);
	enum stage_state st = id == STAGE_NONE ? ST_TODO : en->state.stages[id].state;

	return en->opts.to_end || (en->state.go_on_alone && st != ST_FAILED && st != ST_CANCELLED);
}

void engine_first_step(void *arg)
{
	struct engine *en = arg;

	if (en->phase == PHASE_IDLE && begins_alone(en)) /* else something has begun already */
		engine_next(en);
}
