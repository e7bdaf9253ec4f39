/* SPDX-License-Identifier: Apache-2.0 */
#include "core/io/child.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/io/child_in.h"
#include "core/io/loop.h"

extern char **environ;

struct nursery {
	struct child *all;
	struct loop_signal *signal;
};

static const char nursery_key;

static void child_free(struct child *c)
{
	child_streams_close(c);
	loop_timer_cancel(&c->grace);
	loop_defer_drop(c->loop, c);
	free(c);
}

static void finish(struct nursery *n, struct child *c)
{
	struct child **at = &n->all;
	int code = WIFEXITED(c->status) ? WEXITSTATUS(c->status) : 128 + WTERMSIG(c->status);

	child_streams_finish(c);
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

static void finish_late(void *arg)
{
	struct child *c = arg;

	finish(loop_attached(c->loop, &nursery_key), c);
}

static void wait_a_turn(void *arg)
{
	struct child *c = arg;

	loop_defer(c->loop, finish_late, c);
}

/* ^C on a shared terminal is for both, and its end can be seen before our own signal is told: only
 * what a whole turn has not brought came later. */
static void note_end(struct child *c)
{
	if (c->exited || !has_ended(c))
		return;
	c->exited = true;
	if (!c->own_group)
		loop_defer(c->loop, wait_a_turn, c);
}

static void reap(void *arg)
{
	struct nursery *n = arg;
	struct child *c;

	for (c = n->all; c; c = c->next)
		note_end(c);
	do {
		for (c = n->all; c && !(c->exited && c->own_group); c = c->next)
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

struct child *child_start(struct loop *l, const struct child_spec *spec, struct err *e)
{
	struct nursery *nursery = nursery_of(l);
	AUTO_FREE char *program = find_program(spec);
	struct child *c;
	struct child_plan p = {.program = program, .cwd = spec->cwd, .fds = {-1, -1, -1}};
	int failed;

	if (!program) {
		err_set(e, ERR_FAILED, _("install it, or put its folder on PATH"),
			_("%s was not found on PATH"), spec->argv[0]);
		return NULL;
	}
	c = X_NEW(struct child);
	c->loop = l;
	c->own_group = !spec->on_terminal;
	c->on_out = spec->on_out;
	c->on_err = spec->on_err;
	c->on_exit = spec->on_exit;
	c->arg = spec->arg;
	p.argv = (char *const *)(uintptr_t)spec->argv;
	p.env = spec->env ? (char *const *)(uintptr_t)spec->env : environ;
	p.detached = spec->detached;
	p.on_terminal = spec->on_terminal;
	failed = child_streams_open(c, spec, &p, e) != 0 || child_exec(&p, &c->pid, e) != 0;
	for (int i = 0; i < 3; i++)
		if (p.fds[i] >= 0)
			close(p.fds[i]);
	if (failed) {
		child_free(c);
		return NULL;
	}
	child_streams_watch(c, spec);
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
