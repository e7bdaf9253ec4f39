/* SPDX-License-Identifier: Apache-2.0 */
/* Moves of stages: their words and what they do to the state. */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/run/event_in.h"
#include "core/run/state_free.h"

static const char *const move_words[MOVE_COUNT] = {
	[MOVE_GATE] = "stage-gate",
	[MOVE_BLOCKED] = "stage-blocked",
	[MOVE_START] = "stage-start",
	[MOVE_EXIT] = "stage-exit",
	[MOVE_VERIFY] = "stage-verify",
	[MOVE_DONE] = "stage-done",
	[MOVE_FAILED] = "stage-failed",
	[MOVE_SKIP] = "stage-skip",
	[MOVE_CANCEL] = "cancel",
	[MOVE_UNKNOWN] = "stage-unknown",
	[MOVE_STOP_ASKED] = "cancel-asked",
	[MOVE_STOP_SENT] = "cancel-sent",
	[MOVE_STOP_WITHDRAWN] = "cancel-withdrawn",
	[MOVE_STOP_REFUSED] = "cancel-refused",
	[MOVE_UNDO] = "stage-undo",
	[MOVE_UNDONE] = "stage-undone",
	[MOVE_UNDO_REFUSED] = "stage-undo-refused",
};

/* State after a move; ST_COUNT = stays as it is. */
static const enum stage_state move_states[MOVE_COUNT] = {
	[MOVE_GATE] = ST_COUNT,
	[MOVE_BLOCKED] = ST_BLOCKED,
	[MOVE_START] = ST_RUNNING,
	[MOVE_EXIT] = ST_COUNT,
	[MOVE_VERIFY] = ST_VERIFYING,
	[MOVE_DONE] = ST_DONE,
	[MOVE_FAILED] = ST_FAILED,
	[MOVE_SKIP] = ST_SKIPPED,
	[MOVE_CANCEL] = ST_CANCELLED,
	[MOVE_UNKNOWN] = ST_UNKNOWN,
	[MOVE_STOP_ASKED] = ST_COUNT,
	[MOVE_STOP_SENT] = ST_COUNT,
	[MOVE_STOP_WITHDRAWN] = ST_COUNT,
	[MOVE_STOP_REFUSED] = ST_COUNT,
	[MOVE_UNDO] = ST_RUNNING,
	[MOVE_UNDONE] = ST_TODO,
	[MOVE_UNDO_REFUSED] = ST_COUNT,
};

/* Whether it is being stopped after a move; STOP_COUNT = stays as it is. */
static const enum stage_stop move_stops[MOVE_COUNT] = {
	[MOVE_GATE] = STOP_COUNT,
	[MOVE_EXIT] = STOP_COUNT,
	[MOVE_START] = STOP_COUNT,
	[MOVE_VERIFY] = STOP_COUNT,
	[MOVE_UNKNOWN] = STOP_COUNT,
	[MOVE_STOP_ASKED] = STOP_ASKED,
	[MOVE_STOP_SENT] = STOP_SENT,
	[MOVE_STOP_REFUSED] = STOP_REFUSED,
	[MOVE_UNDO_REFUSED] = STOP_COUNT,
};

const char *stage_move_word(enum stage_move m)
{
	return m < MOVE_COUNT ? move_words[m] : "";
}

enum stage_move stage_move_from_word(const char *word)
{
	for (unsigned i = 0; word && i < MOVE_COUNT; i++)
		if (strcmp(word, move_words[i]) == 0)
			return (enum stage_move)i;
	return MOVE_COUNT;
}

static void find_current(struct state *s)
{
	s->current = STAGE_NONE;
	for (unsigned i = 0; i < STAGE_COUNT && s->current == STAGE_NONE; i++)
		if (!stage_state_over(s->stages[i].state))
			s->current = (enum stage_id)i;
}

static void forget_cause(struct state_stage *st)
{
	event_put(&st->cause, "");
	event_put(&st->cause_id, "");
	event_put(&st->cure, "");
}

/* What a stage has said is past. */
static void forget_words(struct state_stage *st)
{
	event_put(&st->note, "");
	forget_cause(st);
}

static void begin_attempt(struct state *s, struct state_stage *st, const struct event *ev)
{
	if (st->attempt == ev->u.stage.attempt && st->state != ST_TODO && st->state != ST_BLOCKED)
		return;
	memset(&s->work[st->id], 0, sizeof(s->work[st->id]));
	if (st->state != ST_RUNNING && st->state != ST_VERIFYING)
		st->started = ev->at; /* else it goes on: the same work, a further attempt */
	st->ended = 0;
	st->exit_code = -1;
	st->progress.done = st->progress.total = 0;
	st->progress.n_busy = st->progress.more = 0;
	event_put(&st->progress.unit, "");
	event_put(&st->progress.text, "");
	forget_words(st);
}

/* What is deployed after a clean-up wants another one. */
static void clean_up_anew(struct state_stage *st)
{
	if (!stage_state_over(st->state))
		return;
	st->state = ST_TODO;
	st->started = st->ended = 0;
	forget_words(st);
}

