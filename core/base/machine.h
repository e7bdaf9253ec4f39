/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine this process runs on, as files name it: locks, signs of life, claims. A person's
 * Cloud Shell is one machine that is started anew with another host name each time: its name here
 * stays, its boot id changes. assets/supervisor names machines by the same rule.
 */
#ifndef RLPILOT_BASE_MACHINE_H
#define RLPILOT_BASE_MACHINE_H

#include <stdbool.h>

#define MACHINE_SIZE 256

/* By the variable CLOUD_SHELL=true. */
bool machine_is_cloud_shell(void);
/* Without blanks; "" when the system does not tell. Returns out. */
const char *machine_name(char out[MACHINE_SIZE]);
bool machine_is(const char *name);

#endif
