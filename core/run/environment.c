/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/fmt/shell.h"

#define ENVIRONMENT_MAX ((size_t)256 << 10)

static size_t line_of(const char *start, const char *at)
{
	size_t line = 1;

	for (; start < at; start++)
		line += *start == '\n';
	return line;
}

/* "unset NAME": the other line that a file of exports may hold. */
static bool take_unset(const char **at)
{
	const char *s = *at + strspn(*at, " \t\n");
	size_t n;

	if (!text_starts(s, "unset "))
		return false;
	s += strlen("unset ");
	n = strcspn(s, " \t\n;");
	if (!n || (s[n] != '\n' && s[n] != '\0'))
		return false;
	{
		AUTO_FREE char *name = x_strndup(s, n);
		(void)unsetenv(name);
	}
	*at = s + n;
	return true;
}

int environment_apply(const char *file, struct err *e)
{
	AUTO(buf_fini) struct buf b = {0};
	const char *at;
	int rc;

	if (path_read(file, ENVIRONMENT_MAX, &b, e) != 0)
		return -1;
	at = buf_str(&b);
	for (;;) {
		AUTO_FREE char *name = NULL;
		AUTO_FREE char *value = NULL;
		if (take_unset(&at))
			continue;
		rc = shell_assignment(&at, &name, &value);
		if (rc < 0 && take_unset(&at))
			continue;
		if (rc <= 0)
			break;
		if (setenv(name, value, 1) != 0)
			return err_errno(e, ERR_BAD_FILE, errno, "", _("cannot set %s"), name);
	}
	if (rc < 0) {
		err_set(e, ERR_BAD_FILE, _("write one export NAME=value a line"),
			_("not an assignment"));
		return err_at(e, file, line_of(buf_str(&b), at), 1);
	}
	return clock_init(e);
}
