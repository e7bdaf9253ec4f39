/* SPDX-License-Identifier: Apache-2.0 */
/* What the logs and the metrics of a named world's jobs say. For tests/view/world.c. */
#ifndef RLPILOT_TESTS_VIEW_WORLD_LOG_H
#define RLPILOT_TESTS_VIEW_WORLD_LOG_H

#include "core/run/event.h"

/* ago: before now. */
void world_log_line(struct state *s, int64_t now, enum stage_id id, int64_t ago, const char *line);
/* Of a training at step 31 of 50. */
void world_train_log(struct state *s, int64_t now);

#endif
