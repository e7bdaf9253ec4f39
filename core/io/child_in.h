/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of children: child.c holds and reaps them, child_streams.c is their stdin, stdout and
 * stderr on our side, child_exec.c goes from fork to exec. Internal to these three.
 */
#ifndef RLPILOT_IO_CHILD_IN_H
#define RLPILOT_IO_CHILD_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/io/child.h"
#include "core/io/lines.h"

struct loop_fd;
struct loop_timer;

struct child_output {
	int fd; /* -1 = closed */
	struct loop_fd *watch;
	struct lines lines;
};

struct child {
	struct child *next;
	struct loop *loop;
	pid_t pid;
	bool own_group, exited, stopping;
	int status;
	struct child_output out, err;
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

/* What the child does between fork and exec; fds: stdin, stdout, stderr, -1 = keep ours. */
struct child_plan {
	const char *program, *cwd;
	char *const *argv, *const *env;
	int fds[3];
	int report;
	bool detached, on_terminal;
};

/* child_streams.c */
/* The child's ends to the plan, whose owner closes them; ours to c. */
int child_streams_open(
	struct child *c, const struct child_spec *s, struct child_plan *p, struct err *e);
void child_streams_watch(struct child *c, const struct child_spec *s);
/* The child has ended: what it wrote is read to the end. */
void child_streams_finish(struct child *c);
void child_streams_close(struct child *c);
/* Both ends above 2, which must stay free for the child's own, and closed by exec. */
int child_pipe(int fds[2], struct err *e);

/* child_exec.c */
/* The program runs (0), or why it does not. */
int child_exec(struct child_plan *p, pid_t *pid, struct err *e);

#endif
