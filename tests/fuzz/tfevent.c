/* SPDX-License-Identifier: Apache-2.0 */
/* Event files: same points and same verdict however the bytes are cut. */
#include "tests/fuzz/fuzz.h"

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/fmt/tfevent.h"
#include "core/model/series.h"

#include <string.h>

static void collect(void *arg, const struct tfevent_scalar *s)
{
	series_event_step(s->tag, s->step);
	buf_addf(arg, "%s %lld %a %a\n", s->tag, (long long)s->step, s->value, s->wall);
}

static uint64_t read_all(const uint8_t *data, size_t n, uint32_t *seed, struct buf *out)
{
	struct tfevent_reader r = {.scalar = collect, .arg = out};
	struct err e = {0};
	int rc = 0;
	while (n && rc == 0) {
		size_t some = seed ? fuzz_chunk(seed, n) : n;
		rc = tfevent_feed(&r, data, some, &e);
		data += some;
		n -= some;
	}
	MUST(rc == 0 || (r.broken && *e.what));
	uint64_t end = r.offset;
	tfevent_fini(&r);
	return end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(buf_fini) struct buf once = {0}, chunked = {0};
	uint32_t seed = (uint32_t)size;
	uint64_t end = read_all(data, size, NULL, &once);
	MUST(end <= size && read_all(data, size, &seed, &chunked) == end);
	MUST(once.len == chunked.len && !memcmp(buf_str(&once), buf_str(&chunked), once.len));
	return 0;
}
