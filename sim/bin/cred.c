/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/bin/cred.h"
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/fmt/json.h"
#include "sim/bin/tool.h"
#include "sim/bin/web.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The public client id of the real tool. */
#define CLIENT_ID     "32555940559.apps.googleusercontent.com"
#define CLIENT_SECRET "rehearsal"

void cred_token_fini(struct cred_token *t)
{
	x_wipe_free(t->access);
	t->access = NULL;
}

char *cred_dir(void)
{
	const char *v = tool_env("CLOUDSDK_CONFIG");
	const char *home = tool_env("HOME");
	return v ? x_strdup(v) : x_asprintf("%s/.config/gcloud", home ? home : "");
}

static char *configuration_file(void)
{
	AUTO_FREE char *dir = cred_dir();
	AUTO_FREE char *active = x_asprintf("%s/active_config", dir);
	AUTO_FREE char *name = tool_read(active);
	const char *v = tool_env("CLOUDSDK_ACTIVE_CONFIG_NAME");
	if (name)
		name[strcspn(name, "\r\n")] = '\0';
	return x_asprintf("%s/configurations/config_%s", dir,
		v               ? v
		: name && *name ? name
				: "default");
}

/* Value of `key = value` in [section]; NULL. */
static char *ini_value(const char *text, const char *section, const char *key)
{
	struct strvec lines = {0};
	char *found = NULL;
	bool inside = false;
	size_t ns = strlen(section), nk = strlen(key);
	strvec_split(&lines, text, "\r\n");
	for (size_t i = 0; i < lines.n && !found; i++) {
		char *l = lines.items[i];
		if (*l == '[') {
			inside = !strncmp(l + 1, section, ns) && l[1 + ns] == ']';
			continue;
		}
		char *eq = strchr(l, '=');
		if (!inside || !eq || strncmp(l, key, nk) || !strchr(" =", l[nk]))
			continue;
		found = x_strdup(eq + 1 + strspn(eq + 1, " "));
	}
	strvec_fini(&lines);
	return found;
}

