/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens by every kind of credentials. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/cloud/auth.h"
#include "core/cloud/project.h"
#include "core/fmt/cause.h"
#include "core/fmt/json.h"
#include "core/fmt/jwt.h"
#include "core/io/loop.h"
#include "tests/unit/cloud_rig.h"
#include "tests/unit/web.h"

#define FLAVOR "Metadata-Flavor: Google\r\n"

static void write_robot(bool loan)
{
	AUTO_FREE char *path = x_asprintf("%s/tests/unit/fixtures/jwt-rsa.pem", getenv("srcdir"));
	AUTO_FREE char *url = x_asprintf("%s/v1/projects/-/serviceAccounts/"
					 "lent@lab.iam.gserviceaccount.com:generateAccessToken",
		web_url(rig.web));
	AUTO(buf_fini) struct buf key = {0};
	AUTO(json_auto) json_t *j = NULL;
	AUTO_FREE char *text = NULL;

	assert_int_equal(path_read(path, 1 << 16, &key, NULL), 0);
	j = json_pack("{s:s, s:s, s:s, s:s, s:s}", "type", "service_account", "client_email",
		"bot@lab.iam.gserviceaccount.com", "private_key_id", "a1b2", "private_key",
		buf_str(&key), "token_uri", "https://oauth2.googleapis.com/token");
	if (loan)
		j = json_pack("{s:s, s:s, s:[s], s:s, s:o}", "type", "impersonated_service_account",
			"service_account_impersonation_url", url, "delegates",
			"projects/-/serviceAccounts/d@x", "quota_project_id", "payer",
			"source_credentials", j);
	text = json_line(j);
	rig_write_adc(text);
}

/* --- service accounts */

static char *form_value(const char *name)
{
	AUTO_FREE char *mark = x_asprintf("%s=", name);
	const char *at = strstr(buf_str(&rig.body), mark);

	assert_non_null(at);
	at += strlen(mark);
	return x_strndup(at, strcspn(at, "&"));
}

static void a_service_account_signs_its_request(void **state)
{
	AUTO_FREE char *token = NULL;
	AUTO(json_auto) json_t *claims = NULL;

	(void)state;
	write_robot(false);
	clock_fix(INT64_C(1700000000123));
	project_get(rig.cloud, "lab", rig_done);
	rig.odd[0] = (struct rig_answer){400, "", "{\"error\":\"invalid_grant\"}"};
	loop_run(rig.loop);
	rig_want_cause("credentials-damaged", "", "new credentials");
	assert_non_null(strstr(buf_str(&rig.body),
		"grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=eyJ"));
	token = form_value("assertion");
	claims = jwt_claims(token);
	assert_string_equal(json_path_str(claims, "iss"), "bot@lab.iam.gserviceaccount.com");
	assert_string_equal(json_path_str(claims, "aud"), "https://oauth2.googleapis.com/token");
	assert_string_equal(json_path_str(claims, "scope"),
		"https://www.googleapis.com/auth/cloud-platform "
		"https://www.googleapis.com/auth/userinfo.email");
	assert_int_equal(json_path_i64(claims, "iat", 0), 1700000000);
	assert_int_equal(json_path_i64(claims, "exp", 0), 1700003600);
	clock_fix(0);
	rig.odd[0] = (struct rig_answer){
		200, "", "{\"access_token\":\"robot-token\",\"expires_in\":3599}"};
	rig.odd_given = 0;
	rig_ask();
	rig_want_bearer("robot-token");
	assert_string_equal(auth_email(cloud_auth(rig.cloud)), "bot@lab.iam.gserviceaccount.com");
}

static void a_wrong_clock_is_told_by_the_date_of_the_answer(void **state)
{
	static const char body[] =
		"{\"error\":\"invalid_grant\",\"error_description\":\"Invalid JWT: Token must be a "
		"short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and "
		"exp values in the JWT claim.\"}";
	static const struct {
		int64_t now;
		const char *date, *what;
	} clocks[] = {
		{INT64_C(1789027200000), "Date: Thu, 10 Sep 2026 08:10:00 GMT\r\n",
			"10 minutes slow"},
		{INT64_C(1789027200000), "Date: Thu, 10 Sep 2026 05:00:00 GMT\r\n", "3 hours fast"},
		{INT64_C(1789027200000), "Date: Thu, 10 Sep 2026 08:00:10 GMT\r\n",
			"refuses the time"},
		{INT64_C(1789027200000), "", "refuses the time"},
	};

	(void)state;
	write_robot(false);
	for (size_t i = 0; i < COUNT(clocks); i++) {
		clock_fix(clocks[i].now);
		rig.odd[0] = (struct rig_answer){400, clocks[i].date, body};
		rig.odd_given = 0;
		rig_ask();
		rig_want_cause("clock", clocks[i].what, "set-ntp");
	}
	clock_fix(0);
}

