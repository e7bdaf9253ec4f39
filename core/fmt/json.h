/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON by jansson, the way every room reads and writes it: one bounded parse, getters by dotted
 * path that accept what the APIs really send (64-bit numbers as strings, absent keys), one compact
 * dump. NaN and infinity never reach jansson. Getters never fail: absent or of another kind is the
 * default. Must not know any schema.
 */
#ifndef RLPILOT_FMT_JSON_H
#define RLPILOT_FMT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

#define JSON_DEPTH_MAX 100 /* nested objects and arrays; more is an error */

/* The caller's reference, or NULL with what was wrong and "JSON:line:column" in place. Duplicate
 * keys are an error. data need not end with NUL; n bytes are read. Any value may stand at the top.
 */
json_t *json_parse(const char *data, size_t n, struct err *e);
/* Same for a file of at most max bytes; the place names the file. */
json_t *json_read_file(const char *path, size_t max, struct err *e);
/* One line, without a final line end, members in insertion order; the caller's. */
char *json_line(const json_t *j);
/* Indented text with a final line end; the caller's. */
char *json_pretty(const json_t *j);

/* Paths: names divided by '.', "[n]" for arrays (n < 0 counts from the end), a name with dots in
 * quotes: "metadata.labels.'a.b/c'", "items[0].name". "" is j itself. NULL when absent; borrowed.
 */
json_t *json_path(const json_t *j, const char *path);
const char *json_path_str(const json_t *j, const char *path); /* NULL unless a string; borrowed */
const char *json_path_str_or(const json_t *j, const char *path, const char *dflt);
/* Integers, whole reals and decimal strings. */
int64_t json_path_i64(const json_t *j, const char *path, int64_t dflt);
/* Numbers and numeric strings; always finite unless dflt is not. */
double json_path_num(const json_t *j, const char *path, double dflt);
/* true, false and the strings "true", "false". */
bool json_path_bool(const json_t *j, const char *path, bool dflt);

/* New references for building: null instead of NaN, infinity, a NULL string or broken UTF-8
 * (which becomes U+FFFD). */
json_t *json_from_num(double v);
json_t *json_from_str(const char *s);

/* For AUTO(json_auto) json_t *j = …; */
void json_auto(json_t **j);

#endif
