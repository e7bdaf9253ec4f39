/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/rig/pty.h"

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/run/process.h"
#include "tests/rig/golden.h"
#include "tests/rig/keys.h"
#include "tests/rig/vt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_FRAME_FD 9

struct pty {
	struct vt *vt;
	pid_t pid;
	int fd, frame_fd; /* -1: closed */
	unsigned long frames;
	bool ended;
	int status, deadline_ms;
	struct rusage used;
};

static void pty_child(char *const *argv, char *const *env, int frame_fd)
{
	char number[16];
	if (dup2(frame_fd, CHILD_FRAME_FD) < 0)
		_exit(126);
	snprintf(number, sizeof(number), "%d", CHILD_FRAME_FD);
	setenv("RLPILOT_FRAME_FD", number, 1);
	if (!getenv("TERM"))
		setenv("TERM", "xterm-256color", 1);
	for (; env && *env; env++) {
		AUTO_FREE char *pair = x_strdup(*env);
		char *eq = strchr(pair, '=');
		if (!eq)
			_exit(126);
		*eq = '\0';
		setenv(pair, eq + 1, 1);
	}
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

struct pty *pty_open(int cols, int rows, char *const *argv, char *const *env)
{
	struct pty *p = X_NEW(struct pty);
	struct winsize ws = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
	int frame[2];
	if (pipe(frame) != 0)
		die("pty rig: no pipe");
	p->deadline_ms = PTY_DEADLINE_MS;
	p->vt = vt_new(rows, cols);
	p->pid = forkpty(&p->fd, NULL, NULL, &ws);
	if (p->pid < 0)
		die("pty rig: no pseudo terminal");
	if (p->pid == 0) {
		close(frame[0]);
		pty_child(argv, env, frame[1]);
	}
	close(frame[1]);
	p->frame_fd = frame[0];
	fcntl(p->fd, F_SETFL, O_NONBLOCK);
	fcntl(p->frame_fd, F_SETFL, O_NONBLOCK);
	fcntl(p->fd, F_SETFD, FD_CLOEXEC);
	fcntl(p->frame_fd, F_SETFD, FD_CLOEXEC);
	return p;
}

void pty_close(struct pty *p)
{
	if (!p->ended) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, &p->status, 0);
	}
	if (p->fd >= 0)
		close(p->fd);
	if (p->frame_fd >= 0)
		close(p->frame_fd);
	vt_free(p->vt);
	free(p);
}

struct vt *pty_vt(struct pty *p)
{
	return p->vt;
}

pid_t pty_pid(const struct pty *p)
{
	return p->pid;
}

int64_t pty_cpu_ms(const struct pty *p)
{
	const struct timeval *u = &p->used.ru_utime, *k = &p->used.ru_stime;

	return ((int64_t)u->tv_sec + k->tv_sec) * 1000 + (u->tv_usec + k->tv_usec) / 1000;
}

unsigned long pty_frames(const struct pty *p)
{
	return p->frames;
}

void pty_deadline(struct pty *p, int ms)
{
	p->deadline_ms = ms;
}

void pty_send(struct pty *p, const char *data, size_t n)
{
	while (n > 0 && p->fd >= 0) {
		ssize_t w = write(p->fd, data, n);
		if (w > 0) {
			data += w;
			n -= (size_t)w;
			continue;
		}
		if (w < 0 && errno != EAGAIN && errno != EINTR)
			return;
		struct pollfd wait = {.fd = p->fd, .events = POLLOUT};
		poll(&wait, 1, 100);
	}
}

void pty_keys(struct pty *p, const char *keys)
{
	struct rig_key k;
	while (rig_key_next(&keys, &k))
		pty_send(p, k.bytes, k.n);
}

void pty_paste(struct pty *p, const char *text)
{
	pty_send(p, "\033[200~", 6);
	pty_send(p, text, strlen(text));
	pty_send(p, "\033[201~", 6);
}

void pty_resize(struct pty *p, int cols, int rows)
{
	struct winsize ws = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
	vt_resize(p->vt, rows, cols);
	ioctl(p->fd, TIOCSWINSZ, &ws);
}

void pty_hang_up(struct pty *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

/* Takes everything that is there from one descriptor; false when it has ended. */
static bool pty_drain(struct pty *p, int *fd, bool screen)
{
	char chunk[16384];
	for (;;) {
		ssize_t n = read(*fd, chunk, sizeof(chunk));
		if (n > 0 && screen) {
			char answer[256];
			size_t a;
			vt_feed(p->vt, chunk, (size_t)n);
			while ((a = vt_answers(p->vt, answer, sizeof(answer))) > 0)
				pty_send(p, answer, a);
		} else if (n > 0) {
			p->frames += (unsigned long)n;
		} else if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
			return true;
		} else {
			close(*fd);
			*fd = -1;
			return false;
		}
	}
}

