/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A further try of a stage: what the last one left in the way (a JobSet of the name, a node pool in
 * ERROR, an incomplete tree) is looked for and removed first, if this run made it. Causes that pass
 * by themselves are waited for.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/gke.h"
#include "core/cloud/jobset.h"
#include "core/cloud/kube.h"
#include "core/run/engine_in.h"
#include "core/run/proof.h"
#include "core/run/same.h"
#include "core/run/tfstate.h"
#include "core/run/trouble.h"
#include "core/run/why.h"

#define LOOK_MS      10000 /* run time between two looks at what is being removed */
#define LOOKS_MAX    90
#define PASSES_MS    60000 /* before the first further try, doubled with each */
#define PASSES_TRIES 3

#define JOB_OVER "jobset-over" /* cause: an ended JobSet of the name is in the way */

static void note(struct engine *en, const char *text)
{
	struct err e = {0};

	log_line("run", "stage %s: %s", stage_word(en->stage), text);
	if (journal_note(en->journal, "stage-gate", en->stage, text, &e) != 0)
		engine_end(en, err_exit_code(e.code), &e);
}

static void look_later(struct engine *en, void (*fn)(void *engine))
{
	loop_timer_cancel(&en->look);
	en->look = loop_after(en->loop, LOOK_MS, fn, en);
}

/* --- a JobSet of the name */

static void gate_again(void *arg)
{
	struct engine *en = arg;

	en->look = NULL;
	stage_gate(en);
}

static void on_deleted(void *arg, json_t *reply, const struct err *e)
{
	struct engine *en = arg;

	(void)reply;
	if (e && e->http != 404)
		log_line("run", "the JobSet of the last try could not be deleted: %s", e->what);
	look_later(en, gate_again);
}

static void delete_job(struct engine *en)
{
	AUTO_FREE char *path = jobset_path("default", en->recipe->jobset);

	kube_call(cluster_kube(en->cluster), "DELETE", path, NULL,
		(struct cloud_done){on_deleted, en});
}

/* In what it differs from what would be submitted, the caller's; NULL = in nothing known. */
static char *other_job(struct engine *en, const struct fact_job *job)
{
	AUTO_FREE char *here =
		same_command(en->run->recipe, &en->run->values, en->run->deviations, en->recipe);
	struct same s = {0};
	char *text = NULL;

	same_job(job->args, job->image, here, &en->run->values, &s);
	if (s.differs.n)
		text = same_text(&s.differs);
	same_fini(&s);
	return text;
}

/* An ended one has nothing to lose but the logs of its pods, and the person was told so. */
static bool may_delete(const struct engine *en, const struct fact_job *job)
{
	if (!job->ours || !cluster_kube(en->cluster))
		return false;
	if (strcmp(en->left_cause, JOB_OVER) == 0)
		return job->over && en->wanted;
	return en->retry && (job->over || trouble_stops(en->left_cause));
}

static void blocked_by_job(struct engine *en, const struct fact *there, const char *differs)
{
	AUTO_FREE char *cause =
		differs ? x_asprintf("%s; %s: %s", there->said, _("it has other values"), differs)
			: x_strdup(there->said);
	bool over = there->job.ours && there->job.over;

	if (over)
		stage_say_choice(en);
	en->cause_id = over ? JOB_OVER : there->cause_id;
	stage_blocked(en, cause,
		over ? _("try again: then it is deleted first; it has ended, only the logs of its "
			 "pods go")
		     : there->cure,
		ERR_BLOCKED);
}

static void clear_job(struct engine *en, bool leaving)
{
	if (en->left_looks == 1)
		note(en, leaving ? _("the JobSet of this name is being deleted: waited for")
				 : _("the JobSet that the last try left is deleted"));
	if (leaving)
		look_later(en, gate_again);
	else
		delete_job(en);
}

enum left_job left_jobset(struct engine *en, const struct fact *there)
{
	const struct fact_job *job = &there->job;
	AUTO_FREE char *differs = job->there ? other_job(en, job) : NULL;

	if (!job->there)
		return LEFT_NO_JOB;
	if ((job->leaving || may_delete(en, job)) && en->left_looks++ < LOOKS_MAX) {
		clear_job(en, job->leaving);
		return LEFT_GOES;
	}
	if (job->ours && !job->over && !job->leaving && !differs)
		return LEFT_FOLLOW;
	blocked_by_job(en, there, differs);
	return LEFT_BLOCKS;
}

/* --- node pools in ERROR */

static void look_at_pools(void *arg);

static void on_pool_deleted(void *arg, json_t *reply, const struct err *e)
{
	(void)arg;
	(void)reply;
	if (e)
		log_line("run", "the node pool could not be deleted: %s", e->what);
}

/* Is the cluster this run's own, by the kept copies of terraform's state? */
static bool own_cluster(const struct engine *en)
{
	struct proof_place at = {engine_value(en, "PROJECT"), engine_value(en, "REGION"),
		engine_value(en, "CLUSTER_NAME")};
	AUTO_FREE char *made = tfstate_cluster(en->run->dir);
	AUTO_FREE char *wanted = proof_cluster(&at);

	return made && strcmp(made, wanted) == 0;
}

static void delete_pool(struct engine *en, const char *name)
{
	AUTO_FREE char *text = x_asprintf(
		_("the node pool %s is in ERROR since the last try and is deleted"), name);

	note(en, text);
	gke_node_pool_delete(en->cloud, engine_value(en, "PROJECT"), engine_value(en, "REGION"),
		engine_value(en, "CLUSTER_NAME"), name, (struct cloud_done){on_pool_deleted, en});
}

