/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of the wizard in lines: wizard.c walks through it, wizard_values.c asks for values,
 * wizard_steer.c does what an answer beginning with a colon wants. Internal to these three.
 */
#ifndef RLPILOT_CLI_WIZARD_IN_H
#define RLPILOT_CLI_WIZARD_IN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/cli/answer.h"

struct inquire;
struct run;

/* Where an answer leads to. */
enum way { WAY_ON, WAY_AGAIN, WAY_BACK, WAY_LEAVE, WAY_END };

struct wizard {
	struct run *run;
	struct inquire *inquire; /* opened when something is asked of the account */
	size_t at, furthest;     /* questions: where one is, where one has been */
};

/* The account's answers, asked from the first call on. */
struct inquire *wizard_cloud(struct wizard *w);
/* The words that steer. */
void wizard_help(void);
/* Everything but a text; name: of the variable that is asked for, NULL = none. */
enum way wizard_steered(struct wizard *w, enum answer a, const char *name);

/* One question until it has an answer; also parameters by their key. */
enum way wizard_ask(struct wizard *w, const char *name);
/* Every question that lacks an answer. */
enum way wizard_ask_values(struct wizard *w);
/* The place of the question before the one at `at`, and a word when there is none. */
size_t wizard_question_before(const struct wizard *w, size_t at);
/* Pasted shell lines become values; false when the text is none. */
bool wizard_take_lines(struct wizard *w, const char *text);
void wizard_show_values(const struct run *r);

#endif
