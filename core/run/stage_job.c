/* SPDX-License-Identifier: Apache-2.0 */
/* A stage whose work is a JobSet: its end by the API, its logs on disk, its curves. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/jobset.h"
#include "core/cloud/kube.h"
#include "core/run/engine_in.h"
#include "core/run/trouble.h"
#include "core/run/why.h"

#define JOB_LOOK_MS        500         /* wall; changes are seen at once */
#define JOB_ABSENT_MS      (5 * 60000) /* run time: an applied JobSet shows by then */
#define JOB_ABSENT_WALL_MS 3000
#define JOB_LOST_WALL_MS   1000        /* after a submit that failed or was lost */
#define STUCK_GAP_MS       (2 * 60000) /* run time: a trouble away for so long is over */
#define SETTLE_WALL_MS     5000        /* for last lines and points */

static void look_at_job(void *arg);
static void look_again(void *arg);
static void look_deferred(void *arg);

static void open_curves(struct engine *en)
{
	struct curves_spec spec = {.cloud = en->cloud,
		.recipe = en->run->recipe,
		.values = &en->run->values,
		.emit = engine_emit,
		.arg = en};

	if (en->stage == STAGE_TRAIN && !en->curves)
		en->curves = curves_open(&spec);
}

void job_begin(struct engine *en)
{
	en->job_since = clock_now();
	en->job_since_wall = clock_wall();
	en->settle_since = 0;
	engine_need_cluster(en);
	cluster_jobset(en->cluster, en->recipe->jobset);
	open_curves(en);
	look_at_job(en);
}

/* There is no JobSet: not yet, no more, or never. */
static void job_absent(struct engine *en)
{
	int64_t wall = clock_wall() - en->job_since_wall;

	if (cluster_gone(en->cluster)) {
		left_results(en);
		return;
	}
	if (!cluster_live(en->cluster) || !en->state.jobset_asked)
		return;
	if (en->job_seen)
		left_results(en);
	else if (en->lost && wall > JOB_LOST_WALL_MS && en->script_code > 0)
		stage_script_failed(en, en->script_code);
	else if (en->lost && wall > JOB_LOST_WALL_MS && act_has_script(en))
		stage_lost(en, _("there is no JobSet"));
	else if (clock_now() - en->job_since > JOB_ABSENT_MS && wall > JOB_ABSENT_WALL_MS)
		left_results(en);
}

/* Something keeps the JobSet from working: waited for as long as it may end, then the stage is
 * stopped with its cause. The JobSet stays, to be looked at; the next try removes it. */
static bool stuck(struct engine *en)
{
	struct trouble t;
	int64_t now = clock_now();
	AUTO_FREE char *cure = NULL;

	if (!trouble_find(&en->state, &t) || !t.patience_ms) {
		if (now - en->stuck_seen > STUCK_GAP_MS)
			en->stuck_cause = NULL;
		return false;
	}
	if (!en->stuck_cause || strcmp(en->stuck_cause, t.hit.cause->id) != 0)
		en->stuck_since = now;
	en->stuck_cause = t.hit.cause->id;
	en->stuck_seen = now;
	if (now - en->stuck_since < t.patience_ms)
		return false;
	why_words(&t.hit, &en->run->values, en->recipe->jobset);
	cure = cause_cure(&t.hit);
	en->cause_id = t.hit.cause->id;
	stage_failed(en, t.text, cure);
	return true;
}

static void look_at_job(void *arg)
{
	struct engine *en = arg;

	if (en->phase != PHASE_JOB) /* the timer is another phase's now */
		return;
	loop_timer_cancel(&en->look);
	logs_open(en);
	en->job_seen |= en->state.jobset_there;
	if (en->state.jobset_there && jobset_ended(en->state.phase)) {
		stage_job_over(en);
		return;
	}
	if (stuck(en))
		return;
	en->look = loop_after_wall(en->loop, JOB_LOOK_MS, look_again, en);
	if (!en->state.jobset_there || cluster_gone(en->cluster))
		job_absent(en);
}

static void look_again(void *arg)
{
	struct engine *en = arg;

	en->look = NULL;
	look_at_job(en);
}

static void look_deferred(void *arg)
{
	struct engine *en = arg;

	en->look_due = false;
	look_at_job(en);
}

/* Pods and phases come as events: what they mean is looked at in the same turn. */
void job_event(struct engine *en, const struct event *ev)
{
	if (ev->kind == EV_POD && (en->phase == PHASE_JOB || en->phase == PHASE_SCRIPT))
		logs_open(en);
	if ((ev->kind == EV_POD || ev->kind == EV_JOBSET) && en->phase == PHASE_JOB &&
		!en->look_due) {
		en->look_due = true;
		loop_defer(en->loop, look_deferred, en);
	}
}

