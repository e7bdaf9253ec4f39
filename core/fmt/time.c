/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/time.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Reads exactly `digits` decimal digits at s+*at within n. */
static bool digits(const char *s, size_t n, size_t *at, int count, int *out)
{
	int v = 0;

	if (*at + (size_t)count > n)
		return false;
	for (int i = 0; i < count; i++) {
		char c = s[*at + (size_t)i];

		if (c < '0' || c > '9')
			return false;
		v = v * 10 + (c - '0');
	}
	*at += (size_t)count;
	*out = v;
	return true;
}

static bool one_of(const char *s, size_t n, size_t *at, const char *set)
{
	if (*at >= n || !s[*at] || !strchr(set, s[*at]))
		return false;
	(*at)++;
	return true;
}

/* Days since 1970-01-01 of a civil date (proleptic Gregorian). */
static int64_t days_of(int y, int m, int d)
{
	int64_t yy = m <= 2 ? y - 1 : y;
	int64_t era = yy / 400;
	int64_t yoe = yy - era * 400;
	int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	int64_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;

	return era * 146097 + doe - 719468;
}

static bool date_is_real(int y, int m, int d)
{
	static const int len[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;

	if (y < 1970 || m < 1 || m > 12 || d < 1)
		return false;
	return d <= len[m - 1] + (m == 2 && leap ? 1 : 0);
}

static int32_t fraction(const char *s, size_t n, size_t *at)
{
	int32_t ns = 0;
	int32_t scale = 100000000;

	while (*at < n && s[*at] >= '0' && s[*at] <= '9') {
		ns += (s[*at] - '0') * scale;
		scale /= 10;
		(*at)++;
	}
	return ns;
}

/* "Z" or ±hh:mm as seconds east of UTC. */
static bool offset(const char *s, size_t n, size_t *at, int64_t *out)
{
	int hh, mm;
	int sign;

	*out = 0;
	if (one_of(s, n, at, "Zz"))
		return true;
	if (*at >= n || (s[*at] != '+' && s[*at] != '-'))
		return false;
	sign = s[(*at)++] == '-' ? -1 : 1;
	if (!digits(s, n, at, 2, &hh) || !one_of(s, n, at, ":") || !digits(s, n, at, 2, &mm))
		return false;
	if (hh > 23 || mm > 59)
		return false;
	*out = sign * (hh * 3600 + mm * 60);
	return true;
}

/* 9999-12-31T23:59:59Z */
#define LAST_SECOND INT64_C(253402300799)

bool time_parse(const char *s, size_t n, struct time_stamp *out, size_t *used)
{
	int y, mo, d, h, mi, sec;
	int64_t east;
	int32_t ns = 0;
	size_t at = 0;

	if (!s || !digits(s, n, &at, 4, &y) || !one_of(s, n, &at, "-") ||
		!digits(s, n, &at, 2, &mo) || !one_of(s, n, &at, "-") ||
		!digits(s, n, &at, 2, &d) || !one_of(s, n, &at, "Tt ") ||
		!digits(s, n, &at, 2, &h) || !one_of(s, n, &at, ":") ||
		!digits(s, n, &at, 2, &mi) || !one_of(s, n, &at, ":") ||
		!digits(s, n, &at, 2, &sec))
		return false;
	if (!date_is_real(y, mo, d) || h > 23 || mi > 59 || sec > 60)
		return false;
	if (one_of(s, n, &at, "."))
		ns = fraction(s, n, &at);
	if (!offset(s, n, &at, &east))
		return false;
	out->s = days_of(y, mo, d) * 86400 + h * 3600 + mi * 60 + sec - east;
	out->ns = ns;
	if (out->s < 0 || out->s > LAST_SECOND)
		return false;
	if (used)
		*used = at;
	return true;
}

int64_t time_parse_ms(const char *s)
{
	struct time_stamp t;
	size_t used;
	size_t n = s ? strlen(s) : 0;

	if (!time_parse(s, n, &t, &used) || used != n)
		return TIME_NONE;
	return time_stamp_ms(&t);
}

int time_stamp_cmp(const struct time_stamp *a, const struct time_stamp *b)
{
	if (a->s != b->s)
		return a->s < b->s ? -1 : 1;
	return (a->ns > b->ns) - (a->ns < b->ns);
}

int64_t time_stamp_ms(const struct time_stamp *t)
{
	return t->s * 1000 + t->ns / 1000000;
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0 ? 1 : 0);
}

/* Date and time of s seconds, without zone; false when out of the four-digit years. */
static bool civil(int64_t s, char out[TIME_SIZE])
{
	struct tm tm;
	time_t t = (time_t)s;

	out[0] = 0;
	if (!gmtime_r(&t, &tm) || tm.tm_year < 70 || tm.tm_year > 8099)
		return false;
	return strftime(out, TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &tm) > 0;
}

