/* SPDX-License-Identifier: Apache-2.0 */
#include "core/io/child.h"

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/io/lines.h"
#include "core/io/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DRAIN_MAX   ((size_t)1 << 20)
#define FD_SWEEP_TO 256

extern char **environ;

struct output {
	int fd; /* -1 = closed */
	struct loop_fd *watch;
	struct lines lines;
	struct child *child;
};

struct child {
	struct child *next;
	struct loop *loop;
	pid_t pid;
	bool own_group, exited, stopping;
	int status;
	struct output out, err;
	int in_fd;
	struct loop_fd *in_watch;
	char *input;
	size_t input_n, input_at;
	struct loop_timer *grace;
	void (*on_out)(void *arg, const char *line, size_t n, bool cut);
	void (*on_err)(void *arg, const char *line, size_t n, bool cut);
	void (*on_exit)(void *arg, int code);
	void *arg;
};

struct nursery {
	struct child *all;
	struct loop_signal *signal;
};

static const char nursery_key;

/* What the child does between fork and exec; fds: stdin, stdout, stderr, -1 = keep ours. */
struct plan {
	const char *program, *cwd;
	char *const *argv, *const *env;
	int fds[3];
	int report;
	bool detached, on_terminal;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void stop_input(struct child *c)
{
	loop_fd_stop(&c->in_watch);
	close_fd(&c->in_fd);
	if (c->input)
		explicit_bzero(c->input, c->input_n);
	free(c->input);
	c->input = NULL;
}

static void stop_output(struct output *o)
{
	loop_fd_stop(&o->watch);
	close_fd(&o->fd);
}

static void child_free(struct child *c)
{
	stop_input(c);
	stop_output(&c->out);
	stop_output(&c->err);
	lines_fini(&c->out.lines);
	lines_fini(&c->err.lines);
	loop_timer_cancel(&c->grace);
	free(c);
}

static void out_line(void *arg, const char *line, size_t n, bool cut)
{
	struct child *c = arg;

	if (c->on_out)
		c->on_out(c->arg, line, n, cut);
}

static void err_line(void *arg, const char *line, size_t n, bool cut)
{
	struct child *c = arg;

	if (c->on_err)
		c->on_err(c->arg, line, n, cut);
}

/* False at the end of the stream or when nothing is there now. */
static bool read_some(struct output *o, size_t *got)
{
	char chunk[16384];
	ssize_t n = read(o->fd, chunk, sizeof(chunk));

	if (n > 0) {
		*got += (size_t)n;
		lines_feed(&o->lines, chunk, (size_t)n);
		return true;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return errno == EINTR;
	stop_output(o);
	return false;
}

static void output_ready(void *arg, int events)
{
	struct output *o = arg;
	size_t got = 0;

	(void)events;
	while (o->fd >= 0 && got < 4 * 16384 && read_some(o, &got))
		continue;
}

static void input_ready(void *arg, int events)
{
	struct child *c = arg;
	ssize_t n = write(c->in_fd, c->input + c->input_at, c->input_n - c->input_at);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		c->input_at += (size_t)n;
	if (n < 0 || c->input_at == c->input_n)
		stop_input(c);
}

static void finish_output(struct output *o)
{
	size_t got = 0;

	while (o->fd >= 0 && got < DRAIN_MAX && read_some(o, &got))
		continue;
	stop_output(o);
	lines_end(&o->lines);
}

static void finish(struct nursery *n, struct child *c)
{
	struct child **at = &n->all;
	int code = WIFEXITED(c->status) ? WEXITSTATUS(c->status) : 128 + WTERMSIG(c->status);

	finish_output(&c->out);
	finish_output(&c->err);
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	if (c->on_exit)
		c->on_exit(c->arg, code);
	child_free(c);
}

/* One that has the terminal and has put itself to sleep: there is no shell around it to wake it. */
static void wake(const struct child *c)
{
	pid_t group = getpgid(c->pid);

	(void)kill(group > 1 && group != getpgrp() ? -group : c->pid, SIGCONT);
}

static bool has_ended(struct child *c)
{
	int flags = WNOHANG | (c->own_group ? 0 : WUNTRACED), status;

	while (waitpid(c->pid, &status, flags) == c->pid) {
		if (!WIFSTOPPED(status)) {
			c->status = status;
			return true;
		}
		wake(c);
	}
	return false;
}

static void reap(void *arg)
{
	struct nursery *n = arg;
	struct child *c;

	for (c = n->all; c; c = c->next)
		c->exited = c->exited || has_ended(c);
	do {
		for (c = n->all; c && !c->exited; c = c->next)
			continue;
		if (c)
			finish(n, c);
	} while (c);
}

static void nursery_drop(void *value)
{
	struct nursery *n = value;

	while (n->all) {
		struct child *c = n->all;

		n->all = c->next;
		child_free(c);
	}
	loop_signal_stop(&n->signal);
	free(n);
}

static struct nursery *nursery_of(struct loop *l)
{
	struct nursery *n = loop_attached(l, &nursery_key);

	if (!n) {
		n = X_NEW(struct nursery);
		n->signal = loop_signal(l, SIGCHLD, reap, n);
		loop_attach(l, &nursery_key, n, nursery_drop);
	}
	return n;
}

/* Only async-signal-safe calls from here to exec. */
static void report_and_leave(const struct plan *p, int errnum)
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

static void run_child(const struct plan *p)
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

static int pipe_cloexec(int fds[2], struct err *e)
{
	if (pipe(fds) != 0)
		return err_errno(e, ERR_FAILED, errno, _("close other programs and try again"),
			_("a pipe cannot be made"));
	for (int i = 0; i < 2; i++) {
		/* 0..2 must stay free for the child's own; happens when we run without them. */
		if (fds[i] < 3) {
			int high = fcntl(fds[i], F_DUPFD_CLOEXEC, 3);

			close(fds[i]);
			fds[i] = high;
		}
		fcntl(fds[i], F_SETFD, FD_CLOEXEC);
	}
	return 0;
}

static int open_high(const char *path, int flags, struct err *e)
{
	int fd = open(path, flags | O_CLOEXEC | O_NOCTTY, 0600);

	if (fd < 0)
		return err_errno(e, ERR_CANNOT_WRITE, errno, _("check rights and free space"),
			_("%s cannot be opened"), path);
	if (fd < 3) {
		int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);

		close(fd);
		fd = high;
	}
	return fd;
}

/* Child's end to *fd; ours to *ours when lines are wanted. */
static int open_output(const char *file, bool lines, int *fd, int *ours, struct err *e)
{
	int fds[2];

	if (!lines || file) {
		*fd = open_high(
			file ? file : "/dev/null", O_WRONLY | (file ? O_CREAT | O_APPEND : 0), e);
		return *fd < 0 ? -1 : 0;
	}
	if (pipe_cloexec(fds, e) != 0)
		return -1;
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	*ours = fds[0];
	*fd = fds[1];
	return 0;
}

static int open_streams(const struct child_spec *s, struct child *c, struct plan *p, struct err *e)
{
	int fds[2];

	if (s->on_terminal)
		return 0;
	if (s->input) {
		if (pipe_cloexec(fds, e) != 0)
			return -1;
		p->fds[0] = fds[0];
		c->in_fd = fds[1];
		fcntl(c->in_fd, F_SETFL, O_NONBLOCK);
	} else {
		p->fds[0] = open_high("/dev/null", O_RDONLY, e);
		if (p->fds[0] < 0)
			return -1;
	}
	if (open_output(s->out_file, s->on_out != NULL, &p->fds[1], &c->out.fd, e) != 0)
		return -1;
	if (s->err_file && s->out_file && strcmp(s->err_file, s->out_file) == 0) {
		p->fds[2] = fcntl(p->fds[1], F_DUPFD_CLOEXEC, 3);
		return 0;
	}
	return open_output(s->err_file, s->on_err != NULL, &p->fds[2], &c->err.fd, e);
}

static const char *env_path(const char *const *env)
{
	for (; env && *env; env++)
		if (text_starts(*env, "PATH="))
			return *env + 5;
	return env ? "" : getenv("PATH");
}

/* A name with a slash counts from the child's folder: exec judges it there. */
static char *find_program(const struct child_spec *s)
{
	if (strchr(s->argv[0], '/'))
		return x_strdup(s->argv[0]);
	return path_find_program(s->argv[0], env_path(s->env));
}

/* exec's error comes through a pipe that a successful exec closes. */
static int fork_exec(struct child *c, struct plan *p, struct err *e)
{
	int report[2], errnum = 0;
	sigset_t all, old;
	ssize_t n;

	if (pipe_cloexec(report, e) != 0)
		return -1;
	p->report = report[1];
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	c->pid = fork();
	if (c->pid == 0)
		run_child(p);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(report[1]);
	if (c->pid < 0) {
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
	waitpid(c->pid, NULL, 0);
	if (errnum < 0)
		return err_errno(e, ERR_FAILED, -errnum, _("check that the folder is there"),
			_("%s cannot be started in %s"), p->program, p->cwd);
	return err_errno(e, ERR_FAILED, errnum, _("install it again for this machine"),
		_("%s cannot be started"), p->program);
}

static void watch_streams(struct loop *l, struct child *c, const struct child_spec *s)
{
	if (c->out.fd >= 0)
		c->out.watch = loop_fd_watch(l, c->out.fd, LOOP_READ, output_ready, &c->out);
	if (c->err.fd >= 0)
		c->err.watch = loop_fd_watch(l, c->err.fd, LOOP_READ, output_ready, &c->err);
	if (c->in_fd < 0)
		return;
	if (s->input_n == 0) {
		stop_input(c);
		return;
	}
	c->input_n = s->input_n;
	c->input = x_malloc(s->input_n);
	memcpy(c->input, s->input, s->input_n);
	c->in_watch = loop_fd_watch(l, c->in_fd, LOOP_WRITE, input_ready, c);
}

struct child *child_start(struct loop *l, const struct child_spec *spec, struct err *e)
{
	struct nursery *nursery = nursery_of(l);
	AUTO_FREE char *program = find_program(spec);
	struct child *c;
	struct plan p = {.program = program, .cwd = spec->cwd, .fds = {-1, -1, -1}};
	int failed;

	if (!program) {
		err_set(e, ERR_FAILED, _("install it, or put its folder on PATH"),
			_("%s was not found on PATH"), spec->argv[0]);
		return NULL;
	}
	c = X_NEW(struct child);
	c->loop = l;
	c->in_fd = c->out.fd = c->err.fd = -1;
	c->own_group = !spec->on_terminal;
	c->on_out = spec->on_out;
	c->on_err = spec->on_err;
	c->on_exit = spec->on_exit;
	c->arg = spec->arg;
	lines_init(&c->out.lines, out_line, c);
	lines_init(&c->err.lines, err_line, c);
	p.argv = (char *const *)(uintptr_t)spec->argv;
	p.env = spec->env ? (char *const *)(uintptr_t)spec->env : environ;
	p.detached = spec->detached;
	p.on_terminal = spec->on_terminal;
	failed = open_streams(spec, c, &p, e) != 0 || fork_exec(c, &p, e) != 0;
	for (int i = 0; i < 3; i++)
		close_fd(&p.fds[i]);
	if (failed) {
		child_free(c);
		return NULL;
	}
	watch_streams(l, c, spec);
	c->next = nursery->all;
	nursery->all = c;
	return c;
}

pid_t child_pid(const struct child *c)
{
	return c->pid;
}

void child_signal(struct child *c, int signo)
{
	if (!c->exited)
		kill(c->own_group ? -c->pid : c->pid, signo);
}

static void grace_over(void *arg)
{
	struct child *c = arg;

	c->grace = NULL;
	child_signal(c, SIGKILL);
}

void child_stop(struct child *c, int grace_ms)
{
	if (c->stopping)
		return;
	c->stopping = true;
	child_signal(c, SIGTERM);
	c->grace = loop_after_wall(c->loop, grace_ms, grace_over, c);
}

void child_forget(struct child **cp)
{
	struct child *c = *cp;

	*cp = NULL;
	if (!c)
		return;
	c->on_out = c->on_err = NULL;
	c->on_exit = NULL;
}