static void on_curves(void *arg)
{
	struct engine *en = arg;

	en->curves_done = true;
}

/* The log first when it told the end, then the pods; else whatever the log said. */
static void why_failed(struct engine *en)
{
	const struct training *t = &en->state.work[en->stage];
	const struct cause *known = t->cause ? cause_by_id(t->cause) : NULL;
	char said[TROUBLE_TEXT];
	const char *of_pods = known && known->fatal ? NULL : trouble_of_pods(&en->state, said);
	struct why w = why_job(en->state.jobset.message, of_pods ? said : t->error, of_pods,
		&en->run->values, en->recipe->jobset);

	en->cause_id = w.id;
	stage_failed(en, w.cause, w.cure);
	why_fini(&w);
}

/* The trees as they are after the end: an answer that was under way does not count. */
static bool trees_seen(struct engine *en)
{
	if (en->trees)
		return false;
	if (en->trees_asked)
		return true;
	en->trees_asked = true;
	job_ask_trees(en);
	return false;
}

static void settle(void *arg)
{
	struct engine *en = arg;
	bool late = clock_wall() - en->settle_since > SETTLE_WALL_MS;

	en->look = NULL;
	if (!late && (!logs_read(en) || (en->curves && !en->curves_done) || !trees_seen(en))) {
		en->look = loop_after_wall(en->loop, LOOP_MIN_MS, settle, en);
		return;
	}
	if (en->state.phase == JOBSET_FAILED) {
		why_failed(en);
		return;
	}
	en->phase = PHASE_AFTER;
	stage_job_settled(en);
}

void job_settle(struct engine *en)
{
	en->settle_since = clock_wall();
	en->curves_done = en->trees_asked = false;
	logs_open(en);
	if (en->curves)
		curves_finish(en->curves, on_curves, en);
	settle(en);
}

void job_leave(struct engine *en)
{
	logs_leave(en);
	curves_close(&en->curves);
}

static void on_deleted(void *arg, json_t *reply, const struct err *e)
{
	struct engine *en = arg;
	void (*then)(struct engine *) = en->after_delete;

	(void)reply;
	if (e && e->http != 404) {
		log_line("run", "the JobSet could not be deleted: %s", e->what);
		en->left_job = true;
	}
	en->after_delete = NULL;
	if (then && !en->ending)
		then(en);
}

/* The name may be another's by now: nobody's work is ended over that. */
static void on_found(void *arg, json_t *reply, const struct err *e)
{
	struct engine *en = arg;
	struct kube *k = cluster_kube(en->cluster);
	AUTO_FREE char *path = NULL;
	struct jobset js;
	bool ours = true;

	if (e || !k || !en->recipe) {
		on_deleted(en, NULL, e);
		return;
	}
	path = jobset_path("default", en->recipe->jobset);
	if (jobset_decode(&js, reply)) {
		ours = jobset_is_of(&js, engine_value(en, "GCS_BUCKET"));
		jobset_fini(&js);
	}
	en->others_job = !ours;
	if (ours)
		kube_call(k, "DELETE", path, NULL, (struct cloud_done){on_deleted, en});
	else
		on_deleted(en, NULL, NULL);
}

bool job_delete(struct engine *en, void (*then)(struct engine *en))
{
	if (!en->recipe->jobset || !cluster_kube(en->cluster))
		return false;
	loop_timer_cancel(&en->look);
	en->after_delete = then;
	en->others_job = false;
	jobset_get(cluster_kube(en->cluster), "default", en->recipe->jobset,
		(struct cloud_done){on_found, en});
	return true;
}

static void on_trees(void *arg, struct checkpoint_list *list, const struct err *e)
{
	struct engine *en = arg;
	struct event ev = {.kind = EV_CHECKPOINTS};
	struct event beat = {.kind = EV_HEART, .number = HEART_API};

	en->trees = NULL;
	if (e)
		return;
	ev.u.checkpoints = list;
	engine_emit(en, &ev);
	engine_emit(en, &beat);
}

void job_ask_trees(struct engine *en)
{
	struct trees_spec spec = {.cloud = en->cloud,
		.recipe = en->run->recipe,
		.values = &en->run->values,
		.state = &en->state,
		.fn = on_trees,
		.arg = en};

	if (!en->trees && en->stage != STAGE_NONE && en->stage >= STAGE_CONVERT)
		en->trees = trees_ask(&spec);
}
