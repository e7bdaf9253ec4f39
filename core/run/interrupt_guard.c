/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/interrupt_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/mem.h"

#define FD_SWEEP_TO 256
#define STATUS_MAX  8192
#define PENDING     "\nShdPnd:\t"
#define HEX         "0123456789abcdef"
#define BIT_SIGINT  2 /* of the last digit, which holds the signals 1 to 4 */

struct plan {
	int pipe, engine; /* its ends */
	int proc;         /* folder of the very process, whoever gets its id later */
	pid_t pid;
	const char *about, *sent;
};

/* --- in the guard: only async-signal-safe calls */

static int waits_for_it(const char *status)
{
	const char *mask = strstr(status, PENDING), *digit;
	size_t n;

	if (!mask)
		return 0;
	mask += strlen(PENDING);
	n = strspn(mask, HEX);
	digit = n ? strchr(HEX, mask[n - 1]) : NULL;
	return digit && ((digit - HEX) & BIT_SIGINT);
}

/* By the engine just before, or now. */
static int recorded(const struct plan *p)
{
	return rename(p->about, p->sent) == 0 || (errno == ENOENT && access(p->sent, F_OK) == 0);
}

/* A signal that waits and cannot be recorded leaves it standing: the next engine sees both. */
static void wake(const struct plan *p)
{
	char status[STATUS_MAX];
	int fd = openat(p->proc, "status", O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return;
	n = read(fd, status, sizeof(status) - 1);
	(void)close(fd);
	if (n <= 0)
		return;
	status[n] = '\0';
	if (!waits_for_it(status) || recorded(p))
		(void)kill(p->pid, SIGCONT);
}

static void stand_by(const struct plan *p)
{
	char never;
	ssize_t n;

	(void)setsid(); /* whoever kills the engine's group does not mean this one */
	(void)close(p->engine);
	for (int fd = 0; fd < FD_SWEEP_TO; fd++)
		if (fd != p->pipe && fd != p->proc)
			(void)close(fd);
	do
		n = read(p->pipe, &never, 1);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		wake(p);
	_exit(0);
}

/* --- in the engine */

static pid_t fork_guard(const struct plan *p)
{
	sigset_t all, old;
	pid_t pid;

	/* They stay blocked in the guard: no handler of the engine runs there. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid == 0)
		stand_by(p);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return pid;
}

void interrupt_guard_open(
	struct interrupt_guard *g, const struct process *of, const char *about, const char *sent)
{
	AUTO_FREE char *dir = x_asprintf("/proc/%ld", (long)of->pid);
	struct plan p = {.proc = open(dir, O_RDONLY | O_CLOEXEC),
		.pid = of->pid,
		.about = about,
		.sent = sent};
	int fds[2];

	*g = (struct interrupt_guard){.pipe = -1};
	if (p.proc >= 0 && process_is(of->pid, of->ticks) && pipe(fds) == 0) {
		p.pipe = fds[0];
		p.engine = fds[1];
		g->pid = fork_guard(&p);
		(void)close(fds[0]);
		g->pipe = fds[1];
	}
	if (p.proc >= 0)
		(void)close(p.proc);
	if (g->pid < 0)
		g->pid = 0;
}

void interrupt_guard_close(struct interrupt_guard *g)
{
	if (g->pid > 0) {
		(void)kill(g->pid, SIGKILL);
		(void)waitpid(g->pid, NULL, 0);
	}
	if (g->pipe >= 0)
		(void)close(g->pipe);
	*g = (struct interrupt_guard){.pipe = -1};
}
