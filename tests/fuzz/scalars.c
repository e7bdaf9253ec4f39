/* SPDX-License-Identifier: Apache-2.0 */
/* Times, durations, quantities, numbers and digests: what is read is written so that it reads the
 * same. */
#include "tests/fuzz/fuzz.h"

#include "core/base/text.h"
#include "core/fmt/digest.h"
#include "core/fmt/quantity.h"
#include "core/fmt/time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void times(const char *s, size_t n)
{
	struct time_stamp t, again;
	size_t used;
	char text[TIME_SIZE];
	int64_t ms, ms_again;
	if (time_parse(s, n, &t, &used)) {
		MUST(used <= n && t.ns >= 0 && t.ns < 1000000000);
		time_format_ns(&t, text);
		MUST(time_parse(text, strlen(text), &again, NULL) && !time_stamp_cmp(&t, &again));
		MUST(time_parse_ms(time_format_ms(time_stamp_ms(&t), text)) == time_stamp_ms(&t));
	}
	if (time_parse_duration(s, &ms)) {
		time_format_clock(ms, text);
		time_format_age(ms, text);
		time_format_duration(ms, text);
		MUST(time_parse_duration(text, &ms_again));
		MUST(ms_again == (ms > 0 ? ms / 1000 * 1000 : 0));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *s = fuzz_string(data, size);
	char human[QUANTITY_SIZE];
	double v;
	int64_t i;
	times(s, strlen(s));
	if (quantity_parse(s, &v))
		MUST(isfinite(v));
	MUST(quantity_bytes(s) >= -1);
	MUST(*quantity_human(quantity_bytes(s), human));
	if (text_to_i64(s, -5, 1000, &i) == 0)
		MUST(i >= -5 && i <= 1000);
	free(digest_base64_decode(s, &size));
	return 0;
}
