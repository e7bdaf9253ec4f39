/* SPDX-License-Identifier: Apache-2.0 */
/* What a person wants, taken from the inbox, and what the engine does about it. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/run/checks.h"
#include "core/run/drafts.h"
#include "core/run/engine_in.h"
#include "core/run/token.h"

#define CHECKS_MS 100 /* wall, between two writings of the answers */

static void set_mode(struct engine *en, bool on)
{
	struct event ev = {.kind = EV_MODE, .on = on};

	engine_emit(en, &ev);
	if (on && en->phase == PHASE_IDLE) {
		en->opts.from = STAGE_TOOLS;
		en->opts.to = STAGE_EXPORT;
		loop_defer(en->loop, engine_next, en);
	}
}

static bool has_seen(const struct engine *en, const struct intent *in)
{
	const char *cause = en->state.stages[in->stage].cause_id;

	return !*in->text || strcmp(in->text, *cause ? cause : INTENT_SAW_NOTHING) == 0;
}

static void begin_one(struct engine *en, enum stage_id id, bool wanted)
{
	if (en->phase != PHASE_IDLE || id == STAGE_NONE)
		return;
	en->wanted = wanted;
	if (engine_may_begin(en, id))
		stage_begin(en, id);
}

static void tell_value(struct engine *en, const char *name)
{
	for (size_t i = 0; i < en->run->values.n; i++) {
		const struct value *v = &en->run->values.items[i];
		struct event ev = {.kind = EV_VALUE};

		ev.u.value.name = v->name;
		ev.u.value.value = v->value;
		ev.u.value.origin = value_origin_word(v->origin);
		ev.u.value.secret = v->secret;
		if (strcmp(v->name, name) == 0 || v->origin == VALUE_DERIVED)
			engine_emit(en, &ev);
	}
}

/* Answers go to the file as they come, but not one by one: screens read it. */
static void on_check(void *arg, const struct state_check *c)
{
	struct engine *en = arg;
	struct event ev = {.kind = EV_CHECK};

	ev.u.check = c;
	engine_emit(en, &ev);
	if (clock_wall() - en->checks_written < CHECKS_MS)
		return;
	en->checks_written = clock_wall();
	(void)record_checks(en->run->dir, &en->state, NULL);
}

static void on_checks(void *arg);

/* only: ids or groups, NULL = all; one round at a time. */
static void begin_checks(struct engine *en, const struct strvec *only)
{
	struct checks_place place = {.cloud = en->cloud,
		.recipe = en->run->recipe,
		.values = &en->run->values,
		.deviations = &en->run->deviations,
		.toolkit = en->toolkit,
		.on_check = on_check,
		.done = on_checks,
		.arg = en};
	struct err e = {0};

	en->checks = checks_ask(&place, only, &e);
	if (!en->checks)
		log_line("run", "checks: %s", e.what);
}

static void begin_next(struct engine *en)
{
	struct strvec next = en->checks_next;

	if (en->checks || (!next.n && !en->checks_all_next))
		return;
	en->checks_next = (struct strvec){0};
	begin_checks(en, en->checks_all_next ? NULL : &next);
	en->checks_all_next = false;
	strvec_fini(&next);
}

static void on_checks(void *arg)
{
	struct engine *en = arg;

	en->checks = NULL;
	(void)record_checks(en->run->dir, &en->state, NULL);
	begin_next(en);
}

/* Only what depends on the value is asked again, and only of what has been asked before. */
static void recheck_value(struct engine *en, const char *name)
{
	AUTO(strvec_fini) struct strvec ids = {0};

	checks_affected(en->run->recipe, name, &ids);
	for (size_t i = 0; i < ids.n; i++)
		if (state_check_find(&en->state, ids.items[i]) &&
			strvec_find(&en->checks_next, ids.items[i]) < 0)
			strvec_push(&en->checks_next, ids.items[i]);
	begin_next(en);
}

/* What is judged with the deviations, of what has been asked before. */
static void recheck_deviations(struct engine *en)
{
	for (size_t i = 0; i < en->state.checks.n; i++) {
		const char *id = en->state.checks.items[i].id;

		if ((text_starts(id, "train.") || strcmp(id, "net.authorized-cidr") == 0) &&
			strvec_find(&en->checks_next, id) < 0)
			strvec_push(&en->checks_next, id);
	}
	begin_next(en);
}

/* One check or a group, "" = all. What is being asked now may be old already: it is asked again
 * after this round. */
static void rerun_checks(struct engine *en, const char *id)
{
	if (!*id || text_starts(id, "reservation"))
		reservations_ask(&en->reservations);
	if (!*id)
		en->checks_all_next = true;
	else if (strvec_find(&en->checks_next, id) < 0)
		strvec_push(&en->checks_next, id);
	begin_next(en);
}

/* What cannot be used is kept as a draft, so that the person finds it again. */
static void set_value(
	struct engine *en, const char *name, const char *text, enum value_origin origin)
{
	const struct recipe *r = en->run->recipe;
	const struct recipe_variable *var = recipe_variable(r, name);
	bool secret = var && var->secret, good;
	struct err e = {0};

	if (en->run->frozen && !secret) {
		log_line("run", "value %s refused: the run has begun", name);
		return;
	}
	good = values_take(&en->run->values, r, name, text, origin, &e) == 0;
	if (!good)
		log_line("run", "value %s refused: %s", name, e.what);
	if (!secret && (var || recipe_parameter(r, name)))
		(void)drafts_put(en->run->dir, name, good ? NULL : text, NULL);
	drafts_tell(en->run->dir, engine_emit, en);
	if (!good)
		return;
	(void)run_save(en->run, NULL);
	tell_value(en, name);
	recheck_value(en, name);
}

