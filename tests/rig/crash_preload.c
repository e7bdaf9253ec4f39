/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into an engine: it dies, or its disk gets full or read-only, at a chosen place.
 *   CRASH_COUNT=FILE   one byte for each sync of a journal, over all lives (its size is the number)
 *   CRASH_AT=K         SIGKILL at sync K, counted over all lives
 *   CRASH_EVERY=N      SIGKILL at sync N of each life
 *   CRASH_AT_LINE=TEXT SIGKILL at the sync of the first line that holds it
 *   CRASH_SIGNAL=N     SIGKILL at the first signal N that it sends
 *   CRASH_RENAME=NAME  SIGKILL at the first rename to a path that ends so
 *   CRASH_ONCE=FILE    these three are done once, over all lives: FILE is made before
 *   CRASH_FULL=K       from the write before sync K on there is no space left for this life
 *   CRASH_READ_ONLY=1  its state is read-only, for all of this life
 *   CRASH_BACK=S       the machine's clock goes back by S seconds
 *   CRASH_LINE=TEXT    the last three begin with the first line that holds it
 *   CRASH_KIND=after   the line is on disk, the call has been made (default)
 *             =lost    the line has not come to disk, as after a cut of the power; no call is made
 *             =torn    half of the line has
 * The product has no branch for any of this.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define JOURNAL "/journal.jsonl"
#define STATE   "/rlpilot/"

static int (*real_fsync)(int fd);
static int (*real_clock_gettime)(clockid_t id, struct timespec *t);
static int (*real_open)(const char *path, int flags, ...);
static int (*real_mkdir)(const char *path, mode_t mode);
static int (*real_rename)(const char *from, const char *to);
static int (*real_unlink)(const char *path);
static int (*real_kill)(pid_t pid, int signo);
static int (*real_symlink)(const char *target, const char *path);
static ssize_t (*real_write)(int fd, const void *data, size_t n);
static const char *count_file, *kind, *line, *at_line, *at_rename, *once;
static long at, every, full, read_only, seen, back, at_signal;
static bool line_written; /* the one of CRASH_AT_LINE */
static off_t synced;      /* length of the journal at the last sync */
static bool went_back;
static int refuse; /* errno of every change to the state from now on, 0 = none */

static void *next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		abort();
	return found;
}

static long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : 0;
}

/* Children are not ours: only the engine dies here. */
__attribute__((constructor)) static void start(void)
{
	*(void **)&real_fsync = next("fsync");
	*(void **)&real_write = next("write");
	*(void **)&real_clock_gettime = next("clock_gettime");
	*(void **)&real_open = next("open");
	*(void **)&real_mkdir = next("mkdir");
	*(void **)&real_rename = next("rename");
	*(void **)&real_unlink = next("unlink");
	*(void **)&real_symlink = next("symlink");
	*(void **)&real_kill = next("kill");
	count_file = getenv("CRASH_COUNT");
	kind = getenv("CRASH_KIND");
	at = number("CRASH_AT");
	every = number("CRASH_EVERY");
	full = number("CRASH_FULL");
	read_only = number("CRASH_READ_ONLY");
	back = number("CRASH_BACK");
	line = getenv("CRASH_LINE");
	at_line = getenv("CRASH_AT_LINE");
	at_rename = getenv("CRASH_RENAME");
	at_signal = number("CRASH_SIGNAL");
	once = getenv("CRASH_ONCE");
	if (read_only && !line)
		refuse = EROFS;
	unsetenv("LD_PRELOAD");
}

static bool is(int fd, const char *part, bool at_end)
{
	char link[64], path[4096];
	ssize_t n;
	const char *found;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return false;
	path[n] = '\0';
	found = strstr(path, part);
	return found && (!at_end || strcmp(path + (size_t)n - strlen(part), part) == 0);
}

static long counted(void)
{
	struct stat st;

	return count_file && stat(count_file, &st) == 0 ? (long)st.st_size : 0;
}

