/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Undoing a stage: what must hold before it (nobody else's work is in it) is asked of the cloud,
 * then its undo commands run like an attempt, in a folder stages/ID/undo-N. Afterwards the stage is
 * to do again, and so is what lay in a bucket that is gone.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/run/engine_in.h"
#include "core/run/undo.h"

#define LOOK_MS 100 /* wall: at the supervisor's files */

#define GONE_MS    10000 /* run time between two looks at what must be gone */
#define GONE_LOOKS 12
#define ROUNDS_MAX 2 /* pods that were ending may have written after the tree was deleted */

static void look(void *engine);
static void ask_gone(void *engine);

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

/* --- is it gone? the cloud is asked; what the commands said is not enough */

/* left: what is still there, or why nobody knows. */
static void not_undone(struct engine *en, const char *left, bool known)
{
	AUTO_FREE char *cause = NULL;
	struct why w;

	if (en->script_code > 0) {
		w = why_command(follow_error(en->follow), &en->state.stages[en->stage].output,
			en->script_code, &en->run->values, en->recipe->jobset);
		cause = x_asprintf("%s: %s", left, w.cause);
		en->cause_id = w.id ? w.id : "undo-left";
		stage_failed(en, cause, w.cure && *w.cure ? w.cure : _("undo the stage again"));
		why_fini(&w);
		return;
	}
	cause = x_asprintf(
		known ? _("not all of it is gone: %s") : _("whether it is gone is not known: %s"),
		left);
	en->cause_id = "undo-left";
	stage_failed(en, cause, _("undo the stage again; what is gone already is passed over"));
}

static void on_proof(void *arg, const struct proof_result *r)
{
	struct engine *en = arg;
	AUTO(buf_fini) struct buf left = {0};

	en->proof = NULL;
	for (size_t i = 0; i < r->lines.n; i++)
		if (text_starts(r->lines.items[i], "there "))
			stage_say(en, r->lines.items[i]);
	for (size_t i = 0; i < r->left.n; i++)
		buf_addf(&left, "%s%s", i ? ", " : "", r->left.items[i]);
	if (!r->left.n && en->script_code <= 0)
		undone(en);
	else
		not_undone(en, left.len ? buf_str(&left) : _("the command failed"), true);
}

static bool round_again(struct engine *en);

static void on_gone(void *arg, struct fact_list *answers)
{
	struct engine *en = arg;
	const struct fact *left = facts_failed(answers);

	en->facts = NULL;
	if (!left && en->stage == STAGE_CLUSTER) {
		en->proof = prove_ask(en, on_proof);
	} else if (!left) {
		undone(en);
	} else if (en->undo_looks++ < GONE_LOOKS) {
		if (en->undo_looks == 1)
			stage_say(en, left->said);
		en->look = loop_after(en->loop, GONE_MS, ask_gone, en);
	} else if (!left->known || !round_again(en)) {
		not_undone(en, left->said, left->known);
	}
}

static void ask_gone(void *arg)
{
	struct engine *en = arg;

	en->look = NULL;
	en->facts = facts_ask(&en->place, &en->recipe->undo_verify, false, on_gone, en);
}

static void over(struct engine *en, int code)
{
	struct err e = {0};

	follow_rest(en->follow);
	if (en->stage == STAGE_CLUSTER && act_keep_tfstate(en, &e) != 0)
		log_line("run", "terraform's state was not copied: %s", e.what);
	if (cancel_command_over(en, code))
		return;
	en->script_code = code;
	en->undo_looks = code ? GONE_LOOKS : 0;
	if (en->recipe->undo_verify.n)
		ask_gone(en);
	else if (code == 0)
		undone(en);
	else
		stage_script_failed(en, code);
}

/* The last command decides; one before it (a job that is cancelled) may find nothing. */
static char *script(struct engine *en)
{
	struct buf out = {0};

	buf_addf(&out, "#!/usr/bin/env bash\n# undo of stage %s\n" ACT_SCRIPT_HEAD,
		stage_word(en->stage));
	for (size_t i = 0; i < en->commands.n; i++) {
		bool last = i + 1 == en->commands.n;
		if (en->commands.items[i].kind == RECIPE_BUILTIN)
			continue;
		buf_adds(&out, last ? "" : "(\n");
		act_add_command(&en->commands.items[i], &out);
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
		else if (builtin_run(en, &en->commands.items[i], e) != 0)
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

	if (act_free_state(en, &e) != 0) {
		en->cause_id = e.cause;
		stage_failed(en, e.what, e.hint);
		return;
	}
	if (built_ins(en, &only, &e) != 0) {
		stage_failed(en, e.what, e.hint);
		return;
	}
	if (only) {
		over(en, 0);
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
	if (try_given_up(en, &at)) {
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
	stage_blocked(en, e.what, e.hint, ERR_PERSON);
	return false;
}

/* The stage in work is this one, and nothing else begins. */
static void take(struct engine *en, enum stage_id id)
{
	en->stage = id;
	en->recipe = recipe_stage(en->run->recipe, stage_word(id));
	en->attempt = en->state.stages[id].attempt;
	en->phase = PHASE_UNDO;
	if (en->recipe && (en->recipe->jobset || id == STAGE_CLUSTER))
		engine_need_cluster(en);
}

static void enter(struct engine *en, enum stage_id id, int n)
{
	take(en, id);
	free(en->remote);
	en->remote = NULL;
	en->cause_id = NULL;
	en->never_looks = 0;
	en->passes = INT_MAX; /* it is not tried again by itself */
	en->script_code = 0;
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

/* Journal, then the commands. */
static void begin_round(struct engine *en, enum stage_id id)
{
	struct event ev = event_stage(id, MOVE_UNDO, 0);

	ev.u.stage.undo = next_number(en, id);
	enter(en, id, ev.u.stage.undo);
	engine_emit(en, &ev);
	if (!en->ending && render(en))
		start(en);
}

/* Only where objects are left; a JobSet or a cluster that stays is not helped by more of it. */
static bool round_again(struct engine *en)
{
	if (en->script_code != 0 || !en->recipe->tree || ++en->undo_rounds >= ROUNDS_MAX)
		return false;
	log_line("run", "undo of %s: once more", stage_word(en->stage));
	begin_round(en, en->stage);
	return true;
}

/* --- before anything is undone */

/* The stage stays what it was, unless an earlier life had begun to undo it. */
static void refuse(struct engine *en, const char *cause, const char *cure, enum err_code code)
{
	struct err e = {0};

	if (stage_state_works(en->state.stages[en->stage].state)) {
		stage_failed(en, cause, cure);
		return;
	}
	engine_move(en, MOVE_UNDO_REFUSED, NULL, cause, cure);
	stage_leave(en);
	if (!en->opts.to_end || en->ending)
		return;
	err_set(&e, code, cure, _("undo of stage %s: %s"), stage_word(en->stage), cause);
	engine_end(en, err_exit_code(e.code), &e);
}

static void refuse_over(struct engine *en, const struct fact *failed)
{
	AUTO_FREE char *cause = NULL;

	stage_fact_failed(en, failed, &cause);
	refuse(en, cause, *failed->cure ? failed->cure : _("undo the stage again"),
		gate_code(failed));
}

static void on_gate(void *arg, struct fact_list *answers)
{
	struct engine *en = arg;
	const struct fact *failed = facts_failed(answers);

	en->facts = NULL;
	if (failed)
		refuse_over(en, failed);
	else if (!stage_state_works(en->state.stages[en->stage].state))
		begin_round(en, en->stage);
	else if (!cancel_before_script(en))
		start(en);
}

static void ask_gate(struct engine *en)
{
	struct err e = {0};

	if (values_check(&en->run->values, en->run->recipe, &e) != 0) {
		refuse(en, e.what, e.hint, ERR_PERSON);
		return;
	}
	if (en->recipe->undo_gate.n)
		stage_say(en, _("before it is undone: is it this run's own, and does nobody else "
				"work on it?"));
	en->facts = facts_ask(&en->place, &en->recipe->undo_gate, false, on_gate, en);
}

void undo_begin(struct engine *en, enum stage_id id, const char *typed)
{
	const char *word = undo_word(en->run->recipe, &en->state, id), *why;
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
	if (id == STAGE_CLUSTER && act_keep_tfstate(en, &e) != 0)
		log_line("run", "terraform's state was not copied: %s", e.what);
	en->undo_rounds = 0;
	engine_alone_no_more(en); /* who takes something back does not want it made again at once */
	if (en->ending)
		return;
	take(en, id);
	ask_gate(en);
}

void undo_resume(struct engine *en, int n)
{
	enter(en, en->stage, n);
	if (!render(en))
		return;
	if (attempt_look(en->attempt_dir).state == ATTEMPT_NONE)
		ask_gate(en);
	else
		look(en);
	cancel_resume(en);
}
