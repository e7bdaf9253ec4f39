/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of shell exports that a run may name: where its world is (addresses, HOME, PATH, clock).
 * It is read without a shell and put into this process before clock and addresses are read, so that
 * every verb works on that run as on any other.
 */
#ifndef RLPILOT_RUN_ENVIRONMENT_H
#define RLPILOT_RUN_ENVIRONMENT_H

struct err;

/* Reads the file, sets what it says with setenv and starts the clock again. ERR_BAD_FILE with
 * file:line. */
int environment_apply(const char *file, struct err *e);

#endif
