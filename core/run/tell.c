/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/tell.h"

#include <string.h>

#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"

void tell_run(const struct run *r, void (*emit)(void *arg, const struct event *ev), void *arg)
{
	struct event ev = {.kind = EV_RUN};

	ev.u.run.name = r->name;
	ev.u.run.recipe = r->recipe->id;
	ev.u.run.label = r->label;
	emit(arg, &ev);
}

static bool same_value(const struct state *s, const struct value *v)
{
	const struct state_value *was = s ? state_value_find(s, v->name) : NULL;

	if (!was || strcmp(was->origin, value_origin_word(v->origin)) != 0)
		return false;
	if (v->secret)
		return was->present == (v->value && *v->value);
	return strcmp(was->value, v->value ? v->value : "") == 0;
}

static void tell_deviations(const struct run *r, const struct state *s,
	void (*emit)(void *arg, const struct event *ev), void *arg)
{
	for (size_t i = 0; i < r->recipe->deviations.n; i++) {
		const char *id = r->recipe->deviations.items[i].id;
		struct event ev = {.kind = EV_DEVIATION};
		bool same = false;
		ev.u.deviation.id = id;
		ev.on = deviation_on(r->recipe, r->deviations, id);
		for (size_t k = 0; s && k < s->deviations.n; k++)
			same |= strcmp(s->deviations.items[k].id, id) == 0 &&
				s->deviations.items[k].on == ev.on;
		if (!same)
			emit(arg, &ev);
	}
}

void tell_values(const struct run *r, const struct state *s,
	void (*emit)(void *arg, const struct event *ev), void *arg)
{
	for (size_t i = 0; i < r->values.n; i++) {
		const struct value *v = &r->values.items[i];
		struct event ev = {.kind = EV_VALUE};
		if (same_value(s, v))
			continue;
		ev.u.value.name = v->name;
		ev.u.value.value = v->value;
		ev.u.value.origin = value_origin_word(v->origin);
		ev.u.value.secret = v->secret;
		emit(arg, &ev);
	}
	tell_deviations(r, s, emit, arg);
}

static void tell_stage(const struct run *r, const struct recipe_stage *stage, bool undo,
	void (*emit)(void *arg, const struct event *ev), void *arg)
{
	struct render how = {.recipe = r->recipe,
		.values = &r->values,
		.deviations = r->deviations,
		.names = true};
	struct command_list commands = {0};
	struct strvec lines = {0};
	struct event ev = {.kind = EV_COMMANDS, .on = undo};
	struct err e = {0};

	if ((undo ? command_render_undo : command_render)(&how, stage, &commands, &e) != 0)
		log_line("run", "stage %s: %s", stage->id, e.what);
	for (size_t i = 0; i < commands.n; i++)
		if (commands.items[i].script && commands.items[i].kind != RECIPE_WAIT)
			strvec_push(&lines, commands.items[i].script);
	ev.u.commands.id = stage_from_word(stage->id);
	ev.u.commands.lines = &lines;
	ev.number = (int64_t)stage->usual_max_s * 1000;
	if (ev.u.commands.id != STAGE_NONE)
		emit(arg, &ev);
	strvec_fini(&lines);
	command_list_fini(&commands);
}

void tell_plan(const struct run *r, void (*emit)(void *arg, const struct event *ev), void *arg)
{
	for (size_t i = 0; i < r->recipe->stages.n; i++) {
		tell_stage(r, &r->recipe->stages.items[i], false, emit, arg);
		tell_stage(r, &r->recipe->stages.items[i], true, emit, arg);
	}
}
