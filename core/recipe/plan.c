/* SPDX-License-Identifier: Apache-2.0 */
#include "core/recipe/plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/blueprint.h"
#include "core/recipe/rule.h"
#include "core/recipe/values.h"
#include "core/recipe/word.h"

void plan_lines_fini(struct plan_lines *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].name);
		free(l->items[i].text);
	}
	free(l->items);
	memset(l, 0, sizeof(*l));
}

static void add(struct plan_lines *out, enum plan_kind kind, const char *name, const char *text)
{
	struct plan_line *l = VEC_PUSH(out);

	l->kind = kind;
	l->name = name ? text_clean_dup(name) : NULL;
	l->text = text_clean_dup(text);
}

/* --- time and cost */

static void one_time(struct buf *out, uint32_t seconds)
{
	uint32_t minutes = (seconds + 30) / 60;

	if (seconds < 90)
		buf_addf(out, _("%u s"), seconds);
	else if (minutes < 90)
		buf_addf(out, _("%u min"), minutes);
	else if (minutes % 60 == 0)
		buf_addf(out, _("%u h"), minutes / 60);
	else
		buf_addf(out, _("%u h %u min"), minutes / 60, minutes % 60);
}

void plan_span(uint32_t min_s, uint32_t max_s, struct buf *out)
{
	one_time(out, min_s);
	if (max_s == min_s)
		return;
	buf_adds(out, " - ");
	one_time(out, max_s);
}

uint32_t plan_chips(const struct recipe *r, const struct values *v)
{
	const char *topology = values_get(v, "TOPOLOGY");
	uint32_t chips = topology ? rule_chips(topology) : 0;

	return chips ? chips : r->chips.count;
}

double plan_chip_hours(uint32_t chips, uint32_t seconds)
{
	return (double)chips * (double)seconds / 3600;
}

void plan_stage_cost(const struct recipe_stage *s, uint32_t chips, struct buf *out)
{
	if (s->holds_tpu)
		buf_addf(out, _("%.0f - %.0f chip-hours"), plan_chip_hours(chips, s->usual_min_s),
			plan_chip_hours(chips, s->usual_max_s));
}

/* --- a command */

bool plan_in_force(const struct render *o, const char *when)
{
	return render_when(o, when);
}

void plan_param_value(const struct render *o, const struct recipe_param *p, struct buf *out)
{
	const char *given = p->editable && !o->as_written ? values_get(o->values, p->key) : NULL;

	values_show(o->values, given ? given : p->value ? p->value : p->object ? "{…}" : "", out);
}

static void shell_lines(struct plan_lines *out, const char *script)
{
	bool first = true;

	for (const char *s = script; *s; first = false) {
		size_t n = strcspn(s, "\n");
		AUTO_FREE char *line = x_asprintf("%s%.*s", first ? "$ " : "  ", (int)n, s);

		add(out, PLAN_SHELL, NULL, line);
		s += n + (s[n] == '\n');
	}
}

static void edits(struct plan_lines *out, const struct recipe_command *c)
{
	for (size_t i = 0; i < c->edits.n; i++) {
		const struct recipe_edit *x = &c->edits.items[i];
		AUTO_FREE char *text =
			x_asprintf("%s: %s", x->find ? x->replace : x->add, recipe_text(&x->why));

		add(out, PLAN_EDIT, x->find ? x->find : x->after, text);
	}
}

static void flags(const struct render *o, struct plan_lines *out, const struct recipe_args *args)
{
	for (size_t i = 0; i < args->n; i++) {
		const struct recipe_arg *a = &args->items[i];
		const char *why = recipe_text(&a->why);

		if (*why && plan_in_force(o, a->when))
			add(out, PLAN_FLAG, a->flag ? a->flag : a->word, why);
	}
}

static const struct recipe_container *container_of_command(const struct recipe_command *c)
{
	for (size_t i = 0; i < c->args.n; i++) {
		if (c->args.items[i].container)
			return c->args.items[i].container;
	}
	return NULL;
}

static void params(const struct render *o, struct plan_lines *out, const struct recipe_params *all)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct recipe_param *x = &all->items[i];
		AUTO(buf_fini) struct buf word = {0};

		if (!plan_in_force(o, x->when) || !*recipe_text(&x->label))
			continue;
		buf_addf(&word, "%s=", x->key);
		plan_param_value(o, x, &word);
		add(out, PLAN_PARAM, buf_str(&word), recipe_text(&x->label));
		if (*recipe_text(&x->why))
			add(out, PLAN_MORE, NULL, recipe_text(&x->why));
	}
}

