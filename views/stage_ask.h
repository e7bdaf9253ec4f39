/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person can have done with a stage, and the questions that come before it: what now after a
 * failure, the mode before the long stages, typed names before something is lost, a reason before a
 * stage is skipped, what it costs to stop for today. Posts intents; the engine decides.
 */
#ifndef RLPILOT_VIEWS_STAGE_ASK_H
#define RLPILOT_VIEWS_STAGE_ASK_H

#include "tui/widget/menu.h"
#include "views/common.h"

#define STAGE_ASK_ITEMS 8

enum ask_step {
	ASK_ACTION,
	ASK_BEGIN, /* here, although this machine ends by itself? */
	ASK_NOW,   /* what now? */
	ASK_MODE,
	ASK_TODAY,
	ASK_CLEANUP,
	ASK_BUCKET,
	ASK_BUCKET_NAME,
};

struct stage_ask {
	struct menu menu;
	struct menu_item items[STAGE_ASK_ITEMS];
	char *body; /* of the open menu, when it is made for it */
	struct dialog dialog;
	enum action action; /* what the open question is for */
	enum stage_id stage;
	int attempt; /* of the stage, when a stop was asked about */
	enum ask_step step;
};

void stage_ask_begin(struct stage_ask *q, struct view *v, const struct state *s, enum stage_id id,
	enum action a);
bool stage_ask_open(const struct stage_ask *q);
bool stage_ask_typing(const struct stage_ask *q);
void stage_ask_draw(struct stage_ask *q, struct surface *s);
/* True while a question takes the keys. */
bool stage_ask_act(struct stage_ask *q, struct view *v, const struct state *s, enum action a,
	const struct key *k);
void stage_ask_close(struct stage_ask *q);

#endif
