/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/tail.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/io/lines.h"
#include "core/io/loop.h"

#define TAIL_MIN_MS 50
#define TAIL_MAX_MS 400
#define TAIL_CHUNK  ((size_t)64 << 10)
#define TAIL_TURN   ((size_t)256 << 10) /* bytes a look: the loop goes on in between */

struct tail {
	struct loop *loop;
	char *file;
	off_t offset;
	struct lines lines;
	struct loop_timer *timer;
	int64_t pause;
	void (*fn)(void *arg, const char *line, size_t n);
	void *arg;
};

static void on_line(void *arg, const char *line, size_t n, bool cut)
{
	struct tail *t = arg;

	(void)cut;
	t->fn(t->arg, line, n);
}

static size_t read_some(struct tail *t, size_t most)
{
	int fd = open(t->file, O_RDONLY | O_CLOEXEC);
	size_t got = 0;
	struct stat st;
	char *chunk;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) == 0 && st.st_size < t->offset) {
		t->offset = 0;
		lines_reset(&t->lines);
	}
	chunk = x_malloc(TAIL_CHUNK);
	while (got < most) {
		ssize_t n = pread(fd, chunk, TAIL_CHUNK, t->offset);
		if (n <= 0)
			break;
		t->offset += n;
		got += (size_t)n;
		lines_feed(&t->lines, chunk, (size_t)n);
	}
	free(chunk);
	close(fd);
	return got;
}

static void look(void *arg)
{
	struct tail *t = arg;

	size_t got = read_some(t, TAIL_TURN);

	if (got >= TAIL_TURN)
		t->pause = LOOP_MIN_MS;
	else if (got)
		t->pause = TAIL_MIN_MS;
	else if (t->pause < TAIL_MAX_MS)
		t->pause += TAIL_MIN_MS;
	t->timer = loop_after_wall(t->loop, t->pause, look, t);
}

struct tail *tail_open(struct loop *l, const char *file,
	void (*fn)(void *arg, const char *line, size_t n), void *arg)
{
	struct tail *t = X_NEW(struct tail);

	t->loop = l;
	t->file = x_strdup(file);
	t->fn = fn;
	t->arg = arg;
	t->pause = LOOP_MIN_MS;
	lines_init(&t->lines, on_line, t);
	t->timer = loop_after_wall(l, LOOP_MIN_MS, look, t);
	return t;
}

void tail_now(struct tail *t)
{
	while (read_some(t, TAIL_TURN))
		;
}

void tail_rest(struct tail *t)
{
	tail_now(t);
	lines_end(&t->lines);
}

void tail_close(struct tail **t)
{
	if (!*t)
		return;
	loop_timer_cancel(&(*t)->timer);
	lines_fini(&(*t)->lines);
	free((*t)->file);
	free(*t);
	*t = NULL;
}
