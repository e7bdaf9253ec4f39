/* SPDX-License-Identifier: Apache-2.0 */
/* Access tokens: sources, renewal, explanations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/cloud/auth.h"
#include "core/cloud/project.h"
#include "core/io/loop.h"
#include "tests/unit/cloud_rig.h"

static void a_token_is_fetched_once_and_sent(void **state)
{
	(void)state;
	project_get(rig.cloud, "my lab", rig_done);
	loop_run(rig.loop);
	assert_false(rig.failed);
	assert_non_null(strstr(buf_str(&rig.head), "GET /v3/projects/my%20lab "));
	assert_non_null(strstr(buf_str(&rig.head), "Authorization: Bearer token-1\r\n"));
	assert_non_null(strstr(buf_str(&rig.head), "x-goog-user-project: lab\r\n"));
	assert_string_equal(auth_email(cloud_auth(rig.cloud)), "ann@example.org");
	rig_ask();
	assert_int_equal(rig.tokens_given, 1);
	assert_true(cloud_clock_skew(rig.cloud) != 0);
}

static void the_refresh_form_is_escaped(void **state)
{
	(void)state;
	rig_write_adc(
		"{\"type\":\"authorized_user\",\"client_id\":\"id\",\"client_secret\":\"s&s\","
		"\"refresh_token\":\"revoked\"}");
	rig_ask();
	assert_true(rig.failed);
	assert_string_equal(buf_str(&rig.body),
		"grant_type=refresh_token&client_id=id&client_secret=s%26s&refresh_token=revoked");
	assert_int_equal(rig.e.code, ERR_PERSON);
	assert_non_null(strstr(rig.e.what, "organisation"));
	assert_non_null(strstr(rig.e.hint, "application-default login"));
}

static void a_refused_token_is_renewed_once(void **state)
{
	(void)state;
	rig.refuse = 1;
	rig_ask();
	assert_false(rig.failed);
	assert_int_equal(rig.tokens_given, 2);
	assert_non_null(strstr(buf_str(&rig.head), "Bearer token-2\r\n"));
	rig.refuse = 5;
	rig_ask();
	assert_true(rig.failed);
	assert_int_equal(rig.e.http, 401);
	assert_int_equal(rig.tokens_given, 3);
}

static void an_old_token_is_renewed_in_time(void **state)
{
	(void)state;
	clock_fix(1000000000);
	rig_ask();
	clock_fix(1000000000 + (3599 - 226) * INT64_C(1000));
	rig_ask();
	assert_int_equal(rig.tokens_given, 1);
	clock_fix(1000000000 + (3599 - 224) * INT64_C(1000));
	rig_ask();
	assert_int_equal(rig.tokens_given, 2);
	clock_fix(0);
}

static void bad_credentials_are_explained(void **state)
{
	static const struct {
		const char *text, *what;
	} bad[] = {
		{"{\"type\":\"service_account\"}", "client_email"},
		{"{\"type\":\"authorized_user\",\"client_id\":\"x\",\"client_secret\":\"y\"}",
			"refresh_token"},
		{"{", ""},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		rig_write_adc(bad[i].text);
		rig_ask();
		assert_true(rig.failed);
		assert_non_null(strstr(rig.e.what, bad[i].what));
	}
	assert_int_equal(rig.tokens_given, 0);
}

static void the_environments_token_comes_first(void **state)
{
	(void)state;
	setenv("CLOUDSDK_AUTH_ACCESS_TOKEN", "from-env", 1);
	rig_ask();
	assert_non_null(strstr(buf_str(&rig.head), "Bearer from-env\r\n"));
	assert_int_equal(rig.tokens_given, 0);
}

static void on_who(void *arg, const struct auth_who *who, const struct err *e)
{
	(void)arg;
	rig.failed = e != NULL;
	if (e)
		rig.e = *e;
	buf_clear(&rig.seen);
	if (who)
		buf_addf(&rig.seen, "%s %s %s", who->email, who->project, who->quota_project);
	loop_stop(rig.loop);
}

static void write_gcloud(const char *script)
{
	AUTO_FREE char *file = path_join(rig.dir, "gcloud");
	AUTO_FREE char *text = x_asprintf("#!/bin/sh\n%s\n", script);
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fchmod(fileno(f), 0700), 0);
	fclose(f);
}

static void gcloud_is_the_last_source(void **state)
{
	AUTO_FREE char *old = x_strdup(getenv("PATH"));
	AUTO_FREE char *path = x_asprintf("%s:%s", rig.dir, old);

	(void)state;
	setenv("PATH", path, 1);
	write_gcloud(
		"test \"$CLOUDSDK_CORE_DISABLE_PROMPTS $*\" = '1 config config-helper "
		"--format=json "
		"--min-expiry=5m' || exit 9\n"
		"echo "
		"'{\"configuration\":{\"properties\":{\"core\":{\"account\":\"bo@example.org\","
		"\"project\":\"lab-2\"}}},\"credential\":{\"access_token\":\"from-gcloud\","
		"\"token_expiry\":\"2099-01-01T00:00:00Z\"}}'");
	auth_probe(cloud_auth(rig.cloud), AUTH_GCLOUD, on_who, &rig);
	loop_run(rig.loop);
	assert_false(rig.failed);
	assert_string_equal(buf_str(&rig.seen), "bo@example.org lab-2 ");
	auth_probe(cloud_auth(rig.cloud), AUTH_ADC, on_who, &rig);
	loop_run(rig.loop);
	assert_string_equal(buf_str(&rig.seen), "ann@example.org  lab");
	{
		AUTO_FREE char *adc = auth_adc_path();

		path_remove_tree(adc, NULL);
	}
	rig_ask();
	assert_non_null(strstr(buf_str(&rig.head), "Bearer from-gcloud\r\n"));
	write_gcloud(
		"echo 'ERROR: You do not currently have an active account selected.' >&2; exit 1");
	auth_probe(cloud_auth(rig.cloud), AUTH_GCLOUD, on_who, &rig);
	loop_run(rig.loop);
	assert_true(rig.failed);
	assert_int_equal(rig.e.code, ERR_PERSON);
	assert_non_null(strstr(rig.e.what, "active account"));
	auth_probe(cloud_auth(rig.cloud), AUTH_ADC, on_who, &rig);
	loop_run(rig.loop);
	assert_true(rig.failed);
	setenv("PATH", old, 1);
}

static void an_old_token_serves_while_the_service_has_trouble(void **state)
{
	(void)state;
	clock_fix(INT64_C(1000000000));
	rig_ask();
	rig_want_bearer("token-1");
	/* within the last 225 seconds, and the service does not answer */
	clock_fix(INT64_C(1000000000) + 3500 * INT64_C(1000));
	rig.odd[0] = (struct rig_answer){200, "", ""};
	rig_ask();
	rig_want_bearer("token-1");
	clock_fix(INT64_C(1000000000) + 3600 * INT64_C(1000));
	rig.odd_given = 0;
	rig_ask();
	rig_want_cause("token-answer", "", "");
	clock_fix(0);
}

