/* SPDX-License-Identifier: Apache-2.0 */
/* What `rlpilot check` says, for others that ask all checks: lines on stdout. */
#ifndef RLPILOT_CLI_CHECK_H
#define RLPILOT_CLI_CHECK_H

struct recipe;
struct state;

/* What is not ok, one line each; the exit code of `rlpilot check`. */
int cli_check_lines(const struct state *s, const struct recipe *r);

#endif
