/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/hub.h"

#include "core/base/mem.h"
#include "core/base/text.h"

#include <stdlib.h>

static struct cloud_call *get(
	struct cloud *c, const char *token, const char *path, struct cloud_done done)
{
	const char *set = getenv("HF_ENDPOINT");
	const char *host = set && *set ? set : "https://huggingface.co";
	AUTO_FREE char *base = x_asprintf("%s%s", host, text_ends(host, "/") ? "" : "/");

	return cloud_send(
		c, &(struct cloud_request){
			   .base = base, .path = path, .token = token ? token : "", .done = done});
}

struct cloud_call *hub_whoami(struct cloud *c, const char *token, struct cloud_done done)
{
	return get(c, token, "api/whoami-v2", done);
}

struct cloud_call *hub_auth_check(struct cloud *c, const char *token, const char *kind,
	const char *repo, struct cloud_done done)
{
	AUTO(buf_fini) struct buf path = {0};

	buf_addf(&path, "api/%s/", kind);
	for (const char *p = repo; *p; p++) {
		char one[2] = {*p, '\0'};

		if (*p == '/')
			buf_addc(&path, '/');
		else
			http_escape(&path, one);
	}
	buf_adds(&path, "/auth-check");
	return get(c, token, buf_str(&path), done);
}
