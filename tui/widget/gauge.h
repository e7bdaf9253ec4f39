/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bar for "done of total" and the number beside it. Without a total it shows the count alone.
 */
#ifndef RLPILOT_TUI_WIDGET_GAUGE_H
#define RLPILOT_TUI_WIDGET_GAUGE_H

#include "tui/surface.h"

#include <stdint.h>

/* The bar alone in w cells. */
void gauge_bar(struct surface *s, int y, int x, int w, int64_t done, int64_t total);
/* Bar and " 14/22" in w cells. */
void gauge_draw(struct surface *s, int y, int x, int w, int64_t done, int64_t total);

#endif
