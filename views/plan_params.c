/* SPDX-License-Identifier: Apache-2.0 */
/* The training parameters: value, the tutorial's value, the trainer's own, and every rule while one
 * types. A value that breaks the arithmetic with others may be kept: the others may follow. */
#include "views/plan.h"

#include "core/base/text.h"

#include <string.h>

/* The i-th row: editable ones first, then what the recipe fixes; NULL behind the last. */
static const struct recipe_param *param_at(const struct plan_page *p, size_t i)
{
	const struct recipe_params *all = &p->recipe->parameters;
	for (int editable = 1; editable >= 0; editable--) {
		for (size_t k = 0; k < all->n; k++) {
			const struct recipe_param *x = &all->items[k];
			if (x->editable != (editable == 1) || !plan_in_force(&p->render, x->when))
				continue;
			if (i-- == 0)
				return x;
		}
	}
	return NULL;
}

/* Does what is typed fit the other parameters? */
static bool params_clash(const struct plan_page *p)
{
	for (size_t i = 0; i < p->findings.n; i++)
		if (p->findings.items[i].blocking)
			return true;
	return false;
}

static void param_row(const void *arg, size_t i, struct form_row *out)
{
	static struct buf value;
	const struct plan_page *p = arg;
	const struct recipe_param *x = param_at(p, i);
	buf_clear(&value);
	plan_param_value(&p->render, x, &value);
	bool other = x->editable && x->value && strcmp(buf_str(&value), x->value) != 0;
	*out = (struct form_row){
		.id = x->key,
		.label = x->key,
		.value = buf_str(&value),
		.value_role = other         ? ROLE_STRONG
			      : x->editable ? ROLE_TEXT
					    : ROLE_DIM,
		.note = x->editable ? x->value : _("fixed"),
		.note_role = other ? ROLE_WARN : ROLE_DIM,
		.fixed = !x->editable,
	};
	if (p->form.editing && strcmp(p->form.edited, x->key) == 0) {
		bool bad = p->reason.len > 0, clash = params_clash(p);
		out->note = glyph_str(bad ? GLYPH_FAILED : clash ? GLYPH_WARN : GLYPH_DONE);
		out->note_role = bad ? ROLE_BAD : clash ? ROLE_WARN : ROLE_OK;
	}
}

static struct form_source params_source(const struct plan_page *p)
{
	struct form_source src = {.arg = p, .row = param_row};
	while (param_at(p, src.n))
		src.n++;
	return src;
}

/* All rules, with what is typed in place of the value. */
static void params_judge(struct plan_page *p)
{
	AUTO(values_fini) struct values draft = {0};
	const struct recipe_param *x =
		p->form.editing ? recipe_parameter(p->recipe, p->form.edited) : NULL;
	const char *text = field_text(&p->form.field);
	rule_findings_fini(&p->findings);
	buf_clear(&p->reason);
	values_copy(&draft, &p->values);
	if (x && !*text)
		buf_adds(&p->reason, _("empty: leaving it keeps the value as it was"));
	else if (x && rule_parameter(x, text, &p->reason))
		values_put(&draft, x->key, text, VALUE_SET, false);
	rule_training(p->recipe, &draft, &p->render.deviations, &p->findings);
}

static int findings_draw(const struct plan_page *p, struct surface *in, int y)
{
	for (size_t i = 0; i < p->findings.n && y < in->h; i++) {
		const struct rule_finding *f = &p->findings.items[i];
		y += surface_wrap(
			in, y, 0, in->h - y, in->w, f->blocking ? ROLE_BAD : ROLE_WARN, f->text);
		if (!*f->says)
			continue;
		AUTO_FREE char *says = x_asprintf(_("the trainer would say: %s"), f->says);
		y += surface_wrap(in, y, 2, in->h - y, in->w - 2, ROLE_DIM, says);
	}
	return y;
}

