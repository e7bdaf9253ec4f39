/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/process.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/vec.h"

#define DEPTH_MAX 64

/* A line of /proc/…/stat: what stands in brackets may hold blanks and brackets. */
static bool parse_stat(const char *line, struct process *out)
{
	const char *open = strchr(line, '('), *close = strrchr(line, ')');
	long parent, session;

	if (!open || !close ||
		sscanf(close + 1,
			" %c %ld %*d %ld %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
			"%*d %llu",
			&out->state, &parent, &session, &out->ticks) != 4)
		return false;
	out->parent = (pid_t)parent;
	out->session = (pid_t)session;
	(void)snprintf(out->name, sizeof(out->name), "%.*s", (int)(close - open - 1), open + 1);
	return true;
}

static bool read_stat(const char *file, struct process *out)
{
	AUTO(buf_fini) struct buf b = {0};

	return path_read(file, 4096, &b, NULL) == 0 && parse_stat(buf_str(&b), out);
}

bool process_read(pid_t pid, struct process *out)
{
	AUTO_FREE char *file = x_asprintf("/proc/%ld/stat", (long)pid);

	*out = (struct process){.pid = pid};
	return pid > 0 && read_stat(file, out);
}

void process_each(bool (*fn)(void *arg, const struct process *p), void *arg)
{
	AUTO(strvec_fini) struct strvec names = {0};
	bool more = path_list("/proc", &names, NULL) == 0;

	for (size_t i = 0; more && i < names.n; i++) {
		struct process p;
		int64_t pid;
		if (text_to_i64(names.items[i], 1, INT32_MAX, &pid) == 0 &&
			process_read((pid_t)pid, &p))
			more = fn(arg, &p);
	}
}

unsigned long long process_ticks(pid_t pid)
{
	struct process p;

	return process_read(pid, &p) ? p.ticks : 0;
}

bool process_is(pid_t pid, unsigned long long ticks)
{
	struct process p;

	return process_read(pid, &p) && p.ticks == ticks;
}

int process_depth(pid_t pid, pid_t ancestor)
{
	struct process p = {.parent = pid};

	for (int depth = 0; p.parent > 1 && depth < DEPTH_MAX; depth++) {
		if (p.parent == ancestor)
			return depth;
		if (!process_read(p.parent, &p))
			break;
	}
	return -1;
}

bool process_frozen(pid_t pid)
{
	AUTO_FREE char *dir = x_asprintf("/proc/%ld/task", (long)pid);
	AUTO(strvec_fini) struct strvec tasks = {0};

	if (path_list(dir, &tasks, NULL) != 0)
		return false;
	for (size_t i = 0; i < tasks.n; i++) {
		AUTO_FREE char *file = x_asprintf("%s/%s/stat", dir, tasks.items[i]);
		struct process p = {0};
		if (read_stat(file, &p) && p.state != 'T' && p.state != 't')
			return false;
	}
	return tasks.n > 0;
}

bool process_pending(pid_t pid, int signo)
{
	AUTO_FREE char *file = x_asprintf("/proc/%ld/status", (long)pid);
	AUTO(buf_fini) struct buf b = {0};
	const char *line;

	if (path_read(file, 65536, &b, NULL) != 0)
		return false;
	line = strstr(buf_str(&b), "\nShdPnd:");
	return line && (strtoull(line + strlen("\nShdPnd:"), NULL, 16) >> (signo - 1) & 1);
}

static bool read_boot(struct buf *b)
{
	return path_read("/proc/sys/kernel/random/boot_id", 64, b, NULL) == 0 && b->len;
}

void process_boot(char out[PROCESS_BOOT])
{
	AUTO(buf_fini) struct buf b = {0};

	(void)snprintf(out, PROCESS_BOOT, "%.36s", read_boot(&b) ? buf_str(&b) : "-");
}

bool process_boot_is(const char *id)
{
	AUTO(buf_fini) struct buf b = {0};

	return !read_boot(&b) || text_starts(buf_str(&b), id);
}
