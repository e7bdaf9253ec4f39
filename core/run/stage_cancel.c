/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stopping a stage. It is asked for first and can be withdrawn for a moment; then what is at work
 * is told, and the stage ends when that has. Deploy and destroy: by the typed name of their
 * cluster, and terraform alone is told (core/run/interrupt.h). The journal says "sent" before
 * anything is told, and the next engine tells it again wherever that does no harm: a stop is never
 * lost with an engine.
 */
#include <string.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/io/child.h"
#include "core/run/engine_in.h"
#include "core/run/interrupt.h"

#define GRACE_MS        5000 /* wall: for second thoughts */
#define LOOK_MS         200  /* wall: at whom there is to be told */
#define TERMINAL_MS     2000 /* wall: for a login to end */
#define DELETE_AGAIN_MS 500  /* wall: while the cluster does not answer */
#define DELETE_FOR_MS   60000

/* What is told of a stage that was stopped; not translated, screens do that. */
struct words {
	const char *cause, *cure;
};

static const struct words words_undo = {
	N_("the undo was stopped half-way"), N_("undo it again: it goes on from there")};
static const struct words words_left = {
	N_("stopped, but its JobSet could not be deleted and may still run"),
	N_("start the stage again: it finds the JobSet")};
static const struct words words_others = {
	N_("stopped; the JobSet of its name is not this run's and was left alone"),
	N_("ask whose it is; start the stage again when it is gone")};
static const struct words words_job = {
	N_("stopped: its JobSet and pods are gone, a copy of their logs stays here"),
	N_("start it again, or stop for today: the chips stay up and cost")};
static const struct words words_nothing = {
	N_("stopped before it had done anything"), N_("start it again")};
static const struct words words_stage[STAGE_COUNT] = {
	[STAGE_CLUSTER] = {N_("stopped half-way: what terraform has made stays and costs"),
		N_("start it again: it goes on from there; or undo it: that destroys what is "
		   "there")},
	[STAGE_CLEANUP] = {N_("stopped half-way: what is left goes on costing"),
		N_("start the clean-up again: it goes on from there")},
};
static const struct words words_other = {
	N_("stopped half-way"), N_("start it again: it begins anew")};

/* Has it done anything? */
static bool has_begun(const struct engine *en)
{
	return stage_state_unended(en->state.stages[en->stage].state);
}

static const struct words *words_of(const struct engine *en)
{
	if (en->phase == PHASE_UNDO)
		return &words_undo;
	if (en->left_job)
		return &words_left;
	if (en->others_job)
		return &words_others;
	if (!has_begun(en))
		return &words_nothing;
	if (en->recipe->jobset)
		return &words_job;
	return words_stage[en->stage].cause ? &words_stage[en->stage] : &words_other;
}

static void cancelled(struct engine *en)
{
	const struct words *w = words_of(en);

	en->left_job = en->others_job = false;
	en->cause_id = NULL;
	engine_move(en, MOVE_CANCEL, NULL, w->cause, w->cure);
	if (!en->ending)
		engine_stage_over(en);
}

/* --- a JobSet */

static void delete_again(void *arg);

static void delete_later(struct engine *en)
{
	loop_timer_cancel(&en->stop);
	en->stop = loop_after_wall(en->loop, DELETE_AGAIN_MS, delete_again, en);
}

static void deleted(struct engine *en)
{
	if (en->left_job && clock_wall() - en->delete_since < DELETE_FOR_MS)
		delete_later(en);
	else
		cancelled(en);
}

static void delete_again(void *arg)
{
	struct engine *en = arg;

	en->stop = NULL;
	en->left_job = false;
	if (job_delete(en, deleted))
		return;
	/* The cluster has not been reached yet: an engine that has just begun. */
	en->left_job = true;
	deleted(en);
}

/* Also when nothing has been submitted, as far as we know. */
static void stopped(struct engine *en)
{
	if (!en->recipe->jobset || en->phase == PHASE_UNDO || !has_begun(en)) {
		cancelled(en);
		return;
	}
	en->phase = PHASE_STOPPING; /* what happens to the JobSet now is no news */
	facts_drop(&en->facts);
	loop_timer_cancel(&en->look);
	en->delete_since = clock_wall();
	delete_again(en);
}

/* --- the stage has ended by itself */

static enum stage_stop stop_of(const struct engine *en)
{
	return en->state.stages[en->stage].stop;
}

static bool is_open(const struct engine *en)
{
	return stop_of(en) == STOP_ASKED || stop_of(en) == STOP_SENT;
}

/* Who wanted to stop does not want the next stage either. */
void cancel_overtaken(struct engine *en)
{
	if (is_open(en))
		engine_alone_no_more(en);
}

static void too_late(struct engine *en)
{
	cancel_overtaken(en);
	engine_move(en, MOVE_STOP_WITHDRAWN, N_("its work had been done by then"), NULL, NULL);
}

bool cancel_command_over(struct engine *en, int code)
{
	if (stop_of(en) != STOP_SENT)
		return false;
	loop_timer_cancel(&en->stop);
	if (code == 0 && !en->recipe->jobset && en->phase != PHASE_TERMINAL) {
		too_late(en); /* it had done all before it heard of it */
		return false;
	}
	stopped(en);
	return true;
}

bool cancel_before_script(struct engine *en)
{
	if (stop_of(en) != STOP_SENT && en->state.held != en->stage)
		return false;
	stopped(en);
	return true;
}

/* --- telling */

enum worker {
	WORKER_NONE,   /* it has not begun */
	WORKER_SHIELD, /* gcluster, without a terraform: nobody is to be told now */
	WORKER_TERRAFORM,
	WORKER_COMMAND,
	WORKER_GONE, /* it has ended, which is about to be seen */
};

