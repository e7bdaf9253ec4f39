/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of the run as a form: label, value, where it comes from; below it why it is asked, how
 * to get it, what the account offers, and while one types whether the rule holds. Leaving works
 * from any state, valid or not: what cannot be used yet is kept as a draft.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/shell.h"
#include "core/recipe/rule.h"
#include "core/recipe/values.h"
#include "tui/term.h"
#include "views/offers.h"
#include "views/variables_in.h"
#include "views/views.h"

const char *row_name(const struct row *r)
{
	return r->variable ? r->variable->name : r->param->key;
}

bool row_secret(const struct row *r)
{
	return r->variable && r->variable->secret;
}

const struct state_value *row_value(const struct variables *p, const struct row *r)
{
	const struct state_value *v = state_value_find(p->state, row_name(r));
	return v && v->present ? v : NULL;
}

static bool follows_zone(const struct variables *p, const char *region)
{
	const struct state_value *zone = state_value_find(p->state, "ZONE");
	char of[64];
	return zone && zone->present && rule_region_of(zone->value, of, sizeof(of)) &&
	       strcmp(of, region) == 0;
}

bool row_fixed(const struct variables *p, const struct row *r)
{
	const struct state_value *value = row_value(p, r);
	if (!r->variable)
		return false;
	if (r->variable->derived_only)
		return true;
	if (!value || r->variable->derive == DERIVE_NONE || state_draft(p->state, row_name(r)))
		return false;
	return strcmp(value->origin, "derived") == 0 ||
	       (r->variable->derive == DERIVE_REGION && follows_zone(p, value->value));
}

bool row_judge(const struct variables *p, const struct row *r, const char *text, struct buf *why)
{
	struct values others = {0};
	bool good;
	for (size_t i = 0; i < p->state->values.n; i++) {
		const struct state_value *v = &p->state->values.items[i];
		if (v->present && !v->secret)
			values_put(&others, v->name, v->value, VALUE_TYPED, false);
	}
	good = r->variable ? rule_variable(p->recipe, r->variable, text, &others, why)
			   : rule_parameter(r->param, text, why);
	values_fini(&others);
	return good;
}

static struct row *row_of(struct variables *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(row_name(&p->rows[i]), name) == 0)
			return &p->rows[i];
	return NULL;
}

