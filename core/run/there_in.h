/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of there: there.c holds the connection and decides what comes next, there_ask.c says it to
 * the shell there, there_files.c is what is kept of it here. Internal to these three.
 */
#ifndef RLPILOT_RUN_THERE_IN_H
#define RLPILOT_RUN_THERE_IN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/io/ssh.h"
#include "core/run/there.h"

struct buf;
struct loop_timer;

enum there_job { JOB_SUPERVISOR, JOB_LOOK, JOB_SCRIPT, JOB_START, JOB_GIVE_UP, JOB_STOP };

struct there {
	struct there_spec spec;
	char *dir, *folder, *stage; /* stage: stages/ID/N, below the folder there */
	struct ssh_address at;
	struct ssh *ssh;
	struct loop_timer *timer;
	enum there_job job, running; /* the next one, the one under way */
	bool give_up, stop, down, clock_told;
	int64_t pause, again;
};

/* there.c */
void there_fail(struct there *t, const struct err *e);
/* The end of what there_begin has begun. */
void there_done(void *there, int code, struct buf *out, const char *said);

/* there_ask.c */
/* Begins the job `running`; the connection is ready. */
void there_begin(struct there *t);

/* there_files.c */
bool there_has(const char *dir, const char *name);
int there_put(const char *dir, const char *name, const char *text, struct err *e);
/* Of the log as it is here. */
off_t there_log_size(const struct there *t);
int there_add_log(const struct there *t, const char *data, size_t n, struct err *e);

#endif
