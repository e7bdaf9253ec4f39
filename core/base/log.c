/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/redact.h"
#include "core/base/text.h"

static int log_fd = -1;

int log_open(const char *path, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return err_errno(e, ERR_CANNOT_WRITE, errno,
			_("give --log-file a file that you can write"),
			_("cannot write the log %s"), path);
	if (log_fd >= 0)
		close(log_fd);
	log_fd = fd;
	return 0;
}

void log_line(const char *room, const char *fmt, ...)
{
	AUTO(buf_fini) struct buf raw = {0};
	AUTO(buf_fini) struct buf clean = {0};
	AUTO(buf_fini) struct buf line = {0};
	int64_t now = clock_now();
	time_t seconds = (time_t)(now / 1000);
	struct tm tm;
	char stamp[32];
	va_list ap;

	if (log_fd < 0)
		return;
	gmtime_r(&seconds, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &tm);
	va_start(ap, fmt);
	buf_vaddf(&raw, fmt, ap);
	va_end(ap);
	text_clean(&clean, buf_str(&raw), raw.len);
	buf_addf(&line, "t=%s.%03dZ pid=%ld room=%s ", stamp, (int)(now % 1000), (long)getpid(),
		room);
	redact(&line, buf_str(&clean), clean.len);
	buf_addc(&line, '\n');
	/* A full disk must not stop the program: the line is lost, the run goes on. */
	if (write(log_fd, line.data, line.len) < 0)
		return;
}
