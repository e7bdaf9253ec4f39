/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer of `supervisor --look DIR FROM` on another machine: one line
 *   look 1 SCRIPT CLAIM GO CODE PID SCRIPT-LIVES SESSION-LIVES ELSEWHERE BYTES
 * (flags 0 or 1; GO open, begun or nobody; CODE a number or "-"; PID 0 = not recorded), then that
 * many bytes of the log. Pure. What was cut off or is anything else is refused whole.
 */
#ifndef RLPILOT_RUN_LOOK_THERE_H
#define RLPILOT_RUN_LOOK_THERE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/run/attempt.h"

#define LOOK_THERE_LOG ((size_t)64 << 10) /* bytes of the log in one answer at most */

struct look_there {
	struct attempt_facts facts;
	bool script;     /* the file is there */
	const char *log; /* borrowed from the answer */
	size_t log_n;
};

bool look_there_parse(const char *answer, size_t n, struct look_there *out);

#endif
