/* SPDX-License-Identifier: Apache-2.0 */
/* The tutorial's edits of any text: refused and untouched, or done exactly once; then the diff. */
#include "tests/fuzz/fuzz.h"

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/fmt/blueprint.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = {0};
	AUTO(buf_fini) struct buf out = {0}, twice = {0}, diff = {0};
	AUTO_FREE char *text = fuzz_string(data, size);
	if (blueprint_edit(text, strlen(text), blueprint_tutorial, BLUEPRINT_EDITS, &out, &e) < 0) {
		MUST(e.code == ERR_BAD_FILE && !out.len);
		buf_adds(&out, "one\ntwo\n");
	} else {
		MUST(blueprint_edit(buf_str(&out), out.len, blueprint_tutorial, BLUEPRINT_EDITS,
			     &twice, &e) < 0);
	}
	blueprint_diff("old", text, "new", buf_str(&out), &diff);
	MUST(!diff.len == !strcmp(text, buf_str(&out)));
	return 0;
}
