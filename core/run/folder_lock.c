/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of a run: who works on it, on this machine or on another one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
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

/* Somebody has removed or moved what was waited for. */
static bool replaced(int fd, const char *file)
{
	struct stat ours, there;

	return fstat(fd, &ours) != 0 || lstat(file, &there) != 0 || ours.st_ino != there.st_ino ||
	       ours.st_dev != there.st_dev;
}

static int held_by(int64_t pid, const char *host, const char *dir, struct err *e)
{
	const char *slash = strrchr(dir, '/');
	AUTO_FREE char *cure =
		x_asprintf(_("watch it with `rlpilot --run %s`, or end that process"),
			slash ? slash + 1 : dir);

	return err_set(e, ERR_LOCKED, cure, _("another engine holds the run: process %lld on %s"),
		(long long)pid, host);
}

/* Who has removed the file has not ended the engine: it holds the folder itself as well. Where
 * folders cannot be held (some network disks) the file must do. */
static int take_folder(struct run_hold *h, const char *dir, struct err *e)
{
	char host[MACHINE_SIZE] = "";
	int64_t pid = 0, beat;

	h->folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (h->folder < 0 || take(h->folder) || errno != EWOULDBLOCK)
		return 0;
	(void)beat_read(dir, host, sizeof(host), &pid, &beat);
	return held_by(pid, host, dir, e);
}

int run_seize(const char *dir, struct run_hold *h, struct err *e)
{
	AUTO_FREE char *file = path_join(dir, "lock");
	char host[MACHINE_SIZE] = "";
	int64_t pid = 0;
	int rc;

	*h = (struct run_hold){-1, -1};
	h->file = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (h->file < 0)
		return err_errno(e, ERR_CANNOT_WRITE, errno,
			_("check space and rights of the run folder"), _("cannot open %s"), file);
	if (!take(h->file)) {
		read_holder(h->file, &pid, host, sizeof(host));
		rc = held_by(pid, host, dir, e);
	} else if (replaced(h->file, file)) {
		rc = err_set(e, ERR_CANNOT_WRITE,
			_("put it back, or open it where it is now: rlpilot --run FOLDER"),
			_("the run folder %s has been removed or moved"), dir);
	} else {
		rc = take_folder(h, dir, e);
	}
	if (rc != 0)
		run_let_go(h);
	return rc;
}

void run_let_go(struct run_hold *h)
{
	if (h->file >= 0)
		close(h->file);
	if (h->folder >= 0)
		close(h->folder);
	*h = (struct run_hold){-1, -1};
}

/* The machine that was at work on the run before; "" = none that is known. */
static void machine_before(const struct run *r, int fd, char *out, size_t size)
{
	int64_t pid, beat;

	read_holder(fd, &pid, out, size);
	if (!*out && beat_read(r->dir, out, size, &pid, &beat) != 0)
		*out = '\0';
}

int run_lock(struct run *r, struct err *e)
{
	char host[MACHINE_SIZE] = "", before[256] = "", text[320];
	struct run_hold h;
	int n;

	if (r->lock.file >= 0)
		return 0;
	if (run_seize(r->dir, &h, e) != 0)
		return -1;
	machine_before(r, h.file, before, sizeof(before));
	(void)machine_name(host);
	if (*before && strcmp(before, host) != 0 && adopt(r, before, e) != 0) {
		run_let_go(&h);
		return -1;
	}
	n = snprintf(text, sizeof(text), "%ld %s\n", (long)getpid(), host);
	if (ftruncate(h.file, 0) != 0 || pwrite(h.file, text, (size_t)n, 0) != n) {
		AUTO_FREE char *file = path_join(r->dir, "lock");
		err_errno(e, ERR_CANNOT_WRITE, errno, "", _("cannot write %s"), file);
		run_let_go(&h);
		return -1;
	}
	r->lock = h;
	return 0;
}

int run_reopen(struct run **r, struct err *e)
{
	struct run *was = *r, *now = NULL;

	if (run_open(was->dir, &now, e) != 0)
		return -1;
	now->lock = was->lock;
	now->moved_from = was->moved_from;
	was->lock = (struct run_hold){-1, -1};
	was->moved_from = NULL;
	run_close(was);
	*r = now;
	return 0;
}

static bool is_held(int fd)
{
	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool run_locked(const char *dir, int64_t *pid, char *host, size_t size)
{
	AUTO_FREE char *file = path_join(dir, "lock");
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int folder = -1;
	char unused[MACHINE_SIZE];
	int64_t none, beat;
	bool held = is_held(fd);

	if (held)
		read_holder(fd, pid ? pid : &none, host ? host : unused, host ? size : 1);
	else
		folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!held && is_held(folder)) {
		held = true;
		(void)beat_read(dir, host ? host : unused, host ? size : sizeof(unused),
			pid ? pid : &none, &beat);
	}
	if (fd >= 0)
		close(fd);
	if (folder >= 0)
		close(folder);
	return held;
}