/* One turn: what has arrived, else waits up to ms. */
static void pty_turn(struct pty *p, int ms)
{
	struct pollfd fds[] = {
		{.fd = p->fd, .events = POLLIN}, {.fd = p->frame_fd, .events = POLLIN}};
	poll(fds, 2, ms);
	if (p->frame_fd >= 0 && fds[1].revents)
		pty_drain(p, &p->frame_fd, false);
	if (p->fd >= 0 && fds[0].revents)
		pty_drain(p, &p->fd, true);
	if (!p->ended && wait4(p->pid, &p->status, WNOHANG, &p->used) == p->pid)
		p->ended = true;
}

static void pty_complain(struct pty *p, const char *what)
{
	AUTO(buf_fini) struct buf text = {0};
	golden_dump(p->vt, false, &text);
	fprintf(stderr, "rig: waited in vain for %s; the screen is\n%s", what, buf_str(&text));
	if (p->ended)
		fprintf(stderr, "rig: the program has ended with status %d\n", p->status);
}

bool pty_wait(struct pty *p, bool (*holds)(struct pty *, const void *), const void *arg)
{
	int64_t until = clock_wall() + p->deadline_ms;
	for (;;) {
		int64_t left = until - clock_wall();
		if (holds(p, arg))
			return true;
		if (left <= 0)
			return false;
		if (p->fd < 0 && p->frame_fd < 0 && p->ended)
			return holds(p, arg);
		/* A child's end makes no descriptor ready when its children keep them. */
		pty_turn(p, left > 50 ? 50 : (int)left);
	}
}

static bool holds_text(struct pty *p, const void *text)
{
	return vt_has(p->vt, text);
}

static bool holds_gone(struct pty *p, const void *text)
{
	return !vt_has(p->vt, text);
}

static bool holds_frame(struct pty *p, const void *frames)
{
	return p->frames > *(const unsigned long *)frames || p->ended;
}

static bool holds_exit(struct pty *p, const void *unused)
{
	(void)unused;
	return p->ended;
}

struct session {
	pid_t leader, foreground;
	int readers;
};

/* Who may take what is typed: those in the foreground, and those on their way to a stop. */
static bool count_reader(void *arg, const struct process *p)
{
	struct session *s = arg;
	if (p->session != s->leader || p->state == 'Z')
		return true;
	if (getpgid(p->pid) == s->foreground || (p->pid != s->leader && p->state != 'T'))
		s->readers++;
	return true;
}

static bool holds_alone(struct pty *p, const void *unused)
{
	struct session s = {.leader = p->pid, .foreground = tcgetpgrp(p->fd)};
	(void)unused;
	process_each(count_reader, &s);
	return s.readers == 1;
}

struct golden_wait {
	const char *file;
	bool roles;
};

static bool holds_golden(struct pty *p, const void *arg)
{
	const struct golden_wait *g = arg;
	AUTO(buf_fini) struct buf text = {0};
	golden_dump(p->vt, g->roles, &text);
	return golden_equal(g->file, buf_str(&text));
}

bool pty_wait_text(struct pty *p, const char *text)
{
	if (pty_wait(p, holds_text, text))
		return true;
	pty_complain(p, text);
	return false;
}

bool pty_wait_gone(struct pty *p, const char *text)
{
	if (pty_wait(p, holds_gone, text))
		return true;
	fprintf(stderr, "rig: this stays on the screen: %s\n", text);
	return false;
}

bool pty_wait_frame(struct pty *p, unsigned long frames)
{
	if (pty_wait(p, holds_frame, &frames))
		return true;
	pty_complain(p, "a frame");
	return false;
}

bool pty_wait_alone(struct pty *p)
{
	if (pty_wait(p, holds_alone, NULL))
		return true;
	pty_complain(p, "one process alone at the terminal");
	return false;
}

bool pty_wait_golden(struct pty *p, const char *file, bool roles)
{
	struct golden_wait g = {file, roles};
	AUTO(buf_fini) struct buf text = {0};
	if (!golden_generating() && pty_wait(p, holds_golden, &g))
		return true;
	golden_dump(p->vt, roles, &text);
	return golden_compare(file, buf_str(&text));
}

bool pty_wait_exit(struct pty *p, int *status)
{
	if (!pty_wait(p, holds_exit, NULL)) {
		pty_complain(p, "the end of the program");
		return false;
	}
	pty_turn(p, 0);
	*status = p->status;
	return true;
}
