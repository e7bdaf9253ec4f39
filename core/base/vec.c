/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/vec.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

void *vec_grow(void *items, size_t n, size_t *cap, size_t size)
{
	if (n == *cap) {
		*cap = *cap ? *cap * 2 : 8;
		items = x_realloc(items, *cap * size);
	}
	memset((char *)items + n * size, 0, size);
	return items;
}

void strvec_fini(struct strvec *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->items[i]);
	free(v->items);
	*v = (struct strvec){0};
}

void strvec_take(struct strvec *v, char *s)
{
	if (v->n + 1 >= v->cap) {
		v->cap = v->cap ? v->cap * 2 : 8;
		v->items = x_realloc(v->items, v->cap * sizeof(*v->items));
	}
	v->items[v->n++] = s;
	v->items[v->n] = NULL;
}

void strvec_push(struct strvec *v, const char *s)
{
	strvec_take(v, x_strndup(s, strlen(s)));
}

void strvec_pushf(struct strvec *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strvec_take(v, x_vasprintf(fmt, ap));
	va_end(ap);
}

long strvec_find(const struct strvec *v, const char *s)
{
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->items[i], s) == 0)
			return (long)i;
	return -1;
}

void strvec_split(struct strvec *v, const char *s, const char *at)
{
	while (*(s += strspn(s, at))) {
		size_t n = strcspn(s, at);

		strvec_take(v, x_strndup(s, n));
		s += n;
	}
}
