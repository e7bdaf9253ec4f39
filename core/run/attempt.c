/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/attempt.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/machine.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/io/child.h"
#include "core/run/process.h"

#define GIVEN_UP "nobody" /* target of claim/go, see assets/supervisor */

char *attempt_dir(const char *run_dir, enum stage_id id, int n)
{
	return x_asprintf("%s/stages/%s/%d", run_dir, stage_word(id), n);
}

char *attempt_undo_dir(const char *run_dir, enum stage_id id, int n)
{
	return x_asprintf("%s/stages/%s/undo-%d", run_dir, stage_word(id), n);
}

int attempt_last(const char *run_dir, enum stage_id id)
{
	AUTO_FREE char *dir = x_asprintf("%s/stages/%s", run_dir, stage_word(id));
	struct strvec names = {0};
	int last = 0;

	if (path_list(dir, &names, NULL) != 0)
		return 0;
	for (size_t i = 0; i < names.n; i++) {
		int64_t n;
		if (text_to_i64(names.items[i], 1, ATTEMPT_MAX, &n) == 0 && n > last)
			last = (int)n;
	}
	strvec_fini(&names);
	return last;
}

int attempt_prepare(const char *dir, const char *script, struct err *e)
{
	AUTO_FREE char *file = path_join(dir, "script");

	if (!path_exists(file) &&
		(path_mkdirs(dir, e) != 0 || path_write(file, script, strlen(script), e) != 0))
		return -1;
	/* Also for one that an earlier life wrote and did not get to make runnable. */
	if (chmod(file, 0700) != 0)
		return err_errno(
			e, ERR_CANNOT_WRITE, errno, "", _("cannot make %s runnable"), file);
	return 0;
}

static char *beside_program(const char *name)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;
	char *path;

	if (n <= 0)
		return NULL;
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	path = path_join(exe, name);
	if (path_exists(path))
		return path;
	free(path);
	return NULL;
}

char *attempt_supervisor(struct err *e)
{
	static const char *const places[] = {"assets/supervisor", "../assets/supervisor",
		"../../assets/supervisor", "../../../assets/supervisor"};
	char *path;

	for (size_t i = 0; i < COUNT(places); i++) {
		path = beside_program(places[i]);
		if (path)
			return path;
	}
	path = x_asprintf("%s/supervisor", PKGDATADIR);
	if (path_exists(path))
		return path;
	free(path);
	err_set(e, ERR_FAILED, _("install rlpilot again, its assets are missing"),
		_("the supervisor script was not found"));
	return NULL;
}

int attempt_start(struct loop *l, const char *dir, const char *const *env, struct err *e)
{
	AUTO_FREE char *supervisor = attempt_supervisor(e);
	const char *argv[] = {"/bin/sh", supervisor, dir, NULL};
	struct child_spec spec = {.argv = argv, .env = env, .cwd = dir, .detached = true};
	struct child *child;

	if (!supervisor)
		return -1;
	child = child_start(l, &spec, e);
	if (!child)
		return -1;
	child_forget(&child);
	return 0;
}

/* Who stands in a file "PID TICKS BOOT [HOST]" of the supervisor. */
struct holder {
	pid_t pid; /* 0 = there is no such file, or nothing readable in it */
	unsigned long long ticks;
	char boot[PROCESS_BOOT], host[256];
};

static void holder_read(const char *dir, const char *name, struct holder *h)
{
	AUTO_FREE char *file = path_join(dir, name);
	AUTO(buf_fini) struct buf b = {0};
	long id;

	*h = (struct holder){0};
	if (!path_exists(file) || path_read(file, 512, &b, NULL) != 0)
		return;
	if (sscanf(buf_str(&b), "%ld %llu %63s %255s", &id, &h->ticks, h->boot, h->host) >= 3 &&
		id > 1)
		h->pid = (pid_t)id;
}

