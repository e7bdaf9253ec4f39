/* SPDX-License-Identifier: Apache-2.0 */
/* Credential files of every kind, addresses a secret may go to, and claims of a token. */
#include "tests/fuzz/fuzz.h"

#include "core/base/err.h"
#include "core/base/redact.h"
#include "core/cloud/auth_file.h"
#include "core/fmt/json.h"
#include "core/fmt/jwt.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = {0};
	struct auth_file *f = auth_file_parse("/adc.json", (const char *)data, size, &e);
	if (f) {
		MUST(f->kind);
		if (!strcmp(f->kind, AUTH_USER))
			MUST(f->client_id && f->client_secret && f->refresh_token);
		if (!strcmp(f->kind, AUTH_SERVICE_ACCOUNT))
			MUST(f->private_key && auth_address_check(f->token_address, &e) == 0);
		if (!strcmp(f->kind, AUTH_IMPERSONATED))
			MUST(f->source && auth_address_check(f->impersonation_address, &e) == 0);
		auth_file_free(f);
	} else {
		MUST(e.code != ERR_NONE && *e.what);
	}
	AUTO_FREE char *text = fuzz_string(data, size);
	json_t *claims = jwt_claims(text);
	json_decref(claims);
	auth_address_check(text, NULL);
	redact_wipe();
	return 0;
}
