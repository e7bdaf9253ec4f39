/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever parses is dumped as YAML that parses to the same strings. */
#include "tests/fuzz/fuzz.h"

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/fmt/json.h"
#include "core/fmt/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = {0};
	size_t line, column;
	struct yaml_doc *doc = yaml_parse("f.yaml", (const char *)data, size, &e);
	if (!doc) {
		MUST(e.code == ERR_BAD_FILE && *e.what);
		return 0;
	}
	yaml_place(doc, "a.b[0].'c.d'", &line, &column);
	AUTO(buf_fini) struct buf text = {0};
	yaml_dump(yaml_root(doc), &text);
	struct yaml_doc *again = yaml_parse("again.yaml", buf_str(&text), text.len, &e);
	MUST(again && json_equal(yaml_root(doc), yaml_root(again)));
	yaml_close(again);
	yaml_close(doc);
	return 0;
}
