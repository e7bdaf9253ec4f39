/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting a rehearsal: rlpilot-sim in its own folder, detached, and a run that names the
 * simulator's environment file. After that it is a run like any other. Must not know anything about
 * the simulator but its command line.
 */
#ifndef RLPILOT_CLI_REHEARSAL_H
#define RLPILOT_CLI_REHEARSAL_H

#include <stdint.h>
#include <sys/types.h>

struct cli_globals;
struct err;
struct run;

struct rehearsal {
	struct run *run; /* open, its environment applied; the caller closes it */
	char *ledger;    /* path; the caller's */
	pid_t simulator;
	int64_t started_wall, started_now; /* ms of the two clocks */
};

struct rehearsal_options {
	const char *speed; /* "max" or a factor */
	const char *seed;  /* NULL = 1 */
};

/* Waits until the simulator serves (at most 10 s of wall time). */
int rehearsal_start(const struct rehearsal_options *o, const struct cli_globals *g,
	struct rehearsal *out, struct err *e);
/* Ends the simulator and frees what out owns but its run. */
void rehearsal_stop(struct rehearsal *r);

#endif
