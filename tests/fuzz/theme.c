/* SPDX-License-Identifier: Apache-2.0 */
/* A theme of any bytes is a theme or an error with its place. */
#include "tests/fuzz/fuzz.h"

#include "core/base/err.h"
#include "core/base/text.h"
#include "tui/theme.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct theme t;
	struct err e = {0};
	if (theme_parse(&t, (const char *)data, size, "t.yaml", &e) < 0) {
		MUST(e.code == ERR_BAD_FILE && text_starts(e.place, "t.yaml"));
		return 0;
	}
	for (int form = 0; form < THEME_FORMS; form++)
		for (int r = 0; r < ROLE_COUNT; r++)
			MUST(t.styles[form][r].fg >= -1 && t.styles[form][r].fg < 256 &&
				t.styles[form][r].bg >= -1 && t.styles[form][r].bg < 256);
	return 0;
}
