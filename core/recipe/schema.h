/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shape of a recipe file: which keys there are, of what kind, where they go. The tables are the
 * reference of the format; docs and `recipe lint` follow them. Internal to recipe/.
 */
#ifndef RLPILOT_RECIPE_SCHEMA_H
#define RLPILOT_RECIPE_SCHEMA_H

#include "core/recipe/decode.h"

/* Fills a zeroed struct recipe. */
extern const struct schema recipe_schema;

#endif
