/* SPDX-License-Identifier: Apache-2.0 */
/* Every refusal of the token service, its cause and its cure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "core/cloud/auth.h"
#include "tests/unit/cloud_rig.h"

static const struct refusal {
	int status;
	const char *body, *cause, *what, *hint;
	enum err_code code;
} refusals[] = {
	{400,
		"{\"error\":\"invalid_grant\",\"error_description\":\"Token has been expired or "
		"revoked.\"}",
		"login-expired", "expired or was revoked", "gcloud auth application-default login",
		ERR_PERSON},
	{400, "{\"error\":\"invalid_grant\"}", "login-expired", "invalid_grant",
		"gcloud auth application-default login", ERR_PERSON},
	{400, "{\"error\":\"invalid_grant\",\"error_subtype\":\"rapt_required\"}", "login-reauth",
		"log in again", "gcloud auth login && gcloud auth application-default login",
		ERR_PERSON},
	{400,
		"{\"error\":\"invalid_grant\",\"error_description\":\"reauth related error "
		"(invalid_rapt)\"}",
		"login-reauth", "log in again", "gcloud auth login", ERR_PERSON},
	{401,
		"{\"error\":\"invalid_client\",\"error_description\":\"The OAuth client was not "
		"found.\"}",
		"credentials-damaged", "not found", "gcloud auth application-default login",
		ERR_PERSON},
	{400, "{\"error\":\"unauthorized_client\",\"error_description\":\"Unauthorized\"}",
		"credentials-damaged", "unauthorized_client",
		"gcloud auth application-default login", ERR_PERSON},
	{400,
		"{\"error\":\"invalid_grant\",\"error_description\":\"Account has been "
		"deleted\"}",
		"account-gone", "deleted", "another account", ERR_PERSON},
	{200, "<html><title>Welcome to the airport</title></html>", "token-answer", "not JSON",
		"proxy", ERR_UNREACHABLE},
	{200, "", "token-answer", "not JSON", "proxy", ERR_UNREACHABLE},
	{200, "{}", "token-answer", "no usable access token", "proxy", ERR_UNREACHABLE},
	{200, "{\"access_token\":7}", "token-answer", "no usable access token", "proxy",
		ERR_UNREACHABLE},
	{200, "{\"access_token\":\"a\\r\\nX: y\"}", "token-answer", "no usable access token",
		"proxy", ERR_FAILED},
	{200, "{\"access_token\":\"\"}", "token-answer", "no usable access token", "proxy",
		ERR_FAILED},
	{403, "<html><h1>Blocked by policy</h1></html>", "proxy-page", "Blocked by policy", "",
		ERR_FAILED},
};

static void R06_refusals_of_the_token_service_have_cause_and_cure(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(refusals); i++) {
		const struct refusal *r = &refusals[i];

		rig.odd_given = 0;
		rig.odd[0] = (struct rig_answer){r->status, "", r->body};
		rig.token_requests = 0;
		rig_ask();
		rig_want_cause(r->cause, r->what, r->hint);
		assert_int_equal(rig.e.code, r->code);
		assert_int_equal(rig.token_requests, 1);
	}
}

static void trouble_on_the_other_side_is_asked_three_times(void **state)
{
	static const struct rig_answer trouble[] = {
		{400, "", "{\"error\":\"internal_failure\"}"},
		{400, "", "{\"error\":\"server_error\"}"},
		{400, "", "{\"error\":\"temporarily_unavailable\"}"},
		{408, "", ""},
		{429, "", "{\"error\":\"rate_limit\"}"},
		{500, "", "{\"error\":\"internal_failure\"}"},
		{503, "", "<html>busy</html>"},
		{504, "", ""},
	};

	(void)state;
	rig_clock(RIG_QUICK);
	for (size_t i = 0; i < COUNT(trouble); i++) {
		rig.odd_given = 0;
		rig.odd[0] = rig.odd[1] = trouble[i];
		rig.odd[2].status = 0;
		rig.token_requests = 0;
		rig_ask();
		assert_false(rig.failed);
		assert_int_equal(rig.token_requests, 3);
		cloud_free(rig.cloud);
		rig.cloud = cloud_new(rig.loop);
		rig.odd_given = 0;
		rig.odd[2] = trouble[i];
		rig.token_requests = 0;
		rig_ask();
		assert_true(rig.failed);
		assert_int_equal(rig.token_requests, 3);
	}
	rig_clock("0@0*1");
}

static void a_named_file_changes_the_cure(void **state)
{
	AUTO_FREE char *file = auth_adc_path();

	(void)state;
	setenv("GOOGLE_APPLICATION_CREDENTIALS", file, 1);
	rig.odd[0] = (struct rig_answer){400, "", "{\"error\":\"invalid_grant\"}"};
	rig_ask();
	rig_want_cause("login-expired", "", "unset GOOGLE_APPLICATION_CREDENTIALS");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
		T(R06_refusals_of_the_token_service_have_cause_and_cure),
		T(trouble_on_the_other_side_is_asked_three_times),
		T(a_named_file_changes_the_cure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
