/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal around a program that has it for a while: whatever that does to the terminal and
 * however it ends, afterwards the modes are those of before and we are in the foreground again.
 */
#ifndef RLPILOT_IO_TTY_H
#define RLPILOT_IO_TTY_H

#include <stdbool.h>
#include <termios.h>

struct tty {
	bool kept;
	struct termios modes;
};

/* Notes how the terminal on fd is; nothing when there is none. */
void tty_keep(struct tty *t, int fd);
/* Once for each tty_keep. */
void tty_restore(struct tty *t, int fd);

#endif
