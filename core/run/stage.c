/* SPDX-License-Identifier: Apache-2.0 */
/* The stage machine: what follows what. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/fmt/shell.h"
#include "core/io/child.h"
#include "core/run/engine_in.h"

#define LOST_MAX 5 /* attempts; a further one would be lost like them */

void stage_leave(struct engine *en)
{
	facts_drop(&en->facts);
	origin_drop(&en->origin);
	proof_drop(&en->proof);
	bucket_leave(en);
	child_forget(&en->child);
	follow_close(&en->follow);
	there_close(&en->there);
	loop_timer_cancel(&en->look);
	loop_timer_cancel(&en->stop);
	job_leave(en);
	free(en->results.items);
	en->results = (struct recipe_facts){0};
	command_list_fini(&en->commands);
	memset(&en->commands, 0, sizeof(en->commands));
	free(en->skip);
	en->skip = NULL;
	free(en->attempt_dir);
	en->attempt_dir = NULL;
	en->phase = PHASE_IDLE;
	en->recipe = NULL;
}

static void end_with(struct engine *en, enum stage_move move, const char *note, const char *cause,
	const char *cure)
{
	engine_move(en, move, note, cause, cure);
	if (!en->ending)
		engine_stage_over(en);
}

void stage_failed(struct engine *en, const char *cause, const char *cure)
{
	AUTO_FREE char *words = logs_words(en);

	end_with(en, MOVE_FAILED, *words ? words : NULL, cause,
		cure ? cure : recipe_text(&en->recipe->trouble));
}

void stage_blocked(struct engine *en, const char *cause, const char *cure, enum err_code code)
{
	struct err e = {0};

	if (en->opts.to_end) {
		engine_move(en, MOVE_BLOCKED, NULL, cause, cure);
		err_set(&e, code, cure, _("stage %s: %s"), stage_word(en->stage), cause);
		engine_end(en, err_exit_code(code), &e);
		return;
	}
	end_with(en, MOVE_BLOCKED, NULL, cause, cure);
}

void stage_say(struct engine *en, const char *text)
{
	struct event ev = {.kind = EV_OUTPUT};

	log_line("run", "stage %s: %s", stage_word(en->stage), text);
	ev.u.output.id = en->stage;
	ev.u.output.line = text;
	ev.u.output.ours = true;
	engine_emit(en, &ev);
}

void stage_say_choice(struct engine *en)
{
	AUTO_FREE char *line = NULL;

	if (!en->opts.to_end || en->opts.chooses)
		return;
	line = x_asprintf(_("several stages in a row do not choose to begin it again; this does: "
			    "rlpilot --run %s run --stage %s"),
		en->run->name, stage_word(en->stage));
	stage_say(en, line);
}

void stage_fact_failed(struct engine *en, const struct fact *f, char **cause)
{
	en->cause_id = f->cause_id;
	*cause = x_asprintf("%s%s%s", f->said, *f->why ? ": " : "", f->why);
}

void stage_gate(struct engine *en)
{
	stage_enter(en, PHASE_GATE);
}

void stage_gate_held(struct engine *en)
{
	stage_enter(en, PHASE_SKIPS);
}

/* --- interactive commands */

static void on_terminal_exit(void *arg, int code)
{
	struct engine *en = arg;

	en->child = NULL;
	if (en->opts.lend)
		en->opts.lend(en->opts.arg, false);
	if (cancel_command_over(en, code))
		return;
	if (code != 0) {
		const struct command *c = &en->commands.items[en->terminal_next];
		AUTO(buf_fini) struct buf words = {0};
		AUTO_FREE char *cause = NULL;
		shell_words(&words, c->argv.items, c->argv.n);
		cause = x_asprintf(_("%s was not finished (code %d)"), buf_str(&words), code);
		en->cause_id = "no-login";
		stage_blocked(en, cause, buf_str(&words), ERR_PERSON);
		return;
	}
	en->terminal_next++;
	stage_enter(en, PHASE_TERMINAL);
}

