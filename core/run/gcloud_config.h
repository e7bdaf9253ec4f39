/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that gcloud's active configuration holds (project, zone), for variables that nobody has
 * given yet: CLOUDSDK_CORE_PROJECT and CLOUDSDK_COMPUTE_ZONE, then the configuration's file, then
 * what Cloud Shell exports. Reads files of this machine alone; a missing or odd one gives nothing.
 */
#ifndef RLPILOT_RUN_GCLOUD_CONFIG_H
#define RLPILOT_RUN_GCLOUD_CONFIG_H

#include "core/recipe/values.h"

struct recipe;

/* Origin "gcloud"; what breaks a rule or disagrees with a stronger value is passed over. */
void gcloud_config_values(struct values *v, const struct recipe *r);

#endif
