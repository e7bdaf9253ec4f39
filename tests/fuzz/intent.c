/* SPDX-License-Identifier: Apache-2.0 */
/* An intent file of any bytes is an intent that writes itself back the same, or refused with a
 * place. */
#include "tests/fuzz/fuzz.h"

#include "core/base/err.h"
#include "core/run/intent.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct intent i = {0}, again = {0};
	struct err e = {0};
	if (intent_from_json((const char *)data, size, &i, &e) < 0) {
		MUST(e.code != ERR_NONE && *e.what);
		intent_fini(&i);
		return 0;
	}
	AUTO_FREE char *text = intent_to_json(&i);
	MUST(intent_from_json(text, strlen(text), &again, &e) == 0);
	MUST(again.kind == i.kind && again.stage == i.stage);
	MUST(!strcmp(again.name, i.name) && !strcmp(again.text, i.text));
	intent_fini(&again);
	intent_fini(&i);
	return 0;
}
