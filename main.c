/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rlpilot: reads the global options, sets language, clock and log, and hands over to one verb. Without a verb the
 * last run opens on the screen.
 */
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/cli/cli.h"
#include "core/cli/options.h"

const struct cli_verb cli_verbs[] = {
	{.name = "plan",
		.usage = "[--as-written] [--script] [--stage ID] [--set NAME=VALUE] [--on ID] [--off ID]",
		.does = N_("what would run, explained or as a script"),
		.run = cli_plan},
	{.name = "env",
		.usage = "[--export | --import FILE]",
		.does = N_("the variables as export lines, and back"),
		.run = cli_env},
	{.name = "recipe",
		.usage = "lint FILE",
		.does = N_("check a recipe"),
		.run = cli_recipe},
	{.name = "demo",
		.usage = "[--speed N|max]",
		.does = N_("a rehearsal against the pretend cloud: no account, no cost"),
		.run = cli_demo},
	{.name = "engine", .usage = "--run-dir DIR", .does = N_("the headless engine of a run"),
		.run = cli_engine, .internal = true},
	{.name = "run",
		.usage = "--all | --from ID --to ID | --stage ID [--set NAME=VALUE] [--json] "
			 "[--confirm CLUSTER] [--confirm-bucket BUCKET]",
		.does = N_("runs stages without a screen"), .run = cli_run},
	{.name = "check",
		.usage = "[--json] [--only ID,…]",
		.does = N_("all checks, one line each"),
		.run = cli_check},
	{.name = "status",
		.usage = "[--json | --openmetrics] [--until done|failed [--timeout S]]",
		.does = N_("one look, or a wait; exits with the verdict"),
		.run = cli_status},
	{.name = "checkpoints",
		.usage = "[--json | --csv]",
		.does = N_("what the bucket holds: complete, writing, abandoned"),
		.run = cli_checkpoints},
	{.name = "metrics",
		.usage = "[--json | --csv] [--follow]",
		.does = N_("the points of all curves"),
		.run = cli_metrics},
	{.name = "logs",
		.usage = "[--json] [--follow] [--pod POD] [--container NAME]",
		.does = N_("the log lines of all containers, in order of time"),
		.run = cli_logs},
	{.name = "runs",
		.usage = "[--json] | name OLD NEW | delete RUN [--confirm RUN]",
		.does = N_("list, name and delete runs"),
		.run = cli_runs},
	{.name = "doctor",
		.usage = "[--json]",
		.does = N_("what this terminal, system and session can do"),
		.run = cli_doctor},
	{.name = NULL},
};

/* Message catalogues stand beside the binary in a build tree, else where they are installed. */
static void choose_language(const struct cli_globals *g)
{
	AUTO_FREE char *dir = x_strndup(g->program, (size_t)(strrchr(g->program, '/') - g->program));
	AUTO_FREE char *near = path_join(dir, "locale");

	text_language(g->lang, path_is_dir(near) ? near : LOCALEDIR);
}

static char *own_path(const char *argv0)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n > 0)
		return x_strndup(self, (size_t)n);
	return realpath(argv0, self) ? x_strdup(self) : x_asprintf("./%s", argv0);
}

static int unknown_verb(const char *name, struct err *e)
{
	return err_set(e, ERR_USAGE, _("rlpilot --help lists them"),
		name[0] == '-' ? _("there is no option '%s'") : _("there is no verb '%s'"), name);
}

int main(int argc, char **argv)
{
	AUTO_FREE char *self = own_path(argv[0]);
	struct cli_globals g = {.program = self};
	const struct cli_verb *verb;
	struct err e = {0};

	if (options_take(&argc, argv, &g, &e))
		return cli_fail(&e);
	choose_language(&g);
	if (g.lang && strcmp(g.lang, "en") != 0 && strcmp(g.lang, "ko") != 0) {
		err_set(&e, ERR_USAGE, _("give en or ko"), _("there is no language '%s'"), g.lang);
		return cli_fail(&e);
	}
	if (clock_init(&e) || (g.log_file && log_open(g.log_file, &e)))
		return cli_fail(&e);
	redact_add(getenv("HF_TOKEN"), "$HF_TOKEN");
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		puts("rlpilot " PACKAGE_VERSION);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		options_help();
		return 0;
	}
	g.plain = g.plain || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO);
	verb = cli_find(argc > 1 ? argv[1] : "");
	if (!verb) {
		unknown_verb(argc > 1 ? argv[1] : "", &e);
		return cli_fail(&e);
	}
	return verb->run(argc - 1, argv + 1, &g);
}
