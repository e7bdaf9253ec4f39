/* SPDX-License-Identifier: Apache-2.0 */
/* What a person types into a field (first line: its name): kept as it is, or refused with a reason.
 */
#include "tests/fuzz/fuzz.h"

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/redact.h"
#include "core/recipe/recipe.h"
#include "core/recipe/values.h"

#include <stdlib.h>
#include <string.h>

static struct recipe *tutorial(void)
{
	static struct recipe *r;
	struct err e = {0};
	const char *top = getenv("srcdir");
	AUTO_FREE char *path = x_asprintf("%s/assets/recipes/gemma4-26b-v6e.yaml", top ? top : ".");
	if (!r && recipe_load(path, &r, &e) < 0)
		die("%s", e.what);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct recipe *r = tutorial();
	const uint8_t *nl = size ? memchr(data, '\n', size) : NULL;
	size_t first = nl ? (size_t)(nl - data) : 0;
	AUTO_FREE char *name = fuzz_string(data, first);
	AUTO_FREE char *text = fuzz_string(data + first + !!nl, size - first - !!nl);
	AUTO(buf_fini) struct buf out = {0};
	AUTO(values_fini) struct values v = {0};
	struct err e = {0};
	values_start(&v, r, NULL);
	if (values_put_checked(&v, r, name, text, VALUE_TYPED, &e) == 0) {
		MUST(values_find(&v, name));
		values_derive(&v, r);
		values_check(&v, r, &e);
	} else {
		MUST(e.code != ERR_NONE && *e.what);
	}
	values_expand(&v, text, &out, &e);
	buf_clear(&out);
	values_show(&v, text, &out);
	redact_wipe();
	return 0;
}
