/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/event.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/run/derive.h"
#include "core/run/event_in.h"
#include "core/run/state_form.h"
#include "core/run/state_free.h"

#define LOG_SKEW_MS 60000 /* between our clock and the pods' */

struct event event_stage(enum stage_id id, enum stage_move move, int attempt)
{
	struct event ev = {.kind = EV_STAGE};

	ev.u.stage.id = id;
	ev.u.stage.move = move;
	ev.u.stage.attempt = attempt;
	ev.u.stage.exit = -1;
	return ev;
}

struct event event_text(enum event_kind kind, const char *text)
{
	struct event ev = {.kind = kind, .text = text};

	return ev;
}

void event_touch(struct state *s, enum state_topic topic)
{
	s->revision[topic]++;
	s->changed |= TOPIC_BIT(topic);
}

void event_put(char **slot, const char *value)
{
	char *fresh;

	if (*slot && *slot == value)
		return; /* an event made of the state itself stays whole */
	fresh = x_strdup(value ? value : "");
	free(*slot);
	*slot = fresh;
}

static void apply_run(struct state *s, const struct event *ev)
{
	event_put(&s->name, ev->u.run.name);
	event_put(&s->recipe, ev->u.run.recipe);
	event_put(&s->label, ev->u.run.label);
	if (!s->opened)
		s->opened = ev->at;
	s->stopped = false; /* every life of an engine begins with this */
	s->exit_code = -1;
	event_touch(s, TOPIC_RUN);
}

static void apply_value(struct state *s, const struct event *ev)
{
	struct state_value *v = NULL;
	const char *value = ev->u.value.value;

	for (size_t i = 0; i < s->values.n && !v; i++)
		if (strcmp(s->values.items[i].name, ev->u.value.name) == 0)
			v = &s->values.items[i];
	if (!v) {
		v = VEC_PUSH(&s->values);
		v->name = x_strdup(ev->u.value.name);
	}
	v->secret = ev->u.value.secret;
	v->present = value && *value;
	event_put(&v->value, v->secret && v->present ? "••••••••" : value);
	event_put(&v->origin, ev->u.value.origin);
	event_touch(s, TOPIC_VALUES);
}

static void apply_deviation(struct state *s, const struct event *ev)
{
	struct state_deviation *d = NULL;

	for (size_t i = 0; i < s->deviations.n && !d; i++)
		if (strcmp(s->deviations.items[i].id, ev->u.deviation.id) == 0)
			d = &s->deviations.items[i];
	if (!d) {
		d = VEC_PUSH(&s->deviations);
		d->id = x_strdup(ev->u.deviation.id);
	}
	d->on = ev->on;
	event_touch(s, TOPIC_VALUES);
}

static void apply_token_files(struct state *s, const struct event *ev)
{
	state_lines_copy(&s->token_files, ev->u.files);
	event_touch(s, TOPIC_RUN);
}

static void apply_output(struct state *s, const struct event *ev)
{
	struct state_stage *st = &s->stages[ev->u.output.id];

	if (st->output.n >= STATE_OUTPUT_LINES) {
		size_t drop = STATE_OUTPUT_LINES / 5;
		for (size_t i = 0; i < drop; i++)
			free(st->output.items[i]);
		memmove(st->output.items, st->output.items + drop,
			(st->output.n - drop + 1) * sizeof(char *));
		st->output.n -= drop;
	}
	strvec_push(&st->output, ev->u.output.line);
	st->output_seen++;
	event_touch(s, TOPIC_OUTPUT);
}

static void apply_mode(struct state *s, const struct event *ev)
{
	s->go_on_alone = ev->on;
	s->mode_chosen = true;
	event_touch(s, TOPIC_RUN);
}

static void apply_engine(struct state *s, const struct event *ev)
{
	event_put(&s->host, ev->u.engine.host);
	s->engine_pid = ev->u.engine.pid;
	s->engine_beat = ev->u.engine.beat;
	s->stopped = false;
	event_touch(s, TOPIC_RUN);
}

static void apply_end(struct state *s, const struct event *ev)
{
	s->stopped = true;
	s->exit_code = (int)ev->number;
	event_touch(s, TOPIC_RUN);
}

static void apply_cleanup(struct state *s, const struct event *ev)
{
	if (strvec_find(&s->cleanup, ev->text) < 0)
		strvec_push(&s->cleanup, ev->text);
	event_touch(s, TOPIC_STAGES);
}

static void apply_checkpoints(struct state *s, const struct event *ev)
{
	struct checkpoint_list old = s->checkpoints;

	s->checkpoints = *ev->u.checkpoints;
	*ev->u.checkpoints = old;
	s->checkpoints_asked = true;
	event_touch(s, TOPIC_CHECKPOINTS);
}

static void follow_bar(struct state *s, enum stage_id id)
{
	const struct training *t = &s->work[id];
	struct state_progress *p = &s->stages[id].progress;
	bool steps = id == STAGE_TRAIN;
	int64_t done = steps ? t->step : t->done, total = steps ? t->steps : t->total;

	if (p->done == done && p->total == total)
		return;
	p->done = done;
	p->total = total;
	event_put(&p->unit, steps ? "step" : t->unit);
	event_touch(s, TOPIC_STAGES);
}

/* A curve of the event file that is further than the log has shown tells of the same step. */
static void follow_curve(struct state *s, const char *series, const struct series_point *p)
{
	struct trainlog_event step = {.kind = TRAINLOG_STEP, .step = p->step};
	struct training *t = &s->work[STAGE_TRAIN];

	if (p->source != SERIES_EVENT || p->step <= t->step ||
		p->wall_ms < s->stages[STAGE_TRAIN].started - LOG_SKEW_MS ||
		strncmp(series, "actor/train/", strlen("actor/train/")) != 0)
		return;
	if (!training_apply(t, &step, p->wall_ms, NULL))
		return;
	follow_bar(s, STAGE_TRAIN);
	event_touch(s, TOPIC_TRAINING);
}