static void keep_secret(struct engine *en, const struct intent *in)
{
	const struct value *v = values_find(&en->run->values, in->name);
	struct err e = {0};

	if (!v || !v->secret ||
		token_keep(en->run->dir, strcmp(in->text, "on") == 0 ? v->value : NULL, &e))
		log_line("run", "%s is not kept: %s", in->name, e.what);
}

static void choose_reservation(struct engine *en, const struct intent *in)
{
	if (*in->text)
		set_value(en, "ZONE", in->text, VALUE_DISCOVERED);
	set_value(en, "RESERVATION", in->name, VALUE_DISCOVERED);
}

static void discover(struct engine *en, const struct intent *in)
{
	const struct recipe_variable *v = recipe_variable(en->run->recipe, in->name);
	bool again = strcmp(in->text, "again") == 0;

	if (v && v->discover && strcmp(v->discover, "reservation") == 0) {
		if (again || !en->state.reservations.at)
			reservations_ask(&en->reservations);
	} else {
		discover_ask(en->discover, in->name, again);
	}
}

static void set_deviation(struct engine *en, const struct intent *in)
{
	struct event ev = {.kind = EV_DEVIATION, .on = strcmp(in->text, "on") == 0};

	if (en->run->frozen ||
		deviation_switch(en->run->recipe, &en->run->deviations, in->name, ev.on, NULL) != 0)
		return;
	(void)run_save(en->run, NULL);
	ev.u.deviation.id = in->name;
	engine_emit(en, &ev);
	recheck_deviations(en);
}

static void confirm(char **slot, const char *typed)
{
	free(*slot);
	*slot = x_strdup(typed);
}

static void skip_stage(struct engine *en, const struct intent *in)
{
	struct event ev;

	if (in->stage == STAGE_NONE || en->phase != PHASE_IDLE)
		return;
	ev = event_stage(in->stage, MOVE_SKIP, en->state.stages[in->stage].attempt);
	ev.u.stage.note = in->text;
	engine_emit(en, &ev);
	if (en->state.go_on_alone && in->stage < STAGE_EXPORT)
		loop_defer(en->loop, engine_next, en);
}

static void acknowledge(struct engine *en, const char *id)
{
	for (size_t i = 0; i < en->state.alerts.n; i++) {
		struct state_alert a = en->state.alerts.items[i];
		struct event ev = {.kind = EV_ALERT};
		if (strcmp(a.id, id) != 0)
			continue;
		a.state = (char *)"acknowledged";
		ev.u.alert = &a;
		engine_emit(en, &ev);
		return;
	}
}

/* What is wanted of a stage. False: it is about something else. */
static bool act_on_stage(struct engine *en, const struct intent *in)
{
	switch (in->kind) {
	case INTENT_START:
	case INTENT_RETRY:
		begin_one(en, in->stage, in->stage == STAGE_NONE || has_seen(en, in));
		return true;
	case INTENT_SKIP:
		skip_stage(en, in);
		return true;
	case INTENT_CANCEL:
		stage_cancel(en, in);
		return true;
	case INTENT_KEEP:
		stage_keep(en, in);
		return true;
	case INTENT_UNDO:
		undo_begin(en, in->stage, in->text);
		return true;
	default:
		return false;
	}
}

void engine_act(struct engine *en, const struct intent *in)
{
	struct err e = {0};

	if (in->kind != INTENT_GO_ON && in->kind != INTENT_STOP_AFTER &&
		in->kind != INTENT_SET_VALUE && in->kind != INTENT_TAKE_VALUE &&
		in->kind != INTENT_DISCOVER)
		(void)journal_note(en->journal, "intent", in->stage, intent_word(in->kind), &e);
	if (act_on_stage(en, in))
		return;
	switch (in->kind) {
	case INTENT_SET_VALUE:
		set_value(en, in->name, in->text, VALUE_TYPED);
		break;
	case INTENT_TAKE_VALUE:
		set_value(en, in->name, in->text, VALUE_DISCOVERED);
		break;
	case INTENT_KEEP_SECRET:
		keep_secret(en, in);
		break;
	case INTENT_DISCOVER:
		discover(en, in);
		break;
	case INTENT_GO_ON:
	case INTENT_STOP_AFTER:
		set_mode(en, in->kind == INTENT_GO_ON);
		break;
	case INTENT_CONFIRM_CLEANUP:
		confirm(&en->confirm_cluster, in->text);
		if (engine_confirmed_cluster(en))
			begin_one(en, STAGE_CLEANUP, true);
		break;
	case INTENT_CONFIRM_BUCKET:
	case INTENT_KEEP_BUCKET:
		confirm(&en->confirm_bucket, in->kind == INTENT_KEEP_BUCKET ? "" : in->text);
		break;
	case INTENT_DEVIATION:
		set_deviation(en, in);
		break;
	case INTENT_ACK:
		acknowledge(en, in->text);
		break;
	case INTENT_CHOOSE_RESERVATION:
		choose_reservation(en, in);
		break;
	case INTENT_RERUN_CHECK:
		rerun_checks(en, in->text);
		break;
	case INTENT_FORGET_TOKEN:
		act_forget_token(en);
		break;
	case INTENT_STOP:
		engine_end(en, 0, NULL);
		break;
	default:
		break;
	}
}