static void a_deleted_key_is_told(void **state)
{
	(void)state;
	write_robot(false);
	rig.odd[0] = (struct rig_answer){400, "",
		"{\"error\":\"invalid_grant\",\"error_description\":\"Invalid JWT Signature.\"}"};
	rig.odd[1] = (struct rig_answer){400, "",
		"{\"error\":\"invalid_grant\",\"error_description\":\"Invalid grant: account not "
		"found\"}"};
	rig_ask();
	rig_want_cause("key-revoked", "Invalid JWT Signature", "keys create");
	rig_ask();
	rig_want_cause("account-gone", "account not found", "another account");
}

/* --- impersonation */

static void a_borrowed_account_gives_the_token(void **state)
{
	(void)state;
	rig.refuse = 0;
	write_robot(true);
	rig_ask();
	rig_want_bearer("lent-token");
	assert_int_equal(rig.tokens_given, 1);
	assert_int_equal(rig.lent, 1);
	assert_string_equal(auth_email(cloud_auth(rig.cloud)), "lent@lab.iam.gserviceaccount.com");
	assert_string_equal(auth_quota_project(cloud_auth(rig.cloud)), "payer");
	assert_non_null(
		strstr(buf_str(&rig.seen), "POST /v1/projects/-/serviceAccounts/"
					   "lent@lab.iam.gserviceaccount.com:generateAccessToken"));
}

static void who_may_not_borrow_is_told(void **state)
{
	(void)state;
	write_robot(true);
	rig.odd[0] = (struct rig_answer){200, "", "{\"access_token\":\"t\",\"expires_in\":9}"};
	rig.odd[1] = (struct rig_answer){403, "",
		"{\"error\":{\"code\":403,\"message\":\"Permission "
		"'iam.serviceAccounts.getAccessToken' denied on resource (or it may not "
		"exist).\",\"status\":\"PERMISSION_DENIED\",\"details\":[{\"@type\":\"x\","
		"\"reason\":"
		"\"IAM_PERMISSION_DENIED\"}]}}"};
	rig_ask();
	rig_want_cause("impersonation", "bot@lab.iam.gserviceaccount.com may not act as",
		"serviceAccountTokenCreator");
	assert_non_null(strstr(buf_str(&rig.body), "\"delegates\":[\"projects/-/serviceAccounts/"
						   "d@x\"],\"lifetime\":\"3600s\""));
	rig.odd_given = 0;
	rig.odd[1] = (struct rig_answer){403, "",
		"{\"error\":{\"code\":403,\"status\":\"PERMISSION_DENIED\",\"message\":\"off\","
		"\"details\":[{\"@type\":\"x\",\"reason\":\"SERVICE_DISABLED\"}]}}"};
	rig_ask();
	rig_want_cause("api-off", "", "enable");
}

/* --- metadata server */

static void use_metadata(const char *host)
{
	AUTO_FREE char *adc = auth_adc_path();

	path_remove_tree(adc, NULL);
	unsetenv("NO_GCE_CHECK");
	setenv("GCE_METADATA_HOST", host, 1);
}

static void use_own_metadata(void)
{
	use_metadata(web_url(rig.web) + strlen("http://"));
}

static void a_machine_gives_its_token(void **state)
{
	(void)state;
	use_own_metadata();
	setenv("http_proxy", "http://127.0.0.1:9", 1);
	rig_ask();
	unsetenv("http_proxy");
	rig_want_bearer("metadata-token");
	assert_int_equal(rig.metadata_requests, 2);
	assert_string_equal(auth_email(cloud_auth(rig.cloud)), "vm@lab.iam.gserviceaccount.com");
}

