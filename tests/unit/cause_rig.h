/* SPDX-License-Identifier: Apache-2.0 */
/* What a text of others is told as. */
#ifndef RLPILOT_UNIT_CAUSE_RIG_H
#define RLPILOT_UNIT_CAUSE_RIG_H

/* The text has this cause, and its meaning and cure together hold all of these pieces,
 * NULL after the last one. */
void cause_expect(const char *text, const char *id, ...);

#endif
