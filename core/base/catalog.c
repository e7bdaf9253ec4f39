/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/catalog.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"

#define CATALOG_MAX ((size_t)8 << 20)
#define MAGIC       0x950412deu

/* Header of the format: magic, revision, number of strings, offset of the originals' table, of the
 * translations'. */
enum {
	AT_MAGIC = 0,
	AT_COUNT = 8,
	AT_ORIGINALS = 12,
	AT_TRANSLATIONS = 16,
	HEADER = 28,
	ENTRY = 8
};

struct catalog {
	struct buf file;
	bool swapped; /* made on a machine of the other byte order */
	uint32_t n, originals, translations;
};

static uint32_t word(const struct catalog *c, size_t at)
{
	uint32_t v;

	memcpy(&v, c->file.data + at, sizeof(v));
	return c->swapped ? __builtin_bswap32(v) : v;
}

static const char *entry(const struct catalog *c, uint32_t table, uint32_t i)
{
	return c->file.data + word(c, table + (size_t)i * ENTRY + 4);
}

/* All strings of a table lie in the file and end with NUL. */
static bool table_is_sound(const struct catalog *c, uint32_t table)
{
	if (table > c->file.len || c->n > (c->file.len - table) / ENTRY)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		size_t len = word(c, table + (size_t)i * ENTRY),
		       at = word(c, table + (size_t)i * ENTRY + 4);

		if (at >= c->file.len || len >= c->file.len - at || c->file.data[at + len])
			return false;
	}
	return true;
}

static bool is_sound(struct catalog *c)
{
	if (c->file.len < HEADER)
		return false;
	c->swapped = word(c, AT_MAGIC) != MAGIC;
	if (word(c, AT_MAGIC) != MAGIC)
		return false;
	c->n = word(c, AT_COUNT);
	c->originals = word(c, AT_ORIGINALS);
	c->translations = word(c, AT_TRANSLATIONS);
	return table_is_sound(c, c->originals) && table_is_sound(c, c->translations);
}

struct catalog *catalog_open(const char *path)
{
	struct catalog *c = X_NEW(struct catalog);
	struct err ignored = {0};

	if (path_read(path, CATALOG_MAX, &c->file, &ignored) == 0 && is_sound(c))
		return c;
	catalog_free(c);
	return NULL;
}

void catalog_free(struct catalog *c)
{
	if (!c)
		return;
	buf_fini(&c->file);
	free(c);
}

const char *catalog_find(const struct catalog *c, const char *original)
{
	uint32_t low = 0, high = c->n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		int order = strcmp(original, entry(c, c->originals, mid));

		if (order == 0) {
			const char *found = entry(c, c->translations, mid);

			return *original && *found ? found : NULL;
		}
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}
