/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults of the plan that hit a container while it works. load.c asks the plan before each thing it
 * does; here is what is written and how it ends. Words are those of the programs concerned.
 */
#ifndef RLPILOT_SIM_LOAD_FAULT_H
#define RLPILOT_SIM_LOAD_FAULT_H

#include "sim/fault_plan.h"
#include "sim/load.h"

/* False: the container goes on afterwards. */
bool load_fault_ends(enum fault_what what);
/* Queues what the fault does, from the load's moment on. */
void load_fault(struct load *l, const struct fault *f);

#endif
