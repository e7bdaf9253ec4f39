/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/out_status.h"

#include <math.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/recorded.h"
#include "core/base/text.h"
#include "core/fmt/time.h"

static const char *const heart_names[HEART_COUNT] = {
	[HEART_LOG] = "log",
	[HEART_WATCH] = "watch",
	[HEART_METRICS] = "metrics",
	[HEART_API] = "api",
};

static json_t *stamp(int64_t ms)
{
	char out[TIME_SIZE];

	return ms > 0 ? json_string(time_format(ms, out)) : json_null();
}

/* null for "" */
static json_t *word(const char *s)
{
	return s && *s ? json_from_str(s) : json_null();
}

static json_t *count(int64_t v, bool known)
{
	return known ? json_integer(v) : json_null();
}

/* Three decimals are enough for a number of seconds or hours. */
static json_t *rounded(double v)
{
	return json_from_num(isfinite(v) ? round(v * 1000) / 1000 : v);
}

static int64_t total_steps(const struct out_status *o)
{
	int64_t steps = state_training(o->state)->steps;

	return steps ? steps : o->steps;
}

static int64_t next_due(const struct out_status *o)
{
	const struct training *t = state_training(o->state);
	int64_t period = t->checkpoint_period ? t->checkpoint_period : o->checkpoint_period;

	return checkpoint_next_due(t->step, period, total_steps(o));
}

enum verdict out_status_verdict(const struct out_status *o, const char **why)
{
	const struct {
		bool when;
		const char *why;
	} worse[] = {
		{o->cluster_gone, N_("the cluster does not exist any more")},
		{o->engine_stopped, N_("the engine was stopped while a stage is at work")},
	};
	enum verdict v = state_verdict(o->state, o->reachable, why);

	for (size_t i = 0; i < COUNT(worse); i++) {
		if (!worse[i].when || (v != VERDICT_HEALTHY && v != VERDICT_DEGRADED))
			continue;
		if (why)
			*why = worse[i].why;
		return VERDICT_DEGRADED;
	}
	return v;
}

static json_t *stages(const struct state *s)
{
	json_t *all = json_array();

	for (size_t i = 0; i < STAGE_COUNT; i++) {
		const struct state_stage *st = &s->stages[i];

		json_array_append_new(all,
			json_pack("{s:s, s:s, s:i, s:o, s:o}", "id", stage_word((enum stage_id)i),
				"state", stage_state_word(st->state), "attempt", st->attempt,
				"started", stamp(st->started), "ended", stamp(st->ended)));
	}
	return all;
}

static json_t *jobset(const struct state *s)
{
	const char *why = s->jobset_there ? jobset_queue_reason(&s->jobset, &s->queue) : NULL;
	const char *name = s->jobset_there ? s->jobset.name : s->jobset_name;

	return json_pack("{s:o, s:s, s:o, s:i, s:o}", "name", word(name), "phase",
		jobset_phase_name(s->jobset_there ? s->phase : JOBSET_ABSENT), "since",
		stamp(s->jobset_there ? s->phase_since : 0), "restarts",
		s->jobset_there ? s->jobset.restarts : 0, "queue_reason", word(why));
}

static json_t *pods(const struct state *s)
{
	json_t *all = json_object();

	for (size_t i = 0; s->jobset_there && i < s->jobset.n; i++) {
		const struct jobset_role *r = &s->jobset.roles[i];
		int there;
		int ready = state_pods_ready(s, r->name, &there);

		json_object_set_new(
			all, r->name, json_pack("{s:i, s:i}", "ready", ready, "want", r->pods));
	}
	json_object_set_new(all, "container_restarts", json_integer(state_container_restarts(s)));
	return all;
}

static json_t *evals(const struct state *s)
{
	const struct series *e = series_find(&s->series, SERIES_EVAL);
	json_t *all = json_array();

	for (size_t i = 0; e && i < e->n; i++)
		json_array_append_new(
			all, json_pack("{s:I, s:o}", "step", (json_int_t)e->items[i].step,
				     "mean_reward", json_from_num(e->items[i].value)));
	return all;
}

static json_t *training(const struct out_status *o)
{
	const struct training *t = state_training(o->state);
	int64_t eta = training_eta_ms(t);
	int64_t steps = total_steps(o);

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "step",
		count(t->step, t->first_line > 0), "steps", count(steps, steps > 0), "phase",
		word(training_phase_name(t->phase)), "eta_s",
		count(eta / 1000, eta >= 0 && t->first_line > 0), "reward",
		json_from_num(state_reward(o->state)), "evals", evals(o->state));
}

static json_t *heartbeats(const struct out_status *o)
{
	json_t *all = json_object();

	for (size_t i = 0; i < HEART_COUNT; i++) {
		int64_t at = o->state->heartbeats[i];
		double age = at > o->now ? 0 : (double)(o->now - at) / 1000;

		json_object_set_new(all, heart_names[i], at > 0 ? rounded(age) : json_null());
	}
	return all;
}

