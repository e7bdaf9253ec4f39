/* SPDX-License-Identifier: Apache-2.0 */
/*
 * While a terraform stands still (core/run/interrupt.h) a process of its own waits for the death of
 * this engine: then it wakes that very terraform, so that kill -9 cannot leave it asleep until the
 * next engine. If its SIGINT waits for it by then, the record says so before it wakes: otherwise
 * the next engine would send a second one. Holds nothing open but its pipe, so no lock either.
 */
#ifndef RLPILOT_RUN_INTERRUPT_GUARD_H
#define RLPILOT_RUN_INTERRUPT_GUARD_H

#include <sys/types.h>

#include "core/run/process.h"

struct interrupt_guard {
	pid_t pid; /* 0 = there is none */
	int pipe;  /* open as long as this process lives */
};

/* about becomes sent by rename. Where no guard can be made all goes on without one. */
void interrupt_guard_open(
	struct interrupt_guard *g, const struct process *of, const char *about, const char *sent);
/* It has been woken: no guard is needed any more. */
void interrupt_guard_close(struct interrupt_guard *g);

#endif
