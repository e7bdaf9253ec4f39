/* SPDX-License-Identifier: Apache-2.0 */
/* Credentials files: good ones of every kind, and what is said about bad ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/cloud/auth.h"
#include "core/cloud/auth_file.h"
#include "core/cloud/auth_place.h"
#include "core/fmt/json.h"

#define USER                                                                                       \
	"\"type\":\"authorized_user\",\"client_id\":\"c\",\"client_secret\":\"s\",\"refresh_"      \
	"token\":"                                                                                 \
	"\"1//r\""
#define LOAN                                                                                       \
	"\"type\":\"impersonated_service_account\",\"service_account_impersonation_url\":\"https:" \
	"//"                                                                                       \
	"iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/"                             \
	"bot@lab.iam.gserviceaccount.com:generateAccessToken\""

static char *dir, *rsa;

static char *fixture(const char *name)
{
	AUTO_FREE char *path = x_asprintf("%s/tests/unit/fixtures/%s", getenv("srcdir"), name);
	struct buf b = {0};

	assert_int_equal(path_read(path, 1 << 16, &b, NULL), 0);
	return buf_take(&b);
}

/* A service account's file with this key and, unless NULL, this token address. */
static char *robot(const char *key, const char *token_uri)
{
	AUTO(json_auto)
	json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:s*}", "type", "service_account",
		"client_email", "bot@lab.iam.gserviceaccount.com", "private_key_id", "a1b2",
		"private_key", key, "token_uri", token_uri);

	return json_line(j);
}

static struct auth_file *parse(const char *text, struct err *e)
{
	return auth_file_parse("creds.json", text, strlen(text), e);
}

static void kinds_are_read(void **state)
{
	AUTO_FREE char *text = robot(rsa, "https://oauth2.mtls.googleapis.com/token");
	AUTO_FREE char *old = robot(rsa, "https://accounts.google.com/o/oauth2/token");
	AUTO_FREE char *loan = x_asprintf("{" LOAN ",\"delegates\":[\"projects/-/serviceAccounts/"
					  "d@x\"],\"quota_project_id\":\"q\","
					  "\"source_credentials\":%s}",
		text);
	struct auth_file *f;

	(void)state;
	f = parse("{" USER ",\"quota_project_id\":\"q\",\"token_uri\":\"https://evil.example/\","
		  "\"universe_domain\":\"googleapis.com\",\"account\":\"\",\"scopes\":[1]}",
		NULL);
	assert_non_null(f);
	assert_string_equal(f->kind, AUTH_USER);
	assert_string_equal(f->quota_project, "q");
	assert_null(f->token_address); /* that of a person's file is not looked at */
	assert_null(f->account);
	auth_file_free(f);
	f = parse(text, NULL);
	assert_string_equal(f->kind, AUTH_SERVICE_ACCOUNT);
	assert_string_equal(f->token_address, "https://oauth2.mtls.googleapis.com/token");
	auth_file_free(f);
	f = parse(old, NULL);
	assert_string_equal(f->token_address, AUTH_TOKEN_ADDRESS);
	auth_file_free(f);
	f = parse(loan, NULL);
	assert_string_equal(f->kind, AUTH_IMPERSONATED);
	assert_string_equal(f->target, "bot@lab.iam.gserviceaccount.com");
	assert_string_equal(f->source->kind, AUTH_SERVICE_ACCOUNT);
	assert_int_equal(json_array_size(f->delegates), 1);
	auth_file_free(f);
	auth_file_free(NULL);
}