/* What runs inside the container, step by step. */
static void inside(const struct render *o, struct plan_lines *out, const struct recipe_command *c)
{
	const struct recipe_container *x = container_of_command(c);

	for (size_t i = 0; x && i < x->steps.n; i++) {
		const struct recipe_step *s = &x->steps.items[i];
		const char *name = s->export_name ? s->export_name
				   : s->module    ? s->module
						  : s->patch_file;

		if (*recipe_text(&s->why))
			add(out, PLAN_FLAG, name, recipe_text(&s->why));
		params(o, out, &s->params);
		if (!s->parameters)
			continue;
		add(out, PLAN_TITLE, NULL, _("Training parameters:"));
		params(o, out, &o->recipe->parameters);
	}
}

static void one_command(const struct render *o, const struct command *c, struct plan_lines *out)
{
	static const char *const kinds[] = {[RECIPE_RUN] = NULL,
		[RECIPE_LOOK] = N_("only looks"),
		[RECIPE_WAIT] = N_("would wait; rlpilot watches instead"),
		[RECIPE_BUILTIN] = N_("done by rlpilot itself")};
	AUTO(buf_fini) struct buf why = {0};

	buf_adds(&why, recipe_text(&c->source->why));
	if (kinds[c->kind])
		buf_addf(&why, " (%s)", _(kinds[c->kind]));
	add(out, PLAN_WHY, NULL, buf_str(&why));
	shell_lines(out, c->script);
	edits(out, c->source);
	flags(o, out, &c->source->args);
	inside(o, out, c->source);
	if (c->source->money && !o->as_written)
		add(out, PLAN_NOTE, NULL, _("From here on the chips cost money."));
	if (c->interactive)
		add(out, PLAN_NOTE, NULL, _("Asks for answers in the terminal."));
}

int plan_stage(
	const struct render *o, const struct recipe_stage *s, struct plan_lines *out, struct err *e)
{
	AUTO(command_list_fini) struct command_list list = {0};

	if (command_render(o, s, &list, e))
		return -1;
	add(out, PLAN_TEXT, NULL, recipe_text(&s->does));
	if (*recipe_text(&s->undo_text)) {
		AUTO_FREE char *undo = x_asprintf(_("Undo: %s"), recipe_text(&s->undo_text));

		add(out, PLAN_NOTE, NULL, undo);
	}
	for (size_t i = 0; i < list.n; i++)
		one_command(o, &list.items[i], out);
	return 0;
}

void plan_line_text(const struct plan_line *l, struct buf *out)
{
	static const char *const indent[] = {[PLAN_TEXT] = "  ",
		[PLAN_NOTE] = "    ",
		[PLAN_WHY] = "    ",
		[PLAN_SHELL] = "      ",
		[PLAN_EDIT] = "        ",
		[PLAN_FLAG] = "        ",
		[PLAN_TITLE] = "      ",
		[PLAN_PARAM] = "        ",
		[PLAN_MORE] = "            "};

	buf_adds(out, indent[l->kind]);
	if (l->kind == PLAN_FLAG)
		text_pad(out, l->name, 28);
	else if (l->kind == PLAN_EDIT)
		buf_addf(out, "%s ->", l->name);
	else if (l->name)
		buf_addf(out, "%s ", l->name);
	buf_addf(out, "%s%s\n", l->name ? " " : "", l->text);
}

/* --- the difference */

static int commands_text(const struct render *o, struct buf *out, struct err *e)
{
	for (size_t i = 0; i < o->recipe->stages.n; i++) {
		const struct recipe_stage *s = &o->recipe->stages.items[i];
		AUTO(command_list_fini) struct command_list list = {0};

		if (command_render(o, s, &list, e))
			return -1;
		buf_addf(out, "# --- %s: %s\n", s->id, recipe_text(&s->title));
		for (size_t k = 0; k < list.n; k++)
			buf_addf(out, "%s\n", list.items[k].script);
	}
	return 0;
}

int plan_diff(const struct render *o, struct buf *out, struct err *e)
{
	struct render ours = *o, theirs = *o;
	AUTO(buf_fini) struct buf a = {0};
	AUTO(buf_fini) struct buf b = {0};

	ours.names = theirs.names = true;
	theirs.as_written = true;
	theirs.values = NULL;
	if (commands_text(&theirs, &a, e) || commands_text(&ours, &b, e))
		return -1;
	blueprint_diff("tutorial", buf_str(&a), "rlpilot", buf_str(&b), out);
	return 0;
}
