/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Undoing a stage: its undo commands run like an attempt, in a folder stages/ID/undo-N. Afterwards
 * the stage is to do again, and so is what lay in a bucket that is gone.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/run/engine_in.h"
#include "core/run/undo.h"

#define LOOK_MS  100 /* wall: at the supervisor's files */
#define NEVER_MS 400 /* wall: a claim without a script is believed dead after that */

static void look(void *engine);

static void undone(struct engine *en)
{
	struct event gone = {.kind = EV_CLUSTER_GONE};
	enum stage_id id = en->stage;

	engine_move(en, MOVE_UNDONE, NULL, NULL, NULL);
	for (unsigned i = STAGE_CONVERT; id == STAGE_BUCKET && i < STAGE_CLEANUP; i++) {
		struct event ev = event_stage((enum stage_id)i, MOVE_UNDONE, 0);
		if (stage_state_over(en->state.stages[i].state))
			engine_emit(en, &ev);
	}
	if (id == STAGE_CLUSTER) {
		engine_emit(en, &gone);
		cluster_close(&en->cluster);
	}
	if (!en->ending)
		engine_stage_over(en);
}

/* What was not there any more needs no removal. */
static bool nothing_there(const struct engine *en)
{
	const struct strvec *out = &en->state.stages[en->stage].output;

	for (size_t i = out->n > 10 ? out->n - 10 : 0; i < out->n; i++)
		if (strstr(out->items[i], "matched no objects") ||
			strstr(out->items[i], "not found"))
			return true;
	return false;
}

static void over(struct engine *en, int code)
{
	struct err e = {0};

	follow_rest(en->follow);
	if (en->stage == STAGE_CLUSTER && act_keep_tfstate(en, &e) != 0)
		log_line("run", "terraform's state was not copied: %s", e.what);
	if (cancel_command_over(en, code))
		return;
	if (code == 0 || (code > 0 && en->stage != STAGE_CLUSTER && nothing_there(en)))
		undone(en);
	else
		stage_script_failed(en, code);
}

/* The last command decides; one before it (a job that is cancelled) may find nothing. */
static char *script(struct engine *en)
{
	struct buf out = {0};

	buf_addf(&out, "#!/usr/bin/env bash\n# undo of stage %s\nset -euo pipefail\n",
		stage_word(en->stage));
	for (size_t i = 0; i < en->commands.n; i++) {
		bool last = i + 1 == en->commands.n;
		if (en->commands.items[i].kind == RECIPE_BUILTIN)
			continue;
		buf_adds(&out, last ? "" : "(\n");
		act_add_command(en, &en->commands.items[i], &out);
		buf_adds(&out, last ? "" : ") || true\n");
	}
	return buf_take(&out);
}

static int built_ins(struct engine *en, bool *only, struct err *e)
{
	*only = true;
	for (size_t i = 0; i < en->commands.n; i++) {
		if (en->commands.items[i].kind != RECIPE_BUILTIN)
			*only = false;
		else if (act_builtin(en, &en->commands.items[i], e) != 0)
			return -1;
	}
	return 0;
}

static void follow(struct engine *en, int n)
{
	struct follow_spec spec = {.loop = en->loop,
		.run_dir = en->run->dir,
		.cluster = values_get(&en->run->values, "CLUSTER_NAME"),
		.stage = en->stage,
		.undo = n,
		.emit = engine_emit,
		.arg = en};

	follow_close(&en->follow);
	en->follow = follow_open(&spec);
}

static void start(struct engine *en)
{
	AUTO_FREE char *text = script(en);
	struct strvec env = {0};
	struct err e = {0};
	bool only;
	int rc;

	if (built_ins(en, &only, &e) != 0) {
		stage_failed(en, e.what, e.hint);
		return;
	}
	if (only) {
		undone(en);
		return;
	}
	if (attempt_prepare(en->attempt_dir, text, &e) != 0) {
		engine_end(en, err_exit_code(e.code), &e);
		return;
	}
	act_environment(en, &env);
	rc = attempt_start(en->loop, en->attempt_dir, (const char *const *)env.items, &e);
	act_environment_wipe(&env);
	if (rc != 0)
		stage_failed(en, e.what, e.hint);
	else
		look(en);
}

static void look(void *arg)
{
	struct engine *en = arg;
	struct attempt_look at = attempt_look(en->attempt_dir);

	en->look = NULL;
	if (at.state == ATTEMPT_EXITED || at.state == ATTEMPT_LOST) {
		over(en, at.state == ATTEMPT_EXITED ? at.exit : -1);
		return;
	}
	if (at.state != ATTEMPT_NEVER)
		en->never_since = 0;
	else if (!en->never_since)
		en->never_since = clock_wall();
	else if (clock_wall() - en->never_since > NEVER_MS && attempt_give_up(en->attempt_dir)) {
		over(en, -1);
		return;
	}
	en->look = loop_after_wall(en->loop, LOOK_MS, look, en);
}

static bool render(struct engine *en)
{
	struct render how = {.recipe = en->run->recipe,
		.values = &en->run->values,
		.deviations = en->run->deviations};
	struct err e = {0};

	if (command_render_undo(&how, en->recipe, &en->commands, &e) == 0)
		return true;
	stage_blocked(en, e.what, e.hint, true);
	return false;
}

static void enter(struct engine *en, enum stage_id id, int n)
{
	en->stage = id;
	en->recipe = recipe_stage(en->run->recipe, stage_word(id));
	en->attempt = en->state.stages[id].attempt;
	en->phase = PHASE_UNDO;
	free(en->remote);
	en->remote = NULL;
	en->cause_id = NULL;
	en->never_since = 0;
	en->told = 0;
	en->passes = INT_MAX; /* it is not tried again by itself */
	free(en->attempt_dir);
	en->attempt_dir = attempt_undo_dir(en->run->dir, id, n);
	follow(en, n);
}

static int next_number(const struct engine *en, enum stage_id id)
{
	for (int n = 1;; n++) {
		AUTO_FREE char *dir = attempt_undo_dir(en->run->dir, id, n);
		if (!path_exists(dir))
			return n;
	}
}

void undo_begin(struct engine *en, enum stage_id id, const char *typed)
{
	const char *word = undo_word(en->run->recipe, &en->state, id), *why;
	struct event ev;
	struct err e = {0};

	if (en->phase != PHASE_IDLE || id == STAGE_NONE)
		return;
	if (!undo_possible(en->run->recipe, &en->state, id, &why)) {
		log_line("run", "undo of %s refused: %s", stage_word(id), why);
		return;
	}
	if (word && strcmp(word, typed) != 0) {
		log_line("run", "undo of %s refused: its name was not typed", stage_word(id));
		return;
	}
	ev = event_stage(id, MOVE_UNDO, 0);
	ev.u.stage.undo = next_number(en, id);
	enter(en, id, ev.u.stage.undo);
	if (id == STAGE_CLUSTER && act_keep_tfstate(en, &e) != 0)
		log_line("run", "terraform's state was not copied: %s", e.what);
	engine_emit(en, &ev);
	if (!en->ending && render(en))
		start(en);
}

void undo_resume(struct engine *en, int n)
{
	enter(en, en->stage, n);
	if (!render(en))
		return;
	if (attempt_look(en->attempt_dir).state == ATTEMPT_NONE)
		start(en);
	else
		look(en);
	cancel_resume(en);
}