static bool holder_lives(const struct holder *h)
{
	if (!h->pid)
		return false;
	if (h->ticks == 0) /* a system that tells neither */
		return process_boot_is(h->boot) && (kill(h->pid, 0) == 0 || errno == EPERM);
	return process_is(h->pid, h->ticks) && process_boot_is(h->boot);
}

struct members {
	pid_t session;
	bool any;
};

static bool is_member(void *arg, const struct process *p)
{
	struct members *m = arg;

	m->any = p->session == m->session && p->state != 'Z';
	return !m->any;
}

/* The session that the supervisor leads, 0 when it is none of this boot. A leader of that id that
 * began at another time is a stranger. */
static pid_t session_of(const struct holder *leader)
{
	unsigned long long now;

	if (!leader->pid || !process_boot_is(leader->boot))
		return 0;
	now = process_ticks(leader->pid);
	return now && now != leader->ticks ? 0 : leader->pid;
}

/* Is anybody left of it? What the script has started may live longer than both. */
static bool session_lives(const struct holder *leader)
{
	struct members m = {.session = session_of(leader)};

	if (m.session)
		process_each(is_member, &m);
	return m.any;
}

static bool supervises(const char *pid, const char *dir)
{
	AUTO_FREE char *file = x_asprintf("/proc/%s/cmdline", pid);
	AUTO(buf_fini) struct buf b = {0};
	size_t n = strlen(dir);

	/* sh SUPERVISOR DIR: the last word, with its end */
	return path_read(file, 65536, &b, NULL) == 0 && b.len > n + 1 && !b.data[b.len - 1] &&
	       !b.data[b.len - n - 2] && strcmp(b.data + b.len - n - 1, dir) == 0 &&
	       memmem(b.data, b.len, "supervisor", strlen("supervisor")) != NULL;
}

/* Its record is gone: its command line tells who it is, as long as it lives. */
static void holder_search(const char *dir, struct holder *h)
{
	AUTO(strvec_fini) struct strvec names = {0};

	if (path_list("/proc", &names, NULL) != 0)
		return;
	for (size_t i = 0; i < names.n && !h->pid; i++) {
		int64_t pid;
		if (text_to_i64(names.items[i], 2, INT32_MAX, &pid) != 0 || pid == getpid() ||
			!supervises(names.items[i], dir))
			continue;
		h->pid = (pid_t)pid;
		h->ticks = process_ticks(h->pid);
		process_boot(h->boot);
	}
}

static bool read_exit(const char *dir, int *code)
{
	AUTO_FREE char *file = path_join(dir, "exit");
	AUTO(buf_fini) struct buf b = {0};
	int64_t n;

	if (!path_exists(file) || path_read(file, 64, &b, NULL) != 0)
		return false;
	while (b.len && (b.data[b.len - 1] == '\n' || b.data[b.len - 1] == ' '))
		b.data[--b.len] = '\0';
	if (text_to_i64(buf_str(&b), 0, 255, &n) != 0)
		return false;
	*code = (int)n;
	return true;
}

static bool elsewhere(const struct holder *h)
{
	return *h->host && !machine_is(h->host);
}

static enum attempt_go read_go(const char *dir)
{
	AUTO_FREE char *link = path_join(dir, "claim/go");
	char target[16];
	ssize_t n = readlink(link, target, sizeof(target) - 1);

	if (n < 0)
		return ATTEMPT_OPEN;
	target[n] = '\0';
	return strcmp(target, GIVEN_UP) == 0 ? ATTEMPT_GIVEN_UP : ATTEMPT_BEGUN;
}

bool attempt_give_up(const char *dir)
{
	AUTO_FREE char *claim = path_join(dir, "claim");
	AUTO_FREE char *link = path_join(dir, "claim/go");

	(void)mkdir(claim, 0700); /* a supervisor that comes late leaves at once */
	return symlink(GIVEN_UP, link) == 0 || read_go(dir) == ATTEMPT_GIVEN_UP;
}

