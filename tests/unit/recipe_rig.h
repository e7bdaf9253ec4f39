/* SPDX-License-Identifier: Apache-2.0 */
/* The recipe that is shipped. */
#ifndef RLPILOT_UNIT_RECIPE_RIG_H
#define RLPILOT_UNIT_RECIPE_RIG_H

#include "core/recipe/recipe.h"

/* The caller's; the test fails when it cannot be read. */
struct recipe *recipe_rig(void);

#endif
