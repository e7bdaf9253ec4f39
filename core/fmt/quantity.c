/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/quantity.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct suffix {
	const char *name;
	double factor;
};

static const struct suffix suffixes[] = {
	{"", 1},
	{"n", 1e-9},
	{"u", 1e-6},
	{"m", 1e-3},
	{"k", 1e3},
	{"M", 1e6},
	{"G", 1e9},
	{"T", 1e12},
	{"P", 1e15},
	{"E", 1e18},
	{"Ki", 1024.0},
	{"Mi", 1048576.0},
	{"Gi", 1073741824.0},
	{"Ti", 1099511627776.0},
	{"Pi", 1125899906842624.0},
	{"Ei", 1152921504606846976.0},
};

/* Digits with at most one dot; *exponent: decimal places read. NULL when there are no digits. */
static const char *mantissa(const char *s, double *v)
{
	double scale = 1;
	bool any = false;

	*v = 0;
	for (; *s >= '0' && *s <= '9'; s++, any = true)
		*v = *v * 10 + (*s - '0');
	if (*s == '.')
		for (s++; *s >= '0' && *s <= '9'; s++, any = true) {
			scale *= 10;
			*v += (*s - '0') / scale;
		}
	return any ? s : NULL;
}

/* "e3", "E-2" to the end of s. */
static bool exponent(const char *s, int *out)
{
	int sign = 1;
	int v = 0;

	if (*s != 'e' && *s != 'E')
		return false;
	s++;
	if (*s == '-' || *s == '+')
		sign = *s++ == '-' ? -1 : 1;
	if (!*s)
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || v > 99)
			return false;
		v = v * 10 + (*s - '0');
	}
	*out = sign * v;
	return true;
}

bool quantity_parse(const char *s, double *out)
{
	double v;
	double sign = 1;
	int e;

	if (!s)
		return false;
	if (*s == '-' || *s == '+')
		sign = *s++ == '-' ? -1 : 1;
	s = mantissa(s, &v);
	if (!s)
		return false;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (!strcmp(s, suffixes[i].name)) {
			*out = sign * v * suffixes[i].factor;
			return isfinite(*out);
		}
	if (!exponent(s, &e))
		return false;
	*out = sign * v * pow(10, e);
	return isfinite(*out);
}

int64_t quantity_bytes(const char *s)
{
	double v;

	if (!quantity_parse(s, &v) || v < 0 || v > 9.2e18)
		return -1;
	return (int64_t)ceil(v);
}

const char *quantity_human(int64_t bytes, char out[QUANTITY_SIZE])
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double v = (double)(bytes < 0 ? 0 : bytes);
	size_t i = 0;

	while (v >= 1023.95 && i + 1 < sizeof(names) / sizeof(names[0])) {
		v /= 1024;
		i++;
	}
	if (i == 0)
		snprintf(out, QUANTITY_SIZE, "%.0f B", v);
	else
		snprintf(out, QUANTITY_SIZE, "%.1f %s", v, names[i]);
	return out;
}