static const struct {
	const char *text, *what;
} bad_texts[] = {
	{"", "the file is empty"},
	{"{", "not valid JSON"},
	{"{\"type\":\"authorized_user\",\"client_id\":\"c\",\"client", "not valid JSON"},
	{"\xef\xbb\xbf{" USER "}", "byte order mark"},
	{"\xff\xfe{", "UTF-16"},
	{"\x7f"
	 "ELF\x02\x01\x01",
		"not valid JSON"},
	{"<!DOCTYPE html><html>", "not valid JSON"},
	{"[]", "this is a list"},
	{"\"1//r\"", "this is a text"},
	{"null", "this is empty"},
	{"{}", "'type' is missing"},
	{"{\"type\":7}", "'type' must be a text, it is a number"},
	{"{\"type\":\"robot\\u001b[31m\"}", "'robot' is not a type"},
	{"{\"installed\":{\"client_id\":\"c\"}}", "an OAuth client, not a login"},
	{"{\"type\":\"authorized_user\",\"client_id\":\"c\",\"client_secret\":\"s\"}",
		"'refresh_token' is missing"},
	{"{\"type\":\"authorized_user\",\"client_id\":\"c\",\"client_secret\":\"s\","
	 "\"refresh_token\":null}",
		"'refresh_token' must be a text, it is empty"},
	{"{\"type\":\"authorized_user\",\"client_id\":\"c\",\"client_secret\":\"s\","
	 "\"refresh_token\":\"\"}",
		"'refresh_token' is empty"},
	{"{\"type\":\"authorized_user\",\"client_id\":[],\"client_secret\":\"s\","
	 "\"refresh_token\":\"r\"}",
		"'client_id' must be a text, it is a list"},
	{"{\"type\":\"authorized_user\",\"client_id\":{},\"client_secret\":\"s\","
	 "\"refresh_token\":\"r\"}",
		"'client_id' must be a text, it is an object"},
	{"{\"type\":\"authorized_user\",\"client_id\":\"c\",\"client_secret\":true,"
	 "\"refresh_token\":\"r\"}",
		"it is a truth value"},
	{"{" USER ",\"type\":\"authorized_user\"}", "not valid JSON"},
	{"{\"type\":\"authorized_user\",\"client_id\":\"c\\r\\nX: y\",\"client_secret\":"
	 "\"s\",\"refresh_token\":\"r\"}",
		"'client_id' holds control characters"},
	{"{" USER ",\"quota_project_id\":\"a\\nb\"}", "holds control characters"},
	{"{" USER ",\"quota_project_id\":9}", "'quota_project_id' must be a text"},
	{"{" USER ",\"universe_domain\":\"example.cloud\"}", "another cloud"},
	{"{\"type\":\"service_account\",\"client_email\":\"b\"}", "'private_key' is missing"},
	{"{\"type\":\"service_account\",\"client_email\":\"b\",\"private_key\":\"x\"}",
		"not in PEM form"},
	{"{" LOAN "}", "'source_credentials' is missing"},
	{"{" LOAN ",\"source_credentials\":\"x\"}", "must be an object"},
	{"{" LOAN ",\"source_credentials\":{}}", "'type' is missing"},
	{"{" LOAN ",\"source_credentials\":{" LOAN "}}", "cannot be the source"},
	{"{" LOAN ",\"delegates\":\"x\",\"source_credentials\":{" USER "}}",
		"'delegates' must be a list"},
	{"{" LOAN ",\"delegates\":[1],\"source_credentials\":{" USER "}}",
		"'delegates' must be a list"},
	{"{\"type\":\"impersonated_service_account\",\"service_account_impersonation_url\":"
	 "\"https://iamcredentials.googleapis.com/\",\"source_credentials\":{" USER "}}",
		"names no service account"},
	{"{\"type\":\"impersonated_service_account\"}",
		"'service_account_impersonation_url' is missing"},
};

static void bad_texts_are_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bad_texts); i++) {
		struct err e = {0};

		assert_null(parse(bad_texts[i].text, &e));
		if (!strstr(e.what, bad_texts[i].what) || e.code != ERR_BAD_FILE)
			fail_msg("%s: %s (code %d)", bad_texts[i].text, e.what, (int)e.code);
		assert_string_equal(e.cause, "credentials-file");
		assert_non_null(strstr(e.what, "creds.json"));
		assert_true(*e.hint);
		assert_null(strchr(e.what, '\x1b'));
		assert_null(parse(bad_texts[i].text, NULL));
	}
}

static void every_cut_of_a_file_is_an_error(void **state)
{
	AUTO_FREE char *text = robot(rsa, NULL);
	size_t n = strlen(text);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct err e = {0};

		assert_null(auth_file_parse("creds.json", text, i, &e));
		assert_int_equal(e.code, ERR_BAD_FILE);
		assert_null(strstr(e.what, "BEGIN"));
	}
}

static void keys_that_are_none_are_named(void **state)
{
	static const struct {
		const char *fixture, *what;
	} bad[] = {
		{"jwt-ec.pem", "not an RSA key"},
		{"jwt-locked.pem", "locked by a passphrase"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		AUTO_FREE char *key = fixture(bad[i].fixture);
		AUTO_FREE char *text = robot(key, NULL);
		struct err e = {0};

		assert_null(parse(text, &e));
		assert_non_null(strstr(e.what, bad[i].what));
		assert_null(strstr(e.what, "PRIVATE KEY"));
	}
}

static void other_kinds_are_left_to_gcloud(void **state)
{
	static const char *const kinds[] = {
		"external_account", "external_account_authorized_user", "gdch_service_account"};

	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		AUTO_FREE char *text = x_asprintf("{\"type\":\"%s\",\"credential_source\":"
						  "{\"executable\":{\"command\":\"/bin/x\"}}}",
			kinds[i]);
		AUTO_FREE char *loan = x_asprintf("{" LOAN ",\"source_credentials\":%s}", text);
		struct err e = {0};

		assert_null(parse(text, &e));
		assert_int_equal(e.code, ERR_PERSON);
		assert_string_equal(e.cause, "credentials-kind");
		assert_non_null(strstr(e.what, kinds[i]));
		assert_non_null(strstr(e.hint, "gcloud auth login --cred-file=creds.json"));
		assert_null(parse(loan, &e));
		assert_string_equal(e.cause, "credentials-kind");
	}
}

