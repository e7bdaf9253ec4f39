/* SPDX-License-Identifier: Apache-2.0 */
/* The plan's texts: the stages with time and cost, a stage explained, the diff. */
#include "views/plan.h"

#include "core/base/err.h"
#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plan_rows_clear(struct plan_rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->items[i].text);
	r->n = 0;
}

void plan_rows_add(
	struct plan_rows *r, enum role role, const char *first, const char *other, const char *text)
{
	const char *lead = first;
	do {
		size_t skip = 0;
		int room = r->w - (int)strlen(lead);
		size_t n = wrap_fit(text, room > 8 ? room : 8, &skip);
		struct plan_row *row = VEC_PUSH(r);
		row->text = x_asprintf("%s%.*s", lead, (int)n, text);
		row->role = role;
		text += n + skip;
		lead = other;
		if (n + skip == 0)
			break;
	} while (*text);
}

static const char *plan_row_line(const void *arg, size_t i, enum role *role)
{
	const struct plan_rows *r = arg;
	*role = r->items[i].role;
	return r->items[i].text;
}

struct textview_source plan_rows_source(const struct plan_rows *r)
{
	return (struct textview_source){.arg = r, .n = r->n, .line = plan_row_line};
}

/* --- the stages */

static const char *stage_id_at(const void *arg, size_t i)
{
	return ((const struct plan_page *)arg)->recipe->stages.items[i].id;
}

static void stage_row(const void *arg, size_t i, struct surface *row, bool selected)
{
	const struct plan_page *p = arg;
	const struct recipe_stage *s = &p->recipe->stages.items[i];
	enum stage_id id = stage_from_word(s->id);
	enum stage_state st = id == STAGE_NONE ? ST_TODO : p->state->stages[id].state;
	AUTO(buf_fini) struct buf span = {0};
	AUTO(buf_fini) struct buf cost = {0};
	(void)selected;
	plan_span(s->usual_min_s, s->usual_max_s, &span);
	plan_stage_cost(s, plan_chips(p->recipe, &p->values), &cost);
	surface_put(row, 0, 1, stage_state_role(st), glyph(stage_state_glyph(st)));
	surface_textf(row, 0, 3, 2, ROLE_DIM, "%zu", i + 1);
	surface_cut(row, 0, 5, 8, ROLE_TEXT, s->id);
	surface_cut(row, 0, 14, 21, ROLE_TEXT, buf_str(&span));
	surface_cut(row, 0, 36, row->w - 37, ROLE_WARN, buf_str(&cost));
}

static struct list_source stages_source(const struct plan_page *p)
{
	return (struct list_source){
		.arg = p, .n = p->recipe->stages.n, .id = stage_id_at, .draw = stage_row};
}

static const struct {
	enum role role;
	const char *first, *other;
} looks[] = {
	[PLAN_TEXT] = {ROLE_TEXT, "", ""},
	[PLAN_NOTE] = {ROLE_DIM, "", "  "},
	[PLAN_WHY] = {ROLE_STRONG, "", ""},
	[PLAN_SHELL] = {ROLE_CODE, "  ", "      "},
	[PLAN_EDIT] = {ROLE_TEXT, "    ", "      "},
	[PLAN_FLAG] = {ROLE_TEXT, "    ", "      "},
	[PLAN_TITLE] = {ROLE_STRONG, "  ", "  "},
	[PLAN_PARAM] = {ROLE_TEXT, "    ", "      "},
	[PLAN_MORE] = {ROLE_DIM, "      ", "      "},
};