static json_t *alerts(const struct state *s)
{
	json_t *all = json_array();

	for (size_t i = 0; i < s->alerts.n; i++) {
		const struct state_alert *a = &s->alerts.items[i];

		json_array_append_new(all,
			json_pack("{s:o, s:o, s:o, s:o}", "id", word(a->id), "state",
				word(a->state), "since", stamp(a->since), "text", word(a->text)));
	}
	return all;
}

static json_t *engine(const struct state *s)
{
	if (s->engine_pid <= 0)
		return json_null();
	return json_pack("{s:o, s:I, s:o}", "host", word(s->host), "pid", (json_int_t)s->engine_pid,
		"beat", stamp(s->engine_beat));
}

static json_t *cost(const struct out_status *o)
{
	const struct cost *c = &o->state->cost;

	return json_pack("{s:I, s:o, s:n}", "chips", (json_int_t)c->chips, "chip_hours",
		rounded(cost_chip_hours(c, o->now)), "money");
}

json_t *out_status_json(const struct out_status *o)
{
	const struct state *s = o->state;
	const char *why;
	enum verdict v = out_status_verdict(o, &why);
	int64_t safe = state_safe_step(s);
	int64_t due = next_due(o);
	json_t *j = json_pack("{s:i, s:o, s:o, s:o, s:o, s:s, s:o}", "v", 1, "run", word(s->name),
		"recipe", word(s->recipe), "label", word(s->label), "asked_at", stamp(o->now),
		"verdict", verdict_name(v), "reason", word(why));

	json_object_set_new(j, "stages", stages(s));
	json_object_set_new(j, "jobset", jobset(s));
	json_object_set_new(j, "pods", pods(s));
	json_object_set_new(j, "training", training(o));
	json_object_set_new(j, "checkpoint",
		json_pack("{s:o, s:o}", "safe_step", count(safe, safe >= 0), "next_due_step",
			count(due, due >= 0)));
	json_object_set_new(j, "heartbeats_s", heartbeats(o));
	json_object_set_new(j, "alerts", alerts(s));
	json_object_set_new(j, "engine", engine(s));
	json_object_set_new(j, "cost", cost(o));
	return j;
}

static void family(struct buf *out, const char *name, const char *type, const char *help)
{
	buf_addf(out, "# TYPE %s %s\n# HELP %s %s\n", name, type, name, help);
}

static void sample(
	struct buf *out, const char *name, const char *label, const char *value, double v)
{
	buf_adds(out, name);
	if (label) {
		buf_addf(out, "{%s=\"", label);
		for (; *value; value++)
			if (*value == '"' || *value == '\\')
				buf_addf(out, "\\%c", *value);
			else
				buf_addc(out, *value);
		buf_adds(out, "\"}");
	}
	buf_addc(out, ' ');
	if (isnan(v))
		buf_adds(out, "NaN");
	else if (isinf(v))
		buf_adds(out, v < 0 ? "-Inf" : "+Inf");
	else
		buf_addf(out, "%.9g", v);
	buf_addc(out, '\n');
}

static void gauge(struct buf *out, const char *name, const char *help, double v, bool known)
{
	family(out, name, "gauge", help);
	if (known)
		sample(out, name, NULL, NULL, v);
}

static void openmetrics_pods(const struct state *s, struct buf *out)
{
	family(out, "rlpilot_pods_ready", "gauge", "Pods that are ready.");
	for (size_t i = 0; s->jobset_there && i < s->jobset.n; i++)
		sample(out, "rlpilot_pods_ready", "role", s->jobset.roles[i].name,
			state_pods_ready(s, s->jobset.roles[i].name, NULL));
}

void out_status_openmetrics(const struct out_status *o, struct buf *out)
{
	const struct state *s = o->state;
	const struct training *t = state_training(s);
	const struct series *e = series_find(&s->series, SERIES_EVAL);
	const struct series_point *last = e ? series_last(e) : NULL;
	double reward = state_reward(s);
	int64_t safe = state_safe_step(s);

	gauge(out, "rlpilot_step", "Completed training steps.", (double)t->step, t->first_line > 0);
	gauge(out, "rlpilot_reward", "Newest mean reward of a step.", reward, !isnan(reward));
	gauge(out, "rlpilot_eval_reward", "Mean reward of the newest evaluation.",
		last ? last->value : 0, last != NULL);
	openmetrics_pods(s, out);
	family(out, "rlpilot_heartbeat_seconds", "gauge", "Age of the newest sign of life.");
	for (size_t i = 0; i < HEART_COUNT; i++)
		if (s->heartbeats[i] > 0)
			sample(out, "rlpilot_heartbeat_seconds", "source", heart_names[i],
				(double)(o->now - s->heartbeats[i]) / 1000);
	gauge(out, "rlpilot_checkpoint_safe_step", "Newest complete checkpoint.", (double)safe,
		safe >= 0);
	family(out, "rlpilot_chip_hours", "counter", "Chip-hours since the creation of the pool.");
	sample(out, "rlpilot_chip_hours_total", NULL, NULL, cost_chip_hours(&s->cost, o->now));
	family(out, "rlpilot_alert", "gauge", "1 while an alert is raised.");
	for (size_t i = 0; i < s->alerts.n; i++)
		sample(out, "rlpilot_alert", "id", s->alerts.items[i].id,
			strcmp(s->alerts.items[i].state, "raised") == 0);
	buf_adds(out, "# EOF\n");
}

