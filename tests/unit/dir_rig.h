/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of its own for each test, in run time that is the real one. */
#ifndef RLPILOT_UNIT_DIR_RIG_H
#define RLPILOT_UNIT_DIR_RIG_H

extern char *dir; /* of the running test */

int dir_setup(void **state);
int dir_teardown(void **state);

#endif
