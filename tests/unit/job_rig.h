/* SPDX-License-Identifier: Apache-2.0 */
/* The JobSet demo in the state of a test, its pods, and the alerts that come of them. */
#ifndef RLPILOT_UNIT_JOB_RIG_H
#define RLPILOT_UNIT_JOB_RIG_H

#include <stdbool.h>

#include "tests/unit/state_rig.h"

int job_setup(void **state); /* with state_teardown */
void jobset(bool suspend);
/* spec, status: members of each, as JSON. */
void pod(const char *name, const char *role, const char *spec, const char *status);

/* The text of an alert that is raised now, or NULL. */
const char *raised(const char *id);
/* The test fails when it never was. */
const struct state_alert *alert_of(const char *id);

#endif
