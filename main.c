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

const struct cli_verb cli_verbs[] = {
	{.name = NULL},
};

struct global_option {
	const char *name, *value, *does; /* value NULL: a flag */
	size_t offset;
};

#define TEXT(name, value, field, does)                                                               \
	{                                                                                            \
		name, value, does, offsetof(struct cli_globals, field)                               \
	}
#define FLAG(name, field, does)                                                                      \
	{                                                                                            \
		name, NULL, does, offsetof(struct cli_globals, field)                                \
	}

static const struct global_option global_options[] = {
	TEXT("--run", "NAME", run, N_("the run to work on (default: the last one)")),
	TEXT("--recipe", "ID|FILE", recipe, N_("the recipe (default: gemma4-26b-v6e)")),
	FLAG("--plain", plain, N_("lines instead of a screen")),
	FLAG("--read-only", read_only, N_("look, change nothing")),
	TEXT("--theme", "T", theme, N_("dark, light, high-contrast, colour-blind, mono")),
	FLAG("--ascii", ascii, N_("no line-drawing characters")),
	FLAG("--no-color", no_color, N_("no colours (also NO_COLOR)")),
	TEXT("--lang", "en|ko", lang, N_("language of the texts")),
	TEXT("--remote", "user@host[:port]", remote, N_("run the stages on another host")),
	TEXT("--log-file", "F", log_file, N_("write the program's own log there")),
};

static void help(void)
{
	printf("%s\n\n%s\n\n", _("usage: rlpilot [OPTION…] [VERB …]"),
		_("Takes you from an empty Google Cloud project to a reinforcement-learning run, and watches it."));
	printf("%-34s %s\n", "rlpilot", _("open the last run where it was left"));
	for (const struct cli_verb *v = cli_verbs; v->name; v++) {
		AUTO_FREE char *call = x_asprintf("rlpilot %s %s", v->name, v->usage);

		if (!v->internal)
			printf(text_width(call) > 34 ? "%s\n%34s %s\n" : "%-34s%s %s\n", call, "", _(v->does));
	}
	printf("\n%s\n", _("Options for every verb:"));
	for (size_t i = 0; i < COUNT(global_options); i++) {
		const struct global_option *o = &global_options[i];
		AUTO_FREE char *call = x_asprintf("%s %s", o->name, o->value ? o->value : "");

		printf("  %-32s %s\n", call, _(o->does));
	}
	printf("  %-32s %s\n  %-32s %s\n", "--version", _("the version"), "--help", _("this page"));
}

/* Takes the global options out of argv wherever they stand; what follows "--" is left alone. */
static int take_globals(int *argc, char **argv, struct cli_globals *g, struct err *e)
{
	int kept = 1;
	bool stop = false;

	for (int i = 1; i < *argc; i++) {
		size_t len = strcspn(argv[i], "="), k = 0;

		stop = stop || strcmp(argv[i], "--") == 0;
		while (k < COUNT(global_options) && (stop || strlen(global_options[k].name) != len ||
							    strncmp(global_options[k].name, argv[i], len) != 0))
			k++;
		if (k == COUNT(global_options)) {
			argv[kept++] = argv[i];
			continue;
		}
		if (!global_options[k].value) {
			*(bool *)((char *)g + global_options[k].offset) = true;
			continue;
		}
		if (!argv[i][len] && i + 1 >= *argc)
			return err_set(e, ERR_USAGE, _("give it as --name VALUE or --name=VALUE"),
				_("%s needs a value"), argv[i]);
		*(const char **)((char *)g + global_options[k].offset) =
			argv[i][len] ? argv[i] + len + 1 : argv[i + 1];
		i += argv[i][len] ? 0 : 1;
	}
	argv[kept] = NULL;
	*argc = kept;
	return 0;
}

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

	if (take_globals(&argc, argv, &g, &e))
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
		help();
		return 0;
	}
	verb = cli_find(argc > 1 ? argv[1] : "");
	if (!verb) {
		unknown_verb(argc > 1 ? argv[1] : "", &e);
		return cli_fail(&e);
	}
	return verb->run(argc - 1, argv + 1, &g);
}
