/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/jsonl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"

#define CHUNK ((size_t)64 << 10)

/* What is new of the file, behind the bytes that `b` holds already. Bytes read, -1 on error. */
static ssize_t more(int fd, int64_t at, struct buf *b)
{
	AUTO_FREE char *chunk = x_malloc(CHUNK);
	ssize_t n = pread(fd, chunk, CHUNK, (off_t)at);

	if (n > 0)
		buf_add(b, chunk, (size_t)n);
	return n;
}

/* Hands out the whole lines of `b` and leaves the torn one. Bytes handed out. */
static size_t hand_out(struct buf *b, void (*fn)(void *arg, const char *line, size_t n), void *arg)
{
	const char *at = buf_str(b), *end = at + b->len, *nl;

	while ((nl = memchr(at, '\n', (size_t)(end - at)))) {
		fn(arg, at, (size_t)(nl - at));
		at = nl + 1;
	}
	return (size_t)(at - buf_str(b));
}

int jsonl_read(const char *file, int64_t *offset, void (*fn)(void *arg, const char *line, size_t n),
	void *arg, struct err *e)
{
	AUTO(buf_fini) struct buf b = {0};
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n = 0;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return err_errno(e, ERR_BAD_FILE, errno, _("check the name and your rights on it"),
			_("cannot open %s"), file);
	if (fstat(fd, &st) == 0 && st.st_size <= *offset) {
		*offset = st.st_size;
		close(fd);
		return 0;
	}
	while (!b.cut && (n = more(fd, *offset + (int64_t)b.len, &b)) > 0) {
		size_t out = hand_out(&b, fn, arg);
		buf_drop(&b, out);
		*offset += (int64_t)out;
	}
	close(fd);
	return n < 0 ? err_errno(e, ERR_BAD_FILE, errno, _("check that it is a readable file"),
			       _("cannot read %s"), file)
		     : 0;
}
