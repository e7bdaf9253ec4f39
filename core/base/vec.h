/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays: `struct strvec` for owned strings, always NULL terminated once not empty, so that
 * v.items can go to execve; VEC_PUSH for arrays of structs declared as `T *items; size_t n, cap;`.
 */
#ifndef RLPILOT_BASE_VEC_H
#define RLPILOT_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

struct strvec {
	char **items;
	size_t n, cap;
};

void strvec_fini(struct strvec *v);
void strvec_push(struct strvec *v, const char *s); /* copies */
void strvec_pushf(struct strvec *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strvec_take(struct strvec *v, char *s); /* takes over */
/* Index of s, or -1. */
long strvec_find(const struct strvec *v, const char *s);
/* Splits at any byte of `at`, empty parts left out. */
void strvec_split(struct strvec *v, const char *s, const char *at);

/* Room for one more item in an array; used by VEC_PUSH. */
void *vec_grow(void *items, size_t n, size_t *cap, size_t size);
/* Appends a zeroed item to {items,n,cap} and gives its address. */
#define VEC_PUSH(v)                                                                                \
	((v)->items = vec_grow((v)->items, (v)->n, &(v)->cap, sizeof(*(v)->items)),                \
		&(v)->items[(v)->n++])

#endif
