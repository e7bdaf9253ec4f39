/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/alerts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/cause.h"
#include "core/run/trouble.h"

#define ALERT_TEXT     400
#define HANG_MINUTES   15
#define POOL_IDLE_MINUTES 15
#define UNREACHABLE_MS ((int64_t)5 * 60000)

struct rule {
	const char *id;
	/* True while it holds; text gets what is to be said. */
	bool (*holds)(const struct state *s, char text[ALERT_TEXT]);
};

static bool working(const struct state *s, enum stage_id id)
{
	return s->stages[id].state == ST_RUNNING && s->jobset_there &&
	       s->phase == JOBSET_RUNNING;
}

static bool jobset_failed(const struct state *s, char text[ALERT_TEXT])
{
	(void)snprintf(text, ALERT_TEXT, _("the JobSet %s has failed: %s"), s->jobset_name,
		       s->jobset_there ? s->jobset.message : "");
	return s->jobset_there && s->phase == JOBSET_FAILED;
}

static bool restarts(const struct state *s, char text[ALERT_TEXT])
{
	int n = state_container_restarts(s);

	(void)snprintf(text, ALERT_TEXT, _("containers have restarted %d times"), n);
	return n > 0;
}

/* What it means, then the line itself. */
static void tell_error(const char *line, char text[ALERT_TEXT])
{
	struct cause_hit hit;
	AUTO_FREE char *meaning = NULL;

	(void)cause_find(&hit, line, strlen(line));
	meaning = cause_meaning(&hit);
	(void)snprintf(text, ALERT_TEXT, "%s%s%s", meaning, *meaning ? ": " : "", line);
}

static bool log_error(const struct state *s, char text[ALERT_TEXT])
{
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		if (!working(s, (enum stage_id)i) || !s->work[i].cause || !*s->work[i].error)
			continue;
		tell_error(s->work[i].error, text);
		return true;
	}
	return false;
}

static bool loss_not_finite(const struct state *s, char text[ALERT_TEXT])
{
	const struct series *loss = series_find(&s->series, SERIES_LOSS);
	const struct series_point *last = loss ? series_last(loss) : NULL;

	if (!last || isfinite(last->value))
		return false;
	(void)snprintf(text, ALERT_TEXT, _("the training loss is not a number at step %lld"),
		       (long long)last->step);
	return true;
}

static bool nodes_missing(const struct state *s, char text[ALERT_TEXT])
{
	(void)snprintf(text, ALERT_TEXT, _("only %d of %d TPU nodes are ready"),
		       s->tpu_nodes_ready, s->tpu_nodes);
	return working(s, STAGE_TRAIN) && s->tpu_nodes > 0 && s->tpu_nodes_ready < s->tpu_nodes;
}

static bool silence(const struct state *s, char text[ALERT_TEXT])
{
	const struct training *t = state_training(s);
	int64_t quiet = training_quiet_ms(t);

	if (!working(s, STAGE_TRAIN) || !t->last_line || clock_now() - t->last_line <= 2 * quiet)
		return false;
	(void)snprintf(text, ALERT_TEXT, _("no log line for more than %lld minutes"),
		       (long long)(2 * quiet / 60000));
	return true;
}

/* --- what keeps the JobSet from working */

static bool troubled(const struct state *s, const char *alert, char text[ALERT_TEXT])
{
	struct trouble t;

	if (!trouble_find(s, &t) || strcmp(t.alert, alert) != 0)
		return false;
	(void)snprintf(text, ALERT_TEXT, "%s", t.text);
	return true;
}

static bool queue_waits(const struct state *s, char text[ALERT_TEXT])
{
	return troubled(s, "queue-waits", text);
}

static bool head_pending(const struct state *s, char text[ALERT_TEXT])
{
	return troubled(s, "head-pending", text);
}

static bool image_pull(const struct state *s, char text[ALERT_TEXT])
{
	return troubled(s, "image-pull", text);
}

static bool no_workers(const struct state *s, char text[ALERT_TEXT])
{
	return troubled(s, "no-workers", text);
}

