/* SPDX-License-Identifier: Apache-2.0 */
/* Signed tokens against one made by the openssl program; keys that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/fmt/json.h"
#include "core/fmt/jwt.h"

static char *fixture(const char *name)
{
	AUTO_FREE char *path = x_asprintf("%s/tests/unit/fixtures/%s", getenv("srcdir"), name);
	struct buf b = {0};

	assert_int_equal(path_read(path, 1 << 16, &b, NULL), 0);
	return buf_take(&b);
}

static json_t *vector_claims(void)
{
	return json_pack("{s:s, s:s, s:s, s:I, s:I}", "iss", "bot@lab.iam.gserviceaccount.com",
		"scope", "a b", "aud", "https://oauth2.googleapis.com/token", "iat",
		(json_int_t)1700000000, "exp", (json_int_t)1700003600);
}

static void the_signature_is_that_of_openssl(void **state)
{
	static const char *const keys[] = {"jwt-rsa.pem", "jwt-rsa-pkcs1.pem"};
	AUTO_FREE char *want = fixture("jwt-token.txt");
	AUTO(json_auto) json_t *claims = vector_claims();

	(void)state;
	want[strcspn(want, "\n")] = '\0';
	for (size_t i = 0; i < COUNT(keys); i++) {
		AUTO_FREE char *key = fixture(keys[i]);
		AUTO_FREE char *got = jwt_sign("a1b2", claims, key, NULL);

		assert_string_equal(got, want);
		assert_int_equal(jwt_key_check(key, NULL), 0);
	}
}

static void a_key_without_an_id_has_no_kid(void **state)
{
	AUTO_FREE char *key = fixture("jwt-rsa.pem");
	AUTO(json_auto) json_t *claims = vector_claims();
	AUTO_FREE char *got = jwt_sign(NULL, claims, key, NULL);

	(void)state;
	/* {"alg":"RS256","typ":"JWT"} */
	assert_int_equal(strncmp(got, "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.", 37), 0);
}

static void keys_that_are_none_are_named(void **state)
{
	static const struct {
		const char *file, *text, *what;
	} bad[] = {
		{"jwt-ec.pem", NULL, "not an RSA key"},
		{"jwt-locked.pem", NULL, "locked by a passphrase"},
		{NULL, "", "not in PEM form"},
		{NULL, "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "not in PEM form"},
		{NULL, "-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----\n",
			"damaged"},
		{NULL, "-----BEGIN PRIVATE KEY-----", "damaged"},
	};
	AUTO(json_auto) json_t *claims = json_object();

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		AUTO_FREE char *key = bad[i].file ? fixture(bad[i].file) : x_strdup(bad[i].text);
		struct err e = {0};

		assert_null(jwt_sign(NULL, claims, key, &e));
		assert_int_equal(e.code, ERR_BAD_FILE);
		assert_non_null(strstr(e.what, bad[i].what));
		assert_int_equal(jwt_key_check(key, NULL), -1);
	}
}

static void claims_are_read_and_junk_is_none(void **state)
{
	static const char *const junk[] = {
		"", ".", "..", "a.b", "a.!!!.c", "a.e30", "a.bnVsbA.c", "a.WzFd.c", "a.eyJh.c"};
	AUTO_FREE char *token = fixture("jwt-token.txt");
	AUTO(json_auto) json_t *claims = jwt_claims(token);

	(void)state;
	assert_string_equal(json_path_str(claims, "iss"), "bot@lab.iam.gserviceaccount.com");
	assert_null(jwt_claims(NULL));
	for (size_t i = 0; i < COUNT(junk); i++)
		assert_null(jwt_claims(junk[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_signature_is_that_of_openssl),
		cmocka_unit_test(a_key_without_an_id_has_no_kid),
		cmocka_unit_test(keys_that_are_none_are_named),
		cmocka_unit_test(claims_are_read_and_junk_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
