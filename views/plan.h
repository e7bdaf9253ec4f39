/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the page of the plan: what it looks at and its five sections. The page
 * works on copies of the state's values and switches, made anew for each frame; what a person
 * changes is posted as an intent and comes back by the state.
 */
#ifndef RLPILOT_VIEWS_PLAN_H
#define RLPILOT_VIEWS_PLAN_H

#include "core/recipe/plan.h"
#include "core/recipe/rule.h"
#include "core/recipe/values.h"
#include "tui/widget/form.h"
#include "tui/widget/textview.h"
#include "views/common.h"

#define PLAN_BESIDE_FROM 108

enum plan_section {
	SECTION_STAGES,
	SECTION_SWITCHES,
	SECTION_CHOICES,
	SECTION_PARAMS,
	SECTION_DIFF,
	SECTION_COUNT
};

struct plan_row {
	char *text;
	enum role role;
};

/* Text cut to the width of its pane. */
struct plan_rows {
	struct plan_row *items;
	size_t n, cap;
	int w;
};

struct plan_page {
	enum plan_section section;
	bool whole; /* the text of a stage has the page */
	bool frozen;
	struct list stages, switches, choices;
	struct textview text, diff;
	char text_of[LIST_ID]; /* stage whose text is shown */
	struct plan_rows rows;
	struct form form;
	const struct recipe *recipe;
	const struct state *state;
	struct values values;
	struct render render;
	struct buf reason; /* why what is typed cannot be */
	struct rule_findings findings;
};

void plan_rows_clear(struct plan_rows *r);
/* Appends text wrapped at r->w; first lines begin with `first`, the others with `other`. */
void plan_rows_add(struct plan_rows *r, enum role role, const char *first, const char *other,
	const char *text);
struct textview_source plan_rows_source(const struct plan_rows *r);

/* Sections: draw, and act (true = used). */
void plan_stages_draw(struct plan_page *p, struct surface *s);
bool plan_stages_act(struct plan_page *p, enum action a, const struct key *k);
void plan_diff_draw(struct plan_page *p, struct surface *s);
bool plan_diff_act(struct plan_page *p, enum action a);
void plan_switches_draw(struct plan_page *p, struct surface *s);
bool plan_switches_act(struct view *v, struct plan_page *p, enum action a, const struct key *k);
void plan_choices_draw(struct plan_page *p, struct surface *s);
bool plan_choices_act(struct view *v, struct plan_page *p, enum action a, const struct key *k);
void plan_params_draw(struct plan_page *p, struct surface *s);
bool plan_params_act(struct view *v, struct plan_page *p, enum action a, const struct key *k);

/* Two parts: beside each other on a wide screen, else above each other. */
void plan_split(const struct surface *s, int left, int top, struct surface parts[2]);
/* Says that nothing can be changed; true when it is so. */
bool plan_refuse(struct view *v, const struct plan_page *p);

#endif
