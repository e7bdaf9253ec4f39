/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Service Usage v1: which APIs are on, and switching them on.
 */
#ifndef RLPILOT_CLOUD_SERVICES_H
#define RLPILOT_CLOUD_SERVICES_H

#include "core/cloud/cloud.h"

/* {"services":[{"name":"projects/NUMBER/services/X","state":"ENABLED"}]}; at most 30 names
 * ("compute.googleapis.com"). */
struct cloud_call *services_get(struct cloud *c, const char *project, const char *const *names,
	size_t n, struct cloud_done done);
/* State of one service in such an answer: "ENABLED", "DISABLED", "" if absent. Borrowed. */
const char *services_state(const json_t *reply, const char *name);
/* Switches on (at most 20) and follows the operation to its end; reply is the finished operation.
 */
void services_enable(struct cloud *c, const char *project, const char *const *names, size_t n,
	struct cloud_done done);

#endif
