/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of text: scrolls, follows the newest, wraps on demand. Lines are numbered from 0 since the
 * beginning; the source holds the last n of them, so the view stays on its line when old ones go.
 */
#ifndef RLPILOT_TUI_WIDGET_TEXTVIEW_H
#define RLPILOT_TUI_WIDGET_TEXTVIEW_H

#include "tui/keymap.h"
#include "tui/surface.h"

#include <stdint.h>

struct textview_source {
	const void *arg;
	size_t n;       /* lines held */
	uint64_t first; /* number of the oldest line held */
	const char *(*line)(const void *arg, size_t i, enum role *role);
};

struct textview {
	bool still; /* not following */
	bool wrap;
	uint64_t top; /* number of the first line shown when still */
	int rows;     /* of the last drawing */
};

void textview_draw(struct textview *t, const struct textview_source *src, struct surface *s);
bool textview_act(struct textview *t, const struct textview_source *src, enum action a);

#endif
