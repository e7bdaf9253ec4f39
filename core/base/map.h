/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map from string to pointer, in insertion order of first set. Keys are copied. Values are
 * borrowed unless a free function is given. Zeroed memory is an empty map.
 */
#ifndef RLPILOT_BASE_MAP_H
#define RLPILOT_BASE_MAP_H

#include <stddef.h>

struct map_item {
	char *key; /* NULL: removed */
	void *value;
};

struct map {
	struct map_item *items;
	size_t n, cap;   /* slots used in items, removed ones included */
	size_t live;     /* keys present */
	unsigned *index; /* open addressing, 1-based into items */
	size_t index_size;
	void (*free_value)(void *); /* may be NULL */
};

void map_fini(struct map *m);
void map_set(struct map *m, const char *key, void *value); /* replaces and frees the old one */
void *map_get(const struct map *m, const char *key);       /* NULL if absent */
void map_del(struct map *m, const char *key);
/* Walk: for (size_t i = 0; map_next(m, &i, &k, &v);) */
int map_next(const struct map *m, size_t *i, const char **key, void **value);

#endif