static enum worker at_work(const struct engine *en, const struct attempt_look *look)
{
	if (look->state == ATTEMPT_EXITED || look->state == ATTEMPT_LOST)
		return WORKER_GONE;
	if (look->state != ATTEMPT_RUNNING)
		return WORKER_NONE;
	if (!en->recipe->uninterruptible)
		return WORKER_COMMAND;
	if (interrupt_finds(en->attempt_dir, look->pid))
		return WORKER_TERRAFORM;
	return interrupt_shields(en->attempt_dir, look->pid) ? WORKER_SHIELD : WORKER_COMMAND;
}

static void stop_now(void *arg);

static void look_again(struct engine *en)
{
	loop_timer_cancel(&en->stop);
	en->stop = loop_after_wall(en->loop, LOOK_MS, stop_now, en);
}

/* A further terraform of the same gcluster (--robust) gets its own signal. */
static void interrupt(struct engine *en, const struct attempt_look *look)
{
	struct err e = {0};

	if (interrupt_terraform(en->attempt_dir, look->pid, &e) == INTERRUPT_LATER &&
		!en->said_stop) {
		en->said_stop = true;
		engine_move(en, MOVE_STOP_SENT, e.what, NULL, NULL);
	}
	if (!en->ending)
		look_again(en);
}

/* The journal first. What has not begun never will. */
static void tell_script(struct engine *en)
{
	struct attempt_look look = attempt_look(en->attempt_dir);
	enum worker who = at_work(en, &look);

	if (who == WORKER_SHIELD || who == WORKER_GONE) {
		look_again(en);
		return;
	}
	if (stop_of(en) != STOP_SENT)
		engine_move(en, MOVE_STOP_SENT, NULL, NULL, NULL);
	if (en->ending)
		return;
	if (who == WORKER_TERRAFORM)
		interrupt(en, &look);
	else if (who == WORKER_COMMAND)
		attempt_end(en->attempt_dir, &look);
	else if (attempt_give_up(en->attempt_dir))
		stopped(en);
	else
		look_again(en);
}

static bool in_script(const struct engine *en)
{
	return (en->phase == PHASE_SCRIPT || en->phase == PHASE_UNDO) && en->attempt_dir &&
	       !en->there;
}

/* Can be done twice without harm. */
static void deliver(struct engine *en)
{
	if (en->there)
		there_stop(en->there);
	else if (en->phase == PHASE_TERMINAL && en->child)
		child_stop(en->child, TERMINAL_MS);
	else if (en->phase != PHASE_STOPPING && en->phase != PHASE_SCRIPT)
		stopped(en); /* before a script try_begin sees to it */
}

/* Its work is done: nothing is left to be stopped but what comes after it. */
static bool work_is_done(const struct engine *en)
{
	return en->phase == PHASE_SETTLE || en->phase == PHASE_AFTER || en->phase == PHASE_VERIFY ||
	       (en->phase == PHASE_JOB && en->state.jobset_there && jobset_ended(en->state.phase));
}

static void stop_now(void *arg)
{
	struct engine *en = arg;

	en->stop = NULL;
	if (work_is_done(en)) {
		too_late(en);
	} else if (in_script(en)) {
		tell_script(en);
	} else {
		engine_move(en, MOVE_STOP_SENT, NULL, NULL, NULL);
		if (!en->ending)
			deliver(en);
	}
}

/* --- what people want */

static void refuse(struct engine *en, const char *why)
{
	log_line("run", "cancel refused: %s", why);
	engine_move(en, MOVE_STOP_REFUSED, why, NULL, NULL);
}

/* Is it about what is at work now? Nobody may stop what he has not seen. */
static bool meant(const struct engine *en, const struct intent *in)
{
	return (in->stage == STAGE_NONE || in->stage == en->stage) &&
	       (!in->attempt || in->attempt == en->state.stages[en->stage].attempt);
}

/* Before an undo it is asked whether it may be: nothing has been begun that could be stopped. */
static bool asks_only(const struct engine *en)
{
	return en->phase == PHASE_UNDO && !has_begun(en);
}

void stage_cancel(struct engine *en, const struct intent *in)
{
	const char *cluster = values_get(&en->run->values, "CLUSTER_NAME");

	if (en->phase == PHASE_IDLE || asks_only(en) || is_open(en))
		log_line("run", "cancel: nothing is at work, or it is being stopped already");
	else if (!meant(en, in))
		refuse(en, N_("it was meant for another stage or an earlier attempt"));
	else if (en->recipe->uninterruptible && (!cluster || strcmp(in->text, cluster) != 0))
		refuse(en, N_("the name of the cluster was not typed"));
	else {
		en->said_stop = false;
		engine_move(en, MOVE_STOP_ASKED, NULL, NULL, NULL);
		en->stop = loop_after_wall(en->loop, GRACE_MS, stop_now, en);
	}
}

void stage_keep(struct engine *en, const struct intent *in)
{
	if (en->phase == PHASE_IDLE || !meant(en, in) || stop_of(en) != STOP_ASKED)
		return;
	loop_timer_cancel(&en->stop);
	engine_move(en, MOVE_STOP_WITHDRAWN, NULL, NULL, NULL);
}

void cancel_resume(struct engine *en)
{
	if (en->phase == PHASE_IDLE || en->ending || !is_open(en))
		return;
	en->said_stop = false;
	if (stop_of(en) == STOP_ASKED)
		en->stop = loop_after_wall(en->loop, GRACE_MS, stop_now, en);
	else if (in_script(en))
		tell_script(en);
	else
		deliver(en);
}
