/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables that say how a YAML tree becomes structs: one row a key. The walk knows the place of all
 * it reads, so every fault is file:line:column and what was expected. References (${NAME}, stage
 * and deviation ids) are collected and judged by the caller once all is read. Internal to recipe/.
 */
#ifndef RLPILOT_RECIPE_DECODE_H
#define RLPILOT_RECIPE_DECODE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/buf.h"
#include "core/base/recorded.h"
#include "core/fmt/yaml.h"

struct arena;
struct err;
struct schema;
struct decode;

enum field_kind {
	FIELD_STR,      /* const char * */
	FIELD_TEMPLATE, /* const char *, with ${NAME} */
	FIELD_MATCH,    /* const char *, a PCRE2 pattern that compiles */
	FIELD_TEXT,     /* struct recipe_text: {en:, ko:}, both */
	FIELD_TEXTS,    /* struct recipe_texts */
	FIELD_BOOL,     /* bool */
	FIELD_U32,      /* uint32_t */
	FIELD_U64,      /* uint64_t */
	FIELD_SIZE,     /* size_t */
	FIELD_REAL,     /* double */
	FIELD_SPAN,     /* uint32_t seconds, two of them: "20m-45m", "90s", "1h-3h" */
	FIELD_WORD,     /* enum: index in words */
	FIELD_NAMES,    /* struct recipe_names */
	FIELD_PAIRS,    /* struct recipe_pairs, templates */
	FIELD_STRUCT,   /* in place */
	FIELD_PTR,      /* pointer to one */
	FIELD_LIST,     /* items, n */
	FIELD_OWN,      /* own() */
};

enum ref_kind { REF_VARIABLE, REF_DEVIATION, REF_STAGE, REF_NONE };

struct field {
	const char *key;
	enum field_kind kind;
	size_t offset;
	bool required;
	const struct schema *sub;
	const char *const *words; /* FIELD_WORD, and allowed values of FIELD_STR; NULL ended */
	enum ref_kind ref;        /* of FIELD_STR and FIELD_NAMES */
	bool is_ref;
	int (*own)(struct decode *d, const json_t *j, void *target);
};

struct schema {
	const char *what; /* "a stage", for messages */
	size_t size;
	const struct field *fields;
	size_t n;
	size_t string_at; /* a plain string instead of the table fills this template; see has_string
			   */
	bool has_string;
	size_t rest_at; /* other keys become struct recipe_pairs here; see has_rest */
	bool has_rest;
	int (*check)(struct decode *d, void *target); /* after all fields, path at the table */
};

struct ref {
	enum ref_kind kind;
	const char *name; /* in the arena */
	size_t line, column;
};

struct decode {
	const struct yaml_doc *doc;
	struct arena *arena;
	struct err *e;
	struct buf path;
	struct {
		struct ref *items;
		size_t n, cap;
	} refs;
	struct {
		struct text_pair *items; /* every FIELD_TEXT; the strings are in the arena */
		size_t n, cap;
	} texts;
};

int decode_table(struct decode *d, const struct schema *s, const json_t *j, void *target);
void decode_fini(struct decode *d);
/* An error at the present path; returns -1. */
int decode_error(struct decode *d, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Zeroed memory of the recipe. */
void *decode_alloc(struct decode *d, size_t n);
/* Copies a template and collects its references. */
const char *decode_template(struct decode *d, const char *s);

/* Walk of a template: the next ${NAME} or ${NAME:-default} at or behind s. True: *name of n bytes,
 * *dflt (NULL: none) of dflt_n, the whole reference from *at on is len bytes long. */
struct template_ref {
	const char *at, *name, *dflt;
	size_t len, name_n, dflt_n;
};
bool template_next(const char *s, struct template_ref *out);

#endif
