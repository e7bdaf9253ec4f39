/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file followed as it grows, line by line, from its beginning. Absent is empty; a file that
 * became shorter is read again from its start. Looks every 20 to 50 ms of wall time while it
 * changes, less often in silence. Lines longer than LINES_MAX are cut.
 */
#ifndef RLPILOT_RUN_TAIL_H
#define RLPILOT_RUN_TAIL_H

#include <stdbool.h>
#include <stddef.h>

struct loop;
struct tail;

struct tail *tail_open(struct loop *l, const char *file,
	void (*fn)(void *arg, const char *line, size_t n), void *arg);
/* Reads what is there now, without waiting for the next look. */
void tail_now(struct tail *t);
/* tail_now, a last line without its end included. */
void tail_rest(struct tail *t);
void tail_close(struct tail **t);

#endif
