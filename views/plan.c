/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan: what will run, stage by stage and flag by flag, what it usually costs, where it differs
 * from the tutorial and why, the choices, the training parameters with their rules, and the
 * difference as a diff. The script can be copied or saved.
 */
#include "views/plan.h"

#include "core/base/err.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "tui/layout.h"
#include "tui/term.h"
#include "views/views.h"

#include <stdlib.h>
#include <string.h>

static const char *const titles[SECTION_COUNT] = {
	[SECTION_STAGES] = N_("stages"),
	[SECTION_SWITCHES] = N_("differences"),
	[SECTION_CHOICES] = N_("choices"),
	[SECTION_PARAMS] = N_("parameters"),
	[SECTION_DIFF] = N_("diff"),
};

/* The run as the state tells it; secrets stay out, so they are names everywhere. */
static void plan_take(struct view *v, struct plan_page *p, const struct state *s)
{
	p->state = s;
	p->recipe = view_recipe(v);
	p->frozen = state_frozen(s);
	values_fini(&p->values);
	for (size_t i = 0; i < s->values.n; i++) {
		const struct state_value *x = &s->values.items[i];
		if (x->present && !x->secret)
			values_put(
				&p->values, x->name, x->value, value_origin_of(x->origin), false);
	}
	if (!p->recipe)
		return;
	p->render = (struct render){.recipe = p->recipe,
		.values = &p->values,
		.deviations = deviation_defaults(p->recipe),
		.names = true};
	for (size_t i = 0; i < s->deviations.n; i++)
		(void)deviation_switch(p->recipe, &p->render.deviations, s->deviations.items[i].id,
			s->deviations.items[i].on, NULL);
}

bool plan_refuse(struct view *v, const struct plan_page *p)
{
	if (!p->frozen)
		return false;
	host_toast(v->host, ROLE_WARN, "%s",
		_("frozen: this run may have spent money; start another run to change it"));
	return true;
}

void plan_split(const struct surface *s, int left, int top, struct surface parts[2])
{
	const struct split cols[] = {{.fixed = left}, {.weight = 1, .min = 30}};
	const struct split rows[] = {{.fixed = top}, {.weight = 1, .min = 4}};
	if (s->w < PLAN_BESIDE_FROM) {
		layout_rows(s, rows, 2, parts);
		return;
	}
	layout_cols(s, cols, 2, parts);
	surface_vrule(&parts[1], 0);
	parts[1] = surface_sub(&parts[1], 0, 1, parts[1].h, parts[1].w - 1);
}

static void plan_strip(const struct plan_page *p, struct surface *s)
{
	int x = 1;
	for (int i = 0; i < SECTION_COUNT; i++) {
		enum role role = i == (int)p->section ? ROLE_SELECTED : ROLE_TEXT;
		surface_textf(s, 0, x, 1, ROLE_KEY, "%d", i + 1);
		x += 2 + surface_textf(s, 0, x + 1, -1, role, " %s ", _(titles[i]));
	}
}

static void plan_body(struct plan_page *p, struct surface *body)
{
	switch (p->section) {
	case SECTION_STAGES:
		plan_stages_draw(p, body);
		break;
	case SECTION_SWITCHES:
		plan_switches_draw(p, body);
		break;
	case SECTION_CHOICES:
		plan_choices_draw(p, body);
		break;
	case SECTION_PARAMS:
		plan_params_draw(p, body);
		break;
	default:
		plan_diff_draw(p, body);
		break;
	}
}

static void plan_keys(struct view *v, const struct plan_page *p)
{
	if (p->form.editing)
		VIEW_KEYS(v, {ACT_OPEN, _("keep")}, {ACT_NEXT, _("keep, next")},
			{ACT_BACK, _("as it was")});
	else if (p->section == SECTION_STAGES)
		VIEW_KEYS(v, {ACT_OPEN, _("whole text")}, {ACT_NEXT, _("section")},
			{ACT_PAGE_DOWN, _("scroll")}, {ACT_COPY, _("copy script")},
			{ACT_SAVE, _("save script")});
	else if (p->section == SECTION_DIFF)
		VIEW_KEYS(v, {ACT_DOWN, _("scroll")}, {ACT_NEXT, _("section")},
			{ACT_COPY, _("copy diff")}, {ACT_SAVE, _("save script")});
	else
		VIEW_KEYS(v, {ACT_OPEN, p->section == SECTION_PARAMS ? _("edit") : _("switch")},
			{ACT_NEXT, _("section")}, {ACT_COPY, _("copy script")},
			{ACT_SAVE, _("save script")});
}

