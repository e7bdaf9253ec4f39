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
#include "core/run/why.h"

#define ALERT_TEXT        400
#define HANG_MINUTES      15
#define POOL_IDLE_MINUTES 15
#define UNREACHABLE_MS    ((int64_t)5 * 60000)

/* What is to be said, and the cause where the words tell another than the rule. */
struct said {
	char text[ALERT_TEXT];
	struct cause_hit hit;
};

struct rule {
	const char *id,
		*cause; /* cause: of fmt/cause, unless what is said has its own; NULL = none */
	bool (*holds)(const struct state *s, struct said *said); /* true while it holds */
};

static bool working(const struct state *s, enum stage_id id)
{
	return s->stages[id].state == ST_RUNNING && s->jobset_there && s->phase == JOBSET_RUNNING;
}

static bool jobset_failed(const struct state *s, struct said *said)
{
	(void)snprintf(said->text, ALERT_TEXT, _("the JobSet %s has failed: %s"), s->jobset_name,
		s->jobset_there ? s->jobset.message : "");
	return s->jobset_there && s->phase == JOBSET_FAILED;
}

static bool restarts(const struct state *s, struct said *said)
{
	int n = state_container_restarts(s);

	(void)snprintf(said->text, ALERT_TEXT, _("containers have restarted %d times"), n);
	return n > 0;
}

/* What it means, then the line itself. */
static void tell_error(const char *line, struct said *said)
{
	AUTO_FREE char *meaning = NULL;

	(void)cause_find(&said->hit, line, strlen(line));
	meaning = cause_meaning(&said->hit);
	(void)snprintf(said->text, ALERT_TEXT, "%s%s%s", meaning, *meaning ? ": " : "", line);
}

static bool log_error(const struct state *s, struct said *said)
{
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		if (!working(s, (enum stage_id)i) || !s->work[i].cause || !*s->work[i].error)
			continue;
		tell_error(s->work[i].error, said);
		return true;
	}
	return false;
}

static bool loss_not_finite(const struct state *s, struct said *said)
{
	const struct series *loss = series_find(&s->series, SERIES_LOSS);
	const struct series_point *last = loss ? series_last(loss) : NULL;

	if (!last || isfinite(last->value))
		return false;
	(void)snprintf(said->text, ALERT_TEXT, _("the training loss is not a number at step %lld"),
		(long long)last->step);
	return true;
}

static bool nodes_missing(const struct state *s, struct said *said)
{
	(void)snprintf(said->text, ALERT_TEXT, _("only %d of %d TPU nodes are ready"),
		s->tpu_nodes_ready, s->tpu_nodes);
	return working(s, STAGE_TRAIN) && s->tpu_nodes > 0 && s->tpu_nodes_ready < s->tpu_nodes;
}

static bool silence(const struct state *s, struct said *said)
{
	const struct training *t = state_training(s);
	int64_t quiet = training_quiet_ms(t);

	if (!working(s, STAGE_TRAIN) || !t->last_line || clock_now() - t->last_line <= 2 * quiet)
		return false;
	(void)snprintf(said->text, ALERT_TEXT, _("no log line for more than %lld minutes"),
		(long long)(2 * quiet / 60000));
	return true;
}

/* --- what keeps the JobSet from working */

static bool troubled(const struct state *s, const char *alert, struct said *said)
{
	struct trouble t;

	if (!trouble_find(s, &t) || strcmp(t.alert, alert) != 0)
		return false;
	(void)snprintf(said->text, ALERT_TEXT, "%s", t.text);
	said->hit = t.hit;
	return true;
}

static bool queue_waits(const struct state *s, struct said *said)
{
	return troubled(s, "queue-waits", said);
}

static bool head_pending(const struct state *s, struct said *said)
{
	return troubled(s, "head-pending", said);
}

static bool image_pull(const struct state *s, struct said *said)
{
	return troubled(s, "image-pull", said);
}