static void secrets_go_to_google_alone(void **state)
{
	static const char *const good[] = {"https://oauth2.googleapis.com/token",
		"https://iamcredentials.googleapis.com:443/v1/x", "http://127.0.0.1:8080/token",
		"http://[::1]:80/", "https://localhost/token"};
	static const char *const bad[] = {"http://oauth2.googleapis.com/token",
		"https://googleapis.com.evil.example/token", "https://evilgoogleapis.com/token",
		"https://oauth2.googleapis.com@evil.example/token",
		"https://evil.example/?x=.googleapis.com", "https://evil.example#.googleapis.com",
		"https://evil.example\\.googleapis.com", "https://evil.example%2f.googleapis.com/",
		"ftp://x.googleapis.com/", "//oauth2.googleapis.com/token", "",
		"file:///etc/passwd", "http://169.254.169.254/token"};

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		assert_int_equal(auth_address_check(good[i], NULL), 0);
	for (size_t i = 0; i < COUNT(bad); i++) {
		AUTO_FREE char *text = robot(rsa, bad[i]);
		struct err e = {0};

		assert_int_equal(auth_address_check(bad[i], &e), -1);
		assert_string_equal(e.cause, "token-address");
		if (*bad[i])
			assert_null(parse(text, NULL));
	}
}

static void secrets_are_masked_afterwards(void **state)
{
	struct err e = {0};
	AUTO_FREE char *shown = NULL;

	(void)state;
	assert_null(parse("{\"type\":\"authorized_user\",\"client_id\":\"c\",\"client_secret\":"
			  "\"GOCSPX-topsecret\",\"refresh_token\":7}",
		&e));
	shown = redact_dup("it said GOCSPX-topsecret");
	assert_string_equal(shown, "it said [credentials]");
}

