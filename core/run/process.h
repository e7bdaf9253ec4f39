/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of this machine as /proc shows them: who lives, since when, of whom and of which
 * session. A process is only the same one when id, start ticks and boot are: ids are used again.
 * Looks and asks, sends nothing.
 */
#ifndef RLPILOT_RUN_PROCESS_H
#define RLPILOT_RUN_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#define PROCESS_BOOT 64

struct process {
	pid_t pid, parent, session;
	unsigned long long ticks; /* when it began, since the boot */
	char state;               /* as in proc(5): R S D T Z … */
	char name[64];
};

/* False when there is none of that id. */
bool process_read(pid_t pid, struct process *out);
/* All of them, in any order, until fn says false. */
void process_each(bool (*fn)(void *arg, const struct process *p), void *arg);
/* Start ticks, 0 when there is none of that id. */
unsigned long long process_ticks(pid_t pid);
/* Is it the one that was recorded with these ticks? */
bool process_is(pid_t pid, unsigned long long ticks);
/* How far below the ancestor: 0 = it is that one, -1 = it is not below it. */
int process_depth(pid_t pid, pid_t ancestor);
/* Are all its threads stopped (SIGSTOP)? */
bool process_frozen(pid_t pid);
/* Has it been sent this signal, which it has not taken yet? */
bool process_pending(pid_t pid, int signo);
/* Id of this boot of the machine, "-" when it is not known. */
void process_boot(char out[PROCESS_BOOT]);
/* True also when this boot's id is not known. */
bool process_boot_is(const char *id);

#endif
