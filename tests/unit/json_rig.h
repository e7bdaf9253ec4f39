/* SPDX-License-Identifier: Apache-2.0 */
/* JSON with ' for ", so that it can be read in a C string. */
#ifndef RLPILOT_UNIT_JSON_RIG_H
#define RLPILOT_UNIT_JSON_RIG_H

#include "core/fmt/json.h"

/* The test fails when it is none. */
json_t *json_rig(const char *text);

#endif
