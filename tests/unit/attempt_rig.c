/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/attempt_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/run/attempt.h"
#include "tests/unit/dir_rig.h"

char *attempt_with(const char *script)
{
	char *attempt = attempt_dir(dir, STAGE_CLUSTER, 1);

	assert_int_equal(attempt_prepare(attempt, script, NULL), 0);
	return attempt;
}

pid_t supervise(const char *attempt)
{
	AUTO_FREE char *supervisor = attempt_supervisor(NULL);
	pid_t pid;

	assert_non_null(supervisor);
	pid = fork();
	if (pid == 0) {
		(void)setsid();
		execl("/bin/sh", "sh", supervisor, attempt, (char *)NULL);
		_exit(127);
	}
	return pid;
}

int ends_with(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void in_attempt(const char *name, const char *text)
{
	AUTO_FREE char *file = x_asprintf("stages/cluster/1/%s", name);

	dir_put_text(file, text);
}

bool ran(void)
{
	AUTO_FREE char *file = path_join(dir, "ran");

	return path_exists(file);
}

char *marking_script(void)
{
	return x_asprintf("#!/bin/sh\n: >'%s/ran'\n", dir);
}

char *boot(void)
{
	AUTO(buf_fini) struct buf b = {0};

	assert_int_equal(path_read("/proc/sys/kernel/random/boot_id", 64, &b, NULL), 0);
	return x_strndup(buf_str(&b), 36);
}

char *claimed(const char *boot_id, const char *host)
{
	AUTO_FREE char *holder = x_asprintf(
		"%ld 1 %s%s%s\n", (long)getpid(), boot_id, host ? " " : "", host ? host : "");
	char *attempt = attempt_with("#!/bin/sh\n");
	AUTO_FREE char *claim = path_join(attempt, "claim");

	assert_int_equal(path_mkdirs(claim, NULL), 0);
	in_attempt("claim/pid", holder);
	return attempt;
}

void begun(const char *attempt)
{
	AUTO_FREE char *go = path_join(attempt, "claim/go");

	assert_int_equal(symlink("../pid", go), 0);
}

/* A process that leads a session and waits; it is there when this returns. */
pid_t waiting_session(void)
{
	int ready[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		(void)alarm(30);
		if (setsid() < 0 || write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}
