/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The curves of a training from its TensorBoard event files in the bucket: the folder is listed now
 * and then, of a file that has grown the new bytes are read (a file is rewritten whole, what was
 * read stays), each scalar becomes EV_POINT. Steps are 1-based on both sides.
 */
#ifndef RLPILOT_RUN_CURVES_H
#define RLPILOT_RUN_CURVES_H

#include "core/recipe/recipe.h"
#include "core/recipe/values.h"
#include "core/run/event.h"

struct cloud;
struct curves;

struct curves_spec {
	struct cloud *cloud;
	const struct recipe *recipe;
	const struct values *values;
	void (*emit)(void *arg, const struct event *ev);
	void *arg;
};

/* Asks every 20 s of run time until closed; asks nothing when the recipe names no folder. */
struct curves *curves_open(const struct curves_spec *spec);
/* One more look at once; done is called when everything that is there has been read. */
void curves_finish(struct curves *c, void (*done)(void *arg), void *arg);
void curves_close(struct curves **c);

/* Name and step of a scalar as `metrics` has them; false = not for us (jax/…). */
bool curves_place(
	const struct recipe *r, const char *tag, int64_t step, const char **name, int64_t *out);

#endif
