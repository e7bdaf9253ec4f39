/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of a run told in lines: plain.c runs the engine and hears its events, plain_line.c writes
 * one line, plain_stage.c tells what becomes of a stage, plain_progress.c how far it is and what it
 * has made. Internal to these four.
 */
#ifndef RLPILOT_CLI_PLAIN_IN_H
#define RLPILOT_CLI_PLAIN_IN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/map.h"
#include "core/cli/plain.h"
#include "core/io/tty.h"

/* Of a stage, as it was told last. */
struct plain_bar {
	int64_t done, total;
	char unit[16];
};

struct plain {
	const struct plain_opts *opts;
	struct loop *loop;
	int64_t seq;
	bool begun;
	int64_t step; /* last step told */
	int64_t eval; /* step of the last evaluation told, -1 = none */
	struct plain_bar bars[STAGE_COUNT];
	struct map trees; /* checkpoints told as complete, and files told */
	int caught;       /* signal */
	bool lent;        /* a login has the terminal */
	struct tty tty;   /* before that */
	bool undone;
	const struct run *run;
	int done;
	int64_t elapsed;
};

/* What a line of `run --json` may hold; NULL and -1 are null. */
struct plain_told {
	const char *event, *stage, *state, *unit, *text, *cause, *cure;
	int64_t attempt, done, total, exit;
};

/* plain_line.c */
extern const struct plain_told plain_nothing;
void plain_json(struct plain *p, int64_t at, const struct plain_told *t);
/* The same for what a stage has done; unit and text may be NULL, total 0 = not known. */
void plain_progress(struct plain *p, int64_t at, enum stage_id id, int64_t done, int64_t total,
	const char *unit, const char *text);
/* A line of data for people; without control characters and secrets. */
void plain_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* plain_stage.c */
void plain_stage(struct plain *p, const struct state *s, const struct event *ev);

/* plain_progress.c */
/* A text among the lines of a stage. */
void plain_text(struct plain *p, int64_t at, enum stage_id id, const char *text);
void plain_bar(struct plain *p, const struct state *s, const struct event *ev, enum stage_id id);
void plain_steps(struct plain *p, const struct state *s, const struct event *ev);
void plain_evals(struct plain *p, const struct state *s, const struct event *ev);
void plain_checkpoints(struct plain *p, const struct state *s, const struct event *ev);
/* Of the stage that has just written them. */
void plain_token_files(struct plain *p, const struct state *s, const struct event *ev);

#endif
