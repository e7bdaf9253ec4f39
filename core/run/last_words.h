/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a pod's log as the run has kept it: where the file lies and what it says last. For the
 * page of a stage that failed. Reads files of the run folder alone.
 */
#ifndef RLPILOT_RUN_LAST_WORDS_H
#define RLPILOT_RUN_LAST_WORDS_H

#include <stddef.h>

/* One text, the caller's: the address of the file, then its last lines, one a line behind two
 * blanks, cleaned and cut; "" when there are none. */
char *last_words(const char *run_dir, const char *pod, const char *container);
/* Cuts off a cause what a line of these words tells at its end: once is enough. */
void last_words_once(char *cause, const char *note);

#endif
