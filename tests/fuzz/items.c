/* SPDX-License-Identifier: Apache-2.0 */
/* A list and a stream give the same objects however their bytes are cut. */
#include "tests/fuzz/fuzz.h"

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/fmt/items.h"

#include <string.h>

static void collect(void *arg, const char *json, size_t n)
{
	MUST(json[n] == '\0');
	buf_add(arg, json, n);
	buf_addc(arg, '\n');
}

static int whole(
	enum items_form form, const uint8_t *data, size_t n, uint32_t *seed, struct buf *out)
{
	struct items it;
	struct err e = {0};
	int rc = 0;
	size_t rest_n;
	items_init(&it, form, "items", collect, out);
	while (n && rc == 0) {
		size_t some = seed ? fuzz_chunk(seed, n) : n;
		rc = items_feed(&it, (const char *)data, some, &e);
		data += some;
		n -= some;
	}
	if (rc == 0)
		rc = items_end(&it, &e);
	const char *rest = items_rest(&it, &rest_n);
	if (rc == 0)
		buf_add(out, rest, rest_n);
	items_fini(&it);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int form = ITEMS_STREAM; form <= ITEMS_LIST; form++) {
		AUTO(buf_fini) struct buf once = {0}, chunked = {0};
		uint32_t seed = (uint32_t)size;
		int rc = whole((enum items_form)form, data, size, NULL, &once);
		MUST(whole((enum items_form)form, data, size, &seed, &chunked) == rc);
		MUST(once.len == chunked.len);
		MUST(!memcmp(buf_str(&once), buf_str(&chunked), once.len));
	}
	return 0;
}
