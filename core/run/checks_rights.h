/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The eight roles of the tutorial and the permissions that tell them apart (facts on Google's APIs
 * §2). A custom role or Owner has the permissions without the role: only permissions count.
 */
#ifndef RLPILOT_RUN_CHECKS_RIGHTS_H
#define RLPILOT_RUN_CHECKS_RIGHTS_H

#include <stddef.h>

#define CHECKS_PERMISSIONS_MAX 100 /* in one question */
#define CHECKS_ROLE_MAX        16

struct checks_role {
	const char *id;                           /* without "roles/" */
	const char *permissions[CHECKS_ROLE_MAX]; /* NULL ended */
};

extern const struct checks_role checks_roles[]; /* NULL-id ended */
const struct checks_role *checks_role(const char *id);
/* All permissions of all roles; returns how many. */
size_t checks_permissions(const char *names[CHECKS_PERMISSIONS_MAX]);

#endif
