/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "sim/bin/cred.h"
#include "sim/bin/gcluster.h"
#include "sim/bin/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRESH_MS ((int64_t)24 * 3600 * 1000)

struct missing {
	struct strvec names, commands;
};

static void miss(struct missing *m, const char *name, const char *command)
{
	strvec_push(&m->names, name);
	strvec_push(&m->commands, command);
}

static bool runs(char *const argv[], struct buf *out)
{
	AUTO(buf_fini) struct buf own = {0}, err = {0};
	int rc = tool_run(argv, out ? out : &own, &err);
	return rc == 0;
}

static void check_login(struct missing *m)
{
	char *argv[] = {"gcloud", "auth", "list", "--filter=status:ACTIVE",
		"--format=value(account)", NULL};
	AUTO(buf_fini) struct buf out = {0};
	AUTO(cred_token_fini) struct cred_token token = {0};
	AUTO_FREE char *adc = cred_adc_file(true);
	if (!runs(argv, &out) || !*(buf_str(&out) + strspn(buf_str(&out), " \n")))
		miss(m, "Google Cloud Authentication", "gcloud auth login");
	if (cred_file_token(adc, &token))
		miss(m, "Application Default Credentials (ADC)",
			"gcloud auth application-default login");
}

static void check_kubectl(struct missing *m)
{
	char *kubectl[] = {"kubectl", "version", "--client", "--output=json", NULL};
	char *plugin[] = {"gke-gcloud-auth-plugin", "--version", NULL};
	if (!runs(kubectl, NULL))
		miss(m, "kubectl", "gcloud components install kubectl --quiet");
	if (!runs(plugin, NULL))
		miss(m, "gke-gcloud-auth-plugin",
			"gcloud components install gke-gcloud-auth-plugin --quiet");
}

/* A zone "us-east5-b" lies in region "us-east5". */
static char *region_of(const char *location)
{
	size_t n = strlen(location);
	return n > 2 && location[n - 2] == '-' ? x_strndup(location, n - 2) : x_strdup(location);
}

static void check_docker(struct missing *m, const char *location)
{
	const char *dir = tool_env("DOCKER_CONFIG"), *home = tool_env("HOME");
	AUTO_FREE char *file = dir ? x_asprintf("%s/config.json", dir)
				   : x_asprintf("%s/.docker/config.json", home ? home : "");
	AUTO_FREE char *region = region_of(location);
	AUTO_FREE char *registry = x_asprintf("%s-docker.pkg.dev", region);
	json_t *j = tool_read_json(file), *helpers = json_object_get(j, "credHelpers");
	const char *one = json_string_value(json_object_get(helpers, "gcr.io"));
	const char *two = json_string_value(json_object_get(helpers, registry));
	bool both = one && two && !strcmp(one, "gcloud") && !strcmp(two, "gcloud");
	if (!both && strcmp(tool_str(j, "credsStore"), "gcloud") != 0) {
		AUTO_FREE char *commands =
			x_asprintf("gcloud auth configure-docker gcr.io --quiet\n"
				   "gcloud auth configure-docker %s --quiet",
				registry);
		miss(m, "Docker Credentials", commands);
	}
	json_decref(j);
}

static void check_registry_api(struct missing *m, const char *project)
{
	char *argv[] = {"gcloud", "services", "list",
		"--filter=NAME:artifactregistry.googleapis.com", "--format=value(STATE)",
		"--project", (char *)project, NULL};
	AUTO(buf_fini) struct buf out = {0};
	if (runs(argv, &out) && text_starts(buf_str(&out), "ENABLED"))
		return;
	AUTO_FREE char *cure = x_asprintf(
		"gcloud services enable artifactregistry.googleapis.com --project %s --quiet",
		project);
	miss(m, "Artifact Registry API", cure);
}

static int print_missing(const struct missing *m)
{
	say("\nSome required prerequisites are missing. Please install the dependencies or "
	    "configure the credentials listed "
	    "below to proceed:");
	for (size_t i = 0; i < m->names.n; i++) {
		const char *commands = m->commands.items[i], *second = strchr(commands, '\n');
		say("\n - %s", m->names.items[i]);
		if (second)
			say("   Commands:\n     %.*s\n     %s", (int)(second - commands), commands,
				second + 1);
		else
			say("   Command: %s", commands);
	}
	say("%s", "");
	return gcluster_usage("job could not be submitted because some prerequisites are missing.");
}

static char *state_file(void)
{
	const char *home = tool_env("HOME");
	return x_asprintf("%s/.gcluster/job_prereq_state.json", home ? home : "");
}

static bool is_fresh(const char *project)
{
	AUTO_FREE char *file = state_file();
	json_t *j = tool_read_json(file);
	int64_t t = time_parse_ms(tool_str(j, "last_checked_timestamp"));
	bool fresh = t != TIME_NONE && clock_now() - t < FRESH_MS &&
		     !strcmp(tool_str(j, "last_checked_project_id"), project);
	if (fresh) {
		char ago[TIME_SIZE];
		gcluster_info(
			"Skipping checks; prerequisites are fresh (project: %s, checked: %s ago).",
			project, time_format_duration((clock_now() - t) / 1000 * 1000, ago));
	}
	json_decref(j);
	return fresh;
}

int gcluster_prereqs(const struct job_context *c)
{
	char *gcloud[] = {"gcloud", "version", NULL};
	struct missing m = {0};
	int rc = 0;
	if (is_fresh(c->project))
		return 0;
	gcluster_info(
		"Prerequisites state is stale or project ID changed, performing fresh check.");
	if (!runs(gcloud, NULL))
		return gcluster_usage(
			"Google Cloud SDK (gcloud) is required to run prerequisite checks. "
			"Aborting job submission.\n"
			"Please install it from https://cloud.google.com/sdk/docs/install and "
			"ensure it's in "
			"your PATH.\nAfter installation, please run 'gcloud auth login' to "
			"authenticate.");
	check_login(&m);
	check_kubectl(&m);
	check_docker(&m, c->location);
	check_registry_api(&m, c->project);
	if (m.names.n) {
		rc = print_missing(&m);
	} else {
		AUTO_FREE char *stamp = tool_stamp();
		AUTO_FREE char *file = state_file();
		json_t *j = json_pack("{s:b,s:b,s:b,s:b,s:b,s:b,s:b,s:s,s:s}",
			"gcloud_sdk_installed", 1, "gcloud_authenticated", 1, "adc_configured", 1,
			"kubectl_installed", 1, "gke_gcloud_auth_plugin_installed", 1,
			"docker_creds_configured", 1, "artifact_registry_api_enabled", 1,
			"last_checked_timestamp", stamp, "last_checked_project_id", c->project);
		AUTO_FREE char *text = json_dumps(j, JSON_INDENT(2));
		json_decref(j);
		rc = tool_write(file, text, 0644) ? 1 : 0;
		gcluster_info("Prerequisites checked successfully.");
	}
	strvec_fini(&m.names);
	strvec_fini(&m.commands);
	return rc;
}
