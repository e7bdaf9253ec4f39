/* SPDX-License-Identifier: Apache-2.0 */
/* rlpilot recipe lint FILE: reads a recipe and says the first fault with its place. */
#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cli/cli.h"
#include "core/recipe/command.h"
#include "core/recipe/recipe.h"
#include "core/recipe/rule.h"
#include "core/recipe/values.h"

/* Defaults must keep their own rules, and the arithmetic must hold. */
static int check_defaults(const struct recipe *r, struct err *e)
{
	AUTO(values_fini) struct values v = {0};
	AUTO(rule_findings_fini) struct rule_findings found = {0};
	AUTO(buf_fini) struct buf script = {0};
	struct render o = {.recipe = r, .values = &v, .deviations = deviation_defaults(r)};

	values_start(&v, r, NULL);
	if (values_check(&v, r, e))
		return -1;
	for (size_t i = 0; i < r->parameters.n; i++) {
		const struct recipe_param *p = &r->parameters.items[i];
		AUTO(buf_fini) struct buf why = {0};

		if (p->editable && p->value && !rule_parameter(p, p->value, &why))
			return err_set(e, ERR_BAD_FILE, _("correct the value or its limits"),
				"%s: %s", p->key, buf_str(&why));
	}
	for (size_t i = 0; i < r->stages.n; i++) {
		const struct recipe_stage *s = &r->stages.items[i];
		AUTO(buf_fini) struct buf why = {0};

		if (s->jobset && !rule_named("job", s->jobset, &why))
			return err_set(e, ERR_BAD_FILE, _("give the job another name"), "%s: %s",
				s->jobset, buf_str(&why));
	}
	rule_training(r, &v, NULL, &found);
	for (size_t i = 0; i < found.n; i++) {
		if (found.items[i].blocking)
			return err_set(e, ERR_BAD_FILE, _("correct the parameters"), "train.%s: %s",
				found.items[i].check, found.items[i].text);
	}
	return command_script(&o, NULL, &script, e);
}

int cli_recipe(int argc, char **argv, const struct cli_globals *g)
{
	struct err e = {0};
	struct recipe *r = NULL;
	int rc = 0;

	(void)g;
	if (cli_parse(NULL, 0, &argc, argv, &e))
		return cli_fail(&e);
	if (argc != 3 || strcmp(argv[1], "lint")) {
		err_set(&e, ERR_USAGE, _("usage: rlpilot recipe lint FILE"),
			_("recipe needs the word lint and a file"));
		return cli_fail(&e);
	}
	if (recipe_find(argv[2], &r, &e))
		return cli_fail(&e);
	if (check_defaults(r, &e)) {
		e.code = ERR_BAD_FILE;
		if (!*e.place)
			err_at(&e, r->file, 1, 1);
		rc = cli_fail(&e);
	} else {
		printf(_("%s: good: %zu variables, %zu parameters, %zu stages, %zu checks, "
			 "%zu deviations, %zu causes\n"),
			r->file, r->variables.n, r->parameters.n, r->stages.n, r->checks.n,
			r->deviations.n, r->causes.n);
	}
	recipe_free(r);
	return rc;
}
