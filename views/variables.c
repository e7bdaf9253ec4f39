/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of the run as a form: label, value, where it comes from; below it why it is asked, how to
 * get it, and while one types whether the rule holds. Leaving works from any state, valid or not.
 */
#include "core/base/text.h"
#include "core/recipe/rule.h"
#include "core/recipe/values.h"
#include "tui/layout.h"
#include "tui/widget/form.h"
#include "views/common.h"
#include "views/views.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DETAIL_W    44
#define BESIDE_FROM 108 /* columns from which the explanation stands beside the form */
#define ROWS_MAX    128
#define LABEL_W     24

/* One row: a variable or a training parameter of the recipe. */
struct row {
	const struct recipe_variable *variable;
	const struct recipe_param *param;
};

struct variables {
	struct form form;
	struct row rows[ROWS_MAX];
	size_t n, asked; /* rows; of them variables that a person gives */
	struct buf reason; /* why what is typed cannot be, empty = it can */
	const struct state *state;
};

static int variables_open(struct view *v, const struct state *s)
{
	struct variables *p = v->data;
	const struct recipe *r = view_recipe(v);
	(void)s;
	p->form.label_w = LABEL_W;
	for (size_t i = 0; r && i < r->variables.n && p->n < ROWS_MAX; i++)
		if (!r->variables.items[i].derived_only)
			p->rows[p->n++].variable = &r->variables.items[i];
	p->asked = p->n;
	for (size_t i = 0; r && i < r->variables.n && p->n < ROWS_MAX; i++)
		if (r->variables.items[i].derived_only)
			p->rows[p->n++].variable = &r->variables.items[i];
	for (size_t i = 0; r && i < r->parameters.n && p->n < ROWS_MAX; i++)
		if (r->parameters.items[i].editable)
			p->rows[p->n++].param = &r->parameters.items[i];
	return 0;
}

static const char *row_name(const struct row *r)
{
	return r->variable ? r->variable->name : r->param->key;
}

static const struct state_value *row_value(const struct variables *p, const struct row *r)
{
	const struct state_value *v = state_value_find(p->state, row_name(r));
	return v && v->present ? v : NULL;
}

static void variables_row(const void *arg, size_t i, struct form_row *out)
{
	const struct variables *p = arg;
	const struct row *r = &p->rows[i];
	const struct state_value *value = row_value(p, r);
	bool needed = r->variable && !r->variable->optional && !r->variable->derived_only;
	*out = (struct form_row){
		.id = row_name(r),
		.label = row_name(r),
		.value = value ? value->value : r->param && r->param->value ? r->param->value : "",
		.note = value ? value_origin_text(value_origin_of(value->origin)) : r->param ? _("default") : NULL,
		.note_role = ROLE_DIM,
		.value_role = value ? ROLE_TEXT : ROLE_DIM,
		.fixed = r->variable && (r->variable->derived_only ||
						(r->variable->derive != DERIVE_NONE && value &&
							strcmp(value->origin, "derived") == 0)),
		.masked = r->variable && r->variable->secret,
	};
	if (!value && needed) {
		out->value = _("needed");
		out->value_role = ROLE_WARN;
	}
	if (p->form.editing && strcmp(p->form.edited, out->id) == 0) {
		out->note = p->reason.len ? glyph_str(GLYPH_FAILED) : glyph_str(GLYPH_DONE);
		out->note_role = p->reason.len ? ROLE_BAD : ROLE_OK;
	}
}

static struct form_source variables_source(const struct variables *p)
{
	return (struct form_source){.arg = p, .n = p->n, .row = variables_row};
}

static void variables_judge(struct variables *p, const struct recipe *r, const struct row *row)
{
	struct values others = {0};
	const char *text = field_text(&p->form.field);
	buf_clear(&p->reason);
	for (size_t i = 0; i < p->state->values.n; i++) {
		const struct state_value *v = &p->state->values.items[i];
		if (v->present && !v->secret)
			values_put(&others, v->name, v->value, VALUE_TYPED, false);
	}
	if (!*text)
		buf_adds(&p->reason, _("empty: leaving it keeps the value as it was"));
	else if (row->variable)
		rule_variable(r, row->variable, text, &others, &p->reason);
	else
		rule_parameter(row->param, text, &p->reason);
	values_fini(&others);
}

/* --- why and how */

static int detail_how(const struct recipe_variable *var, struct surface *s, int y)
{
	for (size_t i = 0; i < var->how.n && y < s->h; i++) {
		char number[24];
		snprintf(number, sizeof(number), "%zu", i + 1);
		surface_text(s, y, 0, 2, ROLE_KEY, var->how.n > 1 ? number : glyph_str(GLYPH_ARROW));
		y += surface_wrap(s, y, 2, s->h - y, s->w - 2, ROLE_TEXT, recipe_text(&var->how.items[i]));
	}
	if (var->how_link && y < s->h)
		surface_cut(s, y++, 2, s->w - 2, ROLE_LINK, var->how_link);
	return y;
}

static int detail_param(const struct recipe_param *param, struct surface *s, int y)
{
	AUTO(buf_fini) struct buf text = {0};
	if (param->min <= param->max)
		buf_addf(&text, _("from %g to %g"), param->min, param->max);
	for (size_t i = 0; i < param->choices.n; i++)
		buf_addf(&text, "%s%s", i ? ", " : "", param->choices.items[i]);
	y += surface_wrap(s, y, 0, s->h - y, s->w, ROLE_DIM, buf_str(&text));
	buf_clear(&text);
	if (param->upstream)
		buf_addf(&text, _("the trainer's own value: %s"), param->upstream);
	return y + surface_wrap(s, y, 0, s->h - y, s->w, ROLE_DIM, buf_str(&text));
}

