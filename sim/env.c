/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/env.h"

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/fmt/json.h"
#include "sim/bundle.h"
#include "sim/clock.h"
#include "sim/server.h"
#include "sim/sim.h"
#include "sim/world.h"
#include <stdlib.h>
#include <string.h>

/* Placeholders of the tables: %u base address, %h HOME, %f world folder, %p project, %r region, %z
 * zone, %t reservation, %k HF token, %c clock, %a account, %R refresh token. */
static const char *const exports[][2] = {
	{"HOME", "%h"},
	{"XDG_CONFIG_HOME", "%h/.config"},
	{"XDG_STATE_HOME", "%h/.local/state"},
	{"XDG_CACHE_HOME", "%h/.cache"},
	{"DOCKER_CONFIG", "%h/.docker"},
	{"KUBECONFIG", "%h/.kube/config"},
	{"CLOUDSDK_CONFIG", "%h/.config/gcloud"},
	{"CLOUDSDK_AUTH_TOKEN_HOST", "%u/token"},
	{"CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE",
		"%h/.config/gcloud/application_default_credentials.json"},
	{"CLOUDSDK_CORE_DISABLE_PROMPTS", "1"},
	{"CLOUDSDK_CORE_DISABLE_USAGE_REPORTING", "1"},
	{"CLOUDSDK_CORE_CHECK_GCE_METADATA", "false"},
	{"CLOUDSDK_SURVEY_DISABLE_PROMPTS", "1"},
	{"CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK", "1"},
	{"CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE", "%u/compute/v1/"},
	{"CLOUDSDK_API_ENDPOINT_OVERRIDES_CONTAINER", "%u/"},
	{"CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE", "%u/storage/v1/"},
	{"CLOUDSDK_API_ENDPOINT_OVERRIDES_SERVICEUSAGE", "%u/"},
	{"CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER", "%u/"},
	{"CLOUDSDK_API_ENDPOINT_OVERRIDES_IAM", "%u/"},
	{"CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDBILLING", "%u/"},
	{"CLOUDSDK_API_ENDPOINT_OVERRIDES_LOGGING", "%u/"},
	{"CLOUDSDK_API_ENDPOINT_OVERRIDES_MONITORING", "%u/"},
	{"NO_GCE_CHECK", "true"},
	{"HF_ENDPOINT", "%u"},
	{"HF_HOME", "%h/.cache/huggingface"},
	{"RLPILOT_SIM", "%u"},
	{"RLPILOT_SIM_CA", "%f/ca.pem"},
	{"RLPILOT_RELEASES", "%u/releases/download"},
	{"RLPILOT_CLOCK", "%c"},
	{"RLPILOT_LABEL", "rehearsal"},
	{"RLPILOT_LOOPBACK_ONLY", "1"},
	{"NO_PROXY", "127.0.0.1,localhost"},
	{"no_proxy", "127.0.0.1,localhost"},
	{"PROJECT", "%p"},
	{"REGION", "%r"},
	{"ZONE", "%z"},
	{"CLUSTER_NAME", "gemma-rl"},
	{"GCS_BUCKET", "%p-gemma"},
	{"CLOUD_IMAGE_NAME",
		"us-docker.pkg.dev/cloud-tpu-images/maxtext-images/tpu_post_training:0.2.4"},
	{"COMPUTE_TYPE", "ct6e-standard-4t"},
	{"TPU_TYPE", "v6e-32"},
	{"TOPOLOGY", "4x8"},
	{"CLUSTER_NODEPOOL_COUNT", "1"},
	{"RESERVATION", "%t"},
	{"MODEL_NAME", "gemma4-26b"},
	{"CLUSTER_TOOLKIT_VERSION", "v1.103.0"},
	{"HF_TOKEN", "%k"},
};

static const char *const dropped[] = {
	"GOOGLE_APPLICATION_CREDENTIALS",
	"GOOGLE_CLOUD_PROJECT",
	"GOOGLE_CLOUD_QUOTA_PROJECT",
	"GCE_METADATA_HOST",
	"CLOUDSDK_AUTH_ACCESS_TOKEN",
	"CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
	"CLOUDSDK_CORE_PROJECT",
	"CLOUDSDK_CORE_ACCOUNT",
	"CLOUDSDK_ACTIVE_CONFIG_NAME",
	"CLOUD_SHELL",
	"HUGGING_FACE_HUB_TOKEN",
	"http_proxy",
	"https_proxy",
	"HTTP_PROXY",
	"HTTPS_PROXY",
	"ALL_PROXY",
	"all_proxy",
};

