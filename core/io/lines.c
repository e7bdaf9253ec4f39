/* SPDX-License-Identifier: Apache-2.0 */
#include "core/io/lines.h"

#include <string.h>

void lines_init(
	struct lines *l, void (*fn)(void *arg, const char *line, size_t n, bool cut), void *arg)
{
	*l = (struct lines){.fn = fn, .arg = arg, .part.max = LINES_MAX + 1};
}

/* The callback may end the receiver: nothing of *l is touched after it but `dead`. */
static void deliver(struct lines *l, bool cut)
{
	size_t n = l->part.len;

	if (!cut && n && l->part.data[n - 1] == '\r')
		n--;
	if (n > LINES_MAX) {
		n = LINES_MAX;
		cut = true;
	}
	if (l->part.data)
		l->part.data[n] = '\0';
	l->fn(l->arg, l->part.data ? l->part.data : "", n, cut);
	if (!l->dead)
		buf_clear(&l->part);
}

/* One byte more than LINES_MAX is kept, so that a '\r' at the limit is still seen. */
void lines_feed(struct lines *l, const char *data, size_t n)
{
	while (n && !l->dead) {
		const char *end = memchr(data, '\n', n);
		size_t len = end ? (size_t)(end - data) : n;
		size_t room = LINES_MAX + 1 - l->part.len;

		if (!l->skipping) {
			buf_add(&l->part, data, len < room ? len : room);
			if (len > room) {
				l->skipping = true;
				deliver(l, true);
			} else if (end) {
				deliver(l, false);
			}
		}
		if (!end || l->dead)
			return;
		l->skipping = false;
		data = end + 1;
		n -= len + 1;
	}
}

void lines_end(struct lines *l)
{
	if (!l->skipping && l->part.len)
		deliver(l, false);
	if (!l->dead)
		lines_reset(l);
}

void lines_reset(struct lines *l)
{
	l->skipping = false;
	buf_clear(&l->part);
}

void lines_fini(struct lines *l)
{
	l->dead = true;
	buf_fini(&l->part);
}
