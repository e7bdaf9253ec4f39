/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/bin/gcluster.h"
#include "core/base/mem.h"
#include "sim/bin/tool.h"
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 0))) static void stamped(FILE *to, const char *fmt, va_list ap)
{
	AUTO_FREE char *stamp = tool_stamp();
	AUTO_FREE char *text = x_vasprintf(fmt, ap);
	fprintf(to, "%s: %s\n", stamp, text);
	fflush(to);
}

void gcluster_info(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	stamped(stdout, fmt, ap);
	va_end(ap);
}

void gcluster_warn(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	AUTO_FREE char *text = x_vasprintf(fmt, ap);
	va_end(ap);
	gcluster_fatal("WARNING: %s", text);
}

int gcluster_fatal(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	stamped(stderr, fmt, ap);
	va_end(ap);
	return 1;
}

int gcluster_usage(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	AUTO_FREE char *text = x_vasprintf(fmt, ap);
	va_end(ap);
	fprintf(stderr, "Error: %s\n", text);
	return 1;
}

int gcluster_args(struct args *a, const struct arg_flag *own, const struct arg_flag *common,
	int argc, char **argv)
{
	if (!args_parse(a, own, common, argc, argv))
		return 0;
	if (a->bad_value)
		return gcluster_usage("flag needs an argument: %s", a->bad);
	if (!strncmp(a->bad, "--", 2))
		return gcluster_usage("unknown flag: %.*s", (int)strcspn(a->bad, "="), a->bad);
	return gcluster_usage("unknown shorthand flag: '%c' in %s", a->bad[1], a->bad);
}

static int version(void)
{
	say("gcluster version " GCLUSTER_VERSION "\nBuilt from 'detached HEAD' branch.\n"
	    "Commit info: " GCLUSTER_VERSION "-0-g3c1f0a9d\nTerraform version: 1.12.2");
	return 0;
}

int gcluster_main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = {{"create", gcluster_create}, {"deploy", gcluster_deploy},
		{"destroy", gcluster_destroy}, {"job", gcluster_job}};
	const char *verb = argc > 1 ? argv[1] : "--help";
	if (!strcmp(verb, "--version") || !strcmp(verb, "-v"))
		return version();
	for (size_t i = 0; i < COUNT(commands); i++)
		if (!strcmp(commands[i].name, verb))
			return commands[i].run(argc - 2, argv + 2);
	if (!strcmp(verb, "--help") || !strcmp(verb, "help")) {
		say("gcluster provides a flexible and simple to use interface to "
		    "accelerate\ncluster deployments on the "
		    "Google Cloud Platform.\n\nUsage:\n  gcluster [command]\n\nAvailable "
		    "Commands:\n"
		    "  create      create a new deployment.\n"
		    "  deploy      deploy all resources in a Toolkit deployment directory.\n"
		    "  destroy     destroy all resources in a Toolkit deployment directory.\n"
		    "  job         [EXPERIMENTAL] Manage jobs on the cluster.");
		return 0;
	}
	return gcluster_usage(
		"unknown command \"%s\" for \"gcluster\"\nRun 'gcluster --help' for usage.", verb);
}
