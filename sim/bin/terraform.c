/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/bin/tool.h"
#include <stdio.h>
#include <string.h>

int terraform_main(int argc, char **argv)
{
	bool json = false;
	if (argc < 2 || (strcmp(argv[1], "version") && strcmp(argv[1], "--version") &&
				strcmp(argv[1], "-version") && strcmp(argv[1], "-v"))) {
		if (argc < 2)
			say("Usage: terraform [global options] <subcommand> [args]");
		else
			warn("Terraform has no command named \"%s\".\n\nTo see all of Terraform's "
			     "top-level commands, run:\n"
			     "  terraform -help\n",
				argv[1]);
		return argc < 2 ? 127 : 1;
	}
	for (int i = 2; i < argc; i++)
		json = json || !strcmp(argv[i], "-json") || !strcmp(argv[i], "--json");
	if (json)
		say("{\n  \"terraform_version\": \"1.12.2\",\n  \"platform\": \"linux_amd64\",\n"
		    "  \"provider_selections\": {},\n  \"terraform_outdated\": false\n}");
	else
		say("Terraform v1.12.2\non linux_amd64");
	return 0;
}
