/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing byte buffer with a hard cap. Invariants: data is NUL terminated at data[len] as soon
 * as it is not NULL; len <= max. Zeroed memory is an empty buffer with the default cap. A write
 * over the cap is cut and `cut` set: the caller decides whether that is an error.
 */
#ifndef RLPILOT_BASE_BUF_H
#define RLPILOT_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define BUF_MAX_DEFAULT ((size_t)64 << 20)

struct buf {
	char *data;
	size_t len, cap;
	size_t max; /* 0 = BUF_MAX_DEFAULT */
	bool cut;   /* something did not fit */
};

void buf_fini(struct buf *b);  /* frees; the buffer is empty and usable again */
void buf_clear(struct buf *b); /* length 0, memory kept */
void buf_add(struct buf *b, const void *data, size_t n);
void buf_adds(struct buf *b, const char *s);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vaddf(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* Removes the first n bytes. */
void buf_drop(struct buf *b, size_t n);
/* The content as a string, never NULL; borrowed. */
const char *buf_str(const struct buf *b);
/* Gives the memory to the caller and empties the buffer; never NULL. */
char *buf_take(struct buf *b);

#endif