static void start_on_terminal(struct engine *en, const struct command *c)
{
	struct strvec env = {0};
	struct child_spec spec = {.argv = (const char *const *)c->argv.items,
		.on_terminal = true,
		.cwd = en->toolkit,
		.on_exit = on_terminal_exit,
		.arg = en};
	struct err e = {0};

	act_environment(en, &env);
	spec.env = (const char *const *)env.items;
	if (en->opts.lend)
		en->opts.lend(en->opts.arg, true);
	en->child = child_start(en->loop, &spec, &e);
	act_environment_wipe(&env);
	if (en->child)
		return;
	if (en->opts.lend)
		en->opts.lend(en->opts.arg, false);
	stage_failed(en, e.what, e.hint);
}

static void next_on_terminal(struct engine *en)
{
	for (; en->terminal_next < en->commands.n; en->terminal_next++) {
		const struct command *c = &en->commands.items[en->terminal_next];
		AUTO(buf_fini) struct buf words = {0};
		if (!c->interactive || en->skip[en->terminal_next])
			continue;
		if (en->opts.terminal) {
			start_on_terminal(en, c);
			return;
		}
		shell_words(&words, c->argv.items, c->argv.n);
		en->cause_id = "no-login";
		stage_blocked(
			en, _("this needs a person at a terminal"), buf_str(&words), ERR_PERSON);
		return;
	}
	stage_enter(en, act_has_script(en) ? PHASE_SCRIPT : PHASE_JOB);
}

void stage_script_failed(struct engine *en, int code)
{
	struct why w = why_command(follow_error(en->follow), &en->state.stages[en->stage].output,
		code, &en->run->values, en->recipe->jobset);

	stage_there_why(en, &w);
	if (!left_passes(en, &w, code)) {
		en->cause_id = w.id;
		stage_failed(en, w.cause, w.cure);
	}
	why_fini(&w);
}

void stage_script_over(struct engine *en, int code)
{
	bool killed = code > 128; /* from outside: it says nothing about what has been done */

	if (cancel_command_over(en, code))
		return;
	if (code > 0 && !killed && !en->recipe->jobset) {
		stage_script_failed(en, code);
		return;
	}
	/* A submit may fail after the object was made: the API decides. */
	en->lost = code != 0;
	en->script_code = killed ? -1 : code;
	stage_enter(en, PHASE_JOB);
}

void stage_job_over(struct engine *en)
{
	stage_enter(en, PHASE_SETTLE);
}

void stage_job_settled(struct engine *en)
{
	stage_enter(en, PHASE_AFTER);
}

/* --- verification */

void stage_again(struct engine *en, const char *note)
{
	if (cancel_before_script(en))
		return;
	en->lost = en->blind = false;
	en->left_lost = true;
	en->attempt++;
	engine_move(en, MOVE_START, note, NULL, NULL);
	stage_enter(en, PHASE_SCRIPT);
}

void stage_lost(struct engine *en, const char *missing)
{
	AUTO_FREE char *cause = NULL;

	if (!en->blind && en->attempt < LOST_MAX) {
		stage_again(en, _("again: the previous attempt left no result"));
		return;
	}
	en->cause_id = "exit-unknown";
	cause = x_asprintf(_("how the command ended is not known, and the cloud does not show its "
			     "result: %s"),
		missing);
	stage_failed(en, cause, _("make sure that it runs nowhere any more, then retry the stage"));
}

void stage_skipped(struct engine *en, const char *note)
{
	end_with(en, MOVE_SKIP, note, NULL, NULL);
}

void stage_done(struct engine *en, const char *note)
{
	end_with(en, MOVE_DONE, note, NULL, NULL);
}

static void enter_after(struct engine *en)
{
	struct err e = {0};

	if (act_after(en, &e) != 0)
		stage_failed(en, e.what, e.hint);
	else
		stage_enter(en, PHASE_VERIFY);
}

static void enter_before(struct engine *en)
{
	struct err e = {0};

	if (act_before(en, &e) != 0) { /* nothing has been started */
		en->cause_id = e.cause;
		stage_blocked(en, e.what, e.hint,
			e.code == ERR_CANNOT_WRITE ? ERR_CANNOT_WRITE : ERR_BLOCKED);
		return;
	}
	if (!gate_freeze(en))
		return;
	en->attempt = en->state.stages[en->stage].attempt + 1;
	en->terminal_next = 0;
	engine_move(en, MOVE_START, NULL, NULL, NULL);
	stage_enter(en, PHASE_TERMINAL);
}

