/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"

static void series_free(void *p)
{
	struct series *s = p;

	if (!s)
		return;
	free(s->name);
	free(s->items);
	free(s);
}

void series_set_fini(struct series_set *s)
{
	s->map.free_value = series_free;
	map_fini(&s->map);
	*s = (struct series_set){0};
}

static struct series *get(struct series_set *set, const char *name)
{
	struct series *s = map_get(&set->map, name);

	if (s)
		return s;
	s = X_NEW(struct series);
	s->name = x_strdup(name);
	set->map.free_value = series_free;
	map_set(&set->map, name, s);
	return s;
}

/* Where step is or belongs. Points nearly always come in order. */
static size_t position(const struct series *s, int64_t step)
{
	size_t lo = 0, hi = s->n;

	if (hi && s->items[hi - 1].step < step)
		return hi;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->items[mid].step < step)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool same(double a, double b)
{
	return (isnan(a) && isnan(b)) || (a <= b && a >= b);
}

bool series_put(struct series_set *set, const char *name, int64_t step, double value,
	int64_t wall_ms, enum series_source source)
{
	struct series *s = get(set, name);
	size_t at = position(s, step);
	struct series_point p = {step, value, wall_ms, source};
	struct series_point *old = at < s->n ? &s->items[at] : NULL;

	if (old && old->step == step) {
		if (old->source > source)
			return false;
		if (old->source == source && same(old->value, value) && old->wall_ms == wall_ms)
			return false;
		*old = p;
		return true;
	}
	VEC_PUSH(s);
	memmove(s->items + at + 1, s->items + at, (s->n - 1 - at) * sizeof(*s->items));
	s->items[at] = p;
	return true;
}

const struct series *series_find(const struct series_set *s, const char *name)
{
	return map_get(&s->map, name);
}

const struct series_point *series_last(const struct series *s)
{
	return s && s->n ? &s->items[s->n - 1] : NULL;
}

static int by_bytes(const void *a, const void *b)
{
	const char *const *x = a;
	const char *const *y = b;

	return strcmp(*x, *y);
}

const char **series_names(const struct series_set *s, size_t *n)
{
	const char **names = x_calloc(s->map.live + 1, sizeof(*names));
	const char *key;
	void *value;

	*n = 0;
	for (size_t i = 0; map_next(&s->map, &i, &key, &value);)
		names[(*n)++] = key;
	if (*n)
		qsort(names, *n, sizeof(*names), by_bytes);
	return names;
}

void series_number(double v, struct buf *out)
{
	if (isnan(v))
		buf_adds(out, "nan");
	else if (isinf(v))
		buf_adds(out, v < 0 ? "-inf" : "inf");
	else
		buf_addf(out, "%.9g", v);
}

/* A field as RFC 4180 wants it: quoted only when it must be. */
static void field(struct buf *out, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		buf_adds(out, s);
		return;
	}
	buf_addc(out, '"');
	for (; *s; s++) {
		if (*s == '"')
			buf_addc(out, '"');
		buf_addc(out, *s);
	}
	buf_addc(out, '"');
}

void series_csv_row(struct buf *out, const char *name, const struct series_point *p)
{
	field(out, name);
	buf_addf(out, ",%lld,%lld.%03d,", (long long)p->step, (long long)(p->wall_ms / 1000),
		(int)(p->wall_ms % 1000));
	series_number(p->value, out);
	buf_addf(out, ",%s\n", series_source_name(p->source));
}

void series_csv(const struct series_set *set, struct buf *out)
{
	size_t n;
	const char **names = series_names(set, &n);

	buf_adds(out, "series,step,wall_time,value,source\n");
	for (size_t i = 0; i < n; i++) {
		const struct series *s = series_find(set, names[i]);

		for (size_t k = 0; k < s->n; k++)
			series_csv_row(out, s->name, &s->items[k]);
	}
	free(names);
}

int64_t series_event_step(const char *tag, int64_t step)
{
	static const char *const from_zero[] = {"rewards/", "completions/", "global/"};

	for (size_t i = 0; i < COUNT(from_zero); i++)
		if (text_starts(tag, from_zero[i]))
			return step < INT64_MAX ? step + 1 : step;
	return step;
}

const char *series_source_name(enum series_source s)
{
	return s == SERIES_EVENT ? "event" : "log";
}

void series_smooth(const struct series *s, double weight, double *out)
{
	double sum = 0, bias = 1;

	for (size_t i = 0; i < s->n; i++) {
		double v = s->items[i].value;

		out[i] = v;
		if (!isfinite(v))
			continue;
		sum = sum * weight + (1 - weight) * v;
		bias *= weight;
		if (bias < 1)
			out[i] = sum / (1 - bias);
	}
}
