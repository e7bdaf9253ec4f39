/* SPDX-License-Identifier: Apache-2.0 */
/* What another machine answers about an attempt: taken whole or refused, judged to a state that
 * there is. */
#include "tests/fuzz/fuzz.h"

#include "core/run/look_there.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *answer = size ? (const char *)data : "";
	struct look_there seen;
	struct attempt_look look;

	if (!look_there_parse(answer, size, &seen))
		return 0;
	MUST(seen.log_n <= LOOK_THERE_LOG && seen.log + seen.log_n == answer + size);
	MUST(seen.facts.exit >= -1 && seen.facts.exit <= 255 && seen.facts.script >= 0);
	look = attempt_judge(&seen.facts);
	MUST(look.state >= ATTEMPT_NONE && look.state <= ATTEMPT_NEVER);
	MUST((look.state != ATTEMPT_EXITED) || look.exit >= 0);
	return 0;
}
