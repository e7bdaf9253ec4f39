/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/vec.h"

static unsigned hash(const char *s)
{
	unsigned h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

static void place(struct map *m, unsigned item)
{
	size_t mask = m->index_size - 1;
	size_t at = hash(m->items[item].key) & mask;

	while (m->index[at])
		at = (at + 1) & mask;
	m->index[at] = item + 1;
}

/* Makes the index anew and closes the gaps of removed keys. */
static void rebuild(struct map *m)
{
	size_t live = 0;

	for (size_t i = 0; i < m->n; i++)
		if (m->items[i].key)
			m->items[live++] = m->items[i];
	m->n = live;
	while (m->index_size < 16 || m->index_size < live * 4)
		m->index_size = m->index_size ? m->index_size * 2 : 16;
	free(m->index);
	m->index = x_calloc(m->index_size, sizeof(*m->index));
	for (size_t i = 0; i < m->n; i++)
		place(m, (unsigned)i);
}

static struct map_item *find(const struct map *m, const char *key)
{
	size_t mask = m->index_size - 1;

	if (!m->index_size)
		return NULL;
	for (size_t at = hash(key) & mask; m->index[at]; at = (at + 1) & mask) {
		struct map_item *item = &m->items[m->index[at] - 1];

		if (item->key && strcmp(item->key, key) == 0)
			return item;
	}
	return NULL;
}

void map_fini(struct map *m)
{
	for (size_t i = 0; i < m->n; i++) {
		if (m->items[i].key && m->free_value)
			m->free_value(m->items[i].value);
		free(m->items[i].key);
	}
	free(m->items);
	free(m->index);
	*m = (struct map){.free_value = m->free_value};
}

void map_set(struct map *m, const char *key, void *value)
{
	struct map_item *item = find(m, key);

	if (item) {
		if (m->free_value && item->value != value)
			m->free_value(item->value);
		item->value = value;
		return;
	}
	if ((m->n + 1) * 2 > m->index_size)
		rebuild(m);
	item = VEC_PUSH(m);
	item->key = x_strdup(key);
	item->value = value;
	m->live++;
	place(m, (unsigned)(m->n - 1));
}

void *map_get(const struct map *m, const char *key)
{
	struct map_item *item = find(m, key);

	return item ? item->value : NULL;
}

void map_del(struct map *m, const char *key)
{
	struct map_item *item = find(m, key);

	if (!item)
		return;
	if (m->free_value)
		m->free_value(item->value);
	free(item->key);
	*item = (struct map_item){0};
	m->live--;
}

int map_next(const struct map *m, size_t *i, const char **key, void **value)
{
	while (*i < m->n) {
		const struct map_item *item = &m->items[(*i)++];

		if (!item->key)
			continue;
		*key = item->key;
		*value = item->value;
		return 1;
	}
	return 0;
}
