/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

bool machine_is_cloud_shell(void)
{
	const char *shell = getenv("CLOUD_SHELL");

	return shell && strcasecmp(shell, "true") == 0;
}

const char *machine_name(char out[MACHINE_SIZE])
{
	const char *user = getenv("USER");

	if (machine_is_cloud_shell())
		(void)snprintf(out, MACHINE_SIZE, "cloud-shell-%s", user ? user : "");
	else if (gethostname(out, MACHINE_SIZE) != 0)
		out[0] = '\0';
	out[MACHINE_SIZE - 1] = '\0';
	for (char *p = out; *p; p++)
		if (*p == ' ' || *p == '\t' || *p == '\n')
			*p = '-';
	return out;
}

bool machine_is(const char *name)
{
	char here[MACHINE_SIZE];

	return strcmp(machine_name(here), name) == 0;
}
