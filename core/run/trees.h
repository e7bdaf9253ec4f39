/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trees of a run as its bucket holds them now: one listing a tree, the index of an export, then
 * core/model/checkpoint judges. One question at a time, one answer.
 */
#ifndef RLPILOT_RUN_TREES_H
#define RLPILOT_RUN_TREES_H

#include "core/recipe/recipe.h"
#include "core/recipe/values.h"
#include "core/run/state.h"

struct cloud;
struct err;
struct trees;

struct trees_spec {
	struct cloud *cloud;
	const struct recipe *recipe;
	const struct values *values;
	const struct state *state; /* tells which trees are being written; read at the answer */
	/* list is the receiver's to swap or read; it is freed afterwards. e: the list is partial.
	 */
	void (*fn)(void *arg, struct checkpoint_list *list, const struct err *e);
	void *arg;
};

struct trees *trees_ask(const struct trees_spec *spec);
/* No callback any more; sets *t to NULL. The handle is dead once fn was called. */
void trees_drop(struct trees **t);

#endif
