/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stage's commands for given values and deviations: exact argv, and the same as shell text with
 * names in place of values. Invariant: running `script` in a shell that has the values in its
 * environment executes `argv`. Secrets are in argv only, never in script. Pure.
 */
#ifndef RLPILOT_RECIPE_COMMAND_H
#define RLPILOT_RECIPE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"
#include "core/recipe/recipe.h"

struct buf;
struct err;
struct values;

/* Deviations that are on, one bit each in the order of the recipe. */
struct deviations {
	uint32_t on;
};

struct deviations deviation_defaults(const struct recipe *r);
bool deviation_on(const struct recipe *r, struct deviations d, const char *id);
/* -1 when the recipe has no deviation of that id (ERR_USAGE). */
int deviation_switch(
	const struct recipe *r, struct deviations *d, const char *id, bool on, struct err *e);

struct render {
	const struct recipe *recipe;
	const struct values *values; /* NULL: none */
	struct deviations deviations;
	bool as_written; /* exactly the tutorial's commands; deviations are ignored */
	bool names;      /* argv may hold ${NAME} for missing values instead of failing */
};

struct command {
	enum recipe_kind kind;
	const struct recipe_command *source; /* borrowed: why, edits, skip, cwd, confirm */
	const char *builtin;                 /* RECIPE_BUILTIN and RECIPE_WAIT; borrowed */
	const char *cwd;                     /* below RUN/toolkit; borrowed */
	struct strvec argv;                  /* argv[0] = program; builtins: their words */
	struct strvec pipe;                  /* argv of the reader of its output; empty = none */
	struct strvec env;                   /* NAME=value in addition */
	bool interactive;                    /* gets the terminal */
	bool stdin_closed;                   /* reads /dev/null */
	bool may_fail;                       /* the verification decides, not the exit code */
	char *script; /* shell text, may be several lines, without final line end */
};

struct command_list {
	struct command *items;
	size_t n, cap;
};

void command_list_fini(struct command_list *l); /* argv is wiped */
/* Commands that the options leave out are not in the list. -1, ERR_PERSON: a value is missing. */
int command_render(const struct render *o, const struct recipe_stage *s, struct command_list *out,
	struct err *e);
/* Same for the stage's undo. */
int command_render_undo(const struct render *o, const struct recipe_stage *s,
	struct command_list *out, struct err *e);

/* A whole bash script of all stages, or of one. Holds no value of a secret. */
int command_script(
	const struct render *o, const struct recipe_stage *only, struct buf *out, struct err *e);

/* The edits of edit-blueprint as awk program text for a shell (used by script, shown by plan). */
void command_edit_script(const struct recipe_command *c, struct buf *out);

#endif
