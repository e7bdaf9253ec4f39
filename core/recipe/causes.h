/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The causes of a recipe as rows of the one table of core/fmt/cause.h, before its own rows, and its
 * texts as pairs for what records say. One recipe's at a time: the newest that was taken into use.
 * Must not outlive the recipe.
 */
#ifndef RLPILOT_RECIPE_CAUSES_H
#define RLPILOT_RECIPE_CAUSES_H

struct recipe;

void recipe_causes_use(const struct recipe *r);
/* For recipe_free: takes the rows back if they are this recipe's. */
void recipe_causes_drop(const struct recipe *r);

#endif
