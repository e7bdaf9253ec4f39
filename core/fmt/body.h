/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What came as the body of an answer: JSON, a web page, plain text, bytes, nothing, or JSON that
 * was cut. Only text that begins as an object or list is parsed; a page of a proxy never is. The
 * line is the first line of text: cleaned, masked, short. Pure.
 */
#ifndef RLPILOT_FMT_BODY_H
#define RLPILOT_FMT_BODY_H

#include <stddef.h>

#include "core/fmt/json.h"

struct buf;
struct err;

#define BODY_KINDS(X)                                                                              \
	X(BODY_EMPTY, "empty")                                                                     \
	X(BODY_JSON, "json")                                                                       \
	X(BODY_CUT, "cut")       /* begins as JSON and ends before its end */                      \
	X(BODY_BROKEN, "broken") /* begins as JSON and is none */                                  \
	X(BODY_HTML, "html")                                                                       \
	X(BODY_TEXT, "text")                                                                       \
	X(BODY_BYTES, "bytes") /* no text */

enum body_kind {
#define X(name, word) name,
	BODY_KINDS(X)
#undef X
};

#define BODY_ERROR_MAX ((size_t)1 << 20) /* an error body beyond it is looked at, not parsed */

struct body {
	enum body_kind kind;
	json_t *json;   /* BODY_JSON only */
	size_t n;       /* bytes that came */
	char line[200]; /* first words; the title of a page; "" = none */
};

/* type: Content-Type, NULL or "" = none; max: no more than that is parsed. */
void body_read(struct body *b, const char *type, const char *data, size_t n, size_t max);
void body_fini(struct body *b);
const char *body_kind_word(enum body_kind k);
/* Cause id for a body where JSON was due: "proxy-page", "answer-cut", "answer-foreign"; NULL for
 * JSON and for nothing at all. */
const char *body_cause(const struct body *b);
/* A sentence on what came instead of JSON, in the person's language; the caller's. */
char *body_said(const struct body *b, const char *type);

/* JSON among a tool's other lines: warnings before and after it are put into said (may be NULL),
 * one a line. The caller's reference; NULL when no line begins any JSON. */
json_t *body_tool_json(const char *data, size_t n, struct buf *said, struct err *e);

#endif
