/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/auth_place.h"

#include "core/base/buf.h"
#include "core/base/machine.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/cloud/auth.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PRODUCT_FILE "/sys/class/dmi/id/product_name"
#define METADATA_IP  "169.254.169.254"

static const char adc_name[] = "application_default_credentials.json";

const char *auth_env(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

char *auth_adc_path(void)
{
	const char *file = auth_env("GOOGLE_APPLICATION_CREDENTIALS");
	const char *config = auth_env("CLOUDSDK_CONFIG"), *home = auth_env("HOME");

	if (file)
		return x_strdup(file);
	if (config)
		return path_join(config, adc_name);
	return x_asprintf("%s/.config/gcloud/%s", home ? home : "", adc_name);
}

/* Go's own search: the variable, then HOME; CLOUDSDK_CONFIG means nothing to it. */
char *auth_child_file(const char **why)
{
	AUTO_FREE char *file = auth_adc_path();
	const char *home = auth_env("HOME");
	AUTO_FREE char *go = x_asprintf("%s/.config/gcloud/%s", home ? home : "", adc_name);
	AUTO_FREE char *real = NULL, *real_go = NULL;

	*why = NULL;
	if (auth_env("GOOGLE_APPLICATION_CREDENTIALS"))
		*why = N_("the variable is set already");
	else if (strcmp(file, go) == 0)
		*why = N_("the file lies where every program looks");
	else if (!path_exists(file))
		*why = N_("there is no such file in $CLOUDSDK_CONFIG");
	if (*why)
		return NULL;
	real = realpath(file, NULL);
	real_go = realpath(go, NULL);
	if (real && real_go && strcmp(real, real_go) == 0) {
		*why = N_("the file lies where every program looks");
		return NULL;
	}
	*why = N_("gcluster and terraform ignore CLOUDSDK_CONFIG and would act as somebody else");
	return x_strdup(file);
}

static const char *metadata_host(void)
{
	const char *host = auth_env("GCE_METADATA_HOST");

	return host ? host : auth_env("GCE_METADATA_ROOT");
}

enum auth_metadata auth_metadata(void)
{
	AUTO(buf_fini) struct buf product = {0};
	const char *no = auth_env("NO_GCE_CHECK");

	if (no && strcasecmp(no, "true") == 0)
		return AUTH_METADATA_NO;
	if (metadata_host() || machine_is_cloud_shell())
		return AUTH_METADATA_YES;
	if (path_read(PRODUCT_FILE, 256, &product, NULL) != 0)
		return AUTH_METADATA_MAYBE;
	return text_starts(buf_str(&product), "Google") ? AUTH_METADATA_YES : AUTH_METADATA_NO;
}

char *auth_metadata_url(const char *path)
{
	const char *host = metadata_host(), *ip = auth_env("GCE_METADATA_IP");

	return x_asprintf("http://%s/computeMetadata/v1/%s",
		host ? host
		: ip ? ip
		     : METADATA_IP,
		path);
}

int auth_metadata_ms(void)
{
	const char *set = auth_env("GCE_METADATA_TIMEOUT");
	int64_t s;

	return set && text_to_i64(set, 1, 60, &s) == 0 ? (int)s * 1000 : 3000;
}
