/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/run/attempt.h"
#include "core/run/interrupt_guard.h"
#include "core/run/process.h"

#define ABOUT        "interrupt"
#define SENT         "interrupted"
#define FREEZE_TRIES 20 /* a millisecond each */

/* --- who */

struct search {
	const char *name;
	pid_t script, session;
	struct process found;
	int depth; /* of the one found, -1 = none */
};

/* A wrapper of the same name stands above the real one. Its plugins have longer names. */
static bool consider(void *arg, const struct process *p)
{
	struct search *s = arg;
	int depth;

	if (strcmp(p->name, s->name) != 0 || p->state == 'Z')
		return true;
	depth = s->script > 1 ? process_depth(p->pid, s->script) : -1;
	if (depth < 0 && s->session > 1 && p->session == s->session)
		depth = 0; /* of the attempt, but its script is gone */
	if (depth > s->depth) {
		s->depth = depth;
		s->found = *p;
	}
	return true;
}

static bool search(const char *dir, pid_t script, const char *name, struct process *found)
{
	struct search s = {
		.name = name, .script = script, .session = attempt_session(dir), .depth = -1};

	process_each(consider, &s);
	*found = s.found;
	return s.depth >= 0;
}

bool interrupt_finds(const char *dir, pid_t script)
{
	struct process p;

	return search(dir, script, "terraform", &p);
}

bool interrupt_shields(const char *dir, pid_t script)
{
	struct process p;

	return search(dir, script, "gcluster", &p) || interrupt_finds(dir, script);
}

/* --- the record */

static bool recorded(const char *dir, const char *name, const struct process *p)
{
	AUTO_FREE char *file = path_join(dir, name);
	AUTO(buf_fini) struct buf b = {0};
	unsigned long long ticks;
	char boot[PROCESS_BOOT];
	long pid;

	return path_exists(file) && path_read(file, 256, &b, NULL) == 0 &&
	       sscanf(buf_str(&b), "%ld %llu %63s", &pid, &ticks, boot) == 3 && pid == p->pid &&
	       ticks == p->ticks && process_boot_is(boot);
}

static int record(const char *dir, const struct process *p, struct err *e)
{
	AUTO_FREE char *file = path_join(dir, ABOUT);
	AUTO_FREE char *text = NULL;
	char boot[PROCESS_BOOT];

	process_boot(boot);
	text = x_asprintf("%ld %llu %s\n", (long)p->pid, p->ticks, boot);
	return path_write(file, text, strlen(text), e);
}

/* --- sending */

static bool freeze(const struct process *p)
{
	if (!process_is(p->pid, p->ticks) || kill(p->pid, SIGSTOP) != 0)
		return false;
	for (int i = 0; i < FREEZE_TRIES && !process_frozen(p->pid); i++)
		(void)poll(NULL, 0, 1);
	errno = EBUSY;
	return process_frozen(p->pid);
}

static enum interrupt cannot(const struct process *p, int errnum, struct err *e)
{
	(void)err_errno(e, ERR_FAILED, errnum,
		_("it is tried again until it has been told or has ended by itself"),
		_("terraform (process %ld) cannot be told to stop"), (long)p->pid);
	return INTERRUPT_LATER;
}

/* It stands still for as long as that takes, and no longer than this engine lives. */
static int tell(const char *dir, const struct process *p)
{
	AUTO_FREE char *about = path_join(dir, ABOUT);
	AUTO_FREE char *sent = path_join(dir, SENT);
	struct interrupt_guard guard;
	int errnum = 0;

	interrupt_guard_open(&guard, p, about, sent);
	if (!freeze(p) || (!process_pending(p->pid, SIGINT) && kill(p->pid, SIGINT) != 0))
		errnum = errno;
	else
		(void)rename(about, sent); /* takes no space */
	(void)kill(p->pid, SIGCONT);
	interrupt_guard_close(&guard);
	return errnum;
}

enum interrupt interrupt_terraform(const char *dir, pid_t script, struct err *e)
{
	struct process p;
	int errnum;

	if (!search(dir, script, "terraform", &p))
		return INTERRUPT_NOBODY;
	if (recorded(dir, SENT, &p)) {
		if (process_frozen(p.pid)) /* an earlier life died before it said go on */
			(void)kill(p.pid, SIGCONT);
		return INTERRUPT_SENT;
	}
	if (!recorded(dir, ABOUT, &p) && record(dir, &p, e) != 0)
		return INTERRUPT_LATER;
	errnum = tell(dir, &p);
	return errnum ? cannot(&p, errnum, e) : INTERRUPT_SENT;
}
