/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run in lines with somebody at the terminal: when a stage fails or is blocked, the person is
 * asked what now, one question at a time: retry, log in, skip with a reason, undo, a shell, or
 * leave. The engine does what is answered. Without a terminal nothing is asked.
 */
#ifndef RLPILOT_CLI_NOW_H
#define RLPILOT_CLI_NOW_H

#include "core/cli/plain.h"

/* Like plain_run, until the run has come to its end or the person leaves. */
int now_run(struct run *r, struct plain_opts *o, struct err *e);

#endif
