/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splitting a surface into rows or columns. The parts tile it exactly: no gap, no overlap. When
 * room is short, parts go in the order of `drop` (highest first) and get size 0; parts with
 * drop 0 never go, they shrink.
 */
#ifndef RLPILOT_TUI_LAYOUT_H
#define RLPILOT_TUI_LAYOUT_H

#include "tui/surface.h"

#include <stddef.h>

struct split {
	int fixed;  /* cells, when weight is 0 */
	int weight; /* share of what is left */
	int min;    /* for weighted parts */
	int drop;   /* 0 = keep */
};

/* Sizes of n parts in `total` cells; their sum is total as long as one kept part has a weight. */
void layout_sizes(const struct split *parts, size_t n, int total, int *sizes);
void layout_rows(const struct surface *s, const struct split *parts, size_t n, struct surface *out);
void layout_cols(const struct surface *s, const struct split *parts, size_t n, struct surface *out);

#endif
