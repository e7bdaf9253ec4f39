/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/undo.h"

#include <string.h>

#include "core/base/text.h"

static const char *value(const struct state *s, const char *name)
{
	const struct state_value *v = state_value_find(s, name);

	return v && v->present ? v->value : "";
}

static bool at_work(const struct state *s)
{
	for (unsigned i = 0; i < STAGE_COUNT; i++)
		if (stage_state_works(s->stages[i].state))
			return true;
	return false;
}

/* The state of terraform lies in the folder of the toolkit: without it nothing can be destroyed. */
static bool deployed(const struct state *s)
{
	return s->stages[STAGE_CLUSTER].attempt > 0 && s->stages[STAGE_CLUSTER].state != ST_TODO &&
	       !stage_state_over(s->stages[STAGE_CLEANUP].state);
}

/* It is about a result that this run has found, not made. */
static bool undo_of_result(const struct state *s, enum stage_id id)
{
	const char *cause = s->stages[id].cause_id;

	return strcmp(cause, "recognised") == 0 || strcmp(cause, "other-result") == 0;
}

bool undo_failed(const struct state *s, enum stage_id id)
{
	return s->stages[id].state == ST_FAILED && s->stages[id].undo > 0;
}

bool undo_possible(
	const struct recipe *r, const struct state *s, enum stage_id id, const char **why)
{
	const struct recipe_stage *stage =
		id < STAGE_COUNT ? recipe_stage(r, stage_word(id)) : NULL;
	const char *no = NULL;

	if (!stage || !stage->undo.n)
		no = _("this stage has nothing to undo");
	else if (at_work(s))
		no = _("a stage runs: stop it first");
	else if (id == STAGE_CLUSTER && s->stages[id].attempt == 0)
		no = _("this run has not deployed it");
	else if (id == STAGE_TOOLKIT && deployed(s))
		no = _("the deployment is in this folder: clean up first");
	else if (s->stages[id].attempt == 0 && s->stages[id].undo == 0 &&
		 !stage_state_over(s->stages[id].state) && !undo_of_result(s, id))
		no = _("this stage has made nothing yet");
	if (why)
		*why = no ? no : "";
	return !no;
}

const char *undo_word(const struct recipe *r, const struct state *s, enum stage_id id)
{
	const struct recipe_stage *stage =
		id < STAGE_COUNT ? recipe_stage(r, stage_word(id)) : NULL;

	for (size_t i = 0; stage && i < stage->undo.n; i++) {
		const char *wanted = stage->undo.items[i].confirm_value;
		if (!wanted)
			continue;
		return strstr(wanted, "CLUSTER_NAME") ? value(s, "CLUSTER_NAME")
						      : value(s, "GCS_BUCKET");
	}
	/* A training keeps its tree. */
	return stage && stage->undo.n > 1 ? stage->tree : NULL;
}
