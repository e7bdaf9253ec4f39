/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of its own for each test, in run time that is the real one. */
#ifndef RLPILOT_UNIT_DIR_RIG_H
#define RLPILOT_UNIT_DIR_RIG_H

#include <stddef.h>

extern char *dir; /* of the running test */

int dir_setup(void **state);
int dir_teardown(void **state);

/* A file of that name in it, written anew. */
void dir_put(const char *name, const char *text, size_t n);
void dir_put_text(const char *name, const char *text);

#endif
