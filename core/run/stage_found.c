/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results that are there before the stage has done anything: offered where somebody can decide,
 * used where nobody is asked, and neither when they are the results of something else. A step of
 * others that a training would go on from is told before anything is submitted.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/cloud.h"
#include "core/fmt/time.h"
#include "core/run/engine_in.h"
#include "core/run/neighbour.h"
#include "core/run/same.h"

#define STEP_THERE "other-step" /* cause: it would go on from a step of others */
#define RUNS_TOLD  3
#define LATE_MS    (10 * 60000) /* what a job that has ended may still write */

/* Who is there decides about a result that took long to make: it may be of another run. */
static bool offers(const struct engine *en)
{
	return !en->opts.to_end && !en->state.go_on_alone &&
	       (en->recipe->jobset || en->stage == STAGE_CLUSTER);
}

/* said: what was found; more: how it was compared. */
static void use(struct engine *en, const char *said, const char *more)
{
	AUTO_FREE char *text =
		x_asprintf("%s%s%s%s%s", _("recognised: the result is already there"),
			*said ? ": " : "", said, *more ? "; " : "", more);

	if (stage_state_over(en->state.stages[en->stage].state)) {
		engine_stage_over(en); /* asked again, and still so */
		return;
	}
	if (!offers(en)) {
		stage_skipped(en, text);
		return;
	}
	en->cause_id = "recognised";
	stage_blocked(en, text, _("use it, or undo the stage to have it made anew"), ERR_BLOCKED);
}

static bool undo_deletes(const struct engine *en)
{
	for (size_t i = 0; i < en->recipe->undo_verify.n; i++)
		if (strcmp(en->recipe->undo_verify.items[i].id, "tree-absent") == 0)
			return true;
	return false;
}

static void refuse(struct engine *en, const struct origin_told *told)
{
	AUTO_FREE char *differs = same_text(&told->differs);
	AUTO_FREE char *cause = x_asprintf(
		"%s: %s; %s", _("the result of something else is there"), differs, told->uri);
	AUTO_FREE char *cure =
		undo_deletes(en)
			? x_strdup(
				  _("undo the stage: that deletes it; or choose another bucket; or "
				    "skip the stage to use it all the same"))
			: x_asprintf(_("gcloud storage rm -r %s deletes it; or choose another "
				       "bucket; or skip the stage to use it all the same"),
				  told->uri);

	en->cause_id = "other-result";
	stage_blocked(en, cause, cure, ERR_BLOCKED);
}

static void on_origin(void *arg, const struct origin_told *told)
{
	struct engine *en = arg;
	AUTO_FREE char *how = origin_text(told);

	en->origin = NULL;
	if (told->differs.n)
		refuse(en, told);
	else
		use(en, told->uri, how);
}

/* The step that the stage makes, as the recipe asks for it; -1 = any. */
static int64_t wanted_step(const struct engine *en)
{
	const struct recipe_facts *l = &en->recipe->existing;
	AUTO(buf_fini) struct buf text = {0};
	int64_t step = -1;

	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->items[i].args.n; k++)
			if (strcmp(l->items[i].args.items[k].name, "at_least") == 0 &&
				values_expand_fact(&en->run->values, en->run->recipe,
					l->items[i].args.items[k].value, &text, NULL) == 0)
				(void)text_to_i64(buf_str(&text), 1, INT64_MAX, &step);
	return step;
}

/* This run has made it and is asked for it again. */
static bool made_by_us(const struct engine *en)
{
	const struct state_stage *st = &en->state.stages[en->stage];

	return st->state == ST_DONE && st->attempt > 0;
}

void found_result(struct engine *en, const struct fact_list *answers)
{
	const struct fact *step = facts_find(answers, "newest-step");

	if (en->recipe->tree && !made_by_us(en))
		en->origin = origin_ask(&en->place, en->recipe, step ? step->number : -1,
			wanted_step(en), on_origin, en);
	else
		use(en, answers->items[answers->n - 1].said, "");
}

/* --- a step that the job would go on from */

/* Is the stage begun by who has read these words? They are the same each time. */
static bool chosen(const struct engine *en, const char *what)
{
	return en->wanted && strcmp(en->left_cause, STEP_THERE) == 0 &&
	       text_starts(en->state.stages[en->stage].cause, what);
}

static char *step_text(const struct engine *en, const struct origin_told *told)
{
	char when[TIME_SIZE];

	return x_asprintf(
		_("a training of others has left step %lld there, and this one would go on from "
		  "it: %s%lld/, written %s"),
		(long long)en->step_there, told->uri, (long long)en->step_there,
		told->written_ms ? time_format(told->written_ms, when) : "?");
}

