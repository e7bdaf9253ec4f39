/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is always there: out of memory runs the abort hook (the terminal is restored
 * there) and aborts. The only file that may call malloc. x_ functions return the caller's memory;
 * free it with free(). An arena is dropped whole.
 */
#ifndef RLPILOT_BASE_MEM_H
#define RLPILOT_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

void *x_malloc(size_t n) __attribute__((malloc, returns_nonnull));
void *x_calloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *x_realloc(void *p, size_t n) __attribute__((returns_nonnull));
/* Copies of strings; x_strdup(NULL) is NULL. */
char *x_strdup(const char *s);
char *x_strndup(const char *s, size_t n) __attribute__((returns_nonnull));
char *x_asprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
char *x_vasprintf(const char *fmt, va_list ap)
	__attribute__((format(printf, 1, 0), returns_nonnull));

#define X_NEW(type)  ((type *)x_calloc(1, sizeof(type)))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Called once before abort(), to give the terminal back. */
void mem_on_abort(void (*hook)(void));
/* "rlpilot: broken invariant: what" and abort. */
void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* Overwrites and frees a secret; NULL is fine. */
void x_wipe_free(char *secret);

/* Locals that free themselves: AUTO_FREE char *s = …; AUTO(buf_fini) struct buf b = …; */
void mem_auto_free(void *pp);
#define AUTO_FREE  __attribute__((cleanup(mem_auto_free)))
#define AUTO(fini) __attribute__((cleanup(fini)))

struct arena {
	struct arena_block *head;
};
void *arena_alloc(struct arena *a, size_t n) __attribute__((returns_nonnull));
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));
void arena_drop(struct arena *a);

#endif
