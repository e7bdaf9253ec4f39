/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/recipe_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/mem.h"

struct recipe *recipe_rig(void)
{
	const char *top = getenv("srcdir");
	AUTO_FREE char *file = x_asprintf("%s/assets/recipes/gemma4-26b-v6e.yaml", top ? top : ".");
	struct recipe *r = NULL;
	struct err e = {0};

	if (recipe_load(file, &r, &e))
		fail_msg("%s %s", e.what, e.place);
	return r;
}