pid_t attempt_session(const char *dir)
{
	struct holder supervisor;

	holder_read(dir, "claim/pid", &supervisor);
	return elsewhere(&supervisor) ? 0 : session_of(&supervisor);
}

/* A script that is gone has left its tools in the group of the session's leader. */
void attempt_end(const char *dir, const struct attempt_look *look)
{
	pid_t group = look->pid > 1 ? getpgid(look->pid) : -1;

	if (group <= 1)
		group = attempt_session(dir);
	if (group > 1 && group != getpgrp())
		(void)kill(-group, SIGTERM);
}

bool attempt_lingers(const char *dir)
{
	struct holder supervisor;

	holder_read(dir, "claim/pid", &supervisor);
	return !elsewhere(&supervisor) && session_lives(&supervisor);
}

struct attempt_look attempt_judge(const struct attempt_facts *f)
{
	struct attempt_look look = {.state = ATTEMPT_NEVER,
		.exit = f->exit,
		.pid = f->script_lives ? f->script : 0,
		.elsewhere = f->elsewhere};

	if (f->exit >= 0) {
		/* A script that was killed may leave its tools at work. */
		look.state = f->exit > 128 && f->session_lives ? ATTEMPT_RUNNING : ATTEMPT_EXITED;
	} else if (!f->claim && !f->script && f->go != ATTEMPT_BEGUN) {
		look.state = ATTEMPT_NONE;
	} else if (f->elsewhere) {
		look.state = f->go == ATTEMPT_BEGUN || (f->script && f->go == ATTEMPT_OPEN)
				     ? ATTEMPT_LOST
				     : ATTEMPT_NEVER;
	} else if (f->script_lives || f->session_lives) {
		if (f->go != ATTEMPT_GIVEN_UP)
			look.state = f->go == ATTEMPT_BEGUN ? ATTEMPT_RUNNING : ATTEMPT_CLAIMED;
	} else if (f->go == ATTEMPT_BEGUN || (f->script && f->go == ATTEMPT_OPEN)) {
		look.state = ATTEMPT_LOST;
	}
	return look;
}

static bool has(const char *dir, const char *name)
{
	AUTO_FREE char *file = path_join(dir, name);

	return path_exists(file);
}

static struct attempt_look look_once(const char *dir)
{
	/* What comes last is looked at first: a supervisor that begins just now has claimed before.
	 */
	bool traces = has(dir, "log") || has(dir, "started");
	struct attempt_facts f = {.exit = -1, .go = read_go(dir)};
	struct holder script, supervisor;
	struct attempt_look look;

	f.claim = has(dir, "claim");
	holder_read(dir, "pid", &script);
	holder_read(dir, "claim/pid", &supervisor);
	f.script = script.pid;
	f.elsewhere = elsewhere(&supervisor);
	/* Its claim has been lost, but it leaves traces: it is not begun again. */
	if (traces && !f.claim)
		f.go = ATTEMPT_BEGUN;
	if (!read_exit(dir, &f.exit))
		f.script_lives = holder_lives(&script);
	if (f.exit < 0 && !supervisor.pid && (f.go == ATTEMPT_BEGUN || f.script)) {
		holder_search(dir, &supervisor);
		f.elsewhere = !supervisor.pid && !f.script_lives;
	}
	/* Everybody on the machine is looked at only where it decides. */
	if (f.exit > 128 || (f.exit < 0 && f.claim && !f.script_lives))
		f.session_lives = session_lives(&supervisor);
	look = attempt_judge(&f);
	/* The code may have come between the two looks. */
	if (look.state == ATTEMPT_LOST && read_exit(dir, &look.exit))
		look.state = ATTEMPT_EXITED;
	return look;
}

/* Nothing is given up for lost at a glance: it may have begun, or ended, between two files. */
struct attempt_look attempt_look(const char *dir)
{
	struct attempt_look look = look_once(dir);

	return look.state == ATTEMPT_LOST ? look_once(dir) : look;
}