static void count(void)
{
	int fd =
		count_file ? open(count_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	seen++;
	if (fd < 0)
		return;
	if (real_write(fd, ".", 1) != 1)
		abort();
	close(fd);
}

static void die_now(int fd)
{
	struct stat st;
	off_t keep;

	if (kind && strcmp(kind, "after") != 0 && fstat(fd, &st) == 0) {
		keep = strcmp(kind, "torn") == 0 ? synced + (st.st_size - synced) / 2 : synced;
		if (ftruncate(fd, keep) != 0)
			abort();
	}
	(void)real_fsync(fd);
	(void)real_kill(getpid(), SIGKILL);
}

/* False when it has been done in an earlier life. */
static bool first_time(void)
{
	int fd = once ? real_open(once, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;

	if (fd >= 0)
		close(fd);
	return !once || fd >= 0;
}

/* Around a call; `made`: it has been made. */
static void die_at_call(bool chosen, bool made)
{
	bool after = !kind || strcmp(kind, "after") == 0;

	if (chosen && after == made && first_time())
		(void)real_kill(getpid(), SIGKILL);
}

int fsync(int fd)
{
	struct stat st;
	int rc;

	if (refuse == ENOSPC && is(fd, STATE, false)) {
		errno = ENOSPC;
		return -1;
	}
	if (!is(fd, JOURNAL, true))
		return real_fsync(fd);
	count();
	if ((at && counted() == at) || (every && seen == every) || (line_written && first_time()))
		die_now(fd);
	line_written = false;
	rc = real_fsync(fd);
	if (fstat(fd, &st) == 0)
		synced = st.st_size;
	return rc;
}

ssize_t write(int fd, const void *data, size_t n)
{
	struct stat st;

	if (is(fd, JOURNAL, true)) {
		if (!seen && fstat(fd, &st) == 0)
			synced = st.st_size;
		line_written |= at_line && memmem(data, n, at_line, strlen(at_line));
		bool now =
			line ? memmem(data, n, line, strlen(line)) != NULL : counted() + 1 >= full;
		if (read_only && now)
			refuse = EROFS;
		went_back = went_back || (back && now);
		if (full && !refuse && now) {
			refuse = ENOSPC;
			return real_write(fd, data, n / 2);
		}
	}
	if (refuse && is(fd, STATE, false)) {
		errno = refuse;
		return -1;
	}
	return real_write(fd, data, n);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	int rc = real_clock_gettime(id, t);

	if (went_back && id == CLOCK_REALTIME)
		t->tv_sec -= back;
	return rc;
}

/* --- names below a state that is read-only */

static bool refused(const char *path)
{
	bool no = refuse == EROFS && strstr(path, STATE);

	if (no)
		errno = EROFS;
	return no;
}

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & O_CREAT)
		mode = va_arg(ap, mode_t);
	va_end(ap);
	if ((flags & (O_WRONLY | O_RDWR)) && refused(path))
		return -1;
	return real_open(path, flags, mode);
}

int mkdir(const char *path, mode_t mode)
{
	return refused(path) ? -1 : real_mkdir(path, mode);
}

static bool ends(const char *path, const char *end)
{
	size_t n = strlen(path), m = end ? strlen(end) : 0;

	return m && n >= m && strcmp(path + n - m, end) == 0;
}

int rename(const char *from, const char *to)
{
	int rc;

	if (refused(to))
		return -1;
	die_at_call(ends(to, at_rename), false);
	rc = real_rename(from, to);
	die_at_call(ends(to, at_rename), true);
	return rc;
}

int kill(pid_t pid, int signo)
{
	bool chosen = at_signal && signo == at_signal;
	int rc;

	die_at_call(chosen, false);
	rc = real_kill(pid, signo);
	die_at_call(chosen, true);
	return rc;
}

int unlink(const char *path)
{
	return refused(path) ? -1 : real_unlink(path);
}

int symlink(const char *target, const char *path)
{
	return refused(path) ? -1 : real_symlink(target, path);
}
