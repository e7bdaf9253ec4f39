/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine of a run: holds its lock, moves its stages (gate, commands, progress, verification),
 * records and raises alerts. The only writer of the run folder. Every decision is in the journal
 * before its effect; what it starts outlives it; started again it goes on where the journal, the
 * supervisor's files and the cloud say it is. Draws nothing, asks no terminal.
 */
#ifndef RLPILOT_RUN_ENGINE_H
#define RLPILOT_RUN_ENGINE_H

#include "core/run/event.h"
#include "core/run/folder.h"

struct err;
struct loop;

struct engine_opts {
	enum stage_id from, to; /* what shall be done, both included */
	bool to_end;            /* goes from stage to stage by itself and ends after `to` */
	bool again;             /* `from` is begun although it is over: the cloud is asked anew */
	bool chooses;       /* beginning a stage answers what it was blocked over before: somebody
			     * named it alone, or was asked; a span may be a script's retry */
	bool terminal;      /* interactive commands may have our terminal */
	const char *remote; /* user@host[:port]: commands run there; NULL = here */
	const char *confirm_cluster, *confirm_bucket; /* names as typed, NULL = not confirmed */
	/* Each event after it has been applied, but for what is replayed from an earlier life: that
	 * is in s at the first call. May be NULL. */
	void (*on_event)(void *arg, const struct state *s, const struct event *ev);
	/* Before (true) and after a command gets our terminal. May be NULL. */
	void (*lend)(void *arg, bool lent);
	void *arg;
};

/* Runs the engine on the loop until its work is done (to_end) or it is told to stop. Returns the
 * exit code of contract.md's `run`; e says why when it is not 0. */
int engine_run(struct loop *l, struct run *r, const struct engine_opts *opts, struct err *e);

/* Starts `PROGRAM engine --run-dir DIR` detached. A run that has an engine keeps it. */
int engine_start_detached(struct loop *l, const char *program, const char *run_dir, struct err *e);

#endif
