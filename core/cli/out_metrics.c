/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/out_metrics.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/text.h"

json_t *out_metrics_row(const char *name, const struct series_point *p)
{
	return json_pack("{s:o, s:I, s:o, s:o, s:s}", "series", json_from_str(name), "step",
		(json_int_t)p->step, "wall_time", json_from_num((double)p->wall_ms / 1000), "value",
		json_from_num(p->value), "source", series_source_name(p->source));
}

json_t *out_metrics_json(const struct series_set *set)
{
	json_t *all = json_array();
	size_t n;
	const char **names = series_names(set, &n);

	for (size_t i = 0; i < n; i++) {
		const struct series *s = series_find(set, names[i]);

		for (size_t k = 0; k < s->n; k++)
			json_array_append_new(all, out_metrics_row(s->name, &s->items[k]));
	}
	free(names);
	return all;
}

static void number(double v, struct buf *out)
{
	if (isfinite(v))
		buf_addf(out, " %12.6g", v);
	else
		buf_addf(out, " %12s", isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
}

void out_metrics_plain(const struct series_set *set, struct buf *out)
{
	size_t n;
	const char **names = series_names(set, &n);

	if (n == 0)
		buf_adds(out, _("no points yet\n"));
	else
		buf_addf(out, "%-36s %6s %6s %12s %12s %12s\n", "SERIES", "POINTS", "STEP", "LAST",
			"MIN", "MAX");
	for (size_t i = 0; i < n; i++) {
		const struct series *s = series_find(set, names[i]);
		const struct series_point *last = series_last(s);
		double lo = NAN, hi = NAN;

		for (size_t k = 0; k < s->n; k++) {
			lo = fmin(lo, s->items[k].value);
			hi = fmax(hi, s->items[k].value);
		}
		if (!last)
			continue;
		buf_addf(out, "%-36s %6zu %6lld", s->name, s->n, (long long)last->step);
		number(last->value, out);
		number(lo, out);
		number(hi, out);
		buf_addc(out, '\n');
	}
	free(names);
}
