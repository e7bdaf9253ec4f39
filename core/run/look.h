/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run looked at from outside its engine: what its folder holds, and what the cloud says when
 * asked. Takes no lock and writes nothing. Without a run it can still ask checks, by recipe and
 * environment. Opening applies the run's environment to this process, so look at one run a process.
 */
#ifndef RLPILOT_RUN_LOOK_H
#define RLPILOT_RUN_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"
#include "core/recipe/recipe.h"
#include "core/recipe/values.h"
#include "core/run/state.h"

struct err;
struct look;
struct loop;

enum {
	LOOK_CLUSTER = 1, /* JobSet, pods, nodes, events */
	LOOK_TREES = 2,   /* checkpoints */
	LOOK_CURVES = 4,  /* event files */
	LOOK_CHECKS = 8,
};

/* name: of a run or its folder, NULL = the current one. recipe: for the case that there is no run;
 * NULL and no run is an error. */
int look_open(
	struct loop *l, const char *name, const char *recipe, struct look **out, struct err *e);
void look_close(struct look **l);

const struct state *look_state(const struct look *l);
const struct recipe *look_recipe(const struct look *l);
const struct values *look_values(const struct look *l);
const char *look_dir(const struct look *l); /* NULL: no run */
/* An engine holds the run's lock now. */
bool look_engine(const struct look *l);
/* The cluster stage has begun and clean-up has not ended: there is something to ask. */
bool look_has_cluster(const struct look *l);
/* It was made, and GKE has answered that it is not there. */
bool look_cluster_gone(const struct look *l);
/* Is a workload running whose curves may grow? */
bool look_is_training(const struct look *l);

/* Reads what the folder has gained since. */
int look_refresh(struct look *l, struct err *e);
/* Runs the loop until all that is asked for (LOOK_… bits) has answered; wall_ms at most, then
 * ERR_UNREACHABLE. A cluster stays watched, so that later calls of look_run see its changes. only:
 * ids of checks, NULL = all. */
int look_ask(
	struct look *l, unsigned what, const struct strvec *only, int64_t wall_ms, struct err *e);
/* Runs the loop until done() says so or wall_ms (negative: no limit) have passed; refreshes every
 * 200 ms. True when done() said so. */
bool look_run(struct look *l, bool (*done)(void *arg), void *arg, int64_t wall_ms);

#endif
