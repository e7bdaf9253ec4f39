/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How rows of a schema are written, and the parts that have a file of their own. Internal to the
 * files of schema.
 */
#ifndef RLPILOT_RECIPE_SCHEMA_IN_H
#define RLPILOT_RECIPE_SCHEMA_IN_H

#include "core/recipe/decode.h"

/* A row: key, kind, struct, member, and what else. */
#define ROW(k, kind_, type, member, ...)                                                           \
	{                                                                                          \
		.key = k, .kind = kind_, .offset = offsetof(struct type, member), __VA_ARGS__      \
	}
#define NEED         .required = true
#define WORDS(list)  .words = list
#define REFER(what)  .ref = what, .is_ref = true
#define FIELDS(list) .fields = list, .n = COUNT(list)

extern const struct schema schema_watch;

#endif
