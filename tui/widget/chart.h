/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block chart: one series as columns of eighths, the points of a second one marked on top, an
 * axis with its numbers on the left and steps below. Several steps that share a column show their
 * mean. NaN and infinity leave a gap.
 */
#ifndef RLPILOT_TUI_WIDGET_CHART_H
#define RLPILOT_TUI_WIDGET_CHART_H

#include "tui/surface.h"

#include <stddef.h>
#include <stdint.h>

struct chart_point {
	int64_t x;
	double y;
};

struct chart {
	const struct chart_point *bars, *points;
	size_t n_bars, n_points;
	int64_t x_min, x_max; /* what the width stands for; equal: from the data */
	double y_min, y_max;  /* equal: from the data */
};

void chart_draw(const struct chart *c, struct surface *s);

#endif
