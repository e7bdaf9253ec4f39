/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Child processes on the loop. fork + exec without a shell; a program that cannot be started is
 * an error of child_start, not an exit code. Each child leads a process group of its own, or a
 * session when detached, and inherits no descriptor above 2. Only own pids are reaped. Outputs are
 * read to their end before on_exit; what a surviving grandchild writes later is not waited for.
 */
#ifndef RLPILOT_IO_CHILD_H
#define RLPILOT_IO_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct err;
struct loop;
struct child;

struct child_spec {
	const char *const *argv; /* argv[0] is looked for on PATH of `env` */
	const char *const *env;  /* whole environment "NAME=value"; NULL = own */
	const char *cwd;         /* NULL = own */
	const void *input;       /* bytes for stdin; NULL = /dev/null */
	size_t input_n;
	const char *out_file, *err_file; /* appended to, mode 0600; same path = same descriptor */
	/* Lines of stdout and stderr where there is no file; NULL: /dev/null. */
	void (*on_out)(void *arg, const char *line, size_t n, bool cut);
	void (*on_err)(void *arg, const char *line, size_t n, bool cut);
	bool detached; /* own session: outlives us and our terminal */
	/* Keeps our stdin, stdout, stderr and the foreground (a login). Its end is told after every
	 * signal that its terminal has sent to us as well. */
	bool on_terminal;
	/* code = exit status, or 128 + signal. The handle is dead afterwards. May be NULL. */
	void (*on_exit)(void *arg, int code);
	void *arg;
};

/* NULL with a message when it cannot be started. No callback comes before this returns. */
struct child *child_start(struct loop *l, const struct child_spec *spec, struct err *e);
pid_t child_pid(const struct child *c);
/* Sends a signal to the child's group. */
void child_signal(struct child *c, int signo);
/* SIGTERM to the group, SIGKILL after grace_ms of wall time; on_exit still comes. */
void child_stop(struct child *c, int grace_ms);
/* No callback any more; the process goes on and is reaped silently. Sets *c to NULL. */
void child_forget(struct child **c);

#endif
