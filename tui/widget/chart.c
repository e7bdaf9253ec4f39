/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/widget/chart.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "tui/glyph.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define AXIS_W 5 /* cells of the numbers */

struct chart_range {
	int64_t x0, x1;
	double y0, y1;
};

static void range_add(struct chart_range *r, const struct chart_point *p, size_t n, bool x, bool y)
{
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(p[i].y))
			continue;
		if (x && p[i].x < r->x0)
			r->x0 = p[i].x;
		if (x && p[i].x > r->x1)
			r->x1 = p[i].x;
		if (y && p[i].y < r->y0)
			r->y0 = p[i].y;
		if (y && p[i].y > r->y1)
			r->y1 = p[i].y;
	}
}

/* The next round number from v on away from zero: 1, 2, 2.5 or 5 times a power of ten / 10. */
static double range_round(double v)
{
	if (v == 0)
		return 0;
	double unit = pow(10, floor(log10(fabs(v))) - 1);
	return v > 0 ? ceil(v / unit - 1e-9) * unit : floor(v / unit + 1e-9) * unit;
}

static struct chart_range chart_range(const struct chart *c)
{
	bool x = c->x_min == c->x_max, y = c->y_min == c->y_max;
	struct chart_range r = {c->x_min, c->x_max, c->y_min, c->y_max};
	if (x) {
		r.x0 = INT64_MAX;
		r.x1 = INT64_MIN;
	}
	if (y) {
		r.y0 = 0;
		r.y1 = -INFINITY;
	}
	range_add(&r, c->bars, c->n_bars, x, y);
	range_add(&r, c->points, c->n_points, x, y);
	if (r.x0 > r.x1)
		r.x0 = r.x1 = 0;
	if (r.x1 == r.x0)
		r.x1 = r.x0 + 1;
	if (y) {
		r.y1 = isfinite(r.y1) ? range_round(r.y1) : 1;
		r.y0 = range_round(r.y0);
	}
	if (r.y1 <= r.y0)
		r.y1 = r.y0 + 1;
	return r;
}

static int chart_column(const struct chart_range *r, int w, int64_t x)
{
	if (x < r->x0 || x > r->x1)
		return -1;
	int col = (int)((double)(x - r->x0) / (double)(r->x1 - r->x0 + 1) * w);
	return col < w ? col : w - 1;
}

/* Eighths of a row that stand for y. */
static int chart_eighths(const struct chart_range *r, int h, double y)
{
	int n = (int)lround((y - r->y0) / (r->y1 - r->y0) * h * 8);
	return n < 0 ? 0 : n > h * 8 ? h * 8 : n;
}

/* A step wider than one column fills all of its columns. */
static int chart_column_end(const struct chart_range *r, int w, int64_t x)
{
	int end = x >= r->x1 ? w : chart_column(r, w, x + 1);
	int start = chart_column(r, w, x);
	return end > start ? end : start + 1;
}

static void chart_bars(const struct chart *c, const struct chart_range *r, struct surface *plot)
{
	AUTO_FREE double *sums = x_calloc((size_t)plot->w + 1, sizeof(*sums));
	AUTO_FREE int *counts = x_calloc((size_t)plot->w + 1, sizeof(*counts));
	for (size_t i = 0; i < c->n_bars; i++) {
		int from = chart_column(r, plot->w, c->bars[i].x);
		if (from < 0 || !isfinite(c->bars[i].y))
			continue;
		for (int x = from; x < chart_column_end(r, plot->w, c->bars[i].x); x++) {
			sums[x] += c->bars[i].y;
			counts[x]++;
		}
	}
	for (int x = 0; x < plot->w; x++) {
		if (!counts[x])
			continue;
		int n = chart_eighths(r, plot->h, sums[x] / counts[x]);
		if (n == 0)
			n = 1;
		for (int y = plot->h - 1; y >= 0 && n > 0; y--, n -= 8)
			surface_put(plot, y, x, ROLE_CHART, glyph_eighth(n));
	}
}

static void chart_points(const struct chart *c, const struct chart_range *r, struct surface *plot)
{
	for (size_t i = 0; i < c->n_points; i++) {
		int x = chart_column(r, plot->w, c->points[i].x);
		if (x < 0 || !isfinite(c->points[i].y))
			continue;
		int row = (chart_eighths(r, plot->h, c->points[i].y) - 1) / 8;
		surface_put(
			plot, plot->h - 1 - (row < 0 ? 0 : row), x, ROLE_POINT, glyph(GLYPH_POINT));
	}
}

static void chart_number(struct surface *s, int y, double v, double span)
{
	char text[32];
	if (fabs(v) >= 10000 || (v != 0 && span < 0.001))
		snprintf(text, sizeof(text), "%.0e", v);
	else
		snprintf(text, sizeof(text), "%.*f",
			span >= 20     ? 0
			: span >= 0.5  ? 1
			: span >= 0.05 ? 2
				       : 3,
			v);
	surface_right(s, y, AXIS_W, AXIS_W, ROLE_AXIS, text);
	surface_put(s, y, AXIS_W, ROLE_AXIS, glyph(GLYPH_TEE_LEFT));
}

static void chart_steps(const struct chart_range *r, struct surface *s, int y)
{
	int w = s->w - AXIS_W - 1, free_from = 0;
	static const int64_t units[] = {
		1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000, 5000, 10000, 100000};
	int64_t unit = units[0];
	for (size_t i = 0; i < COUNT(units); i++) {
		unit = units[i];
		if ((r->x1 - r->x0 + 1) * 7 / unit <= w)
			break;
	}
	for (int64_t x = r->x0 == 1 ? 1 : (r->x0 + unit - 1) / unit * unit; x <= r->x1;
		x = x == 1 && unit > 1 ? unit : x + unit) {
		char text[24];
		int n = snprintf(text, sizeof(text), "%" PRId64, x);
		int at = chart_column(r, w, x);
		if (at >= free_from && at + n <= w) {
			surface_text(s, y, AXIS_W + 1 + at, n, ROLE_AXIS, text);
			free_from = at + n + 2;
		}
	}
}

void chart_draw(const struct chart *c, struct surface *s)
{
	if (s->h < 3 || s->w < AXIS_W + 6)
		return;
	struct chart_range r = chart_range(c);
	struct surface plot = surface_sub(s, 0, AXIS_W + 1, s->h - 1, s->w - AXIS_W - 1);
	double span = r.y1 - r.y0;
	for (int y = 0; y < plot.h; y++)
		surface_put(s, y, AXIS_W, ROLE_AXIS, glyph(GLYPH_VRULE));
	chart_number(s, 0, r.y1, span);
	chart_number(s, plot.h - 1, r.y0, span);
	if (plot.h >= 6)
		chart_number(s, plot.h / 2, r.y1 - span * (plot.h / 2) / (plot.h - 1), span);
	chart_bars(c, &r, &plot);
	chart_points(c, &r, &plot);
	chart_steps(&r, s, s->h - 1);
}
