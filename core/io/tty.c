/* SPDX-License-Identifier: Apache-2.0 */
#include "core/io/tty.h"

#include <signal.h>
#include <unistd.h>

void tty_keep(struct tty *t, int fd)
{
	t->kept = tcgetattr(fd, &t->modes) == 0;
}

void tty_restore(struct tty *t, int fd)
{
	sigset_t out, before;

	if (!t->kept)
		return;
	t->kept = false;
	/* A shell that was killed has kept the foreground: who takes it back from behind is stopped
	 * for it, unless he does not hear. */
	sigemptyset(&out);
	sigaddset(&out, SIGTTOU);
	sigprocmask(SIG_BLOCK, &out, &before);
	(void)tcsetpgrp(fd, getpgrp());
	(void)tcsetattr(fd, TCSADRAIN, &t->modes);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
