/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The panes of the monitor, one file each below monitor.c. A pane draws what it is given room for,
 * from the state alone, and says so when it knows nothing.
 */
#ifndef RLPILOT_VIEWS_MONITOR_H
#define RLPILOT_VIEWS_MONITOR_H

#include "tui/widget/list.h"
#include "views/common.h"

struct monitor {
	struct list pods, events, alerts; /* looking at lists: selection, scroll */
	int zoom;                         /* pane alone, 0 = all */
	const struct state *state;
	struct view *view;
};

/* Rows 0 and 1: step, time, ETA, cost; the four heartbeats. */
void monitor_head(const struct monitor *m, struct surface *s);
void monitor_pods(struct monitor *m, struct surface *s);
void monitor_chart(const struct monitor *m, struct surface *s);
void monitor_checkpoints(const struct monitor *m, struct surface *s);
void monitor_events(struct monitor *m, struct surface *s);
void monitor_phase(const struct monitor *m, struct surface *s);
void monitor_alerts(struct monitor *m, struct surface *s);
/* Moves in the list of the zoomed pane. */
bool monitor_lists_act(struct monitor *m, enum action a, const struct key *k);

#endif
