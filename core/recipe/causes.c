/* SPDX-License-Identifier: Apache-2.0 */
#include "core/recipe/causes.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/recorded.h"
#include "core/fmt/cause.h"
#include "core/recipe/recipe.h"

static struct {
	const struct recipe *recipe;
	struct cause *rows;
	char *noise;
} used;

static const char *tell(const void *own, bool cure)
{
	const struct recipe_cause *c = own;

	return recipe_text(cure ? &c->cure : &c->meaning);
}

static enum cause_who who_of(const char *word)
{
	for (enum cause_who w = CAUSE_YOU; word && w <= CAUSE_GOOGLE; w++)
		if (strcmp(word, cause_who_name(w)) == 0)
			return w;
	return CAUSE_YOU;
}

static void drop_all(void)
{
	cause_extend(NULL, 0, NULL, NULL);
	recorded_pairs(NULL, 0);
	free(used.rows);
	free(used.noise);
	memset(&used, 0, sizeof(used));
}

void recipe_causes_use(const struct recipe *r)
{
	AUTO(buf_fini) struct buf noise = {0};
	size_t n = 0;

	drop_all();
	used.recipe = r;
	used.rows = x_calloc(r->causes.n + 1, sizeof(*used.rows));
	for (size_t i = 0; i < r->causes.n; i++) {
		const struct recipe_cause *c = &r->causes.items[i];

		if (strcmp(c->severity, "ignore") == 0) {
			buf_addf(&noise, "%s(?:%s)", noise.len ? "|" : "", c->match);
			continue;
		}
		used.rows[n++] = (struct cause){.id = c->id,
			.kind = strcmp(c->where, "exit") == 0 ? CAUSE_EXIT : CAUSE_TEXT,
			.match = c->match,
			.who = who_of(c->who),
			.fatal = strcmp(c->severity, "fatal") == 0,
			.own = c};
	}
	used.noise = noise.len ? buf_take(&noise) : NULL;
	cause_extend(used.rows, n, used.noise, tell);
	recorded_pairs(r->texts.items, r->texts.n);
}

void recipe_causes_drop(const struct recipe *r)
{
	if (r && used.recipe == r)
		drop_all();
}
