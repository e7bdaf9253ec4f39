/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hugging Face (HF_ENDPOINT, default https://huggingface.co): who owns a token, may it read a
 * repository. The token goes nowhere else. whoami is strongly rate limited: ask once a token.
 */
#ifndef RLPILOT_CLOUD_HUB_H
#define RLPILOT_CLOUD_HUB_H

#include "core/cloud/cloud.h"

/* {"name","type","auth":{"accessToken":{"role":…}}}; 401 = the token is not valid */
struct cloud_call *hub_whoami(struct cloud *c, const char *token, struct cloud_done done);
/* kind "models" or "datasets". {} when readable; e->http 403 = licence not accepted. */
struct cloud_call *hub_auth_check(struct cloud *c, const char *token, const char *kind,
	const char *repo, struct cloud_done done);

#endif
