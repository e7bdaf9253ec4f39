/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of a stage's attempt as it grows, as EV_OUTPUT, and what it tells about a deploy or
 * destroy, as EV_PROGRESS. The same for the engine and for observers; reads files only, but for
 * follow_put_aside, which is the engine's.
 */
#ifndef RLPILOT_RUN_FOLLOW_H
#define RLPILOT_RUN_FOLLOW_H

#include "core/run/event.h"

struct err;
struct follow;
struct tferr;
struct loop;

struct follow_spec {
	struct loop *loop;
	const char *run_dir, *cluster; /* name of the deployment, NULL = none */
	enum stage_id stage;
	int attempt;
	int undo; /* > 0: of that undo, not of an attempt */
	void (*emit)(void *arg, const struct event *ev);
	void *arg;
};

/* Before an attempt begins: terraform's events of the one before go to that attempt's folder as
 * events.jsonl. They would be taken for this attempt's progress and errors. */
int follow_put_aside(const struct follow_spec *spec, struct err *e);
struct follow *follow_open(const struct follow_spec *spec);
void follow_now(struct follow *f);
/* All that is there, the last line too: the attempt has ended. */
void follow_rest(struct follow *f);
/* What the commands' output says went wrong, so far; borrowed, NULL = nothing. */
const struct tferr *follow_error(struct follow *f);
void follow_close(struct follow **f);

#endif
