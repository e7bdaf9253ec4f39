/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Cloud Shell does to a run: its machine ends after about 20 minutes without a key (facts of
 * cloud.google.com/shell/docs/limitations), whatever works there. What to say about it before the
 * long stages, and how much of that time is left. Everywhere else all of this is silent.
 */
#ifndef RLPILOT_RUN_CLOUD_SHELL_H
#define RLPILOT_RUN_CLOUD_SHELL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/run/state.h"

#define CLOUD_SHELL_IDLE_MS ((int64_t)20 * 60000) /* wall */

/* Before the stages from..to, translated, the caller's; NULL: not in Cloud Shell, or none of them
 * takes long. */
char *cloud_shell_warning(enum stage_id from, enum stage_id to);

struct cloud_shell_left {
	char *text;      /* translated */
	bool soon;       /* a key is needed within five minutes */
	int64_t next_ms; /* until the text is another one */
};

/* idle_ms: wall time since the last key. */
void cloud_shell_left(int64_t idle_ms, struct cloud_shell_left *out);

#endif