static void keep_pool(struct engine *en, const char *name)
{
	AUTO_FREE char *text =
		x_asprintf(_("the node pool %s is in ERROR, but this run has not made its cluster: "
			     "it is left as it is"),
			name);

	note(en, text);
	stage_say(en, text);
}

static void on_pools(void *arg, json_t *reply, const struct err *e)
{
	struct engine *en = arg;
	bool own = own_cluster(en), busy = false;
	size_t i;
	json_t *pool;

	if (e && e->http != 404)
		log_line("run", "node pools are not told: %s", e->what);
	json_array_foreach(json_path(reply, "nodePools"), i, pool)
	{
		const char *status = json_path_str_or(pool, "status", "");
		bool error = strcmp(status, "ERROR") == 0;

		if (error)
			(own ? delete_pool : keep_pool)(en, json_path_str_or(pool, "name", ""));
		/* One that is still being made would be in the way of the next try as well. */
		busy |= (error && own) || strcmp(status, "STOPPING") == 0 ||
			strcmp(status, "PROVISIONING") == 0;
	}
	if (busy && en->left_looks++ < LOOKS_MAX)
		look_later(en, look_at_pools);
	else
		stage_gate_held(en);
}

static void look_at_pools(void *arg)
{
	struct engine *en = arg;

	en->look = NULL;
	gke_node_pools(en->cloud, engine_value(en, "PROJECT"), engine_value(en, "REGION"),
		engine_value(en, "CLUSTER_NAME"), (struct cloud_done){on_pools, en});
}

/* --- an incomplete tree; the training goes on from its newest checkpoint by itself */

static void on_tree(void *arg, struct fact_list *answers)
{
	struct engine *en = arg;
	const struct fact *failed = facts_failed(answers);

	en->facts = NULL;
	en->left_tree = failed && failed->known;
	if (en->left_tree)
		note(en, _("an incomplete tree of the last try is deleted first"));
	found_since(en);
}

void left_look(struct engine *en)
{
	if (en->retry && en->stage == STAGE_CLUSTER)
		look_at_pools(en);
	else if (en->retry && en->recipe->existing.n &&
		 (en->stage == STAGE_CONVERT || en->stage == STAGE_EXPORT))
		en->facts = facts_ask(&en->place, &en->recipe->existing, false, on_tree, en);
	else if (en->step_there >= 0)
		found_step(en);
	else
		found_since(en);
}

/* --- causes that pass */

static void try_again(void *arg)
{
	struct engine *en = arg;

	en->look = NULL;
	stage_again(en, _("again: what was in the way passes by itself"));
}

/* Whoever looks sees why nothing happens, and that it goes on. */
static void tell_wait(struct engine *en, const struct why *w, int code, int64_t ms)
{
	struct event ev = event_stage(en->stage, MOVE_EXIT, en->attempt);
	int minutes = (int)(ms / 60000);
	AUTO_FREE char *cure =
		w->cure ? x_asprintf(_("it is tried again by itself after %d min; if that does not "
				       "help: %s"),
				  minutes, w->cure)
			: x_asprintf(_("it is tried again by itself after %d min"), minutes);
	AUTO_FREE char *line = x_asprintf("%s (%s)", w->cause, cure);

	ev.u.stage.exit = code;
	ev.u.stage.cause = w->cause;
	ev.u.stage.cause_id = w->id;
	ev.u.stage.cure = cure;
	stage_say(en, line);
	engine_emit(en, &ev);
}

bool left_passes(struct engine *en, const struct why *w, int code)
{
	int64_t ms;

	if (!trouble_passes(w->id) || en->passes >= PASSES_TRIES)
		return false;
	ms = PASSES_MS << en->passes++;
	en->phase = PHASE_WAIT;
	loop_timer_cancel(&en->look);
	en->look = loop_after(en->loop, ms, try_again, en);
	tell_wait(en, w, code, ms);
	return true;
}

/* --- a JobSet that is gone: removed after its time, or by somebody (R88) */

static void on_results(struct engine *en, struct fact_list *answers)
{
	const struct fact *failed = facts_failed(answers);

	if (!failed) {
		stage_done(en, _("the JobSet is gone; the bucket holds the whole result"));
		return;
	}
	if (!failed->known) {
		verify_not_known(en, failed);
		return;
	}
	en->cause_id = "jobset-gone";
	if (cluster_gone(en->cluster))
		stage_failed(en,
			_("the cluster does not exist any more, and the result is not complete"),
			_("run the stage cluster again, then this one"));
	else
		stage_failed(en, _("the JobSet disappeared before its result was complete"),
			_("retry the stage"));
}

/* What the verification leaves out because the job's good end vouches for it (a training that ended
 * early is whole too) has no witness any more: the whole result is asked for. */
void left_results(struct engine *en)
{
	const struct recipe_facts *whole = &en->recipe->existing;

	en->phase = PHASE_VERIFY;
	loop_timer_cancel(&en->look);
	free(en->results.items);
	en->results = (struct recipe_facts){
		.items = x_calloc(en->recipe->verify.n + 1, sizeof(*en->results.items))};
	for (size_t i = 0; i < en->recipe->verify.n; i++)
		if (strcmp(en->recipe->verify.items[i].id, "jobset-done") != 0)
			en->results.items[en->results.n++] = en->recipe->verify.items[i];
	verify_ask(en, whole->n ? whole : &en->results, on_results);
}
