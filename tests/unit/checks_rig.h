/* SPDX-License-Identifier: Apache-2.0 */
/* The recipe and the values of a run, for judges of checks. */
#ifndef RLPILOT_UNIT_CHECKS_RIG_H
#define RLPILOT_UNIT_CHECKS_RIG_H

#include "core/recipe/recipe.h"
#include "core/recipe/values.h"
#include "core/run/checks_in.h"

extern struct recipe *recipe;
extern struct values values;

int checks_setup(void **state);
int checks_teardown(void **state);
/* The recipe's check of that id; the test fails when there is none. */
const struct recipe_check *question(const char *id);
/* What a source has answered, as json_rig reads it; NULL = it did not. */
void answer(struct checks *c, enum check_source s, const char *text, int http);

#endif
