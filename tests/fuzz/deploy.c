/* SPDX-License-Identifier: Apache-2.0 */
/* Output of a deploy, terraform's JSON or text, line by line: progress never runs past its plan. */
#include "tests/fuzz/fuzz.h"

#include "core/run/deploy.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct deploy d = {0};
	const uint8_t *end = data + size;
	while (data < end) {
		const uint8_t *nl = memchr(data, '\n', (size_t)(end - data));
		size_t n = (size_t)((nl ? nl : end) - data);
		deploy_line(&d, (const char *)data, n);
		MUST(d.done >= 0 && d.total >= 0);
		MUST(memchr(d.at, '\0', sizeof(d.at)) && memchr(d.error, '\0', sizeof(d.error)));
		data += n + 1;
	}
	return 0;
}