static void paths_that_are_no_file_are_named(void **state)
{
	AUTO_FREE char *missing = path_join(dir, "missing.json");
	AUTO_FREE char *circle = path_join(dir, "circle.json");
	AUTO_FREE char *large = path_join(dir, "large.json");
	AUTO_FREE char *locked = path_join(dir, "locked.json");
	AUTO(buf_fini) struct buf b = {0};
	struct err e = {0};

	(void)state;
	assert_null(auth_file_read(missing, &e));
	assert_int_equal(e.code, ERR_PERSON);
	assert_string_equal(e.cause, "no-login");
	assert_non_null(strstr(e.what, missing));
	setenv("GOOGLE_APPLICATION_CREDENTIALS", missing, 1);
	assert_null(auth_file_read(missing, &e));
	assert_non_null(strstr(e.what, "GOOGLE_APPLICATION_CREDENTIALS names"));
	assert_non_null(strstr(e.hint, "unset GOOGLE_APPLICATION_CREDENTIALS"));
	unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
	assert_null(auth_file_read(dir, &e));
	assert_int_equal(e.code, ERR_BAD_FILE);
	assert_string_equal(e.cause, "credentials-file");
	assert_int_equal(symlink(circle, circle), 0);
	assert_null(auth_file_read(circle, &e));
	assert_int_equal(e.code, ERR_BAD_FILE);
	buf_adds(&b, "{" USER ",\"x\":\"");
	while (b.len < 2 << 20)
		buf_adds(&b, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	buf_adds(&b, "\"}");
	assert_int_equal(path_write(large, b.data, b.len, NULL), 0);
	assert_null(auth_file_read(large, &e));
	assert_non_null(strstr(e.what, "larger"));
	assert_int_equal(path_write(locked, "{" USER "}", strlen("{" USER "}"), NULL), 0);
	assert_int_equal(chmod(locked, 0), 0);
	{
		struct auth_file *f = auth_file_read(locked, &e);

		assert_true((f != NULL) == (access(locked, R_OK) == 0));
		auth_file_free(f);
	}
}

/* GCE's word in the environment decides; a question to the network is the last resort. */
static void the_metadata_server_is_found_by_the_environment(void **state)
{
	AUTO_FREE char *url = NULL;
	AUTO_FREE char *root = NULL;

	(void)state;
	setenv("NO_GCE_CHECK", "true", 1);
	setenv("GCE_METADATA_HOST", "127.0.0.1:81", 1);
	assert_int_equal(auth_metadata(), AUTH_METADATA_NO);
	unsetenv("NO_GCE_CHECK");
	assert_int_equal(auth_metadata(), AUTH_METADATA_YES);
	url = auth_metadata_url("project/project-id");
	assert_string_equal(url, "http://127.0.0.1:81/computeMetadata/v1/project/project-id");
	unsetenv("GCE_METADATA_HOST");
	setenv("CLOUD_SHELL", "true", 1);
	assert_int_equal(auth_metadata(), AUTH_METADATA_YES);
	unsetenv("CLOUD_SHELL");
	setenv("GCE_METADATA_ROOT", "metadata.google.internal", 1);
	root = auth_metadata_url("x");
	assert_string_equal(root, "http://metadata.google.internal/computeMetadata/v1/x");
	unsetenv("GCE_METADATA_ROOT");
	setenv("GCE_METADATA_TIMEOUT", "7", 1);
	assert_int_equal(auth_metadata_ms(), 7000);
	setenv("GCE_METADATA_TIMEOUT", "soon", 1);
	assert_int_equal(auth_metadata_ms(), 3000);
	unsetenv("GCE_METADATA_TIMEOUT");
}

static void touch(const char *file)
{
	AUTO_FREE char *parent = x_strndup(file, (size_t)(strrchr(file, '/') - file));

	assert_int_equal(path_mkdirs(parent, NULL), 0);
	assert_int_equal(path_write(file, "{}", 2, NULL), 0);
}

/* gcluster and terraform are told where the login lies exactly when they would not find it. */
static void R07_go_programs_get_the_same_login(void **state)
{
	static const char name[] = "application_default_credentials.json";
	AUTO_FREE char *home = path_join(dir, "home");
	AUTO_FREE char *hidden = path_join(dir, "cloudsdk");
	AUTO_FREE char *usual = x_asprintf("%s/.config/gcloud", home);
	AUTO_FREE char *hidden_file = path_join(hidden, name);
	AUTO_FREE char *usual_file = path_join(usual, name);
	AUTO_FREE char *alias = path_join(dir, "alias");
	AUTO_FREE char *old_home = getenv("HOME") ? x_strdup(getenv("HOME")) : NULL;
	const char *why;
	char *file;

	(void)state;
	setenv("HOME", home, 1);
	unsetenv("CLOUDSDK_CONFIG");
	unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
	touch(usual_file);
	assert_null(auth_child_file(&why));
	assert_non_null(strstr(why, "every program looks"));
	setenv("CLOUDSDK_CONFIG", hidden, 1);
	assert_null(auth_child_file(&why));
	assert_non_null(strstr(why, "no such file"));
	touch(hidden_file);
	file = auth_child_file(&why);
	assert_string_equal(file, hidden_file);
	assert_non_null(strstr(why, "ignore CLOUDSDK_CONFIG"));
	free(file);
	/* an empty variable counts as none, for Go too */
	setenv("GOOGLE_APPLICATION_CREDENTIALS", "", 1);
	file = auth_child_file(&why);
	assert_string_equal(file, hidden_file);
	free(file);
	setenv("GOOGLE_APPLICATION_CREDENTIALS", usual_file, 1);
	assert_null(auth_child_file(&why));
	assert_non_null(strstr(why, "set already"));
	unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
	setenv("CLOUDSDK_CONFIG", usual, 1);
	assert_null(auth_child_file(&why));
	/* the same folder by another name */
	assert_int_equal(symlink(usual, alias), 0);
	setenv("CLOUDSDK_CONFIG", alias, 1);
	assert_null(auth_child_file(&why));
	unsetenv("CLOUDSDK_CONFIG");
	if (old_home)
		setenv("HOME", old_home, 1);
	else
		unsetenv("HOME");
}

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
	unsetenv("CLOUD_SHELL");
	dir = x_asprintf("%s/rlpilot-auth-file-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return -1;
	rsa = fixture("jwt-rsa.pem");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	path_remove_tree(dir, NULL);
	free(dir);
	free(rsa);
	redact_wipe();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_read),
		cmocka_unit_test(bad_texts_are_named),
		cmocka_unit_test(every_cut_of_a_file_is_an_error),
		cmocka_unit_test(keys_that_are_none_are_named),
		cmocka_unit_test(other_kinds_are_left_to_gcloud),
		cmocka_unit_test(secrets_go_to_google_alone),
		cmocka_unit_test(secrets_are_masked_afterwards),
		cmocka_unit_test(paths_that_are_no_file_are_named),
		cmocka_unit_test(the_metadata_server_is_found_by_the_environment),
		cmocka_unit_test(R07_go_programs_get_the_same_login),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