static void R76_many_calls_share_one_renewal(void **state)
{
	(void)state;
	rig_ask();
	rig.refuse = 3;
	for (int i = 0; i < 3; i++)
		project_get(rig.cloud, "lab", rig_done);
	rig.calls = 0;
	while (rig.calls < 3)
		loop_run(rig.loop);
	assert_false(rig.failed);
	assert_int_equal(rig.tokens_given, 2);
}

static void the_quota_project_is_the_newest(void **state)
{
	(void)state;
	rig_ask();
	assert_string_equal(auth_quota_project(cloud_auth(rig.cloud)), "lab");
	rig_write_adc(
		"{\"type\":\"authorized_user\",\"client_id\":\"id\",\"client_secret\":\"s&s\","
		"\"refresh_token\":\"1//refresh\",\"quota_project_id\":\"other\"}");
	rig.refuse = 1;
	rig_ask();
	assert_string_equal(auth_quota_project(cloud_auth(rig.cloud)), "other");
	assert_non_null(strstr(buf_str(&rig.head), "x-goog-user-project: other\r\n"));
	setenv("GOOGLE_CLOUD_QUOTA_PROJECT", "from-env", 1);
	rig.refuse = 1;
	rig_ask();
	assert_non_null(strstr(buf_str(&rig.head), "x-goog-user-project: from-env\r\n"));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
		T(a_token_is_fetched_once_and_sent),
		T(the_refresh_form_is_escaped),
		T(a_refused_token_is_renewed_once),
		T(an_old_token_is_renewed_in_time),
		T(an_old_token_serves_while_the_service_has_trouble),
		T(R76_many_calls_share_one_renewal),
		T(the_quota_project_is_the_newest),
		T(bad_credentials_are_explained),
		T(the_environments_token_comes_first),
		T(gcloud_is_the_last_source),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
