/* SPDX-License-Identifier: Apache-2.0 */
/* Output of a deploy, terraform's JSON or text, line by line: progress never runs past its plan, errors
 * are told. */
#include "tests/fuzz/fuzz.h"

#include "core/fmt/tferr.h"
#include "core/run/deploy.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct deploy d = {0};
	struct tferr_list errors = {0};
	const uint8_t *end = data + size;
	while (data < end) {
		const uint8_t *nl = memchr(data, '\n', (size_t)(end - data));
		size_t n = (size_t)((nl ? nl : end) - data);
		deploy_line(&d, (const char *)data, n);
		MUST(d.done >= 0 && d.total >= 0);
		MUST(memchr(d.at, '\0', sizeof(d.at)));
		tferr_line(&errors, (const char *)data, n);
		data += n + 1;
	}
	tferr_end(&errors);
	MUST(errors.n <= TFERR_MAX && !errors.n == !tferr_main(&errors));
	if (errors.n)
		free(tferr_told(tferr_main(&errors)));
	tferr_fini(&errors);
	return 0;
}
