/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/run/state_form.h"
#include "core/run/state_free.h"

static const char *const stage_words[STAGE_COUNT] = {
#define X(name, word) [name] = (word),
	STAGE_IDS(X)
#undef X
};

static const char *const state_words[ST_COUNT] = {
#define X(name, word) [name] = (word),
	STAGE_STATES(X)
#undef X
};

const char *stage_word(enum stage_id id)
{
	return id < STAGE_COUNT ? stage_words[id] : "";
}

enum stage_id stage_from_word(const char *word)
{
	for (unsigned i = 0; word && i < STAGE_COUNT; i++)
		if (strcmp(word, stage_words[i]) == 0)
			return (enum stage_id)i;
	return STAGE_NONE;
}

const char *stage_state_word(enum stage_state st)
{
	return st < ST_COUNT ? state_words[st] : "unknown";
}

enum stage_state stage_state_from_word(const char *word)
{
	for (unsigned i = 0; word && i < ST_COUNT; i++)
		if (strcmp(word, state_words[i]) == 0)
			return (enum stage_state)i;
	return ST_COUNT;
}

bool stage_state_over(enum stage_state st)
{
	return st == ST_DONE || st == ST_SKIPPED;
}

bool stage_state_works(enum stage_state st)
{
	return st == ST_RUNNING || st == ST_VERIFYING;
}

bool stage_state_unended(enum stage_state st)
{
	return stage_state_works(st) || st == ST_UNKNOWN;
}

enum stage_id state_unended(const struct state *s)
{
	for (unsigned i = 0; i < STAGE_COUNT; i++)
		if (stage_state_unended(s->stages[i].state))
			return (enum stage_id)i;
	return STAGE_NONE;
}

void state_init(struct state *s)
{
	memset(s, 0, sizeof(*s));
	s->name = x_strdup("");
	s->recipe = x_strdup("");
	s->label = x_strdup("");
	s->host = x_strdup("");
	s->held = STAGE_NONE;
	s->question = x_strdup("");
	s->away.said = x_strdup("");
	s->away.cause = x_strdup("");
	s->exit_code = -1;
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		struct state_stage *st = &s->stages[i];
		st->id = (enum stage_id)i;
		st->exit_code = -1;
		st->progress.unit = x_strdup("");
		st->progress.text = x_strdup("");
		st->waiting = x_strdup("");
		st->note = x_strdup("");
		st->cause = x_strdup("");
		st->cause_id = x_strdup("");
		st->stop_why = x_strdup("");
		st->cure = x_strdup("");
	}
	s->jobset_name = x_strdup("");
	state_maps_init(s);
	checkpoint_list_init(&s->checkpoints, "");
}

static void stage_fini(struct state_stage *st)
{
	strvec_fini(&st->commands);
	strvec_fini(&st->output);
	free(st->progress.unit);
	free(st->progress.text);
	free(st->waiting);
	free(st->note);
	free(st->cause);
	strvec_fini(&st->undo_commands);
	free(st->cause_id);
	free(st->stop_why);
	free(st->cure);
}

void state_fini(struct state *s)
{
	free(s->name);
	free(s->recipe);
	free(s->label);
	free(s->host);
	free(s->question);
	free(s->away.said);
	free(s->away.cause);
	strvec_fini(&s->cleanup);
	strvec_fini(&s->token_files);
	for (size_t i = 0; i < s->values.n; i++) {
		free(s->values.items[i].name);
		free(s->values.items[i].value);
		free(s->values.items[i].origin);
	}
	free(s->values.items);
	for (size_t i = 0; i < s->deviations.n; i++)
		free(s->deviations.items[i].id);
	free(s->deviations.items);
	for (unsigned i = 0; i < STAGE_COUNT; i++)
		stage_fini(&s->stages[i]);
	free(s->jobset_name);
	free(s->past.terminal);
	if (s->jobset_there)
		jobset_fini(&s->jobset);
	jobset_queue_fini(&s->queue);
	map_fini(&s->pods);
	map_fini(&s->nodes);
	map_fini(&s->kevents);
	checkpoint_list_fini(&s->checkpoints);
	series_set_fini(&s->series);
	for (size_t i = 0; i < s->checks.n; i++)
		state_check_fini(&s->checks.items[i]);
	free(s->checks.items);
	state_reservations_fini(&s->reservations);
	state_form_fini(s);
	for (size_t i = 0; i < s->alerts.n; i++)
		state_alert_fini(&s->alerts.items[i]);
	free(s->alerts.items);
	memset(s, 0, sizeof(*s));
}

