/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of auth: getting one token from one source, once. Knows the ADC file, the token
 * endpoint and gcloud's config-helper; keeps nothing. Only auth.c includes this.
 */
#ifndef RLPILOT_CLOUD_AUTH_FETCH_H
#define RLPILOT_CLOUD_AUTH_FETCH_H

#include "core/cloud/auth.h"

struct auth_fetch;

/* NULL = not known. */
struct auth_result {
	enum auth_source source;
	char *token, *email, *project, *quota_project, *file;
	int64_t expires; /* run time ms; 0 = not told */
};

/* fn is called once, from the loop; r is never NULL. AUTH_ANY takes the first source that is set
 * up. Then the owner frees the fetch. */
struct auth_fetch *auth_fetch_new(struct loop *l, struct http *h, enum auth_source source,
	void (*fn)(void *arg, const struct auth_result *r, const struct err *e), void *arg);
void auth_fetch_free(struct auth_fetch *f);

#endif
