/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of one container kept on disk: follows it by core/cloud/podlog, appends each line once to
 * the run's logs/POD/CONTAINER.log and, for the container that tells the story, gives what it means
 * as EV_TRAINLOG. Begins behind the last line kept, so that a restart loses and doubles nothing.
 */
#ifndef RLPILOT_RUN_SPOOL_H
#define RLPILOT_RUN_SPOOL_H

#include "core/run/event.h"

struct kube;
struct spool;
struct err;

struct spool_spec {
	struct kube *kube;
	const char *run_dir, *ns, *pod, *container;
	enum stage_id stage;
	bool story; /* parsed, and beats as HEART_LOG */
	bool aside; /* kept as far as it comes: nobody waits for its end */
	void (*emit)(void *arg, const struct event *ev);
	void *arg;
};

struct spool *spool_open(const struct spool_spec *spec, struct err *e);
/* Its last line has come, or nobody waits for it. */
bool spool_ended(const struct spool *s);
bool spool_over(const struct spool *s); /* its last line has come */
void spool_awaited(struct spool *s);    /* somebody waits for it from now on */
void spool_close(struct spool **s);

/* Gives the meaning of one line (without stamp) written at time_ms. */
void spool_line_event(enum stage_id stage, int64_t time_ms, const char *line, size_t n,
	void (*emit)(void *arg, const struct event *ev), void *arg);
/* Gives what all kept logs of a stage's JobSet told; newest stamps are left to spool_open. */
void spool_replay(const char *run_dir, const char *jobset, const char *container,
	enum stage_id stage, void (*emit)(void *arg, const struct event *ev), void *arg);

#endif
