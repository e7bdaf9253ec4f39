/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_ids RECIPE: every check of a recipe and the states that it can take, one a line:
 * "id ok blocking unknown". Tests demand that each of them is seen in some world.
 */
#include <stdio.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/recipe/recipe.h"
#include "core/run/checks.h"

int main(int argc, char **argv)
{
	static const char *const words[] = {"ok", "warning", "blocking", "unknown"};
	struct recipe *r = NULL;
	struct err e = {0};

	if (argc != 2) {
		fprintf(stderr, "usage: check_ids RECIPE\n");
		return 64;
	}
	if (recipe_load(argv[1], &r, &e)) {
		err_print(&e);
		return 65;
	}
	for (size_t i = 0; i < r->checks.n; i++) {
		unsigned states = checks_states(r->checks.items[i].id);

		printf("%s", r->checks.items[i].id);
		for (size_t k = 0; k < COUNT(words); k++)
			if (states & 1U << k)
				printf(" %s", words[k]);
		putchar('\n');
	}
	recipe_free(r);
	return 0;
}
