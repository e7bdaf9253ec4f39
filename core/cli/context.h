/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What verbs that need no engine work on: a recipe, values and deviations, from a run when --run
 * names one, else from the environment and the defaults. Reads only.
 */
#ifndef RLPILOT_CLI_CONTEXT_H
#define RLPILOT_CLI_CONTEXT_H

#include "core/recipe/command.h"
#include "core/recipe/values.h"

struct cli_globals;
struct err;
struct recipe;
struct run;
struct strvec;

#define CLI_RECIPE_DEFAULT "gemma4-26b-v6e"

struct cli_context {
	const struct recipe *recipe;
	struct recipe *own_recipe; /* NULL: the run's */
	struct run *run;           /* NULL: none */
	struct values values;
	struct deviations deviations;
};

/* sets: NAME=VALUE, on and off: ids of deviations; each may be NULL. */
int cli_context_open(const struct cli_globals *g, const struct strvec *sets,
	const struct strvec *on, const struct strvec *off, struct cli_context *out, struct err *e);
/* The same of the run that `rlpilot run` would go on with, when neither a run nor a recipe is
 * named: the last real one, never a rehearsal. */
int cli_context_open_last(const struct cli_globals *g, const struct strvec *sets,
	const struct strvec *on, const struct strvec *off, struct cli_context *out, struct err *e);
void cli_context_close(struct cli_context *c);
/* "NAME=VALUE" into values, by its rule. */
int cli_context_set(
	struct cli_context *c, const char *assignment, enum value_origin origin, struct err *e);

#endif
