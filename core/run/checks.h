/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recipe's checks: one question each, asked now of this machine and of the cloud, judged by
 * pure rules. Each source (a reservation, a bucket, the rights) is asked once however many checks
 * need it. Asking changes nothing anywhere. What could not be asked is unknown, never ok; all is
 * answered within CHECKS_LIMIT_MS of wall time.
 */
#ifndef RLPILOT_RUN_CHECKS_H
#define RLPILOT_RUN_CHECKS_H

#include "core/base/vec.h"
#include "core/recipe/recipe.h"
#include "core/recipe/values.h"
#include "core/run/state.h"

#define CHECKS_LIMIT_MS 12000

struct checks;
struct cloud;
struct deviations;
struct err;

struct checks_place {
	struct cloud *cloud;
	const struct recipe *recipe;
	const struct values *values;
	const struct deviations *deviations; /* NULL: the recipe's own */
	const char *toolkit;                 /* folder that stages run in; NULL = no run yet */
	/* Each answer as it comes; borrowed. */
	void (*on_check)(void *arg, const struct state_check *c);
	void (*done)(void *arg);
	void *arg;
};

/* The words ok, warning, blocking, unknown that a check of this id can say, as bits 1 2 4 8 in that
 * order; 0: there is no such check. */
unsigned checks_states(const char *id);
/* ids of the checks that must be asked again when a variable or parameter has changed, those that
 * depend on what is derived from it included. */
void checks_affected(const struct recipe *r, const char *name, struct strvec *ids);

/* only: ids or groups ("tool"), NULL or empty = all. NULL with a message when one is unknown. */
struct checks *checks_ask(
	const struct checks_place *place, const struct strvec *only, struct err *e);
/* No callback any more; sets *c to NULL. The handle is dead once done was called. */
void checks_drop(struct checks **c);

#endif
