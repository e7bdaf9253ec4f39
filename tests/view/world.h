/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of a run for golden screens, made only of events and of Kubernetes objects and log lines
 * as they come from outside; the clock stands still at 09:32 UTC.
 */
#ifndef RLPILOT_TESTS_VIEW_WORLD_H
#define RLPILOT_TESTS_VIEW_WORLD_H

#include <stdint.h>

struct state;
struct recipe;

enum world {
	WORLD_NOTHING, /* no rehearsal, no value but the defaults, nothing asked yet */
	WORLD_EMPTY,   /* nothing has begun, two values are missing, checks have answered */
	WORLD_DEPLOY,  /* the cluster is being made, 14 of 22 resources */
	WORLD_TRAIN,   /* step 31 of 50, an alert, one warning */
	WORLD_FAILED,  /* the conversion has failed, the pool is up */
	WORLD_CONVERT, /* 412 of 687 tensors are converted */
	WORLD_UP,      /* the cluster is up, a converted model of another run is there */
	WORLD_FOUND,   /* and it was recognised: a person decides */
	WORLD_LEFT,  /* the clean-up has failed: a bucket is still there, one thing is not known */
	WORLD_LOGIN, /* a person must log in */
	WORLD_OTHER, /* the training found is of other values */
	WORLD_UNDO,  /* the undo of the conversion has left something */
	WORLD_AGAIN, /* a download is tried again by itself in a minute */
	WORLD_STOPPING, /* the deploy is about to be stopped: it can still be taken back */
};

/* Fills s (state_init is done here). */
void world_make(struct state *s, enum world w, const struct recipe *r);

/* world_trouble.c */
void world_other(struct state *s, int64_t at);
void world_undo(struct state *s, int64_t at);

/* world_answers.c: the answers of checks and reservations. */
void world_answers(struct state *s, int64_t at);
void world_unasked(struct state *s); /* nobody can be asked without a project */

#endif