static void stage_text(struct plan_page *p, const struct recipe_stage *s, int w)
{
	AUTO(plan_lines_fini) struct plan_lines lines = {0};
	struct err e = {0};
	plan_rows_clear(&p->rows);
	p->rows.w = w;
	if (plan_stage(&p->render, s, &lines, &e) != 0)
		plan_rows_add(&p->rows, ROLE_BAD, "", "", e.what);
	for (size_t i = 0; i < lines.n; i++) {
		const struct plan_line *l = &lines.items[i];
		AUTO_FREE char *text = x_asprintf("%s%s%s", l->name ? l->name : "",
			!l->name               ? ""
			: l->kind == PLAN_EDIT ? " -> "
					       : "  ",
			l->text);
		if (l->kind == PLAN_WHY)
			plan_rows_add(&p->rows, ROLE_TEXT, "", "", "");
		plan_rows_add(&p->rows, looks[l->kind].role, looks[l->kind].first,
			looks[l->kind].other, text);
	}
}

void plan_stages_draw(struct plan_page *p, struct surface *s)
{
	struct list_source src = stages_source(p);
	struct surface parts[2] = {*s, *s};
	if (!p->whole) {
		plan_split(s, 56, s->h >= 18 ? 9 : 4, parts);
		list_draw(&p->stages, &src, &parts[0], true);
	}
	size_t i = list_selected(&p->stages, &src);
	if (i >= src.n)
		return;
	const struct recipe_stage *stage = &p->recipe->stages.items[i];
	if (strcmp(p->text_of, stage->id) != 0) {
		snprintf(p->text_of, sizeof(p->text_of), "%s", stage->id);
		p->text.top = 0;
		p->text.still = true;
	}
	surface_rule(&parts[1], 0, recipe_text(&stage->title), NULL);
	struct surface text = surface_sub(&parts[1], 1, 1, parts[1].h - 1, parts[1].w - 2);
	stage_text(p, stage, text.w);
	struct textview_source lines = plan_rows_source(&p->rows);
	textview_draw(&p->text, &lines, &text);
}

bool plan_stages_act(struct plan_page *p, enum action a, const struct key *k)
{
	struct list_source src = stages_source(p);
	struct textview_source lines = plan_rows_source(&p->rows);
	if (a == ACT_OPEN || a == ACT_WHOLE) {
		p->whole = !p->whole;
		return true;
	}
	if (a == ACT_BACK && p->whole) {
		p->whole = false;
		return true;
	}
	if (a == ACT_PAGE_DOWN || a == ACT_PAGE_UP ||
		(p->whole && a != ACT_WRAP && a != ACT_FOLLOW))
		return textview_act(&p->text, &lines, a);
	return list_act(&p->stages, &src, a, k);
}

/* --- the diff */

static enum role diff_role(const char *line)
{
	if (text_starts(line, "@@") || text_starts(line, "---") || text_starts(line, "+++"))
		return ROLE_STRONG;
	return *line == '+' ? ROLE_OK : *line == '-' ? ROLE_BAD : ROLE_DIM;
}

void plan_diff_draw(struct plan_page *p, struct surface *s)
{
	AUTO(buf_fini) struct buf diff = {0};
	struct err e = {0};
	plan_rows_clear(&p->rows);
	p->rows.w = s->w - 2;
	surface_rule(s, 0, _("from the tutorial's own commands to what will run"), NULL);
	struct surface text = surface_sub(s, 1, 1, s->h - 1, s->w - 2);
	if (plan_diff(&p->render, &diff, &e) != 0)
		plan_rows_add(&p->rows, ROLE_BAD, "", "", e.what);
	for (const char *at = buf_str(&diff); *at;) {
		size_t n = strcspn(at, "\n");
		AUTO_FREE char *line = x_strndup(at, n);
		plan_rows_add(&p->rows, diff_role(line), "", "    ", line);
		at += n + (at[n] == '\n');
	}
	if (!p->rows.n)
		plan_rows_add(
			&p->rows, ROLE_TEXT, "", "", _("no difference: every deviation is off"));
	struct textview_source lines = plan_rows_source(&p->rows);
	textview_draw(&p->diff, &lines, &text);
}

bool plan_diff_act(struct plan_page *p, enum action a)
{
	struct textview_source lines = plan_rows_source(&p->rows);
	return a != ACT_WRAP && a != ACT_FOLLOW && textview_act(&p->diff, &lines, a);
}
