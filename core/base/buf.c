/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

void buf_fini(struct buf *b)
{
	free(b->data);
	*b = (struct buf){.max = b->max};
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->cut = false;
	if (b->data)
		b->data[0] = '\0';
}

static size_t limit(const struct buf *b)
{
	return b->max ? b->max : BUF_MAX_DEFAULT;
}

static void grow(struct buf *b, size_t more)
{
	size_t need = b->len + more + 1;
	size_t cap = b->cap ? b->cap : 64;

	if (need <= b->cap)
		return;
	while (cap < need)
		cap *= 2;
	b->data = x_realloc(b->data, cap);
	b->cap = cap;
}

void buf_add(struct buf *b, const void *data, size_t n)
{
	if (n > limit(b) - b->len) {
		n = limit(b) - b->len;
		b->cut = true;
	}
	grow(b, n);
	if (n)
		memcpy(b->data + b->len, data, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	AUTO_FREE char *s = x_vasprintf(fmt, ap);

	buf_adds(b, s);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(b, fmt, ap);
	va_end(ap);
}

void buf_drop(struct buf *b, size_t n)
{
	if (n > b->len)
		n = b->len;
	if (!n)
		return;
	memmove(b->data, b->data + n, b->len - n + 1);
	b->len -= n;
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}

char *buf_take(struct buf *b)
{
	char *s = b->data ? b->data : x_strdup("");

	*b = (struct buf){.max = b->max};
	return s;
}
