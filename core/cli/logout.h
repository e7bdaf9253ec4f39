/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the system does to a person's processes at log-out, read from logind's configuration.
 * Asks no service and starts nothing.
 */
#ifndef RLPILOT_CLI_LOGOUT_H
#define RLPILOT_CLI_LOGOUT_H

#include <stdbool.h>

/* root: "" = this system. True when logind ends what `user` leaves behind (KillUserProcesses with
 * its two lists; root is left alone unless the lists say otherwise). */
bool logout_kills(const char *root, const char *user);

#endif
