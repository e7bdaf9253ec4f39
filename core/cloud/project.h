/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resource Manager v3: does the project exist, and what may we do in it.
 * A project that does not exist and one that is not ours both answer 403.
 */
#ifndef RLPILOT_CLOUD_PROJECT_H
#define RLPILOT_CLOUD_PROJECT_H

#include "core/cloud/cloud.h"

/* {"name":"projects/NUMBER","projectId","state","displayName",…} */
struct cloud_call *project_get(struct cloud *c, const char *project, struct cloud_done done);
/* {"projects":[…]}: every active one that the account may see. */
void projects_list(struct cloud *c, struct cloud_done done);
/* {"permissions":[granted ones]}; the key is absent when none is. At most 100 a call. */
struct cloud_call *project_test_permissions(struct cloud *c, const char *project,
	const char *const *permissions, size_t n, struct cloud_done done);

#endif
