/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points in time and spans as text: RFC 3339 (with nanoseconds, any offset), Go durations, kubectl
 * ages, h:mm:ss. Values are milliseconds, times since 1970 UTC. TIME_NONE means "not known".
 * Must not read a clock.
 */
#ifndef RLPILOT_FMT_TIME_H
#define RLPILOT_FMT_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIME_NONE INT64_MIN
#define TIME_SIZE 40 /* room for every text of this file */

struct time_stamp {
	int64_t s;  /* seconds since 1970 UTC */
	int32_t ns; /* 0..999999999 */
};

/* Reads an RFC 3339 time at the start of s; *used (may be NULL) gets its length. False when there
 * is none or it is out of range (years 1970..9999). */
bool time_parse(const char *s, size_t n, struct time_stamp *out, size_t *used);
/* Whole string; NULL or malformed gives TIME_NONE. */
int64_t time_parse_ms(const char *s);
int time_stamp_cmp(const struct time_stamp *a, const struct time_stamp *b);
int64_t time_stamp_ms(const struct time_stamp *t);
/* "2026-09-10T08:00:00Z"; TIME_NONE gives "". Returns out. */
const char *time_format(int64_t ms, char out[TIME_SIZE]);
/* "2026-09-10T08:00:00.123Z" */
const char *time_format_ms(int64_t ms, char out[TIME_SIZE]);
/* "2026-09-10T08:00:00.123456789Z" */
const char *time_format_ns(const struct time_stamp *t, char out[TIME_SIZE]);

/* Go duration ("1h2m", "1.5s", "250ms", "-1s") or bare seconds ("90"). False when malformed. */
bool time_parse_duration(const char *s, int64_t *ms);
/* "1h2m5s", "0s"; parts of zero are left out. */
const char *time_format_duration(int64_t ms, char out[TIME_SIZE]);
/* "0:00:09", "4:12:31", "123:00:00" (rounded down; negative counts as 0). */
const char *time_format_clock(int64_t ms, char out[TIME_SIZE]);
/* "9s", "2m5s", "12m", "3h4m", "26h", "3d4h", "12d": as kubectl prints ages. */
const char *time_format_age(int64_t ms, char out[TIME_SIZE]);

#endif
