/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of auth: where credentials lie on this machine, by the environment and the file system
 * alone. Asks nobody.
 */
#ifndef RLPILOT_CLOUD_AUTH_PLACE_H
#define RLPILOT_CLOUD_AUTH_PLACE_H

#include <stdbool.h>

/* Value of a variable that is set and not empty, or NULL. */
const char *auth_env(const char *name);

enum auth_metadata {
	AUTH_METADATA_NO,
	AUTH_METADATA_MAYBE, /* one short question tells */
	AUTH_METADATA_YES,
};
/* Whether this machine has a metadata server: by GCE_METADATA_HOST, Cloud Shell, the machine's
 * product name. */
enum auth_metadata auth_metadata(void);
/* http://HOST/computeMetadata/v1/PATH; the caller's. */
char *auth_metadata_url(const char *path);
/* GCE_METADATA_TIMEOUT in ms of wall time, 3 s by default. */
int auth_metadata_ms(void);

#endif