/* The undo of a stage begins or ends. */
static void follow_undo(struct state_stage *st, const struct event *ev)
{
	enum stage_move move = ev->u.stage.move;

	if (move == MOVE_UNDO) {
		forget_words(st);
		st->undo = ev->u.stage.undo;
		st->progress.done = st->progress.total = 0;
		st->progress.n_busy = st->progress.more = 0;
		st->started = ev->at;
		st->ended = 0;
	} else if (move == MOVE_UNDONE) {
		forget_words(st);
		st->undo = 0;
		st->started = st->ended = 0;
	} else if (move == MOVE_GATE || move == MOVE_START || move == MOVE_SKIP) {
		st->undo = 0;
	}
}

/* Why an undo was not begun is past once anything else begins. */
static void follow_refusal(struct state *s, struct state_stage *of, enum stage_move move)
{
	for (unsigned i = 0; (move == MOVE_START || move == MOVE_UNDO) && i < STAGE_COUNT; i++) {
		struct state_stage *st = &s->stages[i];
		if (st->undo_refused)
			forget_cause(st);
		st->undo_refused = false;
	}
	of->undo_refused = move == MOVE_UNDO_REFUSED;
}

/* A stop was open when the stage ended by itself. */
static void came_too_late(struct state *s, const struct state_stage *st, const struct event *ev)
{
	enum stage_move move = ev->u.stage.move;

	if (move == MOVE_DONE || move == MOVE_SKIP ||
		(move == MOVE_STOP_WITHDRAWN && ev->u.stage.note))
		s->held = st->id;
}

/* What is said of a stop is no note of the stage. */
static bool follow_stop(struct state *s, struct state_stage *st, const struct event *ev)
{
	enum stage_move move = ev->u.stage.move;
	enum stage_stop stop = move_stops[move];
	bool of_stop = move >= MOVE_STOP_ASKED && move <= MOVE_STOP_REFUSED;

	if (stop == STOP_COUNT)
		return false;
	if (st->stop == STOP_ASKED || st->stop == STOP_SENT)
		came_too_late(s, st, ev);
	st->stop = stop;
	event_put(&st->stop_why, of_stop ? ev->u.stage.note : "");
	return of_stop;
}

void event_apply_stage(struct state *s, const struct event *ev)
{
	struct state_stage *st = &s->stages[ev->u.stage.id];
	enum stage_move move = ev->u.stage.move;
	bool of_stop, over = move == MOVE_DONE || move == MOVE_SKIP;

	if (move == MOVE_GATE && st->id == STAGE_CLEANUP)
		state_lines_clear(&s->cleanup); /* proved anew */
	if (move == MOVE_START || move == MOVE_UNDO)
		s->held = STAGE_NONE;
	if (move == MOVE_START)
		begin_attempt(s, st, ev);
	if (move == MOVE_START && st->id == STAGE_CLUSTER)
		clean_up_anew(&s->stages[STAGE_CLEANUP]);
	if (ev->u.stage.attempt > 0)
		st->attempt = ev->u.stage.attempt;
	if (move == MOVE_EXIT)
		st->exit_code = ev->u.stage.exit;
	if (move_states[move] != ST_COUNT)
		st->state = move_states[move];
	of_stop = follow_stop(s, st, ev);
	follow_refusal(s, st, move);
	follow_undo(st, ev);
	if (move == MOVE_BLOCKED && st->started)
		st->ended = ev->at;
	if (st->attempt > 0 && (move == MOVE_DONE || move == MOVE_FAILED || move == MOVE_CANCEL))
		st->worked_until = ev->at;
	if (move == MOVE_DONE || move == MOVE_FAILED || move == MOVE_CANCEL ||
		(move == MOVE_SKIP && !st->ended)) { /* else it ended when it failed */
		st->ended = ev->at;
		if (!st->started)
			st->started = ev->at;
	}
	if (ev->u.stage.note && !of_stop)
		event_put(&st->note, ev->u.stage.note);
	if (ev->u.stage.cause || over || move == MOVE_START) {
		event_put(&st->cause, ev->u.stage.cause);
		event_put(&st->cause_id, ev->u.stage.cause_id);
	}
	if (ev->u.stage.cure || over || move == MOVE_START)
		event_put(&st->cure, ev->u.stage.cure);
	find_current(s);
	event_touch(s, TOPIC_STAGES);
}

void event_apply_commands(struct state *s, const struct event *ev)
{
	struct state_stage *st = &s->stages[ev->u.commands.id];
	struct strvec *to = ev->on ? &st->undo_commands : &st->commands;

	state_lines_copy(to, ev->u.commands.lines);
	if (ev->number > 0)
		st->usual_ms = ev->number;
	event_touch(s, TOPIC_STAGES);
}

void event_apply_progress(struct state *s, const struct event *ev)
{
	struct state_progress *p = &s->stages[ev->u.progress.id].progress;

	p->done = ev->u.progress.done;
	p->total = ev->u.progress.total;
	event_put(&p->unit, ev->u.progress.unit);
	event_put(&p->text, ev->u.progress.text);
	p->n_busy = ev->u.progress.n < STATE_BUSY ? ev->u.progress.n : STATE_BUSY;
	p->more = ev->u.progress.n - p->n_busy;
	for (size_t i = 0; i < p->n_busy; i++)
		p->busy[i] = ev->u.progress.busy[i];
	event_touch(s, TOPIC_STAGES);
}
