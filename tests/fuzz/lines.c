/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes give the same lines however they are cut. */
#include "tests/fuzz/fuzz.h"

#include "core/io/lines.h"

#include <string.h>

static void collect(void *arg, const char *line, size_t n, bool cut)
{
	MUST(n <= LINES_MAX && line[n] == '\0' && !memchr(line, '\n', n));
	buf_add(arg, line, n);
	buf_adds(arg, cut ? "\ncut\n" : "\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(buf_fini) struct buf once = {0}, chunked = {0};
	struct lines l;
	uint32_t seed = (uint32_t)size;
	lines_init(&l, collect, &once);
	lines_feed(&l, (const char *)data, size);
	lines_end(&l);
	lines_fini(&l);
	lines_init(&l, collect, &chunked);
	for (size_t n = 0, some; n < size; n += some) {
		some = fuzz_chunk(&seed, size - n);
		lines_feed(&l, (const char *)data + n, some);
	}
	lines_end(&l);
	lines_fini(&l);
	MUST(once.len == chunked.len && !memcmp(buf_str(&once), buf_str(&chunked), once.len));
	return 0;
}