static bool no_workers(const struct state *s, struct said *said)
{
	return troubled(s, "no-workers", said);
}

/* A transfer may stop without a word; progress is the only sign. */
static bool may_hang(const struct state *s, struct said *said)
{
	const struct training *t = &s->work[STAGE_CONVERT];
	int64_t since = clock_now() - HANG_MINUTES * (int64_t)60000;

	(void)snprintf(said->text, ALERT_TEXT,
		_("no log line of the conversion and no new object in the bucket for %d "
		  "minutes: the download may hang"),
		HANG_MINUTES);
	if (!working(s, STAGE_CONVERT) || !t->last_line || t->finished || t->last_line >= since)
		return false;
	for (size_t i = 0; i < s->checkpoints.n; i++)
		if (s->checkpoints.items[i].last_ms >= since)
			return false;
	return true;
}

/* Every score 0 from the first evaluation on, while the job runs and after it succeeded. */
static bool learned_nothing(const struct state *s, struct said *said)
{
	const struct series *eval = series_find(&s->series, SERIES_EVAL);

	if (!eval || eval->n < 2)
		return false;
	for (size_t i = 0; i < eval->n; i++)
		if (eval->items[i].value != 0)
			return false;
	(void)snprintf(said->text, ALERT_TEXT,
		_("all %zu evaluations score 0: the training runs, but learns nothing"), eval->n);
	return true;
}

static bool maintenance(const struct state *s, struct said *said)
{
	long long safe = (long long)state_safe_step(s);
	const char *name;
	void *node;
	int n = 0;

	for (size_t i = 0; map_next(&s->nodes, &i, &name, &node);)
		n += node_is_tpu(node) && ((const struct node *)node)->maintenance;
	if (safe < 0)
		(void)snprintf(said->text, ALERT_TEXT,
			_("%d TPU hosts are under maintenance: the whole slice stops; no "
			  "checkpoint is safe yet"),
			n);
	else
		(void)snprintf(said->text, ALERT_TEXT,
			_("%d TPU hosts are under maintenance: the whole slice stops; step "
			  "%lld is safe"),
			n, safe);
	return n > 0;
}

static bool by_login(const char *cause)
{
	static const char *const ids[] = {
		"cluster-login", "login", "login-reauth", "login-expired", "no-login"};

	for (size_t i = 0; i < COUNT(ids); i++)
		if (strcmp(cause, ids[i]) == 0)
			return true;
	return false;
}

/* A token that is renewed is no reason: it is asked for once more before this is told. */
static bool logged_out(const struct state *s, struct said *said)
{
	if (!by_login(s->away.cause))
		return false;
	said->hit.cause = cause_by_id(s->away.cause);
	(void)snprintf(said->text, ALERT_TEXT,
		_("the cluster no longer accepts the login: what is shown is old, the job runs "
		  "on: %s"),
		s->away.said);
	return true;
}

/* GKE knows of no upgrade or repair that would pass. */
static bool may_be_lost(const struct state *s)
{
	return strcmp(s->away.cause, "cluster-leaves") == 0 ||
	       strcmp(s->away.cause, "cluster-broken") == 0;
}

/* Refused or timed out: the job usually keeps running, what is shown is old. */
static bool unreachable(const struct state *s, struct said *said)
{
	int64_t beat = s->heartbeats[HEART_WATCH], away = clock_now() - beat;

	if (by_login(s->away.cause))
		return false;
	said->hit.cause = cause_by_id(s->away.cause);
	(void)snprintf(said->text, ALERT_TEXT,
		may_be_lost(s) ? _("the cluster has not answered for %lld minutes")
			       : _("the cluster has not answered for %lld minutes; the job usually "
				   "keeps running"),
		(long long)(away / 60000));
	if (*s->away.said)
		(void)snprintf(said->text + strlen(said->text), ALERT_TEXT - strlen(said->text),
			": %s", s->away.said);
	return s->jobset_there && !jobset_ended(s->phase) && beat && away > UNREACHABLE_MS;
}

