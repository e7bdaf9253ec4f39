/* SPDX-License-Identifier: Apache-2.0 */
/* How long images take, and how registries refuse them. */
#include "sim/ctl.h"

#include <string.h>

int64_t ctl_pull_time(struct kube *k, const char *image)
{
	int64_t base = strstr(image, "tpu_post_training") ? 96000
		       : strstr(image, "pathways")        ? 11000
							  : 3000;

	return base + (int64_t)(ctl_random(k) % (uint64_t)(base / 5));
}

const char *ctl_pull_error(const char *kind)
{
	if (strcmp(kind, "denied") == 0)
		return "failed to resolve reference: pulling from host us-docker.pkg.dev failed "
		       "with "
		       "status code [manifests 0.2.4]: 403 Forbidden";
	if (strcmp(kind, "missing") == 0)
		return "failed to resolve reference: not found";
	return "failed to do request: Head: dial tcp 142.250.101.82:443: i/o timeout";
}
