/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that every verb shares, as one table: reading them and the help page. Knows the
 * verbs only through their table.
 */
#ifndef RLPILOT_CLI_OPTIONS_H
#define RLPILOT_CLI_OPTIONS_H

#include <stdbool.h>

struct cli_globals;
struct cli_verb;
struct err;

/* Takes the global options out of argv wherever they stand; what follows "--" is left alone.
 * ERR_USAGE for a missing value. */
int options_take(int *argc, char **argv, struct cli_globals *g, struct err *e);
/* The page of --help on stdout. */
void options_help(void);
/* --help stands among the arguments of a verb (argv[0]). */
bool options_help_wanted(int argc, char **argv);
void options_help_verb(const struct cli_verb *v);

#endif