static const char *with_fraction(int64_t s, int32_t ns, int places, char out[TIME_SIZE])
{
	char text[TIME_SIZE];
	int32_t scale = 1000000000;

	out[0] = 0;
	if (!civil(s, text))
		return out;
	for (int i = 0; i < places; i++)
		scale /= 10;
	if (places)
		snprintf(out, TIME_SIZE, "%.20s.%0*dZ", text, places, (int)(ns / scale));
	else
		snprintf(out, TIME_SIZE, "%.20sZ", text);
	return out;
}

const char *time_format(int64_t ms, char out[TIME_SIZE])
{
	out[0] = 0;
	return ms == TIME_NONE ? out : with_fraction(floor_div(ms, 1000), 0, 0, out);
}

const char *time_format_ms(int64_t ms, char out[TIME_SIZE])
{
	int64_t s = ms == TIME_NONE ? 0 : floor_div(ms, 1000);

	out[0] = 0;
	return ms == TIME_NONE ? out : with_fraction(s, (int32_t)(ms - s * 1000) * 1000000, 3, out);
}

const char *time_format_ns(const struct time_stamp *t, char out[TIME_SIZE])
{
	return with_fraction(t->s, t->ns, 9, out);
}

struct unit {
	const char *name;
	double ms;
};

static const struct unit units[] = {
	{"ms", 1}, {"us", 1e-3}, {"ns", 1e-6}, {"h", 3600000}, {"m", 60000}, {"s", 1000}};

static const struct unit *unit_at(const char *s)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strncmp(s, units[i].name, strlen(units[i].name)))
			return &units[i];
	return NULL;
}

/* A decimal number without sign or exponent; returns the byte after it, NULL if there is none. */
static const char *number(const char *s, double *out)
{
	const char *p = s;
	double v = 0;
	double scale = 1;
	bool any = false;

	for (; *p >= '0' && *p <= '9'; p++, any = true)
		v = v * 10 + (*p - '0');
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++, any = true) {
			scale /= 10;
			v += (*p - '0') * scale;
		}
	*out = v;
	return any ? p : NULL;
}

bool time_parse_duration(const char *s, int64_t *ms)
{
	double total = 0;
	double sign = 1;

	if (!s || !*s)
		return false;
	if (*s == '-' || *s == '+')
		sign = *s++ == '-' ? -1 : 1;
	for (bool first = true; *s || first; first = false) {
		double v;
		const struct unit *u;
		const char *end = number(s, &v);

		if (!end)
			return false;
		if (!*end && first) {
			total = v * 1000;
			break;
		}
		u = unit_at(end);
		if (!u)
			return false;
		total += v * u->ms;
		s = end + strlen(u->name);
	}
	if (total > 9e15)
		return false;
	*ms = (int64_t)(sign * (total + 0.5e-3));
	return true;
}

const char *time_format_duration(int64_t ms, char out[TIME_SIZE])
{
	int64_t s = ms / 1000;
	char h[24] = "", m[24] = "", sec[24] = "";

	if (s < 0)
		s = 0;
	if (s >= 3600)
		snprintf(h, sizeof(h), "%lldh", (long long)(s / 3600));
	if (s % 3600 >= 60)
		snprintf(m, sizeof(m), "%lldm", (long long)(s % 3600 / 60));
	if (s % 60 || s == 0)
		snprintf(sec, sizeof(sec), "%llds", (long long)(s % 60));
	snprintf(out, TIME_SIZE, "%.20s%.8s%.8s", h, m, sec);
	return out;
}

const char *time_format_clock(int64_t ms, char out[TIME_SIZE])
{
	int64_t s = ms > 0 ? ms / 1000 : 0;

	snprintf(out, TIME_SIZE, "%lld:%02d:%02d", (long long)(s / 3600), (int)(s % 3600 / 60),
		(int)(s % 60));
	return out;
}

/* k8s.io/apimachinery duration.HumanDuration: one unit, or two while the first is small. */
struct age_step {
	int64_t below; /* seconds */
	int64_t big, small;
	const char *big_name, *small_name;
};

const char *time_format_age(int64_t ms, char out[TIME_SIZE])
{
	static const struct age_step steps[] = {
		{120, 1, 0, "s", NULL},
		{600, 60, 1, "m", "s"},
		{10800, 60, 0, "m", NULL},
		{28800, 3600, 60, "h", "m"},
		{172800, 3600, 0, "h", NULL},
		{691200, 86400, 3600, "d", "h"},
		{63072000, 86400, 0, "d", NULL},
		{INT64_MAX, 31536000, 86400, "y", "d"},
	};
	int64_t s = ms > 0 ? ms / 1000 : 0;
	const struct age_step *a = steps;
	int64_t rest;

	while (s >= a->below)
		a++;
	rest = a->small ? s % a->big / a->small : 0;
	if (rest)
		snprintf(out, TIME_SIZE, "%lld%s%lld%s", (long long)(s / a->big), a->big_name,
			(long long)rest, a->small_name);
	else
		snprintf(out, TIME_SIZE, "%lld%s", (long long)(s / a->big), a->big_name);
	return out;
}
