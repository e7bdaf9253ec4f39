/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the system does to a person's processes at log-out, read from logind's configuration.
 * Asks no service and starts nothing.
 */
#ifndef RLPILOT_CLI_LOGOUT_H
#define RLPILOT_CLI_LOGOUT_H

#include <stdbool.h>

enum logout {
	LOGOUT_HARMLESS,
	LOGOUT_KILLS, /* whatever a session leaves behind is ended with it: logind.conf(5) */
	LOGOUT_ENDS,  /* they hang on the person's service manager: it ends with the last session */
};

/* root: "" = this system. What happens to this process's children when `user` logs out: by the
 * control group that it is in (a session, or user@UID.service), by KillUserProcesses with its two
 * lists (root is left alone unless they say otherwise), and by whether the user lingers
 * (loginctl(1)). */
enum logout logout_look(const char *root, const char *user);

#endif
