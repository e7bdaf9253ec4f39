/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/widget/gauge.h"

#include "tui/glyph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void gauge_bar(struct surface *s, int y, int x, int w, int64_t done, int64_t total)
{
	int64_t full = 0;
	if (done > total)
		done = total;
	if (done > 0 && total > 0)
		full = (int64_t)((double)done / (double)total * w);
	if (full == 0 && done > 0 && w > 0)
		full = 1;
	for (int i = 0; i < w; i++)
		surface_put(s, y, x + i, i < full ? ROLE_GAUGE : ROLE_GAUGE_REST,
			glyph(i < full ? GLYPH_FULL : GLYPH_REST));
}

void gauge_draw(struct surface *s, int y, int x, int w, int64_t done, int64_t total)
{
	char text[48];
	if (total <= 0) {
		snprintf(text, sizeof(text), "%" PRId64, done);
		surface_cut(s, y, x, w, ROLE_STRONG, text);
		return;
	}
	snprintf(text, sizeof(text), " %" PRId64 "/%" PRId64, done, total);
	int label = (int)strlen(text);
	if (w - label > 3)
		gauge_bar(s, y, x, w - label, done, total);
	else
		label = w;
	surface_right(s, y, x + w, label, ROLE_STRONG, text);
}
