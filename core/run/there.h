/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An attempt of a stage on another machine, over SSH: the supervisor and the script are taken
 * there, started there (the values and secrets go by the channel, never by an argument or a file),
 * looked at, and their log and exit code are copied into the attempt's folder here. The file
 * `there` in that folder names machine and folder, so that any later engine finds the attempt
 * again; `sent` says that a start may have got there. A lost connection is made again, for ever:
 * what runs there goes on.
 */
#ifndef RLPILOT_RUN_THERE_H
#define RLPILOT_RUN_THERE_H

#include <stdbool.h>

#include "core/run/attempt.h"

struct err;
struct loop;
struct strvec;
struct there;

struct there_spec {
	struct loop *loop;
	const char *dir; /* RUN/stages/ID/N here */
	/* What the script's environment needs in addition, NAME=value; wiped after use. */
	void (*environment)(void *arg, struct strvec *env);
	/* After each look; the log and a known exit code are in DIR by then. */
	void (*on_look)(void *arg, const struct attempt_look *look);
	/* The answer to there_give_up. */
	void (*on_given_up)(void *arg, bool given);
	/* The connection comes and goes by itself (e NULL: it is there again). */
	void (*on_link)(void *arg, const struct err *e);
	/* Something about that machine that a person should know. */
	void (*on_note)(void *arg, const char *text);
	/* Nothing more can be done; begun = the script may be at work there. Last call. */
	void (*on_failed)(void *arg, const struct err *e, bool begun);
	void *arg;
};

/* Is the attempt in DIR one on another machine? */
bool there_is(const char *dir);
/* user@host[:port] of such an attempt; the caller's, NULL when the file is not readable. */
char *there_address(const char *dir);
/* Both words of it, the caller's. */
int there_where(const char *dir, char **address, char **folder, struct err *e);
/* Has it ended, as far as was seen, or never begun? */
bool there_ended(const char *dir);
/* Makes DIR an attempt at `address` (checked), before anything else is in it. */
int there_mark(const char *run_dir, const char *dir, const char *address, struct err *e);

struct there *there_open(const struct there_spec *spec, struct err *e);
/* Of an attempt that NEVER began. */
void there_give_up(struct there *t);
/* SIGTERM to its script, as soon as it can be reached. */
void there_stop(struct there *t);
void there_close(struct there **t);

#endif
