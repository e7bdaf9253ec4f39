/* SPDX-License-Identifier: Apache-2.0 */
/* Text from outside: nothing that moves a cursor comes through, secrets do not, cuts keep to cells.
 */
#include "tests/fuzz/fuzz.h"

#include "core/base/buf.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/fmt/ansi.h"

#include <string.h>

static void harmless(const struct buf *b)
{
	const char *s = buf_str(b);
	for (size_t i = 0, used; i < b->len; i += used) {
		uint32_t cp;
		used = text_decode(s + i, b->len - i, &cp);
		MUST(cp >= 0x20 && cp != 0x7f && !(cp >= 0x80 && cp < 0xa0));
		MUST(cp != 0xfffd || used == 3);
		MUST(!(cp >= 0x202a && cp <= 0x202e) && !(cp >= 0x2066 && cp <= 0x2069));
	}
}

static void cells(const char *s)
{
	for (int n = 0; n < 40; n += 13) {
		int used;
		AUTO_FREE char *cut = text_cut(s, n);
		AUTO(buf_fini) struct buf padded = {0};
		MUST(text_width(cut) <= n);
		MUST(text_fit(s, n, &used) <= strlen(s) && used <= n);
		text_pad(&padded, cut, n);
		MUST(text_width(buf_str(&padded)) == n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *)data;
	AUTO(buf_fini) struct buf clean = {0}, again = {0}, visible = {0}, safe = {0};
	size_t last = size;
	text_clean(&clean, s, size);
	harmless(&clean);
	text_clean(&again, buf_str(&clean), clean.len);
	MUST(clean.len == again.len && !memcmp(buf_str(&clean), buf_str(&again), clean.len));
	cells(buf_str(&clean));
	if (!memchr(s, '\n', size)) {
		ansi_visible(&visible, s, size);
		harmless(&visible);
		const char *segment = ansi_last_segment(s, &last);
		MUST(segment >= s && segment + last <= s + size);
	}
	redact_add("s3cret-of-a-test", "$SECRET");
	redact(&safe, s, size);
	MUST(!memmem(buf_str(&safe), safe.len, "s3cret-of-a-test", 16));
	return 0;
}