static void what_is_no_metadata_server_is_told(void **state)
{
	(void)state;
	use_own_metadata();
	rig.odd[0] = (struct rig_answer){200, "", "{\"access_token\":\"trap\"}"};
	rig.odd[1] = (struct rig_answer){404, FLAVOR, ""};
	rig.odd[2] = (struct rig_answer){403, FLAVOR, ""};
	rig.odd[3] = (struct rig_answer){200, FLAVOR, "{}"};
	rig_ask();
	rig_want_cause("metadata", "not a metadata server", "GCE_METADATA_HOST");
	rig_ask();
	rig_want_cause("metadata", "no service account", "service account");
	rig_ask();
	rig_want_cause("metadata", "HTTP 403", "");
	rig_ask();
	rig_want_cause("token-answer", "", "");
	rig_clock(RIG_QUICK);
	use_metadata("127.0.0.1:1");
	rig_ask();
	rig_want_cause("metadata", "does not answer", "");
	assert_int_equal(rig.e.code, ERR_UNREACHABLE);
	use_metadata("192.0.2.1");
	rig_ask();
	assert_true(rig.failed);
	rig_clock("0@0*1");
}

static void Cloud_Shell_waits_for_a_click(void **state)
{
	(void)state;
	rig_clock(RIG_QUICK);
	use_own_metadata();
	setenv("CLOUD_SHELL", "true", 1);
	rig.odd[0] = (struct rig_answer){200, FLAVOR, ""};
	rig.odd[1] = (struct rig_answer){200, FLAVOR, "{\"access_token\":\"\"}"};
	rig.odd[2] = (struct rig_answer){403, FLAVOR, "denied"};
	rig.odd[3] = (struct rig_answer){500, FLAVOR, "denied"};
	rig_ask();
	rig_want_cause("cloud-shell-authorize", "click Authorize", "every 2 seconds");
	assert_int_equal(rig.metadata_requests, 1);
	/* the token comes without anybody asking: 4 refusals, then token and e-mail */
	while (!*auth_email(cloud_auth(rig.cloud))) {
		loop_after_wall(rig.loop, 20, (void (*)(void *))loop_stop, rig.loop);
		loop_run(rig.loop);
	}
	assert_int_equal(rig.metadata_requests, 6);
	rig_ask();
	rig_want_bearer("metadata-token");
	assert_int_equal(rig.metadata_requests, 6);
	rig_clock("0@0*1");
}

/* --- order */

static void the_file_that_is_named_counts(void **state)
{
	AUTO_FREE char *file = path_join(rig.dir, "named.json");

	(void)state;
	setenv("GOOGLE_APPLICATION_CREDENTIALS", file, 1);
	rig_ask();
	rig_want_cause("no-login", "named.json, which does not exist", "unset");
	assert_int_equal(path_write(file, "no", 2, NULL), 0);
	rig_ask();
	rig_want_cause("credentials-file", "named.json", "");
	assert_int_equal(rig.tokens_given, 0);
}

static void a_token_file_is_read(void **state)
{
	AUTO_FREE char *file = path_join(rig.dir, "token");

	(void)state;
	assert_int_equal(path_write(file, "ya29.from-file\n", 15, NULL), 0);
	setenv("CLOUDSDK_AUTH_ACCESS_TOKEN_FILE", file, 1);
	rig_ask();
	rig_want_bearer("ya29.from-file");
	assert_int_equal(path_write(file, "", 0, NULL), 0);
	rig.refuse = 1;
	rig_ask();
	rig_want_cause("token-answer", "", "");
}

static void without_any_login_gcloud_is_missed(void **state)
{
	AUTO_FREE char *adc = auth_adc_path();
	AUTO_FREE char *old = x_strdup(getenv("PATH"));

	(void)state;
	path_remove_tree(adc, NULL);
	setenv("PATH", rig.dir, 1);
	rig_ask();
	setenv("PATH", old, 1);
	rig_want_cause("no-login", "gcloud cannot be asked", "install gcloud");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
		T(a_service_account_signs_its_request),
		T(a_wrong_clock_is_told_by_the_date_of_the_answer),
		T(a_deleted_key_is_told),
		T(a_borrowed_account_gives_the_token),
		T(who_may_not_borrow_is_told),
		T(a_machine_gives_its_token),
		T(what_is_no_metadata_server_is_told),
		T(Cloud_Shell_waits_for_a_click),
		T(the_file_that_is_named_counts),
		T(a_token_file_is_read),
		T(without_any_login_gcloud_is_missed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
