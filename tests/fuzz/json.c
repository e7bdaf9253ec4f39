/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever parses prints as one line that parses to the same; any text is a path. */
#include "tests/fuzz/fuzz.h"

#include "core/base/err.h"
#include "core/fmt/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void paths(const json_t *j, const char *path)
{
	json_path(j, path);
	json_path_str_or(j, path, "");
	json_path_i64(j, path, 0);
	json_path_bool(j, path, false);
	MUST(isfinite(json_path_num(j, path, 0)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = {0};
	const uint8_t *line_end = size ? memchr(data, '\n', size) : NULL;
	size_t first = line_end ? (size_t)(line_end - data) : 0;
	AUTO_FREE char *path = fuzz_string(data, first);
	AUTO(json_auto) json_t *j = json_parse((const char *)data + first, size - first, &e);
	if (!j) {
		MUST(e.code == ERR_BAD_FILE && *e.what);
		return 0;
	}
	paths(j, path);
	AUTO_FREE char *line = json_line(j);
	AUTO(json_auto) json_t *again = json_parse(line, strlen(line), &e);
	/* Reals keep 15 digits: the second writing is the fixed point. The largest may round up to
	 * infinity. */
	if (!again) {
		MUST(strstr(line, "e308"));
		return 0;
	}
	AUTO_FREE char *twice = json_line(again);
	MUST(!strcmp(line, twice));
	AUTO_FREE char *pretty = json_pretty(j);
	AUTO(json_auto) json_t *third = json_parse(pretty, strlen(pretty), &e);
	MUST(third && json_equal(again, third));
	return 0;
}
