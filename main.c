/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rlpilot: reads the global options, sets language, clock and log, and hands over to one verb.
 * Without a verb the last run opens on the screen.
 */
#include <limits.h>
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
#include "core/base/std.h"
#include "core/base/text.h"
#include "core/cli/cli.h"
#include "core/cli/options.h"
#include "screen.h"

/* Message catalogues stand beside the binary in a build tree, else where they are installed. */
static void choose_language(const struct cli_globals *g)
{
	AUTO_FREE char *dir =
		x_strndup(g->program, (size_t)(strrchr(g->program, '/') - g->program));
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

/* What can be told without opening the terminal; screen_run tells the rest. */
static bool no_screen_here(void)
{
	const char *type = getenv("TERM");

	return !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !type || !*type ||
	       strcmp(type, "dumb") == 0;
}

static int unknown_verb(const char *name, struct err *e)
{
	return err_set(e, ERR_USAGE, _("rlpilot --help lists them"),
		name[0] == '-' ? _("there is no option '%s'") : _("there is no verb '%s'"), name);
}

static int run(int argc, char **argv)
{
	AUTO_FREE char *self = own_path(argv[0]);
	struct cli_globals g = {.program = self, .screen = screen_run};
	const struct cli_verb *verb;
	struct err e = {0};

	choose_language(&g); /* from the environment: a wrong option is told in it */
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
	g.plain = g.plain || no_screen_here();
	verb = cli_find(argc > 1 ? argv[1] : "");
	if (!verb) {
		unknown_verb(argc > 1 ? argv[1] : "", &e);
		return cli_fail(&e);
	}
	if (options_help_wanted(argc - 1, argv + 1)) {
		options_help_verb(verb);
		return 0;
	}
	if (g.remote && !verb->remote) {
		err_set(&e, ERR_USAGE, "rlpilot --remote user@host run --stage ID",
			_("--remote is only for run"));
		return cli_fail(&e);
	}
	if (verb->changes && cli_may_change(&g, &e))
		return cli_fail(&e);
	return verb->run(argc - 1, argv + 1, &g);
}

int main(int argc, char **argv)
{
	std_open();
	std_no_core();
	return std_end(run(argc, argv));
}
