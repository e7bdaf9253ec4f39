/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scene set up in a terminal of the test, with an inbox of its own: the fixture of tests that
 * look at pages and press keys. set_up_all and take_down_all are cmocka's functions of a group.
 */
#ifndef RLPILOT_TESTS_VIEW_SCENE_RIG_H
#define RLPILOT_TESTS_VIEW_SCENE_RIG_H

#include "core/run/intent.h"
#include "core/run/state.h"
#include "tests/view/scenes.h"
#include "views/common.h"

struct stage_set {
	struct state state;
	struct views_context context;
	struct view_rig *rig;
};

extern char run_dir[64];

int set_up_all(void **state);
int take_down_all(void **state);

/* The test fails when there is none of the name. */
const struct scene *scene(const char *name);
void set_up(struct stage_set *t, const struct scene *sc, int cols, int rows, const char *lang);
void take_down(struct stage_set *t);
/* The next intent that changes something; questions to the account are no change. */
int next_intent(struct intent *in);

#endif
