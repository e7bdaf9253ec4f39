/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions (PCRE2, UTF, with match limits so that a pattern cannot hang the loop).
 */
#ifndef RLPILOT_BASE_MATCH_H
#define RLPILOT_BASE_MATCH_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct match; /* a compiled pattern */

struct match_span {
	size_t start, len; /* bytes; start == (size_t)-1: group did not take part */
};

/* NULL with a message (offset in place) when the pattern is wrong. */
struct match *match_new(const char *pattern, bool caseless, struct err *e);
void match_free(struct match *m);
/* True when found in s[from..n); spans[0] is the whole match, then groups, at most `max` filled,
 * the rest set to "did not take part". A hit limit counts as not found. */
bool match_find(const struct match *m, const char *s, size_t n, size_t from,
	struct match_span *spans, size_t max);
/* The whole of s matches. */
bool match_full(const struct match *m, const char *s);

#endif
