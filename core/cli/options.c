/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/options.h"

#include <stdio.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cli/cli.h"

struct global_option {
	const char *name, *value, *does; /* value NULL: a flag */
	size_t offset;
};

#define TEXT(name, value, field, does)                                                             \
	{                                                                                          \
		name, value, does, offsetof(struct cli_globals, field)                             \
	}
#define FLAG(name, field, does)                                                                    \
	{                                                                                          \
		name, NULL, does, offsetof(struct cli_globals, field)                              \
	}

static const struct global_option global_options[] = {
	TEXT("--run", "NAME", run, N_("the run to work on (default: the last one)")),
	TEXT("--recipe", "ID|FILE", recipe, N_("the recipe (default: gemma4-26b-v6e)")),
	TEXT("--remote", "USER@HOST[:PORT]", remote,
		N_("with `run --stage ID`: its commands run on that machine, over SSH")),
	FLAG("--plain", plain, N_("lines instead of a screen")),
	FLAG("--read-only", read_only, N_("look, change nothing")),
	TEXT("--theme", "T", theme, N_("dark, light, high-contrast, colour-blind, mono")),
	FLAG("--ascii", ascii, N_("no line-drawing characters")),
	FLAG("--no-color", no_color, N_("no colours (also NO_COLOR)")),
	TEXT("--lang", "en|ko", lang, N_("language of the texts")),
	TEXT("--log-file", "F", log_file, N_("write the program's own log there")),
};

bool options_help_wanted(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0)
			return true;
	return false;
}

static void help_of_options(void)
{
	printf("\n%s\n", _("Options for every verb:"));
	for (size_t i = 0; i < COUNT(global_options); i++) {
		const struct global_option *o = &global_options[i];
		AUTO_FREE char *call = x_asprintf("%s %s", o->name, o->value ? o->value : "");

		printf("  %-32s %s\n", call, _(o->does));
	}
}

void options_help_verb(const struct cli_verb *v)
{
	printf(_("usage: rlpilot %s %s"), v->name, v->usage);
	printf("\n\n%s\n", _(v->does));
	help_of_options();
}

void options_help(void)
{
	printf("%s\n\n%s\n\n", _("usage: rlpilot [OPTION…] [VERB …]"),
		_("Takes you from an empty Google Cloud project to a reinforcement-learning run, "
		  "and watches it."));
	printf("%-34s %s\n", "rlpilot", _("open the last run where it was left"));
	for (const struct cli_verb *v = cli_verbs; v->name; v++) {
		AUTO_FREE char *call = x_asprintf("rlpilot %s %s", v->name, v->usage);

		if (!v->internal)
			printf(text_width(call) > 34 ? "%s\n%34s %s\n" : "%-34s%s %s\n", call, "",
				_(v->does));
	}
	help_of_options();
	printf("  %-32s %s\n  %-32s %s\n", "--version", _("the version"), "--help", _("this page"));
}

int options_take(int *argc, char **argv, struct cli_globals *g, struct err *e)
{
	int kept = 1;
	bool stop = false;

	for (int i = 1; i < *argc; i++) {
		size_t len = strcspn(argv[i], "="), k = 0;

		stop = stop || strcmp(argv[i], "--") == 0;
		while (k < COUNT(global_options) &&
			(stop || strlen(global_options[k].name) != len ||
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
