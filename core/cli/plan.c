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
#include "core/recipe/plan.h"
#include "core/recipe/recipe.h"
#include "core/recipe/rule.h"
#include "core/recipe/values.h"
#include "core/run/folder.h"

struct page {
	const struct cli_context *c;
	struct render o;
	struct buf out;
};

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

	if (p->c->run)
		buf_addf(&p->out, _("\nValues of the run %s\n"), p->c->run->name);
	else
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

static int stage_part(struct page *p, size_t number, const struct recipe_stage *s, struct err *e)
{
	AUTO(plan_lines_fini) struct plan_lines lines = {0};
	AUTO(buf_fini) struct buf cost = {0};

	if (plan_stage(&p->o, s, &lines, e))
		return -1;
	plan_span(s->usual_min_s, s->usual_max_s, &cost);
	if (s->holds_tpu)
		buf_adds(&cost, "; ");
	plan_stage_cost(s, plan_chips(p->c->recipe, &p->c->values), &cost);
	buf_addf(&p->out, "\n[%zu/%zu] %s: %s (%s)\n", number, p->c->recipe->stages.n, s->id,
		recipe_text(&s->title), buf_str(&cost));
	for (size_t i = 0; i < lines.n; i++)
		plan_line_text(&lines.items[i], &p->out);
	return 0;
}

static void findings_part(struct page *p)
{
	AUTO(rule_findings_fini) struct rule_findings found = {0};

	rule_training(p->c->recipe, &p->c->values, &p->o.deviations, &found);
	for (size_t i = 0; i < found.n; i++) {
		const struct rule_finding *f = &found.items[i];

		buf_addf(&p->out, "\ntrain.%s: %s: %s\n", f->check,
			f->blocking ? _("blocking") : _("warning"), f->text);
		if (*f->says)
			buf_addf(&p->out, _("  the trainer would say: %s\n"), f->says);
	}
}

static int explain(struct page *p, const struct recipe_stage *only, struct err *e)
{
	const struct recipe *r = p->c->recipe;
	uint32_t chips = plan_chips(r, &p->c->values);

	if (!only) {
		buf_addf(&p->out, "%s\n%s\n", recipe_text(&r->title), recipe_text(&r->summary));
		plan_span(r->usual_min_s, r->usual_max_s, &p->out);
		buf_addf(&p->out, _("; %u chips, %.0f to %.0f chip-hours; prices: %s\n"), chips,
			plan_chip_hours(chips, r->usual_min_s),
			plan_chip_hours(chips, r->usual_max_s), r->chips.price_link);
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
	bool as_written = false, script = false, diff = false;
	struct page p = {.c = &c};
	struct err e = {0};
	int rc;
	const struct cli_option options[] = {
		{"--as-written", CLI_FLAG, &as_written},
		{"--script", CLI_FLAG, &script},
		{"--diff", CLI_FLAG, &diff},
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
	if (cli_context_open_last(g, &sets, &on, &off, &c, &e) ||
		find_stage(c.recipe, stage, &only, &e))
		return cli_fail(&e);
	p.o = (struct render){c.recipe, &c.values, c.deviations, as_written, true};
	rc = diff     ? plan_diff(&p.o, &p.out, &e)
	     : script ? command_script(&p.o, only, &p.out, &e)
		      : explain(&p, only, &e);
	if (!rc)
		rc = print(&p.out, &e);
	buf_fini(&p.out);
	return rc ? cli_fail(&e) : 0;
}
