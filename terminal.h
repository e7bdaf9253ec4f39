/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal of a screen: keys go to the host, but for a program that needs the real terminal (a
 * login, a cure) the screen steps aside until it has ended and the person has read what it said.
 * One program at a time; nothing is read from the terminal while it runs.
 */
#ifndef RLPILOT_TERMINAL_H
#define RLPILOT_TERMINAL_H

#include <stdbool.h>

#include "core/io/tty.h"

struct child;
struct err;
struct host;
struct loop;
struct loop_fd;
struct view_program;

struct terminal {
	struct loop *loop;
	struct host *host;
	struct loop_fd *keys;
	struct child *child;
	struct tty tty; /* as it is around the program */
	bool reading;   /* it has ended; Enter goes back to the screen */
	int code;
	void (*done)(void *arg, int code);
	void *arg;
};

void terminal_open(struct terminal *t, struct loop *l, struct host *h);
/* A program that still runs is left alone. */
void terminal_close(struct terminal *t);
bool terminal_lent(const struct terminal *t);
/* ^C and ^\ on a lent terminal are for the program there; once that has ended they go back. */
bool terminal_takes_signal(struct terminal *t);
/* Of struct views_context: arg is the struct terminal. */
int terminal_run(void *arg, const struct view_program *p, struct err *e);

#endif
