/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/grid_rig.h"

#include "core/base/text.h"

const char *grid_row(const struct grid *g, int y)
{
	static char out[1024];
	size_t n = 0;
	for (int x = 0; x < g->cols; x++) {
		const struct cell *c = &g->cells[y * g->cols + x];
		n += c->cp ? text_encode(c->cp, out + n) : text_encode('_', out + n);
		for (int i = 0; i < CELL_MARKS && c->marks[i]; i++)
			n += text_encode(c->marks[i], out + n);
	}
	out[n] = '\0';
	return out;
}

struct surface grid_fresh(struct grid *g, int rows, int cols)
{
	grid_reset(g, rows, cols);
	return grid_surface(g);
}