/* A transfer may stop without a word; progress is the only sign. */
static bool may_hang(const struct state *s, char text[ALERT_TEXT])
{
	const struct training *t = &s->work[STAGE_CONVERT];

	(void)snprintf(text, ALERT_TEXT,
		       _("no log line of the conversion for %d minutes: the download may hang; "
			 "HF_HUB_DISABLE_XET=1 in the pod's environment has helped others"),
		       HANG_MINUTES);
	return working(s, STAGE_CONVERT) && t->last_line && !t->finished &&
	       clock_now() - t->last_line > HANG_MINUTES * (int64_t)60000;
}

static bool maintenance(const struct state *s, char text[ALERT_TEXT])
{
	long long safe = (long long)state_safe_step(s);
	const char *name;
	void *node;
	int n = 0;

	for (size_t i = 0; map_next(&s->nodes, &i, &name, &node);)
		n += node_is_tpu(node) && ((const struct node *)node)->maintenance;
	if (safe < 0)
		(void)snprintf(text, ALERT_TEXT,
			       _("%d TPU hosts are under maintenance: the whole slice stops; no "
				 "checkpoint is safe yet"),
			       n);
	else
		(void)snprintf(text, ALERT_TEXT,
			       _("%d TPU hosts are under maintenance: the whole slice stops; step "
				 "%lld is safe"),
			       n, safe);
	return n > 0;
}

/* Refused or timed out: the job usually keeps running, what is shown is old. */
static bool unreachable(const struct state *s, char text[ALERT_TEXT])
{
	int64_t beat = s->heartbeats[HEART_WATCH], away = clock_now() - beat;

	(void)snprintf(text, ALERT_TEXT,
		       _("the cluster has not answered for %lld minutes; the job usually keeps running"),
		       (long long)(away / 60000));
	return s->jobset_there && !jobset_ended(s->phase) && beat && away > UNREACHABLE_MS;
}

/* The chips cost with and without a job: said once nothing has used them for a while. */
static bool pool_idle(const struct state *s, char text[ALERT_TEXT])
{
	int64_t since = s->cost.since_ms;

	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		const struct state_stage *st = &s->stages[i];
		if (st->state == ST_RUNNING || st->state == ST_VERIFYING || st->state == ST_UNKNOWN)
			return false;
		if (st->ended > since)
			since = st->ended;
	}
	(void)snprintf(text, ALERT_TEXT,
		       _("%lld chips are up and cost, and no job has run for %d minutes: go on, or stop "
			 "for today (T on the page of stages)"),
		       (long long)s->cost.chips, POOL_IDLE_MINUTES);
	return s->cost.chips > 0 && (!s->jobset_there || jobset_ended(s->phase)) &&
	       clock_now() - since > POOL_IDLE_MINUTES * (int64_t)60000;
}

static const struct rule rules[] = {
	{"pool-idle", pool_idle},
	{"queue-waits", queue_waits},
	{"head-pending", head_pending},
	{"image-pull", image_pull},
	{"no-workers", no_workers},
	{"may-hang", may_hang},
	{"maintenance", maintenance},
	{"cluster-unreachable", unreachable},
	{"jobset-failed", jobset_failed},
	{"restarts", restarts},
	{"log-error", log_error},
	{"loss-not-finite", loss_not_finite},
	{"nodes-missing", nodes_missing},
	{"log-silent", silence},
};

static const struct state_alert *find(const struct state *s, const char *id)
{
	for (size_t i = 0; i < s->alerts.n; i++)
		if (strcmp(s->alerts.items[i].id, id) == 0)
			return &s->alerts.items[i];
	return NULL;
}

void alerts_judge(const struct state *s, void (*emit)(void *arg, const struct event *ev), void *arg)
{
	for (size_t i = 0; i < COUNT(rules); i++) {
		char text[ALERT_TEXT] = "";
		const struct state_alert *was = find(s, rules[i].id);
		bool held = was && strcmp(was->state, "cleared") != 0;
		bool holds = rules[i].holds(s, text);
		struct state_alert a = {(char *)rules[i].id,
					(char *)(holds ? "raised" : "cleared"), text, 0};
		struct event ev = {.kind = EV_ALERT};
		if (holds == held)
			continue;
		ev.u.alert = &a;
		emit(arg, &ev);
	}
}
