/* SPDX-License-Identifier: Apache-2.0 */
/* How the page of variables looks: rows with their origin, why and how, the list below a field. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/recipe/values.h"
#include "tui/layout.h"
#include "views/offers.h"
#include "views/variables_in.h"

#define DETAIL_W    44
#define BESIDE_FROM 108  /* columns from which the explanation stands beside the form */
#define PENDING_MS  5000 /* wall, after which a value that nobody took is no longer shown */

static void row_of_value(const struct variables *p, const struct row *r, struct form_row *out)
{
	const struct state_value *value = row_value(p, r);
	bool needed = r->variable && !r->variable->optional && !r->variable->derived_only;

	if (value) {
		out->value = value->value;
		out->note = value_origin_text(value_origin_of(value->origin));
		out->value_role = r->bad ? ROLE_WARN : ROLE_TEXT;
	} else if (r->param) {
		out->value = r->param->value ? r->param->value : "";
		out->note = _("default");
		out->value_role = ROLE_DIM;
	} else if (needed && r->variable->derive == DERIVE_REGION) {
		out->value = _("follows from ZONE");
		out->value_role = ROLE_DIM;
	} else if (needed) {
		out->value = _("needed");
		out->value_role = ROLE_WARN;
	}
}

static void variables_row(const void *arg, size_t i, struct form_row *out)
{
	static const char mask[] = "••••";
	const struct variables *p = arg;
	const struct row *r = &p->rows[i];
	const char *draft = state_draft(p->state, row_name(r));

	*out = (struct form_row){
		.id = row_name(r),
		.label = row_name(r),
		.value = "",
		.note_role = ROLE_DIM,
		.value_role = ROLE_DIM,
		.fixed = row_fixed(p, r),
		.masked = row_secret(r),
	};
	if (r->pending) {
		out->value = row_secret(r) ? mask : r->pending;
		out->value_role = ROLE_TEXT;
		out->note = _("on its way");
	} else if (p->secret_row == r) {
		out->value = mask;
		out->value_role = ROLE_WARN;
		out->note = _("not used yet");
		out->note_role = ROLE_WARN;
	} else if (draft) {
		out->value = draft;
		out->value_role = ROLE_WARN;
		out->note = _("not used yet");
		out->note_role = ROLE_WARN;
	} else {
		row_of_value(p, r, out);
	}
	if (p->form.editing && strcmp(p->form.edited, out->id) == 0) {
		out->note = p->reason.len ? glyph_str(GLYPH_FAILED) : glyph_str(GLYPH_DONE);
		out->note_role = p->reason.len ? ROLE_BAD : ROLE_OK;
	}
}

struct form_source variables_source(const struct variables *p)
{
	return (struct form_source){.arg = p, .n = p->n, .row = variables_row};
}

/* --- why and how */

static int detail_how(const struct recipe_variable *var, struct surface *s, int y)
{
	for (size_t i = 0; i < var->how.n && y < s->h; i++) {
		char number[24];
		snprintf(number, sizeof(number), "%zu", i + 1);
		surface_text(
			s, y, 0, 2, ROLE_KEY, var->how.n > 1 ? number : glyph_str(GLYPH_ARROW));
		y += surface_wrap(
			s, y, 2, s->h - y, s->w - 2, ROLE_TEXT, recipe_text(&var->how.items[i]));
	}
	if (var->how_link && y < s->h)
		surface_cut(s, y++, 2, s->w - 2, ROLE_LINK, var->how_link);
	return y;
}

static int detail_param(const struct recipe_param *param, struct surface *s, int y)
{
	AUTO(buf_fini) struct buf text = {0};
	if (param->min < param->max)
		buf_addf(&text, _("from %g to %g"), param->min, param->max);
	for (size_t i = 0; i < param->choices.n; i++)
		buf_addf(&text, "%s%s", i ? ", " : "", param->choices.items[i]);
	y += surface_wrap(s, y, 0, s->h - y, s->w, ROLE_DIM, buf_str(&text));
	buf_clear(&text);
	if (param->upstream)
		buf_addf(&text, _("the trainer's own value: %s"), param->upstream);
	return y + surface_wrap(s, y, 0, s->h - y, s->w, ROLE_DIM, buf_str(&text));
}

/* What is wrong with what stands there, and what counts instead. */
static int detail_state(const struct variables *p, const struct row *r, struct surface *s)
{
	const struct state_value *value = row_value(p, r);
	const char *draft = p->secret_row == r ? p->secret : state_draft(p->state, row_name(r));
	const char *env = r->variable && !row_secret(r) ? getenv(row_name(r)) : NULL;
	AUTO(buf_fini) struct buf why = {0};
	int y = 0;

	if (p->form.editing) {
		if (p->reason.len)
			y += surface_wrap(s, y, 0, 2, s->w, ROLE_BAD, buf_str(&p->reason));
		return y;
	}
	if (draft || r->bad) {
		row_judge(p, r, draft ? draft : value->value, &why);
		y += surface_wrap(s, y, 0, 2, s->w, ROLE_BAD, buf_str(&why));
	}
	if (draft && value)
		surface_textf(s, y++, 0, s->w, ROLE_DIM, _("in use: %s"), value->value);
	if (value && env && *env && strcmp(env, value->value) != 0)
		surface_textf(s, y++, 0, s->w, ROLE_DIM,
			_("the environment has %s; it is not taken"), env);
	return y;
}

