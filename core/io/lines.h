/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes to lines. The same bytes give the same lines however they were cut into chunks. A line ends
 * at '\n' (one '\r' before it is dropped); what is longer than LINES_MAX is delivered once with its
 * first LINES_MAX bytes and `cut` set, its rest is skipped. Lines handed out are NUL terminated,
 * valid during the call, and may hold any byte. The callback may not feed the same `lines`.
 */
#ifndef RLPILOT_IO_LINES_H
#define RLPILOT_IO_LINES_H

#include "core/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

#define LINES_MAX ((size_t)64 << 10)

struct lines {
	struct buf part;
	bool skipping; /* inside the rest of a cut line */
	bool dead;     /* lines_fini was called by the callback */
	void (*fn)(void *arg, const char *line, size_t n, bool cut);
	void *arg;
};

void lines_init(
	struct lines *l, void (*fn)(void *arg, const char *line, size_t n, bool cut), void *arg);
void lines_feed(struct lines *l, const char *data, size_t n);
/* Delivers a last line without its end, if there is one. */
void lines_end(struct lines *l);
/* Forgets a line begun. */
void lines_reset(struct lines *l);
void lines_fini(struct lines *l);

#endif
