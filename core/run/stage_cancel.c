/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stopping a stage. It is asked for first and can be withdrawn for a moment; then the command is
 * told, and the stage ends when the command has. Deploy and destroy: by the typed name of their
 * cluster, one SIGINT to terraform, which finishes what it has begun; never more.
 */
#include <string.h>

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/io/child.h"
#include "core/run/engine_in.h"

#define GRACE_MS    5000 /* wall: for second thoughts */
#define LOOK_MS     200  /* wall: until there is a terraform to be told */
#define TERMINAL_MS 2000 /* wall: for a login to end */

static void cancelled(struct engine *en)
{
	bool left = en->left_job;

	en->left_job = false;
	en->cause_id = NULL;
	engine_move(en, MOVE_CANCEL, NULL,
		left ? _("stopped, but its JobSet could not be deleted and may still run") : NULL,
		left ? _("start the stage again: it finds the JobSet") : NULL);
	if (!en->ending)
		engine_stage_over(en);
}

static void delete_job(struct engine *en)
{
	if (job_delete(en, cancelled))
		en->phase = PHASE_WAIT; /* what happens to the JobSet now is no news */
	else
		cancelled(en);
}

static bool is_sent(const struct engine *en)
{
	return en->state.stages[en->stage].stop == STOP_SENT;
}

bool cancel_command_over(struct engine *en, int code)
{
	if (!is_sent(en))
		return false;
	if (code == 0 && !en->recipe->jobset && en->phase != PHASE_TERMINAL) {
		/* It had done all before it heard of it. */
		engine_move(en, MOVE_STOP_WITHDRAWN, NULL, NULL, NULL);
		return false;
	}
	delete_job(en);
	return true;
}

static void tell_terraform(void *arg);

static void look_for_terraform(struct engine *en)
{
	loop_timer_cancel(&en->stop);
	en->stop = loop_after_wall(en->loop, LOOK_MS, tell_terraform, en);
}

/* The journal first: nobody may be told twice. A further terraform of the same gcluster (--robust)
 * gets its own. */
static void tell_terraform(void *arg)
{
	struct engine *en = arg;
	struct attempt_look look = attempt_look(en->attempt_dir);

	en->stop = NULL;
	if (attempt_has_terraform(&look)) {
		if (!is_sent(en))
			engine_move(en, MOVE_STOP_SENT, NULL, NULL, NULL);
		(void)attempt_interrupt(&look, &en->told);
	}
	if (!en->ending && (look.state == ATTEMPT_RUNNING || look.state == ATTEMPT_CLAIMED))
		look_for_terraform(en);
}

static void stop_now(void *arg)
{
	struct engine *en = arg;
	struct attempt_look look = {.state = ATTEMPT_NONE};

	en->stop = NULL;
	if ((en->phase == PHASE_SCRIPT || en->phase == PHASE_UNDO) && en->attempt_dir)
		look = attempt_look(en->attempt_dir);
	if ((look.state == ATTEMPT_RUNNING || look.state == ATTEMPT_CLAIMED) &&
		en->recipe->uninterruptible) {
		tell_terraform(en);
		return;
	}
	engine_move(en, MOVE_STOP_SENT, NULL, NULL, NULL);
	if (en->ending)
		return;
	if (en->there)
		there_stop(en->there);
	else if (look.state == ATTEMPT_RUNNING || look.state == ATTEMPT_CLAIMED)
		attempt_end(&look);
	else if (en->phase == PHASE_TERMINAL && en->child)
		child_stop(en->child, TERMINAL_MS);
	else if (en->phase == PHASE_JOB || en->phase == PHASE_SETTLE)
		delete_job(en);
	else
		cancelled(en);
}

void stage_cancel(struct engine *en, enum stage_id id, const char *typed)
{
	const char *cluster = values_get(&en->run->values, "CLUSTER_NAME");

	if (en->phase == PHASE_IDLE || (id != STAGE_NONE && id != en->stage) ||
		en->state.stages[en->stage].stop != STOP_NONE)
		return;
	if (en->recipe->uninterruptible && (!cluster || strcmp(typed, cluster) != 0)) {
		log_line("run", "cancel refused: the name of the cluster was not typed");
		return;
	}
	engine_move(en, MOVE_STOP_ASKED, NULL, NULL, NULL);
	en->stop = loop_after_wall(en->loop, GRACE_MS, stop_now, en);
}

void stage_keep(struct engine *en, enum stage_id id)
{
	if (en->phase == PHASE_IDLE || (id != STAGE_NONE && id != en->stage) ||
		en->state.stages[en->stage].stop != STOP_ASKED)
		return;
	loop_timer_cancel(&en->stop);
	engine_move(en, MOVE_STOP_WITHDRAWN, NULL, NULL, NULL);
}

void cancel_resume(struct engine *en)
{
	enum stage_stop stop = en->state.stages[en->stage].stop;

	if (en->phase == PHASE_IDLE || en->ending)
		return;
	if (stop == STOP_ASKED)
		en->stop = loop_after_wall(en->loop, GRACE_MS, stop_now, en);
	else if (stop == STOP_SENT && en->there)
		there_stop(en->there); /* it may not have got there */
	else if (stop == STOP_SENT && en->phase == PHASE_JOB)
		delete_job(en);
}
