/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of run_apply, shared by its files alone: event.c (everything else), event_stage.c (moves
 * of stages), event_cluster.c (what happens in the cluster). Nobody else changes a state.
 */
#ifndef RLPILOT_RUN_EVENT_IN_H
#define RLPILOT_RUN_EVENT_IN_H

#include "core/run/event.h"

void event_touch(struct state *s, enum state_topic topic);
void event_put(char **slot, const char *value); /* NULL counts as "" */

void event_apply_stage(struct state *s, const struct event *ev);
void event_apply_commands(struct state *s, const struct event *ev);
void event_apply_progress(struct state *s, const struct event *ev);

void event_apply_jobset_name(struct state *s, const struct event *ev);
void event_apply_jobset(struct state *s, const struct event *ev);
void event_apply_workload(struct state *s, const struct event *ev);
void event_apply_pod(struct state *s, const struct event *ev);
void event_apply_node(struct state *s, const struct event *ev);
void event_apply_cluster_gone(struct state *s, const struct event *ev);
void event_apply_pool(struct state *s, const struct event *ev);
void event_apply_kevent(struct state *s, const struct event *ev);

#endif
