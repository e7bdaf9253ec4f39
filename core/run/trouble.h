/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What keeps a JobSet from working, read from the state alone: the queue, a head that finds no
 * node, an image that does not come, workers that never appear. Pure; alerts and the engine share
 * it. A trouble that cannot end by itself is lasting: the engine stops the stage after
 * `patience_ms`.
 */
#ifndef RLPILOT_RUN_TROUBLE_H
#define RLPILOT_RUN_TROUBLE_H

#include "core/fmt/cause.h"
#include "core/run/state.h"

#define TROUBLE_TEXT 400

struct trouble {
	const char *alert;       /* id of the alert, static */
	char text[TROUBLE_TEXT]; /* what is so, with the cluster's own words */
	struct cause_hit hit;    /* never without a cause */
	int64_t patience_ms; /* run time until the stage is stopped, 0 = it is waited for ever */
};

/* False: nothing is in the way of the JobSet now. */
bool trouble_find(const struct state *s, struct trouble *t);
/* The cause of a JobSet that failed, by its pods; "" and NULL when they do not tell. */
const char *trouble_of_pods(const struct state *s, char text[TROUBLE_TEXT]);
/* True: a stage stopped for this cause has left a JobSet that will never work. */
bool trouble_stops(const char *cause_id);
/* True: it ends by itself after a while, the same command may succeed then. */
bool trouble_passes(const char *cause_id);

#endif
