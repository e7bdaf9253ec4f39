/* SPDX-License-Identifier: Apache-2.0 */
/* stdin, stdout and stderr of a child, on our side. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/io/child_in.h"
#include "core/io/loop.h"

#define DRAIN_MAX ((size_t)1 << 20)

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

static void stop_output(struct child_output *o)
{
	loop_fd_stop(&o->watch);
	close_fd(&o->fd);
}

void child_streams_close(struct child *c)
{
	stop_input(c);
	stop_output(&c->out);
	stop_output(&c->err);
	lines_fini(&c->out.lines);
	lines_fini(&c->err.lines);
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
static bool read_some(struct child_output *o, size_t *got)
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
	struct child_output *o = arg;
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

static void finish_output(struct child_output *o)
{
	size_t got = 0;

	while (o->fd >= 0 && got < DRAIN_MAX && read_some(o, &got))
		continue;
	stop_output(o);
	lines_end(&o->lines);
}

void child_streams_finish(struct child *c)
{
	finish_output(&c->out);
	finish_output(&c->err);
}

/* 0..2 must stay free for the child's own; happens when we run without them. */
static int lifted(int fd)
{
	int high = fd;

	if (fd < 3) {
		high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		close(fd);
	}
	return high;
}

int child_pipe(int fds[2], struct err *e)
{
	if (pipe(fds) != 0)
		return err_errno(e, ERR_FAILED, errno, _("close other programs and try again"),
			_("a pipe cannot be made"));
	for (int i = 0; i < 2; i++) {
		fds[i] = lifted(fds[i]);
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
	return lifted(fd);
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
	if (child_pipe(fds, e) != 0)
		return -1;
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	*ours = fds[0];
	*fd = fds[1];
	return 0;
}

int child_streams_open(
	struct child *c, const struct child_spec *s, struct child_plan *p, struct err *e)
{
	int fds[2];

	c->in_fd = c->out.fd = c->err.fd = -1;
	lines_init(&c->out.lines, out_line, c);
	lines_init(&c->err.lines, err_line, c);
	if (s->on_terminal)
		return 0;
	if (s->input) {
		if (child_pipe(fds, e) != 0)
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

void child_streams_watch(struct child *c, const struct child_spec *s)
{
	if (c->out.fd >= 0)
		c->out.watch = loop_fd_watch(c->loop, c->out.fd, LOOP_READ, output_ready, &c->out);
	if (c->err.fd >= 0)
		c->err.watch = loop_fd_watch(c->loop, c->err.fd, LOOP_READ, output_ready, &c->err);
	if (c->in_fd < 0)
		return;
	if (s->input_n == 0) {
		stop_input(c);
		return;
	}
	c->input_n = s->input_n;
	c->input = x_malloc(s->input_n);
	memcpy(c->input, s->input, s->input_n);
	c->in_watch = loop_fd_watch(c->loop, c->in_fd, LOOP_WRITE, input_ready, c);
}