static int variables_open(struct view *v, const struct state *s)
{
	struct variables *p = v->data;
	const struct recipe *r = view_recipe(v);
	p->state = s;
	p->recipe = r;
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

/* --- a field while it is edited */

static void judge_field(struct variables *p, const struct row *row)
{
	static const char *const troubles[] = {
		[FIELD_TOO_LONG] = N_("too long for a value: nothing of it was taken"),
		[FIELD_CONTROL] =
			N_("it holds characters that cannot be printed: nothing of it was taken"),
	};
	const char *text = field_text(&p->form.field);
	buf_clear(&p->reason);
	if (p->form.field.trouble != FIELD_FINE)
		buf_adds(&p->reason, _(troubles[p->form.field.trouble]));
	else if (!*text)
		buf_adds(&p->reason, _("empty: leaving it keeps the value as it was"));
	else
		row_judge(p, row, text, &p->reason);
}

/* Values are what they are once money may have been spent; a token may always be given. */
static bool begun(const struct state *s)
{
	for (int i = STAGE_BUCKET; i < STAGE_COUNT; i++)
		if (s->stages[i].attempt > 0)
			return true;
	return false;
}

static void variables_begin(struct view *v, struct variables *p, const struct key *k)
{
	const struct row *r = row_of(p, p->form.edited);
	const struct state_value *value = r ? row_value(p, r) : NULL;
	const char *draft = r ? state_draft(p->state, row_name(r)) : NULL;
	const char *text = r && r->pending ? r->pending : draft ? draft : value ? value->value : "";
	if (!r || !view_may_act(v) || (begun(p->state) && !row_secret(r))) {
		p->form.editing = false;
		host_toast(v->host, ROLE_WARN, "%s",
			view_may_act(v) ? _("the run has begun: its values stay as they are")
					: _("this screen is read-only"));
		return;
	}
	if (r->param && !value && !draft && !r->pending && r->param->value)
		text = r->param->value;
	if (row_secret(r))
		text = p->secret_row == r ? p->secret : "";
	p->form.field.masked = row_secret(r);
	field_set(&p->form.field, k && k->code == K_PASTE ? "" : text);
	p->touched = k && k->code == K_PASTE;
	if (p->touched)
		field_key(&p->form.field, k, NULL);
	pick_reset(&p->pick);
	offers_fill(&p->pick, p->state, r->variable, r->param, NULL);
	view_typing(v, true);
	judge_field(p, r);
	if (r->variable && r->variable->discover)
		view_post(v, INTENT_DISCOVER, STAGE_NONE, row_name(r), NULL);
}

static void forget_secret(struct variables *p)
{
	x_wipe_free(p->secret);
	p->secret = NULL;
	p->secret_row = NULL;
}

static void keep_pending(struct row *r, const char *text)
{
	free(r->pending);
	r->pending = x_strdup(row_secret(r) ? "" : text);
	r->pending_wall = clock_wall();
}

static void keep(struct view *v, struct variables *p, struct row *r, const char *text)
{
	AUTO(buf_fini) struct buf why = {0};
	bool good = row_judge(p, r, text, &why);
	if (row_secret(r))
		forget_secret(p);
	if (!good && row_secret(r)) {
		p->secret = x_strdup(text);
		p->secret_row = r;
	} else if (view_post(v, INTENT_SET_VALUE, STAGE_NONE, row_name(r), text)) {
		keep_pending(r, text);
	}
	if (!good)
		host_toast(v->host, ROLE_WARN, _("%s is kept, but not used: %s"), row_name(r),
			buf_str(&why));
}

static void keep_chosen(struct view *v, struct row *r, const struct pick_item *item)
{
	bool reservation = r->variable && r->variable->discover &&
			   !strcmp(r->variable->discover, "reservation");
	if (view_post(v, reservation ? INTENT_CHOOSE_RESERVATION : INTENT_TAKE_VALUE, STAGE_NONE,
		    reservation ? item->value : row_name(r),
		    reservation ? item->place : item->value))
		keep_pending(r, item->value);
}

static void variables_take(struct view *v, struct variables *p)
{
	struct row *r = row_of(p, p->form.edited);
	const struct pick_item *item = pick_chosen(&p->pick);
	AUTO_FREE char *text = x_strdup(field_text(&p->form.field));
	field_set(&p->form.field, "");
	view_typing(v, false);
	p->form.editing = false;
	if (r && item && r->param)
		keep(v, p, r, item->value);
	else if (r && item)
		keep_chosen(v, r, item);
	else if (r && *text && p->touched)
		keep(v, p, r, text);
	explicit_bzero(text, strlen(text));
	pick_reset(&p->pick);
	buf_clear(&p->reason);
}

static void variables_drop(struct view *v, struct variables *p)
{
	field_set(&p->form.field, "");
	pick_reset(&p->pick);
	buf_clear(&p->reason);
	view_typing(v, false);
}

/* --- a pasted block of shell lines */

static bool ask_import(struct view *v, struct variables *p, const struct key *k)
{
	AUTO_FREE char *text = x_strndup(k->text, k->len);
	AUTO(buf_fini) struct buf body = {0};
	bool any;
	import_fini(&p->import);
	import_read(p->recipe, text, &p->import);
	explicit_bzero(text, strlen(text));
	any = import_any(&p->import) && view_may_act(v) && !begun(p->state);
	if (!any) {
		import_fini(&p->import);
		return false;
	}
	buf_addf(&body, _("%zu values can be taken from what was pasted:"), p->import.n);
	for (size_t i = 0; i < p->import.n; i++)
		buf_addf(&body, " %s", p->import.items[i].variable->name);
	if (p->import.placeholders.n) {
		buf_addf(&body, "\n%s", _("Still placeholders of the tutorial, left out:"));
		for (size_t i = 0; i < p->import.placeholders.n; i++)
			buf_addf(&body, " %s", p->import.placeholders.items[i]);
	}
	dialog_open(&p->question, _("Import shell lines?"), buf_str(&body), NULL);
	view_typing(v, true);
	return true;
}

static void answer_import(struct view *v, struct variables *p, bool yes)
{
	size_t n = p->import.n;
	dialog_close(&p->question);
	p->form.editing = false;
	variables_drop(v, p);
	for (size_t i = 0; yes && i < n; i++) {
		const struct import_item *item = &p->import.items[i];
		struct row *r = row_of(p, item->variable->name);
		if (r)
			keep(v, p, r, item->value);
	}
	import_fini(&p->import);
}

/* The values as the tutorial's block; secrets as names. */
static void variables_copy(struct view *v, const struct variables *p)
{
	AUTO(buf_fini) struct buf text = {0};
	for (size_t i = 0; i < p->asked; i++) {
		const struct state_value *value = row_value(p, &p->rows[i]);
		if (!value || value->secret)
			continue;
		buf_addf(&text, "export %s=", row_name(&p->rows[i]));
		shell_quote(&text, value->value);
		buf_addc(&text, '\n');
	}
	if (text.len && term_copy(buf_str(&text), text.len))
		host_toast(
			v->host, ROLE_TOAST, "%s", _("copied as shell lines, without the token"));
}

/* --- keys */

/* A secret is written nowhere unless the person says so here. */
static bool ask_keep(struct view *v, struct variables *p)
{
	static struct menu_item items[2];
	struct form_source src = variables_source(p);
	size_t i = form_focus(&p->form, &src);
	if (i >= p->n || !row_secret(&p->rows[i]) || !view_may_act(v))
		return false;
	if (!row_value(p, &p->rows[i])) {
		host_toast(v->host, ROLE_WARN, _("%s has no value yet"), row_name(&p->rows[i]));
		return true;
	}
	items[0] = (struct menu_item){"off", _("Write it nowhere; forget a kept one"), NULL};
	items[1] = (struct menu_item){
		"on", _("Keep it for this run"), _("only you can read the file (0600)")};
	menu_open(&p->keep, _("Keep the token?"),
		_("The next start of this run finds it in the file token of the run folder. It is "
		  "deleted with the run, or here."),
		items, COUNT(items));
	return true;
}

static bool keep_act(struct view *v, struct variables *p, enum action a, const struct key *k)
{
	struct form_source src = variables_source(p);
	const char *chosen;
	size_t i;
	if (!menu_act(&p->keep, a, k, &chosen))
		return false;
	i = form_focus(&p->form, &src);
	if (chosen && i < p->n &&
		view_post(v, INTENT_KEEP_SECRET, STAGE_NONE, row_name(&p->rows[i]), chosen))
		host_toast(v->host, ROLE_TOAST, "%s",
			strcmp(chosen, "on") == 0 ? _("kept in the run folder, for you alone")
						  : _("it is in no file of ours"));
	return true;
}

static bool question_act(struct view *v, struct variables *p, enum action a, const struct key *k)
{
	bool yes;
	if (!p->question.open)
		return false;
	dialog_act(&p->question, a, k, &yes);
	if (yes || !p->question.open)
		answer_import(v, p, yes);
	return true;
}

static bool ask_again(struct view *v, struct variables *p)
{
	struct form_source src = variables_source(p);
	size_t i = form_focus(&p->form, &src);
	const struct recipe_variable *var = i < p->n ? p->rows[i].variable : NULL;
	if (var && var->discover && view_post(v, INTENT_DISCOVER, STAGE_NONE, var->name, "again"))
		host_toast(v->host, ROLE_TOAST, _("asking the account for %s"), var->name);
	return true;
}

static bool form_keys(struct view *v, struct variables *p, enum action a, const struct key *k)
{
	struct form_source src = variables_source(p);
	if (p->form.editing && pick_act(&p->pick, a))
		return true;
	switch (form_act(&p->form, &src, a, k)) {
	case FORM_BEGIN:
		variables_begin(v, p, k);
		return true;
	case FORM_CHANGED:
		p->touched = true;
		free(p->pick.chosen);
		p->pick.chosen = NULL;
		judge_field(p, row_of(p, p->form.edited));
		return true;
	case FORM_TAKE:
		variables_take(v, p);
		return true;
	case FORM_DROP:
		variables_drop(v, p);
		return true;
	case FORM_USED:
		if (p->form.editing)
			judge_field(p, row_of(p, p->form.edited));
		return true;
	default:
		return false;
	}
}

static bool variables_act(struct view *v, enum action a, const struct key *k)
{
	struct variables *p = v->data;
	p->state = host_state(v->host);
	if (keep_act(v, p, a, k) || question_act(v, p, a, k))
		return true;
	if (a == ACT_NONE && k->code == K_PASTE && ask_import(v, p, k))
		return true;
	if (!p->form.editing && a == ACT_COPY)
		return variables_copy(v, p), true;
	if (!p->form.editing && a == ACT_SAVE)
		return ask_keep(v, p);
	if (!p->form.editing && a == ACT_RETRY)
		return ask_again(v, p);
	return form_keys(v, p, a, k);
}

/* Leaving keeps what is in work, whatever its state. */
static void variables_close(struct view *v)
{
	struct variables *p = v->data;
	p->state = host_state(v->host);
	if (p->form.editing && view_may_act(v))
		variables_take(v, p);
	dialog_close(&p->question);
	menu_close(&p->keep);
	import_fini(&p->import);
	forget_secret(p);
	for (size_t i = 0; i < p->n; i++)
		free(p->rows[i].pending);
	form_fini(&p->form);
	pick_fini(&p->pick);
	buf_fini(&p->reason);
}

const struct view_ops view_variables = {
	.name = N_("variables"),
	.topics = TOPIC_BIT(TOPIC_RUN) | TOPIC_BIT(TOPIC_VALUES) | TOPIC_BIT(TOPIC_FORM) |
		  TOPIC_BIT(TOPIC_RESERVATIONS) | TOPIC_BIT(TOPIC_ALERTS),
	.size = sizeof(struct variables),
	.open = variables_open,
	.draw = variables_draw,
	.act = variables_act,
	.close = variables_close,
};
