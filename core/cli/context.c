/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/context.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/cli/cli.h"
#include "core/recipe/recipe.h"
#include "core/run/folder.h"
#include "core/run/token.h"

int cli_context_set(
	struct cli_context *c, const char *assignment, enum value_origin origin, struct err *e)
{
	const char *eq = strchr(assignment, '=');
	AUTO_FREE char *name = eq ? x_strndup(assignment, (size_t)(eq - assignment)) : NULL;

	if (!eq || eq == assignment)
		return err_set(e, ERR_USAGE, _("write --set NAME=VALUE"),
			_("an assignment has no name or no '='"));
	return values_put_checked(&c->values, c->recipe, name, eq + 1, origin, e);
}

static int from_run(const char *name, struct cli_context *c, struct err *e)
{
	AUTO_FREE char *dir = NULL;

	if (run_find(name, &dir, e) || run_open(dir, &c->run, e))
		return -1;
	c->recipe = c->run->recipe;
	c->deviations = c->run->deviations;
	values_copy(&c->values, &c->run->values);
	return 0;
}

static int from_environment(const char *recipe, struct cli_context *c, struct err *e)
{
	if (recipe_find(recipe ? recipe : CLI_RECIPE_DEFAULT, &c->own_recipe, e))
		return -1;
	c->recipe = c->own_recipe;
	c->deviations = deviation_defaults(c->recipe);
	values_start(&c->values, c->recipe, getenv);
	token_find(&c->values, c->recipe, NULL);
	return 0;
}

static int switch_all(struct cli_context *c, const struct strvec *ids, bool on, struct err *e)
{
	for (size_t i = 0; ids && i < ids->n; i++) {
		if (deviation_switch(c->recipe, &c->deviations, ids->items[i], on, e))
			return -1;
	}
	return 0;
}

int cli_context_open(const struct cli_globals *g, const struct strvec *sets,
	const struct strvec *on, const struct strvec *off, struct cli_context *out, struct err *e)
{
	int rc = g->run ? from_run(g->run, out, e) : from_environment(g->recipe, out, e);

	for (size_t i = 0; !rc && sets && i < sets->n; i++)
		rc = cli_context_set(out, sets->items[i], VALUE_SET, e);
	if (!rc)
		rc = switch_all(out, on, true, e) || switch_all(out, off, false, e) ? -1 : 0;
	if (rc)
		cli_context_close(out);
	return rc;
}

int cli_context_open_last(const struct cli_globals *g, const struct strvec *sets,
	const struct strvec *on, const struct strvec *off, struct cli_context *out, struct err *e)
{
	struct cli_globals last = *g;
	AUTO_FREE char *root = NULL;
	AUTO_FREE char *dir = NULL;

	if (!g->run && !g->recipe && run_root(false, &root, NULL) == 0 &&
		run_current(root, &dir) == 0)
		last.run = dir;
	return cli_context_open(&last, sets, on, off, out, e);
}

void cli_context_close(struct cli_context *c)
{
	values_fini(&c->values);
	if (c->run)
		run_close(c->run);
	recipe_free(c->own_recipe);
	memset(c, 0, sizeof(*c));
}
