/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of a deployment that the plan of faults asks for: the texts of terraform and its
 * providers, and what such an error changes in the world. When they come is deploy.c's.
 */
#ifndef RLPILOT_SIM_DEPLOY_FAULT_H
#define RLPILOT_SIM_DEPLOY_FAULT_H

#include "sim/deploy.h"
#include "sim/fault_plan.h"

/* Why the resource is not made; the caller's. */
char *deploy_fault_text(struct sim *sim, const struct fault *f, const struct deploy_resource *r,
	const struct deploy_values *v);
/* The block that terraform prints about a lock; the caller's. */
char *deploy_lock_text(const struct sim *sim);
/* Why a service account or a network of that name in the ledger cannot be made; the caller's. */
char *deploy_taken_text(const struct sim *sim, const char *what);
/* Why a network cannot go; the caller's. */
char *deploy_busy_text(const struct sim *sim, const struct deploy_values *v);

#endif
