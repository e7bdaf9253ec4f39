/* SPDX-License-Identifier: Apache-2.0 */
/* Before a stage does anything: results that are there, facts that must hold, what of its commands
 * is done already. */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/run/engine_in.h"
#include "core/run/frozen.h"

bool gate_freeze(struct engine *en)
{
	struct err e = {0};

	if (frozen_begin(en->run, en->stage, &e) == 0)
		return true;
	engine_end(en, err_exit_code(e.code), &e);
	return false;
}

/* The stage began when its JobSet was made. */
static void start_adopted(struct engine *en, int64_t created_ms)
{
	struct event ev;

	if (!gate_freeze(en))
		return;
	en->adopted = true;
	en->cause_id = NULL;
	en->attempt = en->state.stages[en->stage].attempt + 1;
	ev = event_stage(en->stage, MOVE_START, en->attempt);
	ev.at = created_ms;
	ev.u.stage.note = _("adopted: the JobSet is already running");
	engine_emit(en, &ev);
	stage_enter(en, PHASE_JOB);
}

enum err_code gate_code(const struct fact *failed)
{
	if (failed->person)
		return ERR_PERSON;
	return failed->code == ERR_UNREACHABLE ? ERR_UNREACHABLE : ERR_BLOCKED;
}

static void gate_failed(
	struct engine *en, const struct fact *failed, const struct recipe_fact *wanted)
{
	const struct recipe_stage *maker = recipe_maker(en->run->recipe, en->recipe, wanted);
	enum left_job job;
	AUTO_FREE char *cause = NULL;
	AUTO_FREE char *cure = maker && failed->known
				       ? x_asprintf(_("run the stage %s: it makes this"), maker->id)
				       : x_strdup("");

	stage_fact_failed(en, failed, &cause);
	job = strcmp(failed->id, "jobset-absent") == 0 ? left_jobset(en, failed) : LEFT_NO_JOB;
	if (job == LEFT_FOLLOW)
		start_adopted(en, failed->number);
	else if (job == LEFT_NO_JOB)
		stage_blocked(en, cause, *failed->cure ? failed->cure : cure, gate_code(failed));
}

/* A run that has begun this stage before goes on from its own steps. */
static int64_t step_of_others(const struct engine *en, const struct fact_list *answers)
{
	const struct fact *step = facts_find(answers, "newest-step");

	return step && step->known && !en->state.stages[en->stage].attempt ? step->number : -1;
}

static void on_existing(void *arg, struct fact_list *answers)
{
	struct engine *en = arg;
	const struct fact *failed = facts_failed(answers);

	en->facts = NULL;
	if (failed && !failed->known) /* it may be there: nothing is made twice */
		gate_failed(en, failed, &en->recipe->existing.items[failed - answers->items]);
	else if (!answers->n || failed) {
		en->step_there = step_of_others(en, answers);
		stage_enter(en, PHASE_GATE);
	} else
		found_result(en, answers);
}

void gate_existing(struct engine *en)
{
	en->facts = facts_ask(&en->place, &en->recipe->existing, false, on_existing, en);
}

static void set_step(struct engine *en, const struct fact_list *answers)
{
	const struct fact *step = facts_find(answers, "newest-step");
	const struct recipe *r = en->run->recipe;

	if (!step || !step->holds)
		return;
	for (size_t i = 0; i < r->variables.n; i++) {
		AUTO_FREE char *text = x_asprintf("%lld", (long long)step->number);
		if (r->variables.items[i].derive == DERIVE_STEP)
			values_put(&en->run->values, r->variables.items[i].name, text,
				VALUE_DISCOVERED, false);
	}
}

static void on_gate(void *arg, struct fact_list *answers)
{
	struct engine *en = arg;
	const struct fact *failed = facts_failed(answers);

	en->facts = NULL;
	set_step(en, answers);
	if (failed) {
		gate_failed(en, failed, &en->recipe->gate.items[failed - answers->items]);
		return;
	}
	if (en->stage == STAGE_CLEANUP)
		clean_look(en);
	else
		left_look(en);
}

void gate_ask(struct engine *en)
{
	engine_move(en, MOVE_GATE, NULL, NULL, NULL);
	en->facts = facts_ask(&en->place, &en->recipe->gate, false, on_gate, en);
}

static void tell_commands(struct engine *en)
{
	struct strvec lines = {0};
	struct event ev = {.kind = EV_COMMANDS};

	for (size_t i = 0; i < en->commands.n; i++)
		strvec_push(
			&lines, en->commands.items[i].script ? en->commands.items[i].script : "");
	ev.u.commands.id = en->stage;
	ev.u.commands.lines = &lines;
	ev.number = (int64_t)en->recipe->usual_max_s * 1000;
	engine_emit(en, &ev);
	strvec_fini(&lines);
}

bool gate_render(struct engine *en)
{
	struct render how = {.recipe = en->run->recipe,
		.values = &en->run->values,
		.deviations = en->run->deviations};
	struct err e = {0};

	command_list_fini(&en->commands);
	memset(&en->commands, 0, sizeof(en->commands));
	if (command_render(&how, en->recipe, &en->commands, &e) != 0) {
		stage_blocked(en, e.what, e.hint, ERR_PERSON);
		return false;
	}
	free(en->skip);
	en->skip = x_calloc(en->commands.n + 1, sizeof(*en->skip));
	tell_commands(en);
	return true;
}

static void on_skips(void *arg, struct fact_list *answers)
{
	struct engine *en = arg;
	size_t k = 0;

	en->facts = NULL;
	for (size_t i = 0; i < en->commands.n && k < answers->n; i++)
		if (en->commands.items[i].source->skip)
			en->skip[i] = answers->items[k++].holds && !en->folder_again;
	stage_enter(en, PHASE_BEFORE);
}

static void ask_skips(struct engine *en)
{
	static struct recipe_fact wanted[64];
	static struct recipe_facts list;

	list = (struct recipe_facts){.items = wanted};
	for (size_t i = 0; i < en->commands.n && list.n < COUNT(wanted); i++)
		if (en->commands.items[i].source->skip)
			wanted[list.n++] = *en->commands.items[i].source->skip;
	if (list.n)
		en->facts = facts_ask(&en->place, &list, true, on_skips, en);
	else
		stage_enter(en, PHASE_BEFORE);
}

void gate_skips(struct engine *en)
{
	if (gate_render(en))
		ask_skips(en);
}
