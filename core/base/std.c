/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/std.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/text.h"

void std_open(void)
{
	int fd; /* the lowest number that is free */

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

void std_no_core(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_CORE, &limit) != 0)
		return;
	limit.rlim_cur = 0;
	(void)setrlimit(RLIMIT_CORE, &limit);
}

bool std_out_works(void)
{
	return fflush(stdout) == 0 && !ferror(stdout);
}

static bool reader_gone(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&p, 1, 0) == 1 && (p.revents & POLLERR) != 0;
}

int std_end(int code)
{
	struct err e = {0};
	int why;

	errno = 0;
	if (std_out_works() || code == err_exit_code(ERR_CANNOT_WRITE))
		return code;
	why = errno;
	if (reader_gone())
		return code ? code : 128 + SIGPIPE;
	if (why)
		err_errno(&e, ERR_CANNOT_WRITE, why, _("check where the output goes"),
			_("cannot write the output"));
	else
		err_set(&e, ERR_CANNOT_WRITE, _("check where the output goes"),
			_("cannot write the output"));
	err_print(&e);
	return code ? code : err_exit_code(ERR_CANNOT_WRITE);
}