void stage_enter(struct engine *en, enum phase phase)
{
	if (en->ending)
		return;
	en->phase = phase;
	switch (phase) {
	case PHASE_EXISTING:
		gate_existing(en);
		break;
	case PHASE_GATE:
		gate_ask(en);
		break;
	case PHASE_SKIPS:
		gate_skips(en);
		break;
	case PHASE_BEFORE:
		enter_before(en);
		break;
	case PHASE_TERMINAL:
		next_on_terminal(en);
		break;
	case PHASE_SCRIPT:
		try_begin(en);
		break;
	case PHASE_JOB:
		if (en->recipe->jobset)
			job_begin(en);
		else
			stage_enter(en, PHASE_AFTER);
		break;
	case PHASE_SETTLE:
		job_settle(en);
		break;
	case PHASE_AFTER:
		enter_after(en);
		break;
	case PHASE_VERIFY:
		verify_begin(en);
		break;
	default:
		break;
	}
}

/* --- beginning */

/* An earlier engine began this attempt: go on where it stood. */
static void resume(struct engine *en, const struct state_stage *st)
{
	en->attempt = st->attempt;
	en->attempt_dir = attempt_dir(en->run->dir, en->stage, en->attempt);
	if (!gate_render(en))
		return;
	if (path_is_dir(en->attempt_dir)) {
		if (en->stage == STAGE_CLEANUP)
			clean_confirmed(en);
		en->phase = PHASE_SCRIPT;
		if (there_is(en->attempt_dir))
			stage_there(en);
		else if (attempt_look(en->attempt_dir).state == ATTEMPT_NONE)
			try_begin(en);
		else {
			try_follow(en);
			try_look(en);
		}
	} else if (st->state == ST_RUNNING) {
		stage_enter(en, PHASE_GATE);
	} else {
		stage_enter(en, PHASE_JOB);
	}
}

/* A job that was stopped at its very end has left a whole result; a deployment is only whole by
 * terraform's word. */
static bool asks_existing(const struct engine *en, enum stage_state st)
{
	return en->recipe->existing.n && st != ST_FAILED &&
	       (st != ST_CANCELLED || en->recipe->jobset);
}

/* They may have come from the environment or from a file that a person has edited. */
static bool values_hold(struct engine *en)
{
	struct err e = {0};

	if (en->stage == STAGE_TOOLS || values_check(&en->run->values, en->run->recipe, &e) == 0)
		return true;
	stage_blocked(en, e.what, e.hint, ERR_PERSON);
	return false;
}

void stage_begin(struct engine *en, enum stage_id id)
{
	const struct state_stage *st = &en->state.stages[id];

	en->stage = id;
	en->begun |= id == en->opts.from;
	free(en->remote);
	en->remote = x_strdup(en->opts.remote);
	en->recipe = recipe_stage(en->run->recipe, stage_word(id));
	en->attempt = st->attempt;
	en->adopted = en->lost = en->blind = en->job_seen = false;
	en->proven = en->folder_again = false;
	en->script_code = 0;
	en->never_since = 0;
	en->never_looks = 0;
	en->cause_id = en->stuck_cause = NULL;
	en->left_tree = false;
	en->step_there = -1;
	en->left_looks = en->passes = 0;
	en->retry = st->attempt > 0 && st->state != ST_RUNNING && st->state != ST_VERIFYING &&
		    st->state != ST_UNKNOWN;
	(void)snprintf(en->left_cause, sizeof(en->left_cause), "%s", st->cause_id);
	en->terminal_next = 0;
	if (!en->recipe)
		die("the recipe has no stage %s", stage_word(id));
	if (id >= STAGE_CLUSTER)
		engine_need_cluster(en);
	if (en->recipe->jobset)
		cluster_jobset(en->cluster, en->recipe->jobset);
	if (st->undo > 0 && st->state == ST_RUNNING) {
		undo_resume(en, st->undo);
	} else if (verify_is_due(st)) {
		en->retry = false;
		resume(en, st);
	} else if (stage_state_unended(st->state)) {
		resume(en, st);
		cancel_resume(en);
	} else if (values_hold(en)) {
		stage_enter(en, asks_existing(en, st->state) ? PHASE_EXISTING : PHASE_GATE);
	}
}
