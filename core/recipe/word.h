/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One word of a command line in its two forms, built side by side so that they cannot differ: the
 * bytes for execve, and text for a shell that has the values in its environment. Internal to
 * recipe/.
 */
#ifndef RLPILOT_RECIPE_WORD_H
#define RLPILOT_RECIPE_WORD_H

#include <stdbool.h>

#include "core/base/buf.h"
#include "core/recipe/command.h"

struct word {
	struct buf value;  /* exact bytes */
	struct buf script; /* the inside of double quotes */
	bool refs;         /* names or line breaks in it: double quotes are needed */
};

void word_fini(struct word *w);
void word_text(struct word *w, const char *s);
/* Expands ${NAME}; -1, ERR_PERSON, when a value is missing and o->names is not set. */
int word_template(struct word *w, const struct render *o, const char *tmpl, struct err *e);
/* One blank for execve, a continued line for the shell. */
void word_break(struct word *w);
/* Appends the word as the shell has to read it. */
void word_shell(const struct word *w, struct buf *out);
/* Appends a template as raw shell text: ${NAME} becomes ${NAME:?}. */
void word_raw(const char *tmpl, struct buf *out);

/* The shell command of a container, into w. */
int container_word(
	struct word *w, const struct render *o, const struct recipe_container *c, struct err *e);
/* `when` of the recipe under the options. */
bool render_when(const struct render *o, const char *when);

#endif
