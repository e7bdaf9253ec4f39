/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of verbs, in the order of the help page. The empty name is what `rlpilot` alone does.
 */
#include <stdlib.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cli/cli.h"
#include "core/cli/wizard.h"
#include "core/run/folder.h"

/* Opens the last run where it was left, makes the first one when there is none. */
static int cli_open(int argc, char **argv, const struct cli_globals *g)
{
	struct run_new fresh = {.name = g->run, .prefix = "run", .recipe = g->recipe};
	AUTO_FREE char *dir = NULL;
	AUTO_FREE char *root = NULL;
	struct run *r = NULL;
	struct err e = {0};
	char *look[] = {"status", NULL};

	if (g->plain)
		return g->read_only ? cli_status(1, look, g) : cli_wizard(argc, argv, g);
	if (run_find(g->run, &dir, &e) != 0) {
		if (g->read_only)
			return cli_fail(&e);
		if (run_root(false, &root, &e) != 0 || run_create(root, &fresh, &r, &e) != 0)
			return cli_fail(&e);
		dir = x_strdup(r->dir);
		run_close(r);
	}
	return g->screen(dir, g);
}

const struct cli_verb cli_verbs[] = {
	{.name = "",
		.usage = "",
		.does = N_("open the last run where it was left"),
		.run = cli_open,
		.internal = true},
	{.name = "demo",
		.usage = "[--speed N|max]",
		.does = N_("a rehearsal against the pretend cloud: no account, no cost"),
		.run = cli_demo,
		.changes = true},
	{.name = "check",
		.usage = "[--json] [--only ID,…]",
		.does = N_("all checks, one line each"),
		.run = cli_check},
	{.name = "plan",
		.usage = "[--as-written] [--script] [--stage ID] [--set NAME=VALUE] [--on ID] "
			 "[--off ID]",
		.does = N_("what would run, explained or as a script"),
		.run = cli_plan},
	{.name = "run",
		.usage = "--all | --from ID --to ID | --stage ID [--set NAME=VALUE] [--json] "
			 "[--confirm CLUSTER] [--confirm-bucket BUCKET]",
		.does = N_("runs stages without a screen"),
		.run = cli_run,
		.remote = true,
		.changes = true},
	{.name = "status",
		.usage = "[--json | --openmetrics] [--until done|failed [--timeout S]]",
		.does = N_("one look, or a wait; exits with the verdict"),
		.run = cli_status},
	{.name = "logs",
		.usage = "[--json] [--follow] [--pod POD] [--container NAME]",
		.does = N_("the log lines of all containers, in order of time"),
		.run = cli_logs},
	{.name = "metrics",
		.usage = "[--json | --csv] [--follow]",
		.does = N_("the points of all curves"),
		.run = cli_metrics},
	{.name = "checkpoints",
		.usage = "[--json | --csv]",
		.does = N_("what the bucket holds: complete, writing, abandoned"),
		.run = cli_checkpoints},
	{.name = "runs",
		.usage = "[--json] | name OLD NEW | delete RUN [--confirm RUN]",
		.does = N_("list, name and delete runs"),
		.run = cli_runs},
	{.name = "env",
		.usage = "[--export | --import FILE]",
		.does = N_("the variables as export lines, and back"),
		.run = cli_env},
	{.name = "recipe", .usage = "lint FILE", .does = N_("check a recipe"), .run = cli_recipe},
	{.name = "doctor",
		.usage = "[--json]",
		.does = N_("what this terminal, system and session can do"),
		.run = cli_doctor},
	{.name = "engine",
		.usage = "--run-dir DIR",
		.does = N_("the headless engine of a run"),
		.run = cli_engine,
		.internal = true},
	{.name = NULL},
};