#define CREDENTIALS                                                                                \
	"{\n  \"account\": \"%a\",\n"                                                              \
	"  \"client_id\": \"764086051850-rehearsal.apps.googleusercontent.com\",\n"                \
	"  \"client_secret\": \"d-rehearsal-client-secret\",\n  \"quota_project_id\": \"%p\",\n"   \
	"  \"refresh_token\": \"%R\",\n  \"type\": \"authorized_user\",\n"                         \
	"  \"universe_domain\": \"googleapis.com\"\n}\n"

static const char *const files[][2] = {
	{".config/gcloud/active_config", "default"},
	{".config/gcloud/configurations/config_default",
		"[core]\naccount = %a\nproject = %p\ndisable_usage_reporting = true\n"
		"[survey]\ndisable_prompts = true\n"},
	{".config/gcloud/application_default_credentials.json", CREDENTIALS},
	{".config/gcloud/legacy_credentials/%a/adc.json", CREDENTIALS},
	{".docker/config.json", "{\n  \"credHelpers\": {\n    \"gcr.io\": \"gcloud\",\n    "
				"\"%r-docker.pkg.dev\": \"gcloud\"\n"
				"  }\n}\n"},
};

static const char *value_of(struct sim *sim, char code, char **made)
{
	const struct world *w = sim->world;
	switch (code) {
	case 'u':
		return *made = x_asprintf("http://127.0.0.1:%d", server_http_port(sim));
	case 'h':
		return *made = path_join(sim->folder, "home");
	case 'c':
		return *made = sim_clock_text(sim);
	case 'f':
		return sim->folder;
	case 'p':
		return w->project;
	case 'r':
		return w->region;
	case 'z':
		return w->zone;
	case 't':
		return w->reservation.name;
	case 'k':
		return w->hf_token;
	case 'R':
		return w->refresh_token;
	case 'a':
		return w->account;
	default:
		die("unknown placeholder %%%c", code);
	}
}

static char *expand(struct sim *sim, const char *text)
{
	struct buf b = {0};
	for (; *text; text++) {
		AUTO_FREE char *made = NULL;
		if (*text == '%')
			buf_adds(&b, value_of(sim, *++text, &made));
		else
			buf_addc(&b, *text);
	}
	buf_adds(&b, "");
	return buf_take(&b);
}

/* 'value' for a shell, with quotes inside made safe. */
static void quote(struct buf *b, const char *value)
{
	buf_addc(b, '\'');
	for (; *value; value++) {
		if (*value == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, *value);
	}
	buf_addc(b, '\'');
}

static int write_at(const char *folder, const char *name, const char *text, struct err *e)
{
	AUTO_FREE char *path = path_join(folder, name);
	AUTO_FREE char *parent = x_strndup(path, (size_t)(strrchr(path, '/') - path));
	if (path_mkdirs(parent, e) < 0)
		return -1;
	return path_write(path, text, strlen(text), e);
}

int env_world_files(struct sim *sim, struct err *e)
{
	AUTO_FREE char *home = path_join(sim->folder, "home");
	AUTO_FREE char *kube = path_join(home, ".kube");
	if (path_mkdirs(kube, e) < 0 || write_at(sim->folder, "ca.pem", server_ca_pem(sim), e) < 0)
		return -1;
	for (size_t i = 0; i < COUNT(files); i++) {
		AUTO_FREE char *name = expand(sim, files[i][0]);
		AUTO_FREE char *text = expand(sim, files[i][1]);
		if (write_at(home, name, text, e) < 0)
			return -1;
	}
	return 0;
}

int env_write(struct sim *sim, const char *path, struct err *e)
{
	AUTO(buf_fini) struct buf b = {0};
	AUTO_FREE char *tools = bundle_tools_folder();
	const char *old = getenv("PATH");
	buf_adds(&b, "# The rehearsal cloud: source this file, then use the programs as always.\n");
	for (size_t i = 0; i < COUNT(dropped); i++)
		buf_addf(&b, "unset %s\n", dropped[i]);
	for (size_t i = 0; i < COUNT(exports); i++) {
		AUTO_FREE char *value = expand(sim, exports[i][1]);
		buf_addf(&b, "export %s=", exports[i][0]);
		quote(&b, value);
		buf_adds(&b, "\n");
	}
	if (tools) {
		AUTO_FREE char *search =
			x_asprintf("%s:%s", tools, old ? old : "/usr/local/bin:/usr/bin:/bin");
		buf_adds(&b, "export PATH=");
		quote(&b, search);
		buf_adds(&b, "\n");
	}
	return path_write(path, b.data, b.len, e);
}