static void add_runs(const struct engine *en, struct buf *out)
{
	AUTO(strvec_fini) struct strvec runs = {0};
	AUTO(buf_fini) struct buf names = {0};

	neighbour_bucket(en->run->dir, engine_value(en, "GCS_BUCKET"), &runs);
	for (size_t i = 0; i < runs.n && i < RUNS_TOLD; i++)
		buf_addf(&names, "%s%s", i ? ", " : "", runs.items[i]);
	buf_adds(out, "; ");
	if (runs.n)
		buf_addf(out, _("other runs that use this bucket: %s"), buf_str(&names));
	else
		buf_adds(out, _("no other run of this machine uses this bucket"));
}

/* Goes on when that has been chosen, else waits for somebody who does. */
static void ask_whether(
	struct engine *en, const struct origin_told *told, const char *what, const char *cure)
{
	AUTO_FREE char *differs = same_text(&told->differs);
	AUTO(buf_fini) struct buf cause = {0};

	if (chosen(en, what)) {
		stage_say(en, what);
		stage_gate_held(en);
		return;
	}
	buf_adds(&cause, what);
	add_runs(en, &cause);
	if (*differs)
		buf_addf(&cause, "; %s", differs);
	stage_say_choice(en);
	en->cause_id = STEP_THERE;
	stage_blocked(en, buf_str(&cause), cure, ERR_BLOCKED);
}

static void on_step(void *arg, const struct origin_told *told)
{
	struct engine *en = arg;
	AUTO_FREE char *what = step_text(en, told);
	AUTO_FREE char *cure = x_asprintf(
		_("begin the stage again: then it goes on from step %lld; or delete that first: "
		  "gcloud storage rm -r %s; or choose another bucket"),
		(long long)en->step_there, told->uri);

	en->origin = NULL;
	ask_whether(en, told, what, cure);
}

void found_step(struct engine *en)
{
	en->origin = origin_ask(&en->place, en->recipe, en->step_there, -1, on_step, en);
}

/* --- a step that others have written since this run's own training ended */

static int64_t trained_until(const struct engine *en)
{
	return en->state.stages[STAGE_TRAIN].worked_until;
}

static void on_since(void *arg, const struct origin_told *told)
{
	struct engine *en = arg;
	long long step = en->step_there;
	char written[TIME_SIZE], ended[TIME_SIZE];
	AUTO_FREE char *what = NULL;
	AUTO_FREE char *cure = NULL;

	en->origin = NULL;
	/* The bucket's clock and ours may differ. */
	if (told->written_ms - cloud_clock_skew(en->cloud) <= trained_until(en) + LATE_MS) {
		stage_gate_held(en);
		return;
	}
	what = x_asprintf(_("step %lld was written %s, after this run's training had ended (%s): "
			    "it may be of others; the stage would use it: %s%lld/"),
		step, time_format(told->written_ms, written), time_format(trained_until(en), ended),
		told->uri, step);
	cure = x_asprintf(_("begin the stage again: then step %lld is used; or delete it first: "
			    "gcloud storage rm -r %s%lld/"),
		step, told->uri, step);
	ask_whether(en, told, what, cure);
}

static void on_newest(void *arg, struct fact_list *answers)
{
	struct engine *en = arg;
	const struct fact *step = facts_find(answers, "newest-step");
	AUTO_FREE char *cause = NULL;

	en->facts = NULL;
	if (step && !step->known) {
		stage_fact_failed(en, step, &cause);
		stage_blocked(en, cause, *step->cure ? step->cure : NULL, gate_code(step));
		return;
	}
	en->step_there = step ? step->number : -1;
	if (en->step_there < 0) {
		stage_gate_held(en);
		return;
	}
	en->origin = origin_ask(&en->place, recipe_stage(en->run->recipe, stage_word(STAGE_TRAIN)),
		en->step_there, -1, on_since, en);
}

void found_since(struct engine *en)
{
	const struct recipe_stage *train = recipe_stage(en->run->recipe, stage_word(STAGE_TRAIN));
	bool due = en->stage == STAGE_TRAIN
			   ? en->retry
			   : en->stage == STAGE_EXPORT &&
				     en->state.stages[STAGE_TRAIN].state == ST_DONE;

	if (due && trained_until(en) && train && train->existing.n)
		en->facts = facts_ask(&en->place, &train->existing, false, on_newest, en);
	else
		stage_gate_held(en);
}
