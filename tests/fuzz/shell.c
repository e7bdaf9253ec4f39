/* SPDX-License-Identifier: Apache-2.0 */
/* Pasted assignments are read to their end or their fault; what we quote is read back the same. */
#include "tests/fuzz/fuzz.h"

#include "core/base/buf.h"
#include "core/fmt/shell.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *text = fuzz_string(data, size);
	const char *s = text;
	char *name, *value;
	int rc;
	do {
		const char *before = s;
		rc = shell_assignment(&s, &name, &value);
		MUST(s >= before && s <= text + strlen(text));
		if (rc == 1) {
			MUST(s > before && *name);
			free(name);
			free(value);
		}
	} while (rc == 1);

	AUTO(buf_fini) struct buf line = {0};
	buf_adds(&line, "A=");
	shell_quote(&line, text);
	s = buf_str(&line);
	MUST(shell_assignment(&s, &name, &value) == 1 && !strcmp(value, text) && !*s);
	free(name);
	free(value);
	return 0;
}
