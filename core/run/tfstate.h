/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Terraform's state of the deployment: copied aside after every deploy and destroy, whatever their
 * end, and before every destroy, as it is the only key to what was made; and read as the list of
 * what the run has created.
 */
#ifndef RLPILOT_RUN_TFSTATE_H
#define RLPILOT_RUN_TFSTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"
#include "core/fmt/json.h"

struct err;

/* The folder that gcluster makes for the deployment of a cluster; without a name one that is never
 * there. The caller's. */
char *tfstate_deployment(const char *toolkit, const char *cluster);
/* Copies DEPLOYMENT/primary/terraform.tfstate, errored.tfstate and their companions to
 * RUN/tfstate/N, the next free N; nothing when there is none or the newest copy is the same. Where
 * a copy holds both, the second is its state. */
int tfstate_keep(const char *run_dir, const char *deployment, struct err *e);
/* Every copy, the newest first. */
void tfstate_each(const char *run_dir, void (*fn)(void *arg, const json_t *tfstate), void *arg);
/* How many instances of resources there are in the newest copy that holds any. */
int64_t tfstate_resources(const char *run_dir);
/* The cluster that the newest copy with one holds, as terraform names it:
 * projects/P/locations/L/clusters/C; the caller's, NULL = none. */
char *tfstate_cluster(const char *run_dir);
/* File of the newest copy, if it still holds something; the caller's, NULL = none. */
char *tfstate_newest(const char *run_dir);
/* Is there a newest copy that cannot be read? What was made last is not known then. */
bool tfstate_damaged(const char *run_dir);
/* How many the state in the deployment's folder holds now; 0 without one. */
int64_t tfstate_held(const char *deployment);
/* Does the folder, or one in it, hold such a state with anything in it? */
bool tfstate_within(const char *folder);

/* 0: no living process holds the lock of the deployment's local state. -1, ERR_BLOCKED, cause
 * state-lock: who holds it since when. (terraform's local back end locks by fcntl: the lock of a
 * dead one is gone, whatever its .lock.info says.) */
int tfstate_unlocked(const char *deployment, struct err *e);
/* 0: terraform has saved its state. -1, ERR_BLOCKED, cause state-errored: it has left a newer one
 * in errored.tfstate, which a further deploy would put aside. */
int tfstate_saved(const char *deployment, struct err *e);

#endif
