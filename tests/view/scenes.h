/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pictures that are kept: a view, the world it shows and what is typed before. A name is that
 * of its golden files.
 */
#ifndef RLPILOT_TESTS_VIEW_SCENES_H
#define RLPILOT_TESTS_VIEW_SCENES_H

#include <stddef.h>

#include "tests/view/world.h"

struct view_ops;

/* Down to the last of the fourteen. */
#define TO_TOKEN "<Down><Down><Down><Down><Down><Down><Down><Down><Down><Down><Down><Down><Down>"

struct scene {
	const char *name;
	const struct view_ops *ops;
	enum world world;
	const char *keys; /* typed before the picture */
};

extern const struct scene scenes[];
extern const size_t scenes_n;

#endif