static void variables_detail(const struct variables *p, const struct row *r, struct surface *s)
{
	const struct recipe_text *label = r->variable ? &r->variable->label : &r->param->label;
	const struct recipe_text *why = r->variable ? &r->variable->why : &r->param->why;
	int y;
	surface_rule(
		s, 0, recipe_text(label), row_fixed(p, r) ? _("follows from other values") : NULL);
	struct surface in = surface_sub(s, 1, 1, s->h - 1, s->w - 2);
	y = detail_state(p, r, &in);
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

/* What was posted is no longer pending once the state tells it, or nobody took it. */
static void settle(struct view *v, struct variables *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct row *r = &p->rows[i];
		const struct state_value *value = row_value(p, r);
		const char *draft = state_draft(p->state, row_name(r));
		if (!r->pending)
			continue;
		bool known = row_secret(r) ? value != NULL
					   : (value && strcmp(value->value, r->pending) == 0) ||
						     (draft && strcmp(draft, r->pending) == 0);
		if (known || clock_wall() - r->pending_wall > PENDING_MS) {
			free(r->pending);
			r->pending = NULL;
		} else {
			view_wake(v, PENDING_MS);
		}
	}
}

static void judge_all(struct variables *p)
{
	uint64_t now = p->state->revision[TOPIC_VALUES] + 1;
	if (p->judged == now)
		return;
	p->judged = now;
	for (size_t i = 0; i < p->n; i++) {
		const struct state_value *value = row_value(p, &p->rows[i]);
		p->rows[i].bad =
			value && !value->secret && !row_judge(p, &p->rows[i], value->value, NULL);
	}
}

static bool on_secret(struct variables *p)
{
	struct form_source src = variables_source(p);
	size_t i = form_focus(&p->form, &src);
	return i < p->n && row_secret(&p->rows[i]);
}

static void variables_keys(struct view *v, struct variables *p)
{
	if (p->keep.open)
		VIEW_KEYS(v, {ACT_OPEN, _("choose")}, {ACT_BACK, _("as it was")});
	else if (p->question.open)
		VIEW_KEYS(v, {ACT_OPEN, _("import")}, {ACT_BACK, _("leave it")});
	else if (p->form.editing && p->pick.n)
		VIEW_KEYS(v, {ACT_OPEN, _("keep")}, {ACT_NEXT, _("keep, next")},
			{ACT_DOWN, _("into the list")}, {ACT_BACK, _("as it was")});
	else if (p->form.editing)
		VIEW_KEYS(v, {ACT_OPEN, _("keep")}, {ACT_NEXT, _("keep, next")},
			{ACT_BACK, _("as it was")});
	else if (on_secret(p))
		VIEW_KEYS(v, {ACT_OPEN, _("edit")}, {ACT_SAVE, _("keep it in a file")},
			{ACT_SEE_CHECKS, _("checks")}, {ACT_SEE_STAGES, _("stages")});
	else
		VIEW_KEYS(v, {ACT_OPEN, _("edit")}, {ACT_NEXT, _("next")}, {ACT_COPY, _("copy")},
			{ACT_SEE_CHECKS, _("checks")}, {ACT_SEE_RESERVATIONS, _("reservations")},
			{ACT_SEE_STAGES, _("stages")});
	if (p->question.open || p->keep.open)
		view_modal(v);
}

static void pick_below(struct variables *p, size_t i, struct surface *form)
{
	const struct row *r = &p->rows[i];

	offers_fill(&p->pick, p->state, r->variable, r->param,
		p->touched ? field_text(&p->form.field) : NULL);
	pick_draw(&p->pick, form, (int)(p->form.list.at - p->form.list.top), 2 + LABEL_W + 1);
}

static void body_draw(struct variables *p, struct surface *body)
{
	struct form_source src = variables_source(p);
	struct surface parts[2];
	bool beside = body->w >= BESIDE_FROM;
	const struct split cols[] = {{.weight = 1, .min = 40}, {.fixed = DETAIL_W + 2}};
	const struct split rows[] = {{.weight = 1, .min = 5}, {.fixed = body->h >= 19 ? 7 : 5}};
	if (beside)
		layout_cols(body, cols, 2, parts);
	else
		layout_rows(body, rows, 2, parts);
	struct surface form = surface_sub(&parts[0], beside ? 1 : 0, 0, parts[0].h, parts[0].w);
	if (beside)
		surface_rule(&parts[0], 0, _("values"), NULL);
	form_draw(&p->form, &src, &form);
	size_t i = form_focus(&p->form, &src);
	if (i < p->n) {
		struct surface detail =
			surface_sub(&parts[1], 0, beside ? 1 : 0, parts[1].h, parts[1].w);
		variables_detail(p, &p->rows[i], &detail);
	}
	if (beside) {
		surface_vrule(&parts[1], 0);
		surface_put(&parts[1], 0, 0, ROLE_RULE, glyph(GLYPH_TEE_DOWN));
	}
	if (p->form.editing && i < p->n)
		pick_below(p, i, &form);
}

void variables_draw(struct view *v, const struct state *s, struct surface *out)
{
	struct variables *p = v->data;
	p->state = s;
	head_alert(v, s);
	settle(v, p);
	judge_all(p);
	if (view_is_tiny(out)) {
		head_tiny(out, s);
		return;
	}
	AUTO_FREE char *what = x_asprintf(_("%zu of %zu set"), variables_set(p), p->asked);
	head_draw(out, s, _("variables"), what, NULL);
	struct surface body = surface_sub(out, 1, 0, out->h - 1, out->w);
	body_draw(p, &body);
	if (p->question.open)
		dialog_draw(&p->question, out);
	if (p->keep.open)
		menu_draw(&p->keep, out);
	variables_keys(v, p);
}
