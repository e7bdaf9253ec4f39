/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/dir_rig.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"

char *dir;

int dir_setup(void **state)
{
	const char *tmp = getenv("TMPDIR");
	struct err e;

	(void)state;
	dir = x_asprintf("%s/rlpilot-unit-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	unsetenv("RLPILOT_CLOCK");
	return clock_init(&e);
}

int dir_teardown(void **state)
{
	(void)state;
	assert_int_equal(path_remove_tree(dir, NULL), 0);
	free(dir);
	return 0;
}

void dir_put(const char *name, const char *text, size_t n)
{
	AUTO_FREE char *file = path_join(dir, name);
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), (ssize_t)n);
	close(fd);
}

void dir_put_text(const char *name, const char *text)
{
	dir_put(name, text, strlen(text));
}
