/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of a run: who works on it, on this machine or on another one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/machine.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/run/beat.h"
#include "core/run/folder.h"

#define LOCK_TRIES    25
#define LOCK_PAUSE_NS 20000000 /* between two tries */

static void read_holder(int fd, int64_t *pid, char *host, size_t size)
{
	char text[512];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	char *end;

	text[n > 0 ? n : 0] = '\0';
	*pid = strtoll(text, &end, 10);
	while (*end == ' ')
		end++;
	end[strcspn(end, "\n")] = '\0';
	(void)snprintf(host, size, "%s", end);
}

/* Who looks whether the lock is held holds it himself for an instant: an engine does not give up
 * over that. */
static bool take(int fd)
{
	struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};

	for (int i = 0; i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		(void)nanosleep(&pause, NULL);
	}
	return false;
}

/* The folder comes from another machine: an engine may still be at work there, and our lock does
 * not reach it. Its last sign of life decides; what it has started there counts as lost. */
static int adopt(struct run *r, const char *from, struct err *e)
{
	char host[256];
	int64_t pid, beat;
	int64_t age = beat_read(r->dir, host, sizeof(host), &pid, &beat) == 0 ? clock_now() - beat
									      : RUN_ELSEWHERE_MS;

	if (age < RUN_ELSEWHERE_MS && age > -RUN_ELSEWHERE_MS)
		return err_set(e, ERR_LOCKED,
			_("end it there; two minutes later the run can go on here"),
			_("an engine on the machine %s was at work on this run %lld s ago"), from,
			(long long)(age / 1000));
	free(r->moved_from);
	r->moved_from = x_strdup(from);
	return 0;
}

int run_lock(struct run *r, struct err *e)
{
	AUTO_FREE char *file = path_join(r->dir, "lock");
	AUTO_FREE char *cure =
		x_asprintf(_("watch it with `rlpilot --run %s`, or end that process"), r->name);
	char host[MACHINE_SIZE] = "", before[256] = "", text[320];
	int64_t pid = 0;
	int fd, n;

	if (r->lock >= 0)
		return 0;
	fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_errno(e, ERR_CANNOT_WRITE, errno,
			_("check space and rights of the run folder"), _("cannot open %s"), file);
	if (!take(fd)) {
		read_holder(fd, &pid, host, sizeof(host));
		close(fd);
		return err_set(e, ERR_LOCKED, cure,
			_("another engine holds the run: process %lld on %s"), (long long)pid,
			host);
	}
	read_holder(fd, &pid, before, sizeof(before));
	(void)machine_name(host);
	if (*before && strcmp(before, host) != 0 && adopt(r, before, e) != 0) {
		close(fd);
		return -1;
	}
	n = snprintf(text, sizeof(text), "%ld %s\n", (long)getpid(), host);
	if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)n, 0) != n) {
		close(fd);
		return err_errno(e, ERR_CANNOT_WRITE, errno, "", _("cannot write %s"), file);
	}
	r->lock = fd;
	return 0;
}

int run_reopen(struct run **r, struct err *e)
{
	struct run *was = *r, *now = NULL;

	if (run_open(was->dir, &now, e) != 0)
		return -1;
	now->lock = was->lock;
	now->moved_from = was->moved_from;
	was->lock = -1;
	was->moved_from = NULL;
	run_close(was);
	*r = now;
	return 0;
}

bool run_locked(const char *dir, int64_t *pid, char *host, size_t size)
{
	AUTO_FREE char *file = path_join(dir, "lock");
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	char unused[1];
	int64_t none;
	bool held;

	if (fd < 0)
		return false;
	held = flock(fd, LOCK_SH | LOCK_NB) != 0;
	if (held)
		read_holder(fd, pid ? pid : &none, host ? host : unused, host ? size : 0);
	close(fd);
	return held;
}
