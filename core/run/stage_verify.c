/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the result of the stage there? A cloud that does not answer says neither yes nor no: it is
 * asked again for a while, and nothing is begun anew over it. Afterwards the stage has failed
 * without a verdict; its next try asks for the verdict alone.
 */
#include <string.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/run/engine_in.h"

#define VERIFY_EVERY_MS 30000        /* run time between two questions */
#define VERIFY_FOR_MS   (60 * 60000) /* run time; for so long the cloud may be away */
#define NOT_VERIFIED    "not-verified"

static void ask(void *arg);

static void on_answers(void *arg, struct fact_list *answers)
{
	struct engine *en = arg;
	const struct fact *failed = facts_failed(answers);

	en->facts = NULL;
	if (failed && !failed->known && clock_now() - en->verify_since < VERIFY_FOR_MS) {
		log_line("run", "stage %s is not verified yet: %s", stage_word(en->stage),
			failed->said);
		loop_timer_cancel(&en->look);
		en->look = loop_after(en->loop, VERIFY_EVERY_MS, ask, en);
		return;
	}
	en->verify_then(en, answers);
}

static void ask(void *arg)
{
	struct engine *en = arg;

	en->look = NULL;
	en->facts = facts_ask(&en->place, en->verify_what, false, on_answers, en);
}

void verify_ask(struct engine *en, const struct recipe_facts *what,
	void (*then)(struct engine *en, struct fact_list *answers))
{
	en->verify_what = what;
	en->verify_then = then;
	en->verify_since = clock_now();
	loop_timer_cancel(&en->look);
	ask(en);
}

void verify_not_known(struct engine *en, const struct fact *failed)
{
	AUTO_FREE char *cause = x_asprintf(_("the result could not be verified: %s"), failed->said);

	en->cause_id = NOT_VERIFIED;
	stage_failed(en, cause,
		_("when the cloud answers again, retry the stage: nothing is begun anew, its "
		  "result is asked for"));
}

bool verify_is_due(const struct state_stage *st)
{
	return st->state == ST_FAILED && strcmp(st->cause_id, NOT_VERIFIED) == 0;
}

/* How the end is known, where that is not as usual; NULL = it is. */
static const char *known_by(const struct engine *en, const struct fact_list *answers)
{
	const struct fact *done = facts_find(answers, "jobset-done");

	if (done && done->number > 0) /* exit codes that nobody can tell any more */
		return done->said;
	return en->adopted ? N_("adopted") : NULL;
}

static void judge(struct engine *en, struct fact_list *answers)
{
	const struct fact *failed = facts_failed(answers);
	AUTO_FREE char *cause = NULL;

	if (!failed && en->proven) {
		bucket_last(en);
	} else if (en->stage == STAGE_CLEANUP && (!failed || failed->known)) {
		prove_begin(en, !failed);
	} else if (!failed) {
		stage_done(en, known_by(en, answers));
	} else if (!failed->known) {
		verify_not_known(en, failed);
	} else if (en->lost && act_has_script(en)) {
		stage_fact_failed(en, failed, &cause);
		stage_lost(en, cause);
	} else {
		stage_fact_failed(en, failed, &cause);
		stage_failed(en, cause, *failed->cure ? failed->cure : NULL);
	}
}

void verify_begin(struct engine *en)
{
	engine_move(en, MOVE_VERIFY, NULL, NULL, NULL);
	verify_ask(en, &en->recipe->verify, judge);
}
