/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/bin/cred.h"
#include "sim/bin/gcloud.h"
#include "sim/bin/tool.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIGN_IN                                                                                    \
	"https://accounts.google.com/o/oauth2/auth?response_type=code&client_id=%s&redirect_uri="  \
	"https%%3A%%2F%%2Fsdk.cloud.google.com%%2F%s&scope=openid+https%%3A%%2F%%2Fwww."           \
	"googleapis.com"                                                                           \
	"%%2Fauth%%2Fuserinfo.email+https%%3A%%2F%%2Fwww.googleapis.com%%2Fauth%%2Fcloud-"         \
	"platform&"                                                                                \
	"prompt=consent&token_usage=remote&access_type=offline"

/* Asks for the verification code and exchanges it; NULL after its message. */
static json_t *sign_in(const struct gcloud_command *c, const char *page)
{
	char why[256] = "";
	fprintf(stderr, "Go to the following link in your browser, and complete the sign-in "
			"prompts:\n\n    ");
	fprintf(stderr, SIGN_IN, "32555940559.apps.googleusercontent.com", page);
	fprintf(stderr,
		"\n\nOnce finished, enter the verification code provided in your browser: ");
	AUTO_FREE char *code = tool_read_line();
	if (!code) {
		fprintf(stderr, "\n");
		warn("ERROR: gcloud crashed (EOFError): EOF when reading a line\n\nIf you would "
		     "like to report "
		     "this issue, please run the following command:\n  gcloud feedback\n\nTo check "
		     "gcloud for "
		     "common problems, please run the following command:\n  gcloud info "
		     "--run-diagnostics");
		return NULL;
	}
	json_t *j = cred_exchange(code, why, sizeof(why));
	if (!j)
		gcloud_error(c,
			"There was a problem with web authentication.\nERROR: (gcloud) (%s)", why);
	return j;
}

static int logged_in(const char *account)
{
	AUTO_FREE char *project = cred_property("core", "project");
	warn("\nYou are now logged in as [%s].\nYour current project is [%s].  You can change this "
	     "setting by "
	     "running:\n  $ gcloud config set project PROJECT_ID",
		account, project ? project : "None");
	return 0;
}

static int auth_login(const struct gcloud_command *c, const struct args *a)
{
	AUTO(cred_token_fini) struct cred_token token = {0};
	AUTO_FREE char *active = cred_account();
	if (active && !args_has(a, "force") && !cred_gcloud_token(&token)) {
		warn("WARNING: Re-using locally stored credentials for [%s]. To fetch new "
		     "credentials, re-run "
		     "the command with the `--force` flag.",
			active);
		return logged_in(active);
	}
	json_t *j = sign_in(c, "authcode.html");
	if (!j)
		return 1;
	const char *given = json_path_str(j, "account");
	AUTO_FREE char *account = x_strdup(given ? given : "you@rehearsal.example");
	AUTO_FREE char *file = cred_account_file(account);
	AUTO_FREE char *text = cred_file_text(tool_str(j, "refresh_token"), NULL);
	json_decref(j);
	if (tool_write(file, text, 0600) || cred_set_property("core", "account", account))
		return 1;
	return logged_in(account);
}

static int adc_login(const struct gcloud_command *c, const struct args *a)
{
	(void)a;
	json_t *j = sign_in(c, "applicationdefaultauthcode.html");
	if (!j)
		return 1;
	AUTO_FREE char *project = cred_property("core", "project");
	AUTO_FREE char *text = cred_file_text(tool_str(j, "refresh_token"), project);
	AUTO_FREE char *file = cred_adc_file(false);
	json_decref(j);
	if (tool_write(file, text, 0600))
		return 1;
	warn("\nCredentials saved to file: [%s]\n\nThese credentials will be used by any library "
	     "that requests "
	     "Application Default Credentials (ADC).",
		file);
	if (project)
		warn("\nQuota project \"%s\" was added to ADC which can be used by Google client "
		     "libraries for "
		     "billing and quota. Note that some services may still bill the project owning "
		     "the "
		     "resource.",
			project);
	return 0;
}

static int no_adc(const struct gcloud_command *c)
{
	return gcloud_error(c,
		"Your default credentials were not found. To set up Application Default "
		"Credentials, see https://cloud.google.com/docs/authentication/external/"
		"set-up-adc for more information.");
}

static int adc_quota(const struct gcloud_command *c, const struct args *a)
{
	const char *project = gcloud_word(c, a, 0, "QUOTA_PROJECT_ID");
	AUTO_FREE char *file = cred_adc_file(false);
	json_t *j = project ? tool_read_json(file) : NULL;
	if (!project)
		return 2;
	if (!j)
		return gcloud_error(c,
			"Application default credentials have not been set up. Run $ gcloud auth "
			"application-default login to set up application default credentials "
			"before running this command.");
	json_object_set_new(j, "quota_project_id", json_string(project));
	AUTO_FREE char *text = json_dumps(j, JSON_INDENT(2) | JSON_SORT_KEYS);
	json_decref(j);
	if (tool_write(file, text, 0600))
		return 1;
	warn("\nCredentials saved to file: [%s]\n\nThese credentials will be used by any library "
	     "that requests "
	     "Application Default Credentials (ADC).\n\nQuota project \"%s\" was added to ADC "
	     "which can be used "
	     "by Google client libraries for billing and quota. Note that some services may still "
	     "bill the "
	     "project owning the resource.",
		file, project);
	return 0;
}

