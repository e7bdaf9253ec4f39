/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts that gates, verifications and skip guards ask for: each id of the recipe's vocabulary is
 * asked of the cloud (or this machine) now, never remembered. A list is asked one after the other
 * and answered once. Asking changes nothing anywhere.
 */
#ifndef RLPILOT_RUN_FACTS_H
#define RLPILOT_RUN_FACTS_H

#include "core/base/err.h"
#include "core/base/vec.h"
#include "core/recipe/command.h"
#include "core/recipe/recipe.h"
#include "core/recipe/values.h"
#include "core/run/state.h"

struct cloud;
struct cluster;
struct facts;

/* Where facts are asked. */
struct facts_place {
	struct cloud *cloud;
	struct cluster **cluster; /* of the run; *cluster may be NULL: no cluster yet */
	const struct recipe *recipe;
	const struct values *values;
	const struct deviations *deviations;
	const struct state *state;
	const char *toolkit; /* folder that relative paths start from */
};

/* A JobSet that is in the way. */
struct fact_job {
	bool there, ours;   /* made for this run's bucket */
	bool leaving, over; /* being deleted; ended */
	char *args, *image; /* of its main container, masked; NULL = none */
};

struct fact {
	const char *id;
	bool known; /* the question was answered */
	bool holds;
	/* newest-step: the step; tree-absent: how many objects there are; jobset-absent: when the
	 * JobSet that is there was made; jobset-done: how many pods have told their exit code.
	 * Else -1. */
	int64_t number;
	const char *cause_id; /* static: of the error, else the id of the fact */
	char *said;           /* what was found, "" = nothing to say */
	char *cure;           /* command or advice, "" = none */
	const char *why;      /* of the recipe, in the language of the program */
	enum err_code code;   /* not known: why the question was not answered */
	bool person;          /* only a person can cure it: a login */
	struct fact_job job;  /* jobset-absent: the one that is there */
};

struct fact_list {
	struct fact *items;
	size_t n, cap;
};

/* fn gets the answers in order, from the loop; they are freed afterwards. all: every one is asked;
 * else the first that does not hold is the last. */
struct facts *facts_ask(const struct facts_place *place, const struct recipe_facts *wanted,
	bool all, void (*fn)(void *arg, struct fact_list *answers), void *arg);
/* No callback any more; sets *f to NULL. */
void facts_drop(struct facts **f);

/* First that does not hold, NULL = all hold. */
const struct fact *facts_failed(const struct fact_list *l);
/* A fact by its id, or NULL. */
const struct fact *facts_find(const struct fact_list *l, const char *id);

#endif
