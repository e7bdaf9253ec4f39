/* SPDX-License-Identifier: Apache-2.0 */
/* Output of a deploy, terraform's JSON or text, line by line: progress never runs past its plan,
 * errors are told. */
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
		deploy_line(&d, (const char *)data, n, 0);
		MUST(d.done >= 0 && d.total >= 0);
		MUST(d.n <= DEPLOY_BUSY);
		for (size_t i = 0; i < d.n; i++) {
			char name[32];
			MUST(memchr(d.busy[i].name, '\0', sizeof(d.busy[i].name)) &&
				*d.busy[i].name);
			MUST(i == 0 || d.busy[i - 1].since <= d.busy[i].since);
			deploy_name(d.busy[i].name, name, sizeof(name));
		}
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
