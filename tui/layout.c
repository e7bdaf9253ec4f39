/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/layout.h"

#include "core/base/mem.h"

#define PARTS_MAX 16

/* Cells that the parts still in need at least. */
static int layout_need(const struct split *parts, size_t n, const bool *out)
{
	int need = 0;
	for (size_t i = 0; i < n; i++)
		if (!out[i])
			need += parts[i].weight ? parts[i].min : parts[i].fixed;
	return need;
}

/* Takes parts out, the most droppable first, until the rest fits. */
static void layout_drop(const struct split *parts, size_t n, int total, bool *out)
{
	while (layout_need(parts, n, out) > total) {
		size_t worst = n;
		for (size_t i = 0; i < n; i++)
			if (!out[i] && parts[i].drop > 0 &&
				(worst == n || parts[i].drop > parts[worst].drop))
				worst = i;
		if (worst == n)
			return;
		out[worst] = true;
	}
}

/* Shares `left` cells among weighted parts; what rounding leaves goes to the first ones. */
static void layout_share(const struct split *parts, size_t n, const bool *out, int left, int *sizes)
{
	int weights = 0, given = 0;
	for (size_t i = 0; i < n; i++)
		if (!out[i])
			weights += parts[i].weight;
	if (weights == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		if (out[i] || !parts[i].weight)
			continue;
		int share = left * parts[i].weight / weights;
		sizes[i] += share;
		given += share;
	}
	for (size_t i = 0; given < left; i = (i + 1) % n) {
		if (out[i] || !parts[i].weight)
			continue;
		sizes[i]++;
		given++;
	}
}

void layout_sizes(const struct split *parts, size_t n, int total, int *sizes)
{
	bool out[PARTS_MAX] = {false};
	if (n > PARTS_MAX)
		die("layout of %zu parts", n);
	layout_drop(parts, n, total, out);
	int left = total;
	for (size_t i = 0; i < n; i++) {
		sizes[i] = out[i] ? 0 : parts[i].weight ? parts[i].min : parts[i].fixed;
		if (sizes[i] > left)
			sizes[i] = left;
		left -= sizes[i];
	}
	if (left > 0)
		layout_share(parts, n, out, left, sizes);
}

void layout_rows(const struct surface *s, const struct split *parts, size_t n, struct surface *out)
{
	int sizes[PARTS_MAX], y = 0;
	layout_sizes(parts, n, s->h, sizes);
	for (size_t i = 0; i < n; i++) {
		out[i] = surface_sub(s, y, 0, sizes[i], s->w);
		y += sizes[i];
	}
}

void layout_cols(const struct surface *s, const struct split *parts, size_t n, struct surface *out)
{
	int sizes[PARTS_MAX], x = 0;
	layout_sizes(parts, n, s->w, sizes);
	for (size_t i = 0; i < n; i++) {
		out[i] = surface_sub(s, 0, x, s->h, sizes[i]);
		x += sizes[i];
	}
}
