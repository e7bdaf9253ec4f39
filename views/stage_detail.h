/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One stage at full length: its commands, its progress, why it stands still, and below them what
 * fits the moment: what the stage is about before it has begun, the tail of its output, the list of
 * what a clean-up has removed. Draws the state; the page that owns it does what keys say.
 */
#ifndef RLPILOT_VIEWS_STAGE_DETAIL_H
#define RLPILOT_VIEWS_STAGE_DETAIL_H

#include "tui/widget/textview.h"
#include "views/common.h"

struct stage_detail {
	struct textview output;
	bool whole;        /* the whole commands */
	bool on_output;    /* the arrows move in the output */
	bool about_beside; /* what the recipe says of the stage is on the page already */
};

void stage_detail_draw(struct stage_detail *p, const struct view *v, const struct state *all,
	enum stage_id id, struct surface *s);
/* What the recipe says of a stage. */
void stage_about_draw(const struct view *v, enum stage_id id, struct surface *s);
/* The lines of its output as they are shown; borrowed from the stage. */
struct textview_source stage_output_source(const struct state_stage *st);

#endif
