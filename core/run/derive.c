/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/derive.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"

#define START_QUIET_MS (15 * 60000) /* scale-up and image pull */

static bool put(char **slot, const char *text)
{
	if (strcmp(*slot, text) == 0)
		return false;
	free(*slot);
	*slot = x_strdup(text);
	return true;
}

static bool has_job(enum stage_id id)
{
	return id == STAGE_CONVERT || id == STAGE_TRAIN || id == STAGE_EXPORT;
}

static void words(const struct state *s, enum stage_id id, const char **text, int64_t *quiet)
{
	static const struct {
		const char *text;
		bool starting;
	} phases[JOBSET_PHASE_COUNT] = {
		[JOBSET_ABSENT] = {N_("the JobSet to appear"), false},
		[JOBSET_QUEUED] = {N_("Kueue to admit the job"), false},
		[JOBSET_HEAD_STARTING] =
			{N_("the head pod: its node scales up, its image is pulled"), true},
		[JOBSET_WORKERS_STARTING] = {N_("the workers: image pull and TPU start"), true},
		[JOBSET_RUNNING] = {N_("the job to finish; m shows it at work"), false},
		[JOBSET_DONE] = {N_("the last lines"), false},
		[JOBSET_FAILED] = {N_("the last lines"), false},
	};
	const struct training *t = &s->work[id];

	*text = phases[s->phase].text;
	if (phases[s->phase].starting)
		*quiet = s->phase_since + START_QUIET_MS;
	else if (s->phase == JOBSET_RUNNING && t->last_line)
		*quiet = t->last_line + training_quiet_ms(t);
}

/* A deploy or destroy says what it works on; the slow ones are known. */
static void deploy_words(const struct state_stage *st, const char **text, int64_t *quiet)
{
	static const struct {
		const char *in, *text;
		int64_t usual_ms;
	} slow[] = {
		{"pool", N_("a node pool usually takes 4 to 12 minutes"), 12 * 60000},
		{"container_cluster", N_("a cluster usually takes 6 to 12 minutes"), 12 * 60000},
		{"helm_release", N_("a chart usually takes 1 to 5 minutes"), 5 * 60000},
	};

	*text = N_("terraform");
	for (size_t i = st->progress.n_busy; i-- > 0;) {
		const struct deploy_busy *b = &st->progress.busy[i];
		for (size_t k = 0; k < COUNT(slow); k++) {
			if (!strstr(b->name, slow[k].in))
				continue;
			*text = slow[k].text;
			if (*quiet < b->since + slow[k].usual_ms)
				*quiet = b->since + slow[k].usual_ms;
			break;
		}
	}
}

static const char *stop_words(enum stage_id id)
{
	if (has_job(id))
		return N_("its job to be deleted");
	if (id == STAGE_CLUSTER || id == STAGE_CLEANUP)
		return N_("terraform to finish what it has begun, then it ends");
	return N_("the command to end");
}

bool derive_waiting(struct state *s)
{
	bool changed = false;

	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		struct state_stage *st = &s->stages[i];
		const char *text = "";
		int64_t quiet = 0;
		if (st->stop == STOP_ASKED)
			text = N_("second thoughts: it is stopped in a moment, if nobody takes it "
				  "back");
		else if (st->stop == STOP_SENT)
			text = stop_words(st->id);
		else if (st->state == ST_RUNNING && st->undo > 0)
			text = N_("the undo");
		else if (st->state == ST_VERIFYING)
			text = N_("the result is being verified");
		else if (st->state == ST_RUNNING && *st->cause)
			text = N_("the next try");
		else if (st->state == ST_RUNNING && has_job(st->id) && s->jobset_asked)
			words(s, st->id, &text, &quiet);
		else if (st->state == ST_RUNNING && st->progress.total > 0 &&
			 (st->id == STAGE_CLUSTER || st->id == STAGE_CLEANUP))
			deploy_words(st, &text, &quiet);
		else if (st->state == ST_RUNNING)
			text = N_("the command");
		changed |= put(&st->waiting, text);
		changed |= st->quiet_until != quiet;
		st->quiet_until = quiet;
	}
	return changed;
}

/* Blocked by something that a login cures, in whatever stage it came up. */
static bool wants_login(const struct state_stage *st)
{
	static const char *const causes[] = {"no-login", "login-expired", "login-reauth",
		"account-gone", "credentials-damaged", "credentials-file", "gcloud-account",
		"adc-token"};

	if (st->state != ST_BLOCKED && st->state != ST_FAILED)
		return false;
	for (size_t i = 0; i < COUNT(causes); i++)
		if (strcmp(st->cause_id, causes[i]) == 0)
			return true;
	return false;
}

bool derive_question(struct state *s)
{
	const char *question = "";

	if (s->current != STAGE_NONE && wants_login(&s->stages[s->current]))
		question = "login";
	else if (stage_state_over(s->stages[STAGE_CLUSTER].state) &&
		 s->stages[STAGE_CONVERT].state == ST_TODO &&
		 s->stages[STAGE_CLEANUP].state == ST_TODO && !s->mode_chosen)
		question = "go-on";
	else if (s->current == STAGE_CLEANUP && s->stages[STAGE_CLEANUP].state == ST_TODO)
		question = "confirm-cleanup";
	else if (s->held != STAGE_NONE && s->current != STAGE_NONE &&
		 s->stages[s->current].state == ST_TODO)
		question = "held";
	return put(&s->question, question);
}
