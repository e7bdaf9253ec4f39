/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small shell for containers that are none of the tutorial's: echo, sleep, true, false, exit,
 * joined by ';', '&&' and line ends. Anything else is "command not found", exit 127, as bash says
 * it.
 */
#ifndef RLPILOT_SIM_LOAD_SHELL_H
#define RLPILOT_SIM_LOAD_SHELL_H

#include "sim/load.h"

load_phase load_shell;

#endif
