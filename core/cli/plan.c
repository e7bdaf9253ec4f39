/* SPDX-License-Identifier: Apache-2.0 */
/* rlpilot plan: what would run, explained flag by flag, or as a script. Secrets are names in both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/cli/cli.h"
#include "core/cli/context.h"
#include "core/recipe/command.h"
#include "core/recipe/recipe.h"
#include "core/recipe/rule.h"
#include "core/recipe/values.h"

struct page {
	const struct cli_context *c;
	struct render o;
	struct buf out;
};

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

static void span(struct buf *out, uint32_t min_s, uint32_t max_s)
{
	one_time(out, min_s);
	buf_adds(out, " - ");
	one_time(out, max_s);
}

static void one_value(struct page *p, const struct recipe_variable *v)
{
	const struct value *x = values_find(&p->c->values, v->name);
	const char *value = values_get(&p->c->values, v->name);
	AUTO_FREE char *clean = value && !x->secret ? text_clean_dup(value) : NULL;

	buf_addf(&p->out, "  %-24s ", v->name);
	if (clean)
		buf_addf(&p->out, "%s", clean);
	else
		buf_adds(&p->out, value ? "********" : _("(not set)"));
	if (x)
		buf_addf(&p->out, "  [%s]", value_origin_text(x->origin));
	buf_addc(&p->out, '\n');
}

static void values_part(struct page *p)
{
	const struct recipe *r = p->c->recipe;

	buf_addf(&p->out, "\n%s\n", _("Values"));
	for (size_t i = 0; i < r->variables.n; i++) {
		if (!r->variables.items[i].derived_only ||
			values_get(&p->c->values, r->variables.items[i].name))
			one_value(p, &r->variables.items[i]);
	}
}

static void deviations_part(struct page *p)
{
	const struct recipe *r = p->c->recipe;

	buf_addf(&p->out, "\n%s\n", _("Where rlpilot differs from the tutorial"));
	for (size_t i = 0; i < r->deviations.n; i++) {
		const struct recipe_deviation *d = &r->deviations.items[i];
		bool on = !p->o.as_written && deviation_on(r, p->o.deviations, d->id);

		buf_addf(&p->out, "  %s %-22s %s\n      %s\n", on ? "[x]" : "[ ]", d->id,
			recipe_text(&d->title), recipe_text(&d->why));
		if (*recipe_text(&d->price))
			buf_addf(&p->out, "      %s %s\n", _("Price:"), recipe_text(&d->price));
	}
}

static void notes_part(struct page *p)
{
	const struct recipe *r = p->c->recipe;

	if (r->notes.n)
		buf_addf(&p->out, "\n%s\n", _("What the tutorial says and what really happens"));
	for (size_t i = 0; i < r->notes.n; i++)
		buf_addf(&p->out, "  - %s\n    %s\n", recipe_text(&r->notes.items[i].says),
			recipe_text(&r->notes.items[i].happens));
}

static void indent(struct buf *out, const char *text, const char *by)
{
	for (const char *s = text; *s;) {
		size_t n = strcspn(s, "\n");

		buf_adds(out, by);
		buf_add(out, s, n);
		buf_addc(out, '\n');
		s += n + (s[n] == '\n');
	}
}

static bool in_force(const struct page *p, const char *when)
{
	bool off;

	if (!when)
		return true;
	off = *when == '!';
	return (!p->o.as_written && deviation_on(p->c->recipe, p->o.deviations, when + off)) != off;
}

static void flags_part(struct page *p, const struct recipe_args *args)
{
	for (size_t i = 0; i < args->n; i++) {
		const struct recipe_arg *a = &args->items[i];
		const char *why = recipe_text(&a->why);

		if (*why && in_force(p, a->when))
			buf_addf(&p->out, "        %-28s %s\n", a->flag ? a->flag : a->word, why);
	}
}

static void params_part(struct page *p)
{
	const struct recipe *r = p->c->recipe;

	buf_addf(&p->out, "      %s\n", _("Training parameters:"));
	for (size_t i = 0; i < r->parameters.n; i++) {
		const struct recipe_param *x = &r->parameters.items[i];
		AUTO(buf_fini) struct buf value = {0};
		const char *given = x->editable ? values_get(&p->c->values, x->key) : NULL;

		if (!in_force(p, x->when))
			continue;
		values_show(&p->c->values, given ? given : x->value ? x->value : "{…}", &value);
		buf_addf(&p->out, "        %s=%s  %s\n", x->key, buf_str(&value),
			recipe_text(&x->label));
		if (*recipe_text(&x->why))
			buf_addf(&p->out, "            %s\n", recipe_text(&x->why));
	}
}

static bool trains(const struct recipe_command *c)
{
	for (size_t i = 0; i < c->args.n; i++) {
		const struct recipe_container *x = c->args.items[i].container;

		for (size_t k = 0; x && k < x->steps.n; k++) {
			if (x->steps.items[k].parameters)
				return true;
		}
	}
	return false;
}

static void one_command(struct page *p, const struct command *c)
{
	static const char *const kinds[] = {NULL, N_("only looks"),
		N_("would wait; rlpilot watches instead"), N_("done by rlpilot itself")};

	buf_addf(&p->out, "    %s%s%s%s\n", recipe_text(&c->source->why),
		kinds[c->kind] ? " (" : "", kinds[c->kind] ? _(kinds[c->kind]) : "",
		kinds[c->kind] ? ")" : "");
	indent(&p->out, c->script, "      $ ");
	for (size_t i = 0; i < c->source->edits.n; i++) {
		const struct recipe_edit *x = &c->source->edits.items[i];

		buf_addf(&p->out, "        %s -> %s: %s\n", x->find ? x->find : x->after,
			x->find ? x->replace : x->add, recipe_text(&x->why));
	}
	flags_part(p, &c->source->args);
	if (trains(c->source))
		params_part(p);
}

static int stage_part(struct page *p, size_t number, const struct recipe_stage *s, struct err *e)
{
	AUTO(command_list_fini) struct command_list list = {0};

	if (command_render(&p->o, s, &list, e))
		return -1;
	buf_addf(&p->out, "\n[%zu/%zu] %s: %s (", number, p->c->recipe->stages.n, s->id,
		recipe_text(&s->title));
	span(&p->out, s->usual_min_s, s->usual_max_s);
	buf_addf(&p->out, ")%s\n  %s\n", s->holds_tpu ? _(", the chips cost money meanwhile") : "",
		recipe_text(&s->does));
	for (size_t i = 0; i < list.n; i++)
		one_command(p, &list.items[i]);
	return 0;
}

static void findings_part(struct page *p)
{
	AUTO(rule_findings_fini) struct rule_findings found = {0};

	rule_training(p->c->recipe, &p->c->values, &found);
	for (size_t i = 0; i < found.n; i++)
		buf_addf(&p->out, "\ntrain.%s: %s: %s\n", found.items[i].check,
			found.items[i].blocking ? _("blocking") : _("warning"),
			found.items[i].text);
}

static int explain(struct page *p, const struct recipe_stage *only, struct err *e)
{
	const struct recipe *r = p->c->recipe;
	uint32_t chips = r->chips.count;

	if (values_get(&p->c->values, "TOPOLOGY"))
		chips = rule_chips(values_get(&p->c->values, "TOPOLOGY"));
	if (!only) {
		buf_addf(&p->out, "%s\n%s\n", recipe_text(&r->title), recipe_text(&r->summary));
		span(&p->out, r->usual_min_s, r->usual_max_s);
		buf_addf(&p->out, _("; %u chips, %u to %u chip-hours; prices: %s\n"), chips,
			chips * (r->usual_min_s / 60) / 60, chips * (r->usual_max_s / 60) / 60,
			r->chips.price_link);
		values_part(p);
		deviations_part(p);
		notes_part(p);
	}
	for (size_t i = 0; i < r->stages.n; i++) {
		if ((!only || only == &r->stages.items[i]) &&
			stage_part(p, i + 1, &r->stages.items[i], e))
			return -1;
	}
	findings_part(p);
	return 0;
}

static int find_stage(
	const struct recipe *r, const char *id, const struct recipe_stage **out, struct err *e)
{
	AUTO(buf_fini) struct buf hint = {0};

	*out = id ? recipe_stage(r, id) : NULL;
	if (*out || !id)
		return 0;
	buf_adds(&hint, _("expected one of:"));
	for (size_t i = 0; i < r->stages.n; i++)
		buf_addf(&hint, " %s", r->stages.items[i].id);
	return err_set(e, ERR_USAGE, buf_str(&hint), _("there is no stage called %s"), id);
}

static int print(const struct buf *b, struct err *e)
{
	if (fwrite(buf_str(b), 1, b->len, stdout) != b->len || fflush(stdout))
		return err_set(e, ERR_CANNOT_WRITE, _("check where the output goes"),
			_("cannot write the plan"));
	return 0;
}

int cli_plan(int argc, char **argv, const struct cli_globals *g)
{
	AUTO(strvec_fini) struct strvec sets = {0};
	AUTO(strvec_fini) struct strvec on = {0};
	AUTO(strvec_fini) struct strvec off = {0};
	AUTO(cli_context_close) struct cli_context c = {0};
	const struct recipe_stage *only = NULL;
	const char *stage = NULL;
	bool as_written = false, script = false;
	struct page p = {.c = &c};
	struct err e = {0};
	int rc;
	const struct cli_option options[] = {
		{"--as-written", CLI_FLAG, &as_written},
		{"--script", CLI_FLAG, &script},
		{"--stage", CLI_TEXT, &stage},
		{"--set", CLI_LIST, &sets},
		{"--on", CLI_LIST, &on},
		{"--off", CLI_LIST, &off},
	};

	if (cli_parse(options, COUNT(options), &argc, argv, &e))
		return cli_fail(&e);
	if (argc > 1) {
		err_set(&e, ERR_USAGE, _("rlpilot plan takes options only"),
			_("'%s' is not expected here"), argv[1]);
		return cli_fail(&e);
	}
	if (cli_context_open(g, &sets, &on, &off, &c, &e) || find_stage(c.recipe, stage, &only, &e))
		return cli_fail(&e);
	p.o = (struct render){c.recipe, &c.values, c.deviations, as_written, true};
	rc = script ? command_script(&p.o, only, &p.out, &e) : explain(&p, only, &e);
	if (!rc)
		rc = print(&p.out, &e);
	buf_fini(&p.out);
	return rc ? cli_fail(&e) : 0;
}
