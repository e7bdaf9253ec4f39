/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One answer of a person in lines: a text, or a word that steers (:back :list :save :quit :help,
 * the first letter is enough). A secret is not shown while it is typed. What is longer than a value
 * can be is refused as a whole and read to its end, so that its rest answers no other question.
 */
#ifndef RLPILOT_CLI_ANSWER_H
#define RLPILOT_CLI_ANSWER_H

#include <stdbool.h>

enum answer {
	ANSWER_TEXT,
	ANSWER_EMPTY,
	ANSWER_BACK,
	ANSWER_LIST,
	ANSWER_SAVE,
	ANSWER_QUIT,
	ANSWER_HELP,
	ANSWER_LONG,    /* refused */
	ANSWER_UNKNOWN, /* begins with ':' and is none of the words */
	ANSWER_END,     /* of the input */
};

/* Before the first answer: nothing is read ahead of what is asked. */
void answer_begin(void);
/* *text: the caller's, only with ANSWER_TEXT; wipe a secret. */
enum answer answer_read(const char *prompt, bool secret, char **text);

#endif
