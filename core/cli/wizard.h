/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wizard in lines, for terminals without a screen and for screen readers: one question at a
 * time, then the checks, then one last question before anything costs money. Without a terminal on
 * stdin it asks nothing and names what is missing (ERR_PERSON).
 */
#ifndef RLPILOT_CLI_WIZARD_H
#define RLPILOT_CLI_WIZARD_H

struct cli_globals;

/* Exit code of contract.md's `run`. */
int cli_wizard(int argc, char **argv, const struct cli_globals *g);

#endif
