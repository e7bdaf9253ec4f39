/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of one run: name, value, origin. A value replaces another one only if its origin is at
 * least as strong ("--set > typed > environment > gcloud > default"; what a person has chosen from
 * a list counts almost like typed). Secrets are registered for
 * redaction as they come in and wiped at the end. Pure: reads no environment by itself.
 */
#ifndef RLPILOT_RECIPE_VALUES_H
#define RLPILOT_RECIPE_VALUES_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct buf;
struct recipe;

/* From weak to strong; the words of state, JSON and screens. */
#define VALUE_ORIGINS(X)                                                                           \
	X(VALUE_NONE, "none")                                                                      \
	X(VALUE_DERIVED, "derived")                                                                \
	X(VALUE_DEFAULT, "default")                                                                \
	X(VALUE_GCLOUD, "gcloud")                                                                  \
	X(VALUE_ENV, "environment")                                                                \
	X(VALUE_DISCOVERED, "discovered")                                                          \
	X(VALUE_TYPED, "typed")                                                                    \
	X(VALUE_SET, "set")

enum value_origin {
#define X(name, word) name,
	VALUE_ORIGINS(X)
#undef X
};

struct value {
	char *name;
	char *value;
	enum value_origin origin;
	bool secret;
};

struct values {
	struct value *items;
	size_t n, cap;
};

const char *value_origin_word(enum value_origin o);
const char *value_origin_text(enum value_origin o);  /* for people, translated */
enum value_origin value_origin_of(const char *word); /* VALUE_NONE when unknown */

void values_fini(struct values *v);
void values_copy(struct values *to, const struct values *from); /* `to` is empty before */
/* Copies. False when a stronger value stays. An empty value of weak origin does not replace. */
bool values_put(struct values *v, const char *name, const char *value, enum value_origin origin,
	bool secret);
void values_unset(struct values *v, const char *name);
const struct value *values_find(const struct values *v, const char *name); /* or NULL */
const char *values_get(const struct values *v, const char *name); /* NULL: absent or empty */

/* Every variable of the recipe: its default, then lookup(name) as VALUE_ENV (getenv(3) fits; NULL:
 * none; secrets are stripped of white space around them), then the derived ones. */
void values_start(struct values *v, const struct recipe *r, char *(*lookup)(const char *name));
/* (Re)computes what is derived from what is there: REGION, CHIPS, HOSTS, BUNDLE. */
void values_derive(struct values *v, const struct recipe *r);
/* Puts one value by its text, after its rule; also parameters by their key, and deviations are not
 * known here. -1 with the reason; ERR_USAGE when no variable or parameter has that name. */
int values_put_checked(struct values *v, const struct recipe *r, const char *name, const char *text,
	enum value_origin origin, struct err *e);
/* What a person does now: the same check, but a good value replaces whatever was there, and a
 * derived variable that no longer agrees (REGION after another ZONE) follows. */
int values_take(struct values *v, const struct recipe *r, const char *name, const char *text,
	enum value_origin origin, struct err *e);
/* First variable that is needed, not optional and has no value; NULL: none missing. */
const char *values_missing(const struct values *v, const struct recipe *r);
/* Every variable that has a value keeps its rule; the first that does not is the error
 * (ERR_PERSON). */
int values_check(const struct values *v, const struct recipe *r, struct err *e);

/* Replaces ${NAME} and ${NAME:-default}. -1, ERR_PERSON, naming the first one without value. */
int values_expand(const struct values *v, const char *tmpl, struct buf *out, struct err *e);
/* For the argument of a fact: `${key}` alone may name a training parameter, its value is taken. */
int values_expand_fact(const struct values *v, const struct recipe *r, const char *tmpl,
	struct buf *out, struct err *e);
/* Same; a missing one stays as ${NAME}, a secret is written as ${NAME} too. */
void values_show(const struct values *v, const char *tmpl, struct buf *out);

#endif