/* The chips cost with and without a job: said once nothing has used them for a while. */
static bool pool_idle(const struct state *s, struct said *said)
{
	int64_t since = s->cost.since_ms;

	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		const struct state_stage *st = &s->stages[i];
		if (stage_state_unended(st->state))
			return false;
		if (st->ended > since)
			since = st->ended;
	}
	(void)snprintf(said->text, ALERT_TEXT,
		_("%lld chips are up and cost, and no job has run for %d minutes"),
		(long long)s->cost.chips, POOL_IDLE_MINUTES);
	return s->cost.chips > 0 && (!s->jobset_there || jobset_ended(s->phase)) &&
	       clock_now() - since > POOL_IDLE_MINUTES * (int64_t)60000;
}

/* Who left believing that it goes must hear that it stays, and costs. */
static bool undo_refused(const struct state *s, struct said *said)
{
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		const struct state_stage *st = &s->stages[i];
		if (!st->undo_refused)
			continue;
		(void)snprintf(said->text, ALERT_TEXT, _("the undo of %s was not begun: %s"),
			stage_word(st->id), st->cause);
		return true;
	}
	return false;
}

static const struct rule rules[] = {
	{"undo-refused", NULL, undo_refused},
	{"pool-idle", "pool-idle", pool_idle},
	{"queue-waits", NULL, queue_waits},
	{"head-pending", NULL, head_pending},
	{"image-pull", NULL, image_pull},
	{"no-workers", NULL, no_workers},
	{"may-hang", "download-hangs", may_hang},
	{"maintenance", "node-lost", maintenance},
	{"logged-out", NULL, logged_out},
	{"cluster-unreachable", "cluster-away", unreachable},
	{"jobset-failed", "job-failed", jobset_failed},
	{"restarts", "container-restarted", restarts},
	{"log-error", NULL, log_error},
	{"loss-not-finite", "loss-not-finite", loss_not_finite},
	{"learned-nothing", "learned-nothing", learned_nothing},
	{"nodes-missing", "node-lost", nodes_missing},
	{"log-silent", "log-silent", silence},
};

static const struct state_alert *find(const struct state *s, const char *id)
{
	for (size_t i = 0; i < s->alerts.n; i++)
		if (strcmp(s->alerts.items[i].id, id) == 0)
			return &s->alerts.items[i];
	return NULL;
}

static void raise(const struct rule *r, const struct state *s, struct said *said,
	void (*emit)(void *arg, const struct event *ev), void *arg)
{
	AUTO_FREE char *cure = NULL;
	struct state_alert a = {(char *)r->id, (char *)"raised", said->text, 0, NULL, NULL};
	struct event ev = {.kind = EV_ALERT};

	if (!said->hit.cause)
		said->hit.cause = cause_by_id(r->cause);
	if (said->hit.cause) {
		why_words_known(&said->hit, s);
		a.cause = (char *)said->hit.cause->id;
		a.cure = cure = cause_cure(&said->hit);
	}
	ev.u.alert = &a;
	emit(arg, &ev);
}

void alerts_judge(const struct state *s, void (*emit)(void *arg, const struct event *ev), void *arg)
{
	for (size_t i = 0; i < COUNT(rules); i++) {
		struct said said = {.text = ""};
		const struct state_alert *was = find(s, rules[i].id);
		bool held = was && strcmp(was->state, "cleared") != 0;
		bool holds = rules[i].holds(s, &said);
		struct event ev = {.kind = EV_ALERT};
		struct state_alert over;

		if (holds && !held)
			raise(&rules[i], s, &said, emit, arg);
		if (holds || !held)
			continue;
		over = *was; /* what it was stays told */
		over.state = (char *)"cleared";
		over.since = 0;
		ev.u.alert = &over;
		emit(arg, &ev);
	}
}
