/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of run_apply, shared by its files alone: event.c (everything else), event_stage.c (moves
 * of stages). Nobody else changes a state.
 */
#ifndef RLPILOT_RUN_EVENT_IN_H
#define RLPILOT_RUN_EVENT_IN_H

#include "core/run/event.h"

void event_touch(struct state *s, enum state_topic topic);
void event_put(char **slot, const char *value); /* NULL counts as "" */

void event_apply_stage(struct state *s, const struct event *ev);
void event_apply_commands(struct state *s, const struct event *ev);
void event_apply_progress(struct state *s, const struct event *ev);

#endif