static void variables_detail(const struct variables *p, const struct row *r, struct surface *s)
{
	const struct recipe_text *label = r->variable ? &r->variable->label : &r->param->label;
	const struct recipe_text *why = r->variable ? &r->variable->why : &r->param->why;
	int y = 0;
	surface_rule(s, 0, recipe_text(label), NULL);
	struct surface in = surface_sub(s, 1, 1, s->h - 1, s->w - 2);
	if (p->form.editing && p->reason.len)
		y += surface_wrap(&in, y, 0, 2, in.w, ROLE_BAD, buf_str(&p->reason));
	y += surface_wrap(&in, y, 0, in.h - y, in.w, ROLE_TEXT, recipe_text(why));
	if (r->variable)
		detail_how(r->variable, &in, y);
	else
		detail_param(r->param, &in, y);
}

/* --- the page */

static size_t variables_set(const struct variables *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->asked; i++)
		n += row_value(p, &p->rows[i]) != NULL;
	return n;
}

static void variables_draw(struct view *v, const struct state *s, struct surface *out)
{
	struct variables *p = v->data;
	struct form_source src;
	p->state = s;
	src = variables_source(p);
	head_alert(v, s);
	if (view_is_tiny(out)) {
		head_tiny(out, s);
		return;
	}
	AUTO_FREE char *what = x_asprintf(_("%zu of %zu set"), variables_set(p), p->asked);
	head_draw(out, s, _("variables"), what, NULL);
	struct surface body = surface_sub(out, 1, 0, out->h - 1, out->w), parts[2];
	bool beside = out->w >= BESIDE_FROM;
	const struct split cols[] = {{.weight = 1, .min = 40}, {.fixed = DETAIL_W + 2}};
	const struct split rows[] = {{.weight = 1, .min = 5}, {.fixed = out->h >= 20 ? 7 : 5}};
	if (beside)
		layout_cols(&body, cols, 2, parts);
	else
		layout_rows(&body, rows, 2, parts);
	struct surface form = surface_sub(&parts[0], beside ? 1 : 0, 0, parts[0].h, parts[0].w);
	if (beside)
		surface_rule(&parts[0], 0, _("values"), NULL);
	form_draw(&p->form, &src, &form);
	size_t i = form_focus(&p->form, &src);
	if (i < p->n) {
		struct surface detail = surface_sub(&parts[1], 0, beside ? 1 : 0, parts[1].h, parts[1].w);
		variables_detail(p, &p->rows[i], &detail);
	}
	if (beside) {
		surface_vrule(&parts[1], 0);
		surface_put(&parts[1], 0, 0, ROLE_RULE, glyph(GLYPH_TEE_DOWN));
	}
	if (p->form.editing)
		VIEW_KEYS(v, {ACT_OPEN, _("keep")}, {ACT_NEXT, _("keep, next")}, {ACT_BACK, _("as it was")});
	else
		VIEW_KEYS(v, {ACT_OPEN, _("edit")}, {ACT_NEXT, _("next")}, {ACT_SEE_CHECKS, _("checks")},
			{ACT_SEE_RESERVATIONS, _("reservations")}, {ACT_SEE_STAGES, _("stages")});
}

static void variables_take(struct view *v, struct variables *p, const char *name)
{
	AUTO_FREE char *text = x_strdup(field_text(&p->form.field));
	bool bad = p->reason.len > 0;
	field_set(&p->form.field, "");
	view_typing(v, false);
	if (*text && bad)
		host_toast(v->host, ROLE_WARN, _("%s stays as it was: %s"), name, buf_str(&p->reason));
	else if (*text)
		view_post(v, INTENT_SET_VALUE, STAGE_NONE, name, text);
	explicit_bzero(text, strlen(text));
}

static const struct row *row_of(const struct variables *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(row_name(&p->rows[i]), name) == 0)
			return &p->rows[i];
	return NULL;
}

static void variables_begin(struct view *v, struct variables *p, const struct key *k)
{
	const struct row *r = row_of(p, p->form.edited);
	const struct state_value *value = r ? row_value(p, r) : NULL;
	if (!r || !view_may_act(v)) {
		p->form.editing = false;
		host_toast(v->host, ROLE_WARN, "%s", _("this screen is read-only"));
		return;
	}
	field_set(&p->form.field, value && !value->secret && k->code != K_PASTE ? value->value : "");
	if (k->code == K_PASTE)
		field_key(&p->form.field, k, NULL);
	view_typing(v, true);
	variables_judge(p, view_recipe(v), r);
}

static bool variables_act(struct view *v, enum action a, const struct key *k)
{
	struct variables *p = v->data;
	struct form_source src;
	p->state = host_state(v->host);
	src = variables_source(p);
	switch (form_act(&p->form, &src, a, k)) {
	case FORM_BEGIN:
		variables_begin(v, p, k);
		return true;
	case FORM_CHANGED:
		variables_judge(p, view_recipe(v), row_of(p, p->form.edited));
		return true;
	case FORM_TAKE:
		variables_take(v, p, p->form.edited);
		return true;
	case FORM_DROP:
		field_set(&p->form.field, "");
		view_typing(v, false);
		return true;
	case FORM_USED:
		return true;
	default:
		return false;
	}
}

static void variables_close(struct view *v)
{
	struct variables *p = v->data;
	form_fini(&p->form);
	buf_fini(&p->reason);
}

const struct view_ops view_variables = {
	.name = N_("variables"),
	.topics = TOPIC_BIT(TOPIC_RUN) | TOPIC_BIT(TOPIC_VALUES) | TOPIC_BIT(TOPIC_ALERTS),
	.size = sizeof(struct variables),
	.open = variables_open,
	.draw = variables_draw,
	.act = variables_act,
	.close = variables_close,
};
