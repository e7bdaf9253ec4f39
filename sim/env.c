/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/env.h"

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/fmt/json.h"
#include "sim/bundle.h"
#include "sim/clock.h"
#include "sim/server.h"
#include "sim/sim.h"
#include "sim/world.h"
#include "sim/worlds.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Placeholders of the tables: %u base address, %h HOME, %f world folder, %p project, %r region, %z
 * zone, %t reservation, %k HF token, %c clock, %a account, %R and %D refresh tokens of gcloud and
 * of the application default credentials. */
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
	{"CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDQUOTAS", "%u/"},
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

#define CREDENTIALS(token)                                                                         \
	"{\n  \"account\": \"%a\",\n"                                                              \
	"  \"client_id\": \"764086051850-rehearsal.apps.googleusercontent.com\",\n"                \
	"  \"client_secret\": \"d-rehearsal-client-secret\",\n  \"quota_project_id\": \"%p\",\n"   \
	"  \"refresh_token\": \"" token "\",\n  \"type\": \"authorized_user\",\n"                  \
	"  \"universe_domain\": \"googleapis.com\"\n}\n"

static const char *const files[][2] = {
	{".config/gcloud/active_config", "default"},
	{".config/gcloud/configurations/config_default",
		"[core]\naccount = %a\nproject = %p\ndisable_usage_reporting = true\n"
		"[survey]\ndisable_prompts = true\n"},
	{".config/gcloud/application_default_credentials.json", CREDENTIALS("%D")},
	{".config/gcloud/legacy_credentials/%a/adc.json", CREDENTIALS("%R")},
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
		return world_is(w, "login", "expired") ? WORLD_EXPIRED : w->refresh_token;
	case 'D':
		return world_is(w, "login", "expired") ? WORLD_EXPIRED
		       : world_is(w, "login", "two")   ? WORLD_OTHER
						       : w->refresh_token;
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

/* The folder that stands first on this world's PATH, or is all of it. */
#define TOOLS "tools"

static int tool_script(const char *folder, const char *name, const char *text, struct err *e)
{
	AUTO_FREE char *path = path_join(folder, name);
	AUTO_FREE char *script = x_asprintf("#!/bin/sh\n%s\n", text);
	if (path_write(path, script, strlen(script), e) < 0)
		return -1;
	return chmod(path, 0755) == 0 ? 0
				      : err_errno(e, ERR_CANNOT_WRITE, errno, "",
						"cannot change the mode of %s", path);
}

/* Links to the programs of the space separated list, as they are found now. */
static int tool_links(const char *folder, const char *list, struct err *e)
{
	AUTO(strvec_fini) struct strvec names = {0};
	const char *old = getenv("PATH");
	AUTO_FREE char *ours = bundle_tools_folder();
	AUTO_FREE char *search = x_asprintf("%s:%s", ours ? ours : "", old ? old : "");
	strvec_split(&names, list, " ");
	for (size_t i = 0; i < names.n; i++) {
		AUTO_FREE char *path = path_join(folder, names.items[i]);
		AUTO_FREE char *found = path_find_program(names.items[i], search);
		if (found && symlink(found, path) != 0)
			return err_errno(e, ERR_CANNOT_WRITE, errno, "", "cannot link %s", path);
	}
	return 0;
}

static int world_tools(const struct sim *sim, struct err *e)
{
	AUTO_FREE char *folder = path_join(sim->folder, TOOLS);
	const char *only = world_setting(sim->world, "tools");
	const char *name;
	const char *text;
	size_t i = 0;
	bool any = world_settings_next(sim->world, "tool.", &i, &name, &text);
	if (!only && !any)
		return 0;
	if (path_mkdirs(folder, e) < 0 || (only && tool_links(folder, only, e) < 0))
		return -1;
	for (i = 0; world_settings_next(sim->world, "tool.", &i, &name, &text);)
		if (tool_script(folder, name, text, e) < 0)
			return -1;
	return 0;
}

int env_world_files(struct sim *sim, struct err *e)
{
	AUTO_FREE char *home = path_join(sim->folder, "home");
	AUTO_FREE char *kube = path_join(home, ".kube");
	if (path_mkdirs(kube, e) < 0 || write_at(sim->folder, "ca.pem", server_ca_pem(sim), e) < 0)
		return -1;
	for (size_t i = 0; i < COUNT(files); i++) {
		const char *other = world_setting2(sim->world, "file", files[i][0]);
		AUTO_FREE char *name = expand(sim, files[i][0]);
		AUTO_FREE char *text = expand(sim, other ? other : files[i][1]);
		if (strcmp(text, "-") != 0 && write_at(home, name, text, e) < 0)
			return -1;
	}
	return world_tools(sim, e);
}

/* A line that sets a variable, or takes it away ("-"). */
static void export(struct sim *sim, struct buf *b, const char *name, const char *text)
{
	AUTO_FREE char *value = expand(sim, text);
	if (strcmp(value, "-") == 0) {
		buf_addf(b, "unset %s\n", name);
		return;
	}
	buf_addf(b, "export %s=", name);
	quote(b, value);
	buf_adds(b, "\n");
}

int env_write(struct sim *sim, const char *path, struct err *e)
{
	AUTO(buf_fini) struct buf b = {0};
	AUTO_FREE char *tools = bundle_tools_folder();
	const char *old = getenv("PATH");
	const char *name;
	const char *value;
	buf_adds(&b, "# The rehearsal cloud: source this file, then use the programs as always.\n");
	for (size_t i = 0; i < COUNT(dropped); i++)
		buf_addf(&b, "unset %s\n", dropped[i]);
	for (size_t i = 0; i < COUNT(exports); i++)
		if (!world_setting2(sim->world, "env", exports[i][0]))
			export(sim, &b, exports[i][0], exports[i][1]);
	for (size_t i = 0; world_settings_next(sim->world, "env.", &i, &name, &value);)
		export(sim, &b, name, value);
	if (tools) {
		AUTO_FREE char *own = path_join(sim->folder, TOOLS);
		bool only = world_setting(sim->world, "tools") != NULL;
		AUTO_FREE char *search = x_asprintf("%s%s%s%s%s", path_is_dir(own) ? own : tools,
			only ? "" : ":", only ? "" : tools, only ? "" : ":",
			only  ? ""
			: old ? old
			      : "/usr/local/bin:/usr/bin:/bin");
		buf_adds(&b, "export PATH=");
		quote(&b, search);
		buf_adds(&b, "\n");
	}
	return path_write(path, b.data, b.len, e);
}
