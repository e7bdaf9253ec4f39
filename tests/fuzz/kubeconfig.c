/* SPDX-License-Identifier: Apache-2.0 */
/* A kubeconfig of any bytes gives a server or an error that says something. */
#include "tests/fuzz/fuzz.h"

#include "core/base/err.h"
#include "core/fmt/kubeconfig.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kubeconfig k;
	struct err e = {0};
	char *project = NULL, *location = NULL, *cluster = NULL;
	if (kubeconfig_parse(&k, "/k/config", (const char *)data, size, NULL, &e) == 0)
		MUST(k.server && k.ns && k.context);
	else
		MUST(e.code != ERR_NONE && *e.what);
	if (k.context && kubeconfig_gke_name(k.context, &project, &location, &cluster)) {
		MUST(*project && *location && *cluster);
		free(project);
		free(location);
		free(cluster);
	}
	kubeconfig_fini(&k);
	return 0;
}
