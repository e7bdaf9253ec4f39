/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/json_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/mem.h"

json_t *json_rig(const char *text)
{
	AUTO_FREE char *s = x_strdup(text);
	struct err e = {0};
	json_t *j;

	for (char *p = s; *p; p++)
		if (*p == '\'')
			*p = '"';
	j = json_parse(s, strlen(s), &e);
	if (!j)
		fail_msg("%s %s", e.what, e.place);
	return j;
}
