/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One raw log line as a terminal would leave it: progress bars redraw themselves with \r, so only
 * the last non-empty segment counts; control sequences are dropped. Must not see line feeds.
 */
#ifndef RLPILOT_FMT_ANSI_H
#define RLPILOT_FMT_ANSI_H

#include <stddef.h>

struct buf;

/* Appends the visible text of a line to out (safe to draw and to print). */
void ansi_visible(struct buf *out, const char *line, size_t n);
/* The last non-empty \r segment of a line; *n becomes its length. Borrowed from line. */
const char *ansi_last_segment(const char *line, size_t *n);

#endif
