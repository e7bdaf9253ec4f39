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
/* The conversion or export that runs now, STAGE_NONE = neither; it takes the place of curve and
 * phase. */
enum stage_id monitor_work_stage(const struct state *s);
const char *monitor_work_title(enum stage_id id);
void monitor_work_speed(const struct training *t, struct buf *out); /* "tensor 412/687   ETA 12m" */
void monitor_work(const struct monitor *m, enum stage_id id, struct surface *s);
void monitor_work_phase(const struct monitor *m, enum stage_id id, struct surface *s);
void monitor_phase(const struct monitor *m, struct surface *s);
void monitor_alerts(struct monitor *m, struct surface *s);
/* Takes the lower part of s for a card, its rule drawn; s becomes the upper part. */
struct surface card_split(struct surface *s);
void card_alert(struct surface *card, const struct state *st, const struct state_alert *a);
/* What an event or a pod says ("" = only its reason), its cause and cure as far as they are known.
 */
void card_words(struct surface *card, const struct state *st, const char *said, const char *reason,
	const char *pod);
/* A cure with its arrow at row y; returns rows used. */
int card_cure(struct surface *s, int y, const char *cure);
/* Moves in the list of the zoomed pane. */
bool monitor_lists_act(struct monitor *m, enum action a, const struct key *k);

#endif