char *cred_property(const char *section, const char *key)
{
	AUTO_FREE char *name = x_asprintf("CLOUDSDK_%s_%s", section, key);
	for (char *p = name; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	if (tool_env(name))
		return x_strdup(tool_env(name));
	AUTO_FREE char *file = configuration_file();
	AUTO_FREE char *text = tool_read(file);
	return text ? ini_value(text, section, key) : NULL;
}

int cred_set_property(const char *section, const char *key, const char *value)
{
	AUTO_FREE char *file = configuration_file();
	AUTO_FREE char *text = tool_read(file);
	AUTO_FREE char *head = x_asprintf("[%s]", section);
	AUTO(buf_fini) struct buf b = {0};
	struct strvec lines = {0};
	bool inside = false, done = false;
	strvec_split(&lines, text ? text : "", "\r\n");
	for (size_t i = 0; i < lines.n; i++) {
		const char *l = lines.items[i];
		size_t nk = strlen(key);
		if (inside && !strncmp(l, key, nk) && strchr(" =", l[nk]))
			continue;
		buf_addf(&b, "%s\n", l);
		inside = *l == '[' ? !strcmp(l, head) : inside;
		if (inside && !done)
			buf_addf(&b, "%s = %s\n", key, value);
		done = done || inside;
	}
	if (!done)
		buf_addf(&b, "%s\n%s = %s\n", head, key, value);
	strvec_fini(&lines);
	return tool_write(file, buf_str(&b), 0644);
}

char *cred_account(void)
{
	return cred_property("core", "account");
}

char *cred_account_file(const char *account)
{
	AUTO_FREE char *dir = cred_dir();
	const char *v = tool_env("CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE");
	return v ? x_strdup(v) : x_asprintf("%s/legacy_credentials/%s/adc.json", dir, account);
}

char *cred_adc_file(bool as_go)
{
	const char *v = tool_env("GOOGLE_APPLICATION_CREDENTIALS");
	const char *home = tool_env("HOME");
	AUTO_FREE char *dir =
		as_go ? x_asprintf("%s/.config/gcloud", home ? home : "") : cred_dir();
	return as_go && v ? x_strdup(v)
			  : x_asprintf("%s/application_default_credentials.json", dir);
}

static char *token_address(void)
{
	const char *v = tool_env("CLOUDSDK_AUTH_TOKEN_HOST");
	if (!v)
		return x_asprintf("%s/token", tool_sim());
	const char *host = strstr(v, "://");
	const char *path = host ? strchr(host + 3, '/') : NULL;
	if (!path || !path[1])
		return x_asprintf("%.*s/token", (int)(path ? path - v : (long)strlen(v)), v);
	return x_strdup(v);
}

/* POSTs a form to the token endpoint; the reply's JSON or NULL with why. */
static json_t *ask(const char *form, char *why, size_t n)
{
	AUTO_FREE char *url = token_address();
	AUTO(web_reply_fini) struct web_reply reply = {0};
	struct web_call call = {.method = "POST",
		.url = url,
		.content_type = "application/x-www-form-urlencoded",
		.body = form};
	if (web_do(&call, &reply)) {
		snprintf(why, n, "%s", reply.why);
		return NULL;
	}
	json_t *j = web_json(&reply);
	if (reply.status == 200 && j)
		return j;
	snprintf(why, n, "%s: %s", *tool_str(j, "error") ? tool_str(j, "error") : "invalid_grant",
		*tool_str(j, "error_description") ? tool_str(j, "error_description")
						  : "Bad Request");
	json_decref(j);
	return NULL;
}

static int refresh(const json_t *file, struct cred_token *t)
{
	AUTO_FREE char *id = web_escape(tool_str(file, "client_id"));
	AUTO_FREE char *secret = web_escape(tool_str(file, "client_secret"));
	AUTO_FREE char *token = web_escape(tool_str(file, "refresh_token"));
	char *form = x_asprintf(
		"grant_type=refresh_token&client_id=%s&client_secret=%s&refresh_token=%s", id,
		secret, token);
	json_t *j = ask(form, t->why, sizeof(t->why));
	x_wipe_free(form);
	if (!j)
		return -1;
	t->access = x_strdup(tool_str(j, "access_token"));
	t->expires = clock_now() + json_path_i64(j, "expires_in", 3599) * 1000;
	json_decref(j);
	return 0;
}

int cred_file_token(const char *file, struct cred_token *t)
{
	json_t *j = tool_read_json(file);
	int rc = -1;
	if (!j) {
		t->missing = !path_exists(file);
		snprintf(t->why, sizeof(t->why), "File %s %s.", file,
			t->missing ? "was not found" : "is not a valid json file");
		return -1;
	}
	if (!*tool_str(j, "refresh_token"))
		snprintf(t->why, sizeof(t->why), "the credentials in %s hold no refresh_token",
			file);
	else
		rc = refresh(j, t);
	json_decref(j);
	return rc;
}

int cred_gcloud_token(struct cred_token *t)
{
	const char *given = tool_env("CLOUDSDK_AUTH_ACCESS_TOKEN");
	const char *given_file = tool_env("CLOUDSDK_AUTH_ACCESS_TOKEN_FILE");
	if (given || given_file) {
		t->access = given ? x_strdup(given) : tool_read(given_file);
		if (t->access)
			t->access[strcspn(t->access, "\r\n")] = '\0';
		t->expires = clock_now() + 3600 * 1000;
		return t->access ? 0 : -1;
	}
	AUTO_FREE char *account = cred_account();
	if (!account) {
		t->missing = true;
		return -1;
	}
	AUTO_FREE char *file = cred_account_file(account);
	return cred_file_token(file, t);
}

json_t *cred_exchange(const char *code, char *why, size_t n)
{
	AUTO_FREE char *escaped = web_escape(code);
	AUTO_FREE char *form =
		x_asprintf("grant_type=authorization_code&client_id=%s&client_secret=%s&code=%s"
			   "&redirect_uri=https%%3A%%2F%%2Fsdk.cloud.google.com%%2Fauthcode.html",
			CLIENT_ID, CLIENT_SECRET, escaped);
	return ask(form, why, n);
}

char *cred_file_text(const char *refresh_token, const char *quota_project)
{
	json_t *j = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s}", "account", "", "client_id", CLIENT_ID,
		"client_secret", CLIENT_SECRET, "refresh_token", refresh_token, "type",
		"authorized_user", "universe_domain", "googleapis.com");
	if (quota_project)
		json_object_set_new(j, "quota_project_id", json_string(quota_project));
	char *text = json_dumps(j, JSON_INDENT(2) | JSON_SORT_KEYS);
	json_decref(j);
	return text;
}