unsigned state_take_changed(struct state *s)
{
	unsigned bits = s->changed;

	s->changed = 0;
	return bits;
}

bool state_frozen(const struct state *s)
{
	for (int i = STAGE_CLUSTER; i < STAGE_COUNT; i++)
		if (s->stages[i].attempt > 0)
			return true;
	return false;
}

const struct state_value *state_value_find(const struct state *s, const char *name)
{
	for (size_t i = 0; i < s->values.n; i++)
		if (strcmp(s->values.items[i].name, name) == 0)
			return &s->values.items[i];
	return NULL;
}

const struct state_check *state_check_find(const struct state *s, const char *id)
{
	for (size_t i = 0; i < s->checks.n; i++)
		if (strcmp(s->checks.items[i].id, id) == 0)
			return &s->checks.items[i];
	return NULL;
}

const struct training *state_training(const struct state *s)
{
	return &s->work[STAGE_TRAIN];
}

double state_reward(const struct state *s)
{
	const struct series *rewards = series_find(&s->series, SERIES_REWARD);
	const struct series_point *last = rewards ? series_last(rewards) : NULL;

	return last ? last->value : (double)NAN;
}

int64_t state_safe_step(const struct state *s)
{
	return checkpoint_safe_step(&s->checkpoints, CHECKPOINT_TRAINED, NULL);
}

bool state_trees_known(const struct state *s)
{
	return s->checkpoints_asked || s->stages[STAGE_CONVERT].state == ST_TODO;
}

int state_pods_ready(const struct state *s, const char *role, int *want)
{
	int ready = 0, all = 0;
	const char *name;
	void *value;

	for (size_t i = 0; map_next(&s->pods, &i, &name, &value);) {
		const struct pod *pod = value;
		if (strcmp(pod->role, role) != 0)
			continue;
		all++;
		ready += pod->is_ready || strcmp(pod->phase, "Succeeded") == 0;
	}
	if (want)
		*want = all;
	return ready;
}

int state_container_restarts(const struct state *s)
{
	int restarts = 0;
	const char *name;
	void *value;

	for (size_t i = 0; map_next(&s->pods, &i, &name, &value);)
		restarts += ((const struct pod *)value)->restarts;
	return restarts;
}

int state_alerts_raised(const struct state *s)
{
	int n = 0;

	for (size_t i = 0; i < s->alerts.n; i++)
		n += strcmp(s->alerts.items[i].state, "raised") == 0;
	return n;
}

bool state_alert_raised(const struct state *s, const char *id)
{
	for (size_t i = 0; i < s->alerts.n; i++)
		if (strcmp(s->alerts.items[i].id, id) == 0)
			return strcmp(s->alerts.items[i].state, "raised") == 0;
	return false;
}

enum verdict state_verdict(const struct state *s, bool reachable, const char **why)
{
	struct verdict_input in = {.reachable = reachable, .alerts = state_alerts_raised(s)};

	in.engine_lost = state_alert_raised(s, ALERT_ENGINE_GONE) ||
			 state_alert_raised(s, ALERT_ENGINE_SILENT);

	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		in.has_run |= s->stages[i].state != ST_TODO;
		in.stage_failed |= s->stages[i].state == ST_FAILED;
		in.stage_cancelled |= s->stages[i].state == ST_CANCELLED;
		in.stage_blocked |= s->stages[i].state == ST_BLOCKED;
	}
	/* Clean-up is a choice of its own: a run is done with its export. */
	in.stages_done = stage_state_over(s->stages[STAGE_EXPORT].state);
	in.jobset_known = s->jobset_there;
	in.jobset_failed = s->jobset_there && s->phase == JOBSET_FAILED;
	/* Of a run it is one stage's, whose result has to be proved yet. */
	in.jobset_done = s->jobset_there && s->phase == JOBSET_DONE && !in.has_run;
	in.has_run |= s->jobset_there;
	return verdict_judge(&in, why);
}
