/* SPDX-License-Identifier: Apache-2.0 */
/* From fork to exec. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/text.h"
#include "core/io/child_in.h"

#define FD_SWEEP_TO 256

/* Only async-signal-safe calls from here to exec. */
static void report_and_leave(const struct child_plan *p, int errnum)
{
	ssize_t n = write(p->report, &errnum, sizeof(errnum));

	_exit(n < 0 ? 126 : 127);
}

/* A program on the terminal can always be ended there, however we were started. */
static void default_signals(bool on_terminal)
{
	struct sigaction dfl = {.sa_handler = SIG_DFL}, now;
	sigset_t none;

	for (int signo = 1; signo < NSIG; signo++)
		if (sigaction(signo, NULL, &now) == 0 &&
			(now.sa_handler != SIG_IGN || signo == SIGPIPE ||
				(on_terminal && (signo == SIGINT || signo == SIGQUIT))))
			sigaction(signo, &dfl, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* ^Z between the fork and here has reached the child too. In a group of its own nobody would ever
 * wake it, while the parent waits for its exec; a pending signal goes when it is ignored. */
static void forget_stops(void)
{
	static const int stops[] = {SIGTSTP, SIGTTIN, SIGTTOU};
	struct sigaction ign = {.sa_handler = SIG_IGN}, was;

	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		sigaction(stops[i], &ign, &was);
		sigaction(stops[i], &was, NULL);
	}
}

static void run_child(const struct child_plan *p)
{
	if (p->detached)
		setsid();
	else if (!p->on_terminal)
		setpgid(0, 0);
	if (!p->on_terminal)
		forget_stops();
	default_signals(p->on_terminal);
	for (int i = 0; i < 3; i++)
		if (p->fds[i] >= 0 && dup2(p->fds[i], i) < 0)
			report_and_leave(p, errno);
	for (int fd = 3; fd < FD_SWEEP_TO; fd++)
		if (fd != p->report)
			close(fd);
	if (p->cwd && chdir(p->cwd) != 0)
		report_and_leave(p, -errno);
	execve(p->program, p->argv, p->env);
	report_and_leave(p, errno);
}

/* exec's error comes through a pipe that a successful exec closes. */
int child_exec(struct child_plan *p, pid_t *pid, struct err *e)
{
	int report[2], errnum = 0;
	sigset_t all, old;
	ssize_t n;

	if (child_pipe(report, e) != 0)
		return -1;
	p->report = report[1];
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	*pid = fork();
	if (*pid == 0)
		run_child(p);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(report[1]);
	if (*pid < 0) {
		close(report[0]);
		return err_errno(e, ERR_FAILED, errno, _("close other programs and try again"),
			_("%s cannot be started"), p->program);
	}
	do
		n = read(report[0], &errnum, sizeof(errnum));
	while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n != (ssize_t)sizeof(errnum))
		return 0;
	waitpid(*pid, NULL, 0);
	if (errnum < 0)
		return err_errno(e, ERR_FAILED, -errnum, _("check that the folder is there"),
			_("%s cannot be started in %s"), p->program, p->cwd);
	return err_errno(e, ERR_FAILED, errnum, _("install it again for this machine"),
		_("%s cannot be started"), p->program);
}
