/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of lines that only grows, read from where the last reading ended. A line counts when its
 * end is written; a torn one is read again next time. Reads only what is new.
 */
#ifndef RLPILOT_RUN_JSONL_H
#define RLPILOT_RUN_JSONL_H

#include <stddef.h>
#include <stdint.h>

struct err;

/* fn gets each line without its end, not NUL terminated; *offset moves behind it. A file that
 * became shorter than *offset has nothing new; none at all is empty. */
int jsonl_read(const char *file, int64_t *offset, void (*fn)(void *arg, const char *line, size_t n),
	void *arg, struct err *e);

#endif