static void apply_point(struct state *s, const struct event *ev)
{
	const struct series_point *p = &ev->u.point.at;

	if (!series_put(&s->series, ev->u.point.series, p->step, p->value, p->wall_ms, p->source))
		return;
	event_touch(s, TOPIC_SERIES);
	follow_curve(s, ev->u.point.series, p);
}

static void apply_log(struct state *s, const struct event *ev)
{
	enum stage_id id = ev->u.log.id;

	/* What an earlier attempt wrote is past. */
	if (ev->u.log.time < s->stages[id].started - LOG_SKEW_MS)
		return;
	if (!training_apply(&s->work[id], ev->u.log.line, ev->u.log.time, &s->series))
		return;
	follow_bar(s, id);
	event_touch(s, TOPIC_TRAINING);
	event_touch(s, TOPIC_SERIES);
}

static void apply_check(struct state *s, const struct event *ev)
{
	struct state_check *c = NULL;

	for (size_t i = 0; i < s->checks.n && !c; i++)
		if (strcmp(s->checks.items[i].id, ev->u.check->id) == 0)
			c = &s->checks.items[i];
	if (c) {
		state_check_fini(c);
	} else {
		c = VEC_PUSH(&s->checks);
	}
	state_check_copy(c, ev->u.check);
	event_touch(s, TOPIC_CHECKS);
}

static void apply_reservations(struct state *s, const struct event *ev)
{
	struct state_reservations old = s->reservations;

	s->reservations = *ev->u.reservations;
	*ev->u.reservations = old;
	event_touch(s, TOPIC_RESERVATIONS);
}

static void apply_form(struct state *s, const struct event *ev)
{
	if (ev->kind == EV_OFFERS)
		state_offers_set(s, ev->u.object);
	else
		state_drafts_set(s, ev->u.object);
	event_touch(s, TOPIC_FORM);
}

static void apply_alert(struct state *s, const struct event *ev)
{
	const struct state_alert *from = ev->u.alert;
	struct state_alert *a = NULL;

	for (size_t i = 0; i < s->alerts.n && !a; i++)
		if (strcmp(s->alerts.items[i].id, from->id) == 0)
			a = &s->alerts.items[i];
	if (!a) {
		a = VEC_PUSH(&s->alerts);
		a->id = x_strdup(from->id);
	}
	event_put(&a->state, from->state);
	event_put(&a->text, from->text);
	event_put(&a->cause, from->cause ? from->cause : "");
	event_put(&a->cure, from->cure ? from->cure : "");
	a->since = from->since ? from->since : ev->at;
	event_touch(s, TOPIC_ALERTS);
}

static void apply_away(struct state *s, const struct event *ev)
{
	event_put(&s->away.said, ev->text);
	event_put(&s->away.cause, ev->u.away.cause);
	event_touch(s, TOPIC_HEARTBEATS);
}

static void apply_heart(struct state *s, const struct event *ev)
{
	if (ev->number >= 0 && ev->number < HEART_COUNT && ev->at > s->heartbeats[ev->number])
		s->heartbeats[ev->number] = ev->at;
	event_touch(s, TOPIC_HEARTBEATS);
}

static void (*const appliers[EV_KIND_COUNT])(struct state *, const struct event *) = {
	[EV_RUN] = apply_run,
	[EV_VALUE] = apply_value,
	[EV_DEVIATION] = apply_deviation,
	[EV_STAGE] = event_apply_stage,
	[EV_COMMANDS] = event_apply_commands,
	[EV_PROGRESS] = event_apply_progress,
	[EV_TOKEN_FILES] = apply_token_files,
	[EV_OUTPUT] = apply_output,
	[EV_MODE] = apply_mode,
	[EV_ENGINE] = apply_engine,
	[EV_END] = apply_end,
	[EV_CLEANUP] = apply_cleanup,
	[EV_JOBSET_NAME] = event_apply_jobset_name,
	[EV_JOBSET] = event_apply_jobset,
	[EV_WORKLOAD] = event_apply_workload,
	[EV_POD] = event_apply_pod,
	[EV_POD_GONE] = event_apply_pod,
	[EV_NODE] = event_apply_node,
	[EV_NODE_GONE] = event_apply_node,
	[EV_CLUSTER_GONE] = event_apply_cluster_gone,
	[EV_POOL] = event_apply_pool,
	[EV_KEVENT] = event_apply_kevent,
	[EV_CHECKPOINTS] = apply_checkpoints,
	[EV_POINT] = apply_point,
	[EV_TRAINLOG] = apply_log,
	[EV_CHECK] = apply_check,
	[EV_RESERVATIONS] = apply_reservations,
	[EV_OFFERS] = apply_form,
	[EV_DRAFTS] = apply_form,
	[EV_ALERT] = apply_alert,
	[EV_AWAY] = apply_away,
	[EV_HEART] = apply_heart,
};

void run_apply(struct state *s, const struct event *ev)
{
	struct event stamped = *ev;

	if (!stamped.at)
		stamped.at = clock_now();
	if (stamped.kind >= EV_KIND_COUNT || !appliers[stamped.kind])
		die("event of kind %d has no effect", (int)stamped.kind);
	appliers[stamped.kind](s, &stamped);
	if (stamped.kind == EV_OUTPUT || stamped.kind == EV_POINT || stamped.kind == EV_HEART)
		return;
	if (derive_waiting(s))
		event_touch(s, TOPIC_STAGES);
	if (derive_question(s))
		event_touch(s, TOPIC_RUN);
}
