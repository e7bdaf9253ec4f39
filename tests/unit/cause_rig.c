/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/cause_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "core/base/mem.h"
#include "core/fmt/cause.h"

void cause_expect(const char *text, const char *id, ...)
{
	struct cause_hit hit;
	AUTO_FREE char *meaning = NULL;
	AUTO_FREE char *cure = NULL;
	AUTO_FREE char *all = NULL;
	const char *piece;
	va_list ap;

	cause_find(&hit, text, strlen(text));
	if (!hit.cause || strcmp(hit.cause->id, id))
		fail_msg("%s\n is %s, not %s", text, hit.cause ? hit.cause->id : "unknown", id);
	meaning = cause_meaning(&hit);
	cure = cause_cure(&hit);
	all = x_asprintf("%s | %s", meaning, cure);
	va_start(ap, id);
	while ((piece = va_arg(ap, const char *)) != NULL)
		if (!strstr(all, piece))
			fail_msg("%s\n does not tell %s: %s", text, piece, all);
	va_end(ap);
}
