/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run told in lines: the plain lines of contract.md, or one JSON object a line. Runs the engine
 * in the foreground. Ctrl-C ends the telling; what runs detached goes on and is found again.
 */
#ifndef RLPILOT_CLI_PLAIN_H
#define RLPILOT_CLI_PLAIN_H

#include <stdbool.h>

#include "core/run/engine.h"

struct err;

/* Where a run has stopped, for a question to a person. */
struct plain_end {
	enum stage_id stage; /* the next that is open, STAGE_NONE when all are over */
	enum stage_state state;
	bool undone;              /* an undo of it has just ended */
	bool undo_failed;         /* or has left something */
	char *undo_word;          /* what must be typed to undo it, NULL = nothing */
	const char *undo_refused; /* why it cannot be undone, "" = it can */
	struct strvec undo;       /* its commands */
	struct strvec env;        /* of a shell */
};

void plain_end_fini(struct plain_end *end);

struct plain_opts {
	struct engine_opts engine; /* on_event, lend and arg are set here */
	bool json;
	struct plain_end *end; /* filled at the end, may be NULL */
};

/* Exit code of contract.md's `run`; e says why when it is not 0 (print it with err_print). done
 * (may be NULL) gets how many stages are done or skipped in the end, elapsed the run's time. */
int plain_run(
	struct run *r, const struct plain_opts *o, int *done, int64_t *elapsed_ms, struct err *e);

#endif
