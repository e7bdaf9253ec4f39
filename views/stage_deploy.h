/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a deploy or destroy works on now: one line a resource with its age, the slowest first, as
 * terraform tells it. Keeps nothing.
 */
#ifndef RLPILOT_VIEWS_STAGE_DEPLOY_H
#define RLPILOT_VIEWS_STAGE_DEPLOY_H

#include "views/common.h"

/* Draws from row y on and leaves room for the output below; returns the rows used. */
int stage_deploy_draw(const struct state_stage *st, struct surface *s, int y);

#endif
