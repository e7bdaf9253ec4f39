/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/state_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "core/base/clock.h"
#include "core/fmt/json.h"

struct state st;

int state_setup(void **state)
{
	(void)state;
	clock_fix(NOW);
	state_init(&st);
	return 0;
}

int state_teardown(void **state)
{
	(void)state;
	state_fini(&st);
	return 0;
}

void put_object(enum event_kind kind, const char *text)
{
	json_t *j = json_parse(text, strlen(text), NULL);
	struct event ev = {.kind = kind};

	assert_non_null(j);
	ev.u.object = j;
	run_apply(&st, &ev);
	json_decref(j);
}
