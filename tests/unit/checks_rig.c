/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/checks_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "tests/unit/json_rig.h"
#include "tests/unit/recipe_rig.h"

struct recipe *recipe;
struct values values;

static char *no_environment(const char *name)
{
	(void)name;
	return NULL;
}

int checks_setup(void **state)
{
	static const char *const given[][2] = {{"PROJECT", "lab"}, {"ZONE", "us-east5-b"},
		{"CLUSTER_NAME", "gemma-rl"}, {"GCS_BUCKET", "lab-gemma"}, {"RESERVATION", "rl"},
		{"HF_TOKEN", "hf_abcdefghijklmnopqrstuvwxyz"}};

	(void)state;
	clock_fix(1789027200000);
	recipe = recipe_rig();
	values_start(&values, recipe, no_environment);
	for (size_t i = 0; i < COUNT(given); i++)
		values_put(&values, given[i][0], given[i][1], VALUE_TYPED, false);
	values_derive(&values, recipe);
	return 0;
}

int checks_teardown(void **state)
{
	(void)state;
	values_fini(&values);
	recipe_free(recipe);
	return 0;
}

const struct recipe_check *question(const char *id)
{
	for (size_t i = 0; i < recipe->checks.n; i++)
		if (strcmp(recipe->checks.items[i].id, id) == 0)
			return &recipe->checks.items[i];
	fail_msg("the recipe has no check %s", id);
	return NULL;
}

void answer(struct checks *c, enum check_source s, const char *text, int http)
{
	struct answer *a = &c->answers[s];

	if (s == FROM_HERE)
		return;
	if (text)
		a->reply = json_rig(text);
	else
		err_set(&a->e, ERR_UNREACHABLE, "ask again", "refused");
	a->e.http = http;
}