static void plan_draw(struct view *v, const struct state *s, struct surface *out)
{
	struct plan_page *p = v->data;
	AUTO(buf_fini) struct buf what = {0};
	plan_take(v, p, s);
	head_alert(v, s);
	plan_keys(v, p);
	if (view_is_tiny(out) || !p->recipe) {
		head_tiny(out, s);
		return;
	}
	uint32_t chips = plan_chips(p->recipe, &p->values);
	plan_span(p->recipe->usual_min_s, p->recipe->usual_max_s, &what);
	buf_addf(&what, _("; %u chips, %.0f - %.0f chip-hours"), chips,
		plan_chip_hours(chips, p->recipe->usual_min_s),
		plan_chip_hours(chips, p->recipe->usual_max_s));
	head_draw(out, s, _("plan"), buf_str(&what), p->frozen ? _("frozen") : NULL);
	struct surface strip = surface_sub(out, 1, 0, 1, out->w);
	struct surface body = surface_sub(out, 2, 0, out->h - 2, out->w);
	plan_strip(p, &strip);
	plan_body(p, &body);
}

/* --- the script */

static void plan_copy(struct view *v, struct plan_page *p)
{
	AUTO(buf_fini) struct buf text = {0};
	struct err e = {0};
	bool diff = p->section == SECTION_DIFF;
	int rc = diff ? plan_diff(&p->render, &text, &e)
		      : command_script(&p->render, NULL, &text, &e);
	if (rc != 0)
		host_toast(v->host, ROLE_BAD, "%s", e.what);
	else if (term_copy(buf_str(&text), text.len))
		host_toast(v->host, ROLE_TOAST, "%s",
			diff ? _("copied: the diff") : _("copied: the script"));
	else
		host_toast(v->host, ROLE_WARN, "%s",
			_("this terminal cannot be given text to copy; W saves the script"));
}

static void plan_save(struct view *v, struct plan_page *p)
{
	const struct views_context *c = host_context(v->host);
	AUTO(buf_fini) struct buf text = {0};
	struct err e = {0};
	if (!view_may_act(v)) {
		host_toast(v->host, ROLE_WARN, "%s", _("this screen is read-only"));
		return;
	}
	AUTO_FREE char *file = path_join(c->run_dir, "plan.sh");
	if (command_script(&p->render, NULL, &text, &e) != 0 ||
		path_write(file, text.data, text.len, &e) != 0)
		host_toast(v->host, ROLE_BAD, "%s: %s", e.what, e.hint);
	else
		host_toast(v->host, ROLE_TOAST, _("saved: %s"), file);
}

/* --- keys */

static bool plan_section_act(
	struct view *v, struct plan_page *p, enum action a, const struct key *k)
{
	switch (p->section) {
	case SECTION_STAGES:
		return plan_stages_act(p, a, k);
	case SECTION_SWITCHES:
		return plan_switches_act(v, p, a, k);
	case SECTION_CHOICES:
		return plan_choices_act(v, p, a, k);
	case SECTION_PARAMS:
		return plan_params_act(v, p, a, k);
	default:
		return plan_diff_act(p, a);
	}
}

static bool plan_act(struct view *v, enum action a, const struct key *k)
{
	struct plan_page *p = v->data;
	plan_take(v, p, host_state(v->host));
	if (!p->recipe)
		return false;
	if (p->form.editing)
		return plan_params_act(v, p, a, k);
	if (a >= ACT_ZOOM_1 && a < ACT_ZOOM_1 + SECTION_COUNT) {
		p->section = (enum plan_section)(a - ACT_ZOOM_1);
		p->whole = false;
		return true;
	}
	if (a == ACT_NEXT || a == ACT_PREV) {
		unsigned step = a == ACT_NEXT ? 1 : SECTION_COUNT - 1;
		p->section = (enum plan_section)((p->section + step) % SECTION_COUNT);
		p->whole = false;
		return true;
	}
	if (a == ACT_COPY)
		return plan_copy(v, p), true;
	if (a == ACT_SAVE)
		return plan_save(v, p), true;
	return plan_section_act(v, p, a, k);
}

static int plan_open(struct view *v, const struct state *s)
{
	struct plan_page *p = v->data;
	(void)s;
	p->form.label_w = 29;
	p->diff.still = p->text.still = true;
	return 0;
}

static void plan_close(struct view *v)
{
	struct plan_page *p = v->data;
	list_fini(&p->stages);
	list_fini(&p->switches);
	list_fini(&p->choices);
	form_fini(&p->form);
	values_fini(&p->values);
	plan_rows_clear(&p->rows);
	free(p->rows.items);
	buf_fini(&p->reason);
	rule_findings_fini(&p->findings);
}

const struct view_ops view_plan = {
	.name = N_("plan"),
	.topics = TOPIC_BIT(TOPIC_RUN) | TOPIC_BIT(TOPIC_VALUES) | TOPIC_BIT(TOPIC_STAGES) |
		  TOPIC_BIT(TOPIC_ALERTS),
	.size = sizeof(struct plan_page),
	.open = plan_open,
	.draw = plan_draw,
	.act = plan_act,
	.close = plan_close,
};
