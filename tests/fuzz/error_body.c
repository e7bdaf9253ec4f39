/* SPDX-License-Identifier: Apache-2.0 */
/* Error bodies of any service, proxy or cut connection: first byte the status, the rest the body.
 */
#include "tests/fuzz/fuzz.h"

#include "core/base/err.h"
#include "core/cloud/cloud.h"
#include "core/fmt/body.h"
#include "core/fmt/cause.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int statuses[] = {400, 401, 403, 404, 409, 410, 412, 429, 500, 502, 503, 504};
	if (!size)
		return 0;
	struct err e = {0};
	char word[24];
	int status = statuses[*data % COUNT(statuses)];
	const char *body = (const char *)data + 1;
	MUST(cloud_error(&e, "bucket b", status, body, size - 1) == -1);
	MUST(e.code != ERR_NONE && *e.what && e.http == status);
	for (const char *p = e.what; *p; p++)
		MUST((unsigned char)*p >= 0x20 && *p != 0x7f);
	cloud_reason(body, size - 1, word, sizeof(word));
	cause_of_reason(word);
	cause_of_text(body, size - 1);
	json_decref(body_tool_json(body, size - 1, NULL, NULL));
	return 0;
}