/* Why it stands still, and below it what to do: each in a line. */
static void plain_trouble(const struct state_stage *st, struct buf *out)
{
	AUTO_FREE char *cause = recorded_text(st->cause);
	AUTO_FREE char *cure = recorded_text(st->cure);
	AUTO_FREE char *cause_line = text_clean_dup(cause);
	AUTO_FREE char *cure_line = text_clean_dup(cure);

	if (*cause_line)
		buf_addf(out, "  %s", cause_line);
	if (*cure_line)
		buf_addf(out, "\n    -> %s", cure_line);
}

static void plain_stages(const struct out_status *o, struct buf *out)
{
	char age[TIME_SIZE];

	for (size_t i = 0; i < STAGE_COUNT; i++) {
		const struct state_stage *st = &o->state->stages[i];
		int64_t end = st->ended > 0 ? st->ended : o->now;

		buf_addf(out, "  %-8s %s", stage_word((enum stage_id)i),
			stage_state_word(st->state));
		if (st->started > 0)
			buf_addf(out, "  %s", time_format_clock(end - st->started, age));
		plain_trouble(st, out);
		buf_addc(out, '\n');
	}
}

static void plain_jobset(const struct state *s, struct buf *out)
{
	const char *why;

	if (!s->jobset_there)
		return;
	buf_addf(out, _("jobset %s: %s"), s->jobset.name, jobset_phase_name(s->phase));
	why = jobset_queue_reason(&s->jobset, &s->queue);
	if (why)
		buf_addf(out, " (%s)", why);
	for (size_t i = 0; i < s->jobset.n; i++)
		buf_addf(out, "  %s %d/%d", s->jobset.roles[i].name,
			state_pods_ready(s, s->jobset.roles[i].name, NULL),
			s->jobset.roles[i].pods);
	buf_addf(out, _("  restarts %d"), s->jobset.restarts + state_container_restarts(s));
	buf_addc(out, '\n');
}

static void plain_training(const struct out_status *o, struct buf *out)
{
	const struct training *t = state_training(o->state);
	const struct series *e = series_find(&o->state->series, SERIES_EVAL);
	const struct series_point *last = e ? series_last(e) : NULL;
	double reward = state_reward(o->state);
	int64_t eta = training_eta_ms(t);
	char left[TIME_SIZE];

	if (!t->first_line)
		return;
	buf_addf(out, _("step %lld/%lld"), (long long)t->step, (long long)total_steps(o));
	if (t->phase != TRAINING_NO_PHASE)
		buf_addf(out, "  %s", training_phase_name(t->phase));
	if (!isnan(reward))
		buf_addf(out, _("  reward %.4g"), reward);
	if (last)
		buf_addf(
			out, _("  eval %lld mean_reward %.4f"), (long long)last->step, last->value);
	if (eta > 0)
		buf_addf(out, _("  left about %s"), time_format_duration(eta, left));
	buf_addc(out, '\n');
}

static void plain_alert(const struct state_alert *a, struct buf *out)
{
	AUTO_FREE char *text = recorded_text(a->text);
	AUTO_FREE char *cure = recorded_text(a->cure ? a->cure : "");

	buf_addf(out, _("alert %s: %s\n"), a->id, text);
	if (*cure)
		buf_addf(out, "  -> %s\n", cure);
}

static void plain_safe(const struct out_status *o, struct buf *out)
{
	int64_t safe = state_safe_step(o->state);
	int64_t due = next_due(o);

	if (safe >= 0)
		buf_addf(out, _("safe checkpoint: step %lld"), (long long)safe);
	else
		buf_adds(out, state_trees_known(o->state) ? _("safe checkpoint: none")
							  : _("safe checkpoint: not known"));
	if (due > 0 && state_training(o->state)->first_line)
		buf_addf(out, _("  next due at step %lld"), (long long)due);
	buf_addc(out, '\n');
}

void out_status_plain(const struct out_status *o, struct buf *out)
{
	const struct state *s = o->state;
	const char *why;
	enum verdict v = out_status_verdict(o, &why);
	char at[TIME_SIZE];

	buf_addf(out, "%s: %s", s->name[0] ? s->name : "-", verdict_name(v));
	if (why)
		buf_addf(out, " (%s)", _(why));
	buf_addf(out, "  %s", time_format(o->now, at));
	if (s->label[0])
		buf_addf(out, "  [%s]", s->label);
	buf_addc(out, '\n');
	plain_stages(o, out);
	plain_jobset(s, out);
	plain_training(o, out);
	plain_safe(o, out);
	for (size_t i = 0; i < s->alerts.n; i++)
		if (strcmp(s->alerts.items[i].state, "raised") == 0)
			plain_alert(&s->alerts.items[i], out);
	if (s->cost.chips || s->cost.past > 0)
		buf_addf(out, _("cost: %lld chips, %.1f chip-hours\n"), (long long)s->cost.chips,
			cost_chip_hours(&s->cost, o->now));
}
