/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling the terraform of an attempt to stop: each terraform gets one SIGINT and never a second
 * one, whatever becomes of the engine in between (facts/gcluster.md §4: a second one makes it exit
 * at once and lose its state; gcluster itself must get none, it would take terraform down).
 * The record in the attempt's folder names the process: `interrupt` before anything is sent, by
 * rename `interrupted` once it has been. In between terraform stands still (SIGSTOP), so that the
 * kernel can always tell whether the signal waits for it: the next engine asks it and goes on from
 * there, also when the last one died and left it standing. Who dies is survived by a guard that
 * wakes it (interrupt_guard.h).
 */
#ifndef RLPILOT_RUN_INTERRUPT_H
#define RLPILOT_RUN_INTERRUPT_H

#include <stdbool.h>
#include <sys/types.h>

struct err;

enum interrupt {
	INTERRUPT_NOBODY, /* there is no terraform now */
	INTERRUPT_SENT,   /* it has got its SIGINT, now or before */
	INTERRUPT_LATER,  /* not yet: err says why; ask again */
};

/* dir: the attempt's folder; script: its process, 0 = not known. */
enum interrupt interrupt_terraform(const char *dir, pid_t script, struct err *e);
/* Would that tell somebody? */
bool interrupt_finds(const char *dir, pid_t script);
/* Is a gcluster at work, which must not be killed? */
bool interrupt_shields(const char *dir, pid_t script);

#endif
