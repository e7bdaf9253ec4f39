/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of a grid as text. */
#ifndef RLPILOT_UNIT_GRID_RIG_H
#define RLPILOT_UNIT_GRID_RIG_H

#include "tui/surface.h"

/* Row y; '_' for the right half of a wide character. Lives until the next call. */
const char *grid_row(const struct grid *g, int y);
/* All of it, without anything on it. */
struct surface grid_fresh(struct grid *g, int rows, int cols);

#endif
