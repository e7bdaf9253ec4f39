/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other runs on this machine, of the same kind (real or rehearsal), that have to do with a run's
 * cluster. Reads their folders; opens and locks nothing.
 */
#ifndef RLPILOT_RUN_NEIGHBOUR_H
#define RLPILOT_RUN_NEIGHBOUR_H

#include "core/base/vec.h"
#include "core/run/proof.h"
#include "core/run/state.h"

/* Name of another run that has deployed it: its copies of terraform's state hold the cluster. The
 * caller's; NULL = none. */
char *neighbour_deployed(const char *run_dir, const struct proof_place *at);
/* Name of another run whose engine works on it now, and its stage; NULL = none. */
char *neighbour_works(const char *run_dir, const struct proof_place *at, enum stage_id *stage);
/* The same for a bucket. */
char *neighbour_writes(const char *run_dir, const char *bucket, enum stage_id *stage);
/* Names of other runs that use this bucket. */
void neighbour_bucket(const char *run_dir, const char *bucket, struct strvec *names);

#endif
