/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded text against an original and its translation: "ORIGINAL\nTRANSLATION\nTEXT". */
#include "tests/fuzz/fuzz.h"

#include "core/base/recorded.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *all = fuzz_string(data, size);
	char *ko = strchr(all, '\n');
	char *text = ko ? strchr(ko + 1, '\n') : NULL;
	struct text_pair pair = {all, ko ? ko + 1 : ""};
	if (!text)
		return 0;
	*ko = '\0';
	*text++ = '\0';
	text_language("ko", "/nowhere");
	recorded_pairs(&pair, 1);
	AUTO_FREE char *korean = recorded_text(text);
	/* Without places it is the one text or stays. */
	if (!strpbrk(pair.en, "%{") && !strstr(text, pair.en))
		MUST(strcmp(korean, text) == 0);
	text_language("en", NULL);
	AUTO_FREE char *english = recorded_text(text);
	MUST(strcmp(english, text) == 0);
	recorded_pairs(NULL, 0);
	return 0;
}
