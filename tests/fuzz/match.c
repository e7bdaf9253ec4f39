/* SPDX-License-Identifier: Apache-2.0 */
/* A person's pattern (the first line) over any text: an error, or an answer in time. */
#include "tests/fuzz/fuzz.h"

#include "core/base/err.h"
#include "core/base/match.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nl = size ? memchr(data, '\n', size) : NULL;
	size_t first = nl ? (size_t)(nl - data) : size;
	const char *rest = nl ? (const char *)nl + 1 : "";
	size_t n = nl ? size - first - 1 : 0;
	AUTO_FREE char *pattern = fuzz_string(data, first);
	struct err e = {0};
	struct match_span spans[4];
	struct match *m = match_new(pattern, false, &e);
	if (!m) {
		MUST(e.code != ERR_NONE && *e.what);
		return 0;
	}
	if (match_find(m, rest, n, 0, spans, COUNT(spans)))
		MUST(spans[0].start <= n && spans[0].len <= n - spans[0].start);
	match_free(m);
	return 0;
}