static void facts_text(const struct recipe_param *x, struct buf *out)
{
	if (x->value)
		buf_addf(out, _("tutorial: %s"), x->value);
	if (x->upstream)
		buf_addf(out, "%s", out->len ? "; " : "");
	if (x->upstream)
		buf_addf(out, _("the trainer's own: %s"), x->upstream);
	if (x->min < x->max)
		buf_addf(out, "%s", out->len ? "; " : "");
	if (x->min < x->max)
		buf_addf(out, _("from %g to %g"), x->min, x->max);
	for (size_t i = 0; i < x->choices.n; i++)
		buf_addf(out, "%s%s", i ? ", " : "; ", x->choices.items[i]);
}

static void param_detail(const struct plan_page *p, const struct recipe_param *x, struct surface *s)
{
	AUTO(buf_fini) struct buf facts = {0};
	int y = 0;
	surface_rule(s, 0, recipe_text(&x->label), p->frozen ? _("frozen") : NULL);
	struct surface in = surface_sub(s, 1, 1, s->h - 1, s->w - 2);
	if (p->form.editing && p->reason.len)
		y += surface_wrap(&in, y, 0, 2, in.w, ROLE_BAD, buf_str(&p->reason));
	y = findings_draw(p, &in, y);
	facts_text(x, &facts);
	y += surface_wrap(&in, y, 0, in.h - y, in.w, ROLE_STRONG, buf_str(&facts));
	surface_wrap(&in, y, 0, in.h - y, in.w, ROLE_TEXT, recipe_text(&x->why));
}

void plan_params_draw(struct plan_page *p, struct surface *s)
{
	struct form_source src = params_source(p);
	struct surface parts[2];
	params_judge(p);
	plan_split(s, s->w - 46, s->h >= 18 ? s->h - 8 : s->h - 5, parts);
	form_draw(&p->form, &src, &parts[0]);
	size_t i = form_focus(&p->form, &src);
	if (i < src.n)
		param_detail(p, param_at(p, i), &parts[1]);
}

static void params_begin(struct view *v, struct plan_page *p, const struct key *k)
{
	AUTO(buf_fini) struct buf value = {0};
	const struct recipe_param *x = recipe_parameter(p->recipe, p->form.edited);
	p->form.editing = false;
	if (!x || plan_refuse(v, p))
		return;
	if (!view_may_act(v)) {
		host_toast(v->host, ROLE_WARN, "%s", _("this screen is read-only"));
		return;
	}
	p->form.editing = true;
	plan_param_value(&p->render, x, &value);
	field_set(&p->form.field, k->code == K_PASTE ? "" : buf_str(&value));
	if (k->code == K_PASTE)
		field_key(&p->form.field, k, NULL);
	view_typing(v, true);
}

static void params_take(struct view *v, struct plan_page *p)
{
	AUTO_FREE char *text = x_strdup(field_text(&p->form.field));
	const struct recipe_param *x = recipe_parameter(p->recipe, p->form.edited);
	AUTO(buf_fini) struct buf why = {0};
	field_set(&p->form.field, "");
	view_typing(v, false);
	if (!*text || !x)
		return;
	if (!rule_parameter(x, text, &why))
		host_toast(v->host, ROLE_WARN, _("%s stays as it was: %s"), x->key, buf_str(&why));
	else
		view_post(v, INTENT_SET_VALUE, STAGE_NONE, x->key, text);
}

bool plan_params_act(struct view *v, struct plan_page *p, enum action a, const struct key *k)
{
	struct form_source src = params_source(p);
	switch (form_act(&p->form, &src, a, k)) {
	case FORM_BEGIN:
		params_begin(v, p, k);
		return true;
	case FORM_TAKE:
		params_take(v, p);
		return true;
	case FORM_DROP:
		field_set(&p->form.field, "");
		view_typing(v, false);
		return true;
	case FORM_CHANGED:
	case FORM_USED:
		return true;
	default:
		return false;
	}
}