static int print_token(const struct gcloud_command *c, const struct args *a)
{
	AUTO(cred_token_fini) struct cred_token t = {0};
	(void)a;
	if (!cred_gcloud_token(&t)) {
		puts(t.access);
		return 0;
	}
	if (t.missing)
		return gcloud_error(c,
			"You do not currently have an active account selected.\nPlease run:\n\n"
			"  $ gcloud auth login\n\nto obtain new credentials.");
	return gcloud_error(
		c, "There was a problem refreshing your current auth tokens: ('%s')", t.why);
}

static int adc_token(const struct gcloud_command *c, const struct args *a)
{
	AUTO(cred_token_fini) struct cred_token t = {0};
	AUTO_FREE char *file = tool_env("GOOGLE_APPLICATION_CREDENTIALS") ? cred_adc_file(true)
									  : cred_adc_file(false);
	(void)a;
	if (!cred_file_token(file, &t)) {
		puts(t.access);
		return 0;
	}
	return t.missing
		       ? no_adc(c)
		       : gcloud_error(c,
				 "There was a problem refreshing your current auth tokens: ('%s')",
				 t.why);
}

static int auth_list(const struct gcloud_command *c, const struct args *a)
{
	AUTO_FREE char *account = cred_account();
	json_t *list = json_array();
	(void)c;
	if (account)
		json_array_append_new(
			list, json_pack("{s:s,s:s}", "account", account, "status", "ACTIVE"));
	if (!gcloud_print_list(a, list)) {
		if (json_array_size(list))
			say("   Credentialed Accounts\nACTIVE  ACCOUNT\n*       %s", account);
		else
			warn("\nNo credentialed accounts.\n\nTo login, run:\n  $ gcloud auth login "
			     "`ACCOUNT`\n");
		if (json_array_size(list))
			warn("\nTo set the active account, run:\n    $ gcloud config set account "
			     "`ACCOUNT`\n");
	}
	json_decref(list);
	return 0;
}

static char *docker_file(void)
{
	const char *dir = tool_env("DOCKER_CONFIG"), *home = tool_env("HOME");
	return dir ? x_asprintf("%s/config.json", dir)
		   : x_asprintf("%s/.docker/config.json", home ? home : "");
}

static int configure_docker(const struct gcloud_command *c, const struct args *a)
{
	const char *hosts = gcloud_word(c, a, 0, NULL);
	AUTO_FREE char *file = docker_file();
	AUTO_FREE char *docker = path_find_program("docker", getenv("PATH"));
	json_t *j = tool_read_json(file);
	struct strvec names = {0};
	bool changed = false;
	if (!json_is_object(j)) {
		json_decref(j);
		j = json_object();
	}
	if (!docker)
		warn("WARNING: `docker` not in system PATH.\n`docker` and "
		     "`docker-credential-gcloud` need to be in "
		     "the same PATH in order to work correctly together.\ngcloud's Docker "
		     "credential helper can "
		     "be configured but it will not work until this is corrected.");
	json_t *helpers = json_path(j, "credHelpers");
	if (!json_is_object(helpers)) {
		helpers = json_object();
		json_object_set_new(j, "credHelpers", helpers);
	}
	warn("Adding credentials for: %s", hosts ? hosts : "all GCR repositories.");
	strvec_split(&names, hosts ? hosts : "gcr.io,us.gcr.io,eu.gcr.io,asia.gcr.io", ",");
	for (size_t i = 0; i < names.n; i++) {
		const char *n = names.items[i];
		if (!text_ends(n, "gcr.io") && !text_ends(n, "-docker.pkg.dev")) {
			warn("WARNING: %s is not a supported registry", n);
			continue;
		}
		const char *old = json_string_value(json_object_get(helpers, n));
		changed = changed || !old || strcmp(old, "gcloud") != 0;
		json_object_set_new(helpers, n, json_string("gcloud"));
	}
	strvec_fini(&names);
	AUTO_FREE char *text = json_dumps(j, JSON_INDENT(2));
	json_decref(j);
	if (!changed) {
		warn("gcloud credential helpers already registered correctly.");
		return 0;
	}
	if (tool_write(file, text, 0600))
		return 1;
	warn("Docker configuration file updated.");
	return 0;
}

const struct gcloud_command gcloud_auth_commands[] = {
	{"auth login", auth_login,
		{{"no-launch-browser", 0, false}, {"launch-browser", 0, false}, {"force", 0, false},
			{"brief", 0, false}, {"update-adc", 0, false}, {"no-browser", 0, false}}},
	{"auth list", auth_list, {{"filter-account", 0, true}}},
	{"auth print-access-token", print_token, {{"lifetime", 0, true}}},
	{"auth configure-docker", configure_docker, {{"include-artifact-registry", 0, false}}},
	{"auth application-default login", adc_login,
		{{"no-launch-browser", 0, false}, {"launch-browser", 0, false},
			{"no-browser", 0, false}, {"disable-quota-project", 0, false},
			{"scopes", 0, true}}},
	{"auth application-default set-quota-project", adc_quota, {{0}}},
	{"auth application-default print-access-token", adc_token, {{"lifetime", 0, true}}},
	{0},
};
