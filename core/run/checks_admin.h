/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The message that a person sends to the administrator of the project: what is lacking and one
 * command for each thing. Pure: made from what the checks have said, asks nothing.
 */
#ifndef RLPILOT_RUN_CHECKS_ADMIN_H
#define RLPILOT_RUN_CHECKS_ADMIN_H

struct state;

/* NULL: no check needs the administrator. Commands are quoted for a shell; the caller's. */
char *checks_admin_message(const struct state *s);

#endif
