/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Once a stage that costs money has started, the values and deviations of a run stay as they are:
 * the commands to come must speak of what has been made. A gate that does not hold and a bucket
 * freeze nothing, so that a name that is taken can be changed. The environment may differ then: it
 * is told, never taken.
 */
#ifndef RLPILOT_RUN_FROZEN_H
#define RLPILOT_RUN_FROZEN_H

#include "core/base/vec.h"
#include "core/run/folder.h"
#include "core/run/state.h"

/* The deploy is the first stage that costs. */
bool frozen_by(enum stage_id id);
/* Before the first effect of such a stage; the lock must be held. */
int frozen_begin(struct run *r, enum stage_id id, struct err *e);
/* The first name whose value would change by taking these, NULL: none would, or nothing is frozen.
 * Secrets may change. */
const char *frozen_change(const struct run *r, const struct values *wanted);
/* One sentence for each variable whose value in the environment is not the run's; none while the
 * run is not frozen. Secrets are no part of a run and never differ. */
void frozen_differs(const struct run *r, char *(*lookup)(const char *name), struct strvec *out);

#endif
