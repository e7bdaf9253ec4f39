/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*abort_hook)(void);

void mem_on_abort(void (*hook)(void))
{
	abort_hook = hook;
}

static void stop(void)
{
	if (abort_hook)
		abort_hook();
}

static void *checked(void *p)
{
	if (!p) {
		stop();
		fputs("rlpilot: out of memory\n", stderr);
		abort();
	}
	return p;
}

void die(const char *fmt, ...)
{
	va_list ap;

	stop();
	fputs("rlpilot: broken invariant: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

void *x_malloc(size_t n)
{
	return checked(malloc(n ? n : 1));
}

void *x_calloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size ? size : 1));
}

void *x_realloc(void *p, size_t n)
{
	return checked(realloc(p, n ? n : 1));
}

char *x_strdup(const char *s)
{
	return s ? x_strndup(s, strlen(s)) : NULL;
}

char *x_strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = x_malloc(len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *x_vasprintf(const char *fmt, va_list ap)
{
	va_list again;
	int n;
	char *s;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		die("format %s", fmt);
	s = x_malloc((size_t)n + 1);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	return s;
}

char *x_asprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = x_vasprintf(fmt, ap);
	va_end(ap);
	return s;
}

void x_wipe_free(char *secret)
{
	if (secret) {
		explicit_bzero(secret, strlen(secret));
		free(secret);
	}
}

void mem_auto_free(void *pp)
{
	free(*(void **)pp);
}

#define ARENA_BLOCK ((size_t)16384)

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	_Alignas(max_align_t) char data[];
};

void *arena_alloc(struct arena *a, size_t n)
{
	size_t need = (n + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	struct arena_block *b = a->head;

	if (!b || b->size - b->used < need) {
		size_t size = need > ARENA_BLOCK ? need : ARENA_BLOCK;

		b = x_calloc(1, sizeof(*b) + size);
		b->size = size;
		b->next = a->head;
		a->head = b;
	}
	b->used += need;
	return b->data + b->used - need;
}

char *arena_strdup(struct arena *a, const char *s)
{
	size_t n;

	if (!s)
		return NULL;
	n = strlen(s) + 1;
	return memcpy(arena_alloc(a, n), s, n);
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	AUTO_FREE char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	s = x_vasprintf(fmt, ap);
	va_end(ap);
	return arena_strdup(a, s);
}

void arena_drop(struct arena *a)
{
	while (a->head) {
		struct arena_block *next = a->head->next;

		free(a->head);
		a->head = next;
	}
}
