/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/catalog.h"

#include <inttypes.h>
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

/*
 * Header of the format: magic, revision, number of strings, tables of originals and translations.
 * From revision 1 on also strings with parts that differ by machine (PRId64 …): their number of
 * parts, parts, number of strings, tables of originals and translations.
 */
enum {
	AT_MAGIC = 0,
	AT_REVISION = 4,
	AT_COUNT = 8,
	AT_ORIGINALS = 12,
	AT_TRANSLATIONS = 16,
	HEADER = 28,
	AT_PARTS = 28,
	AT_PART_TABLE = 32,
	AT_BUILT_COUNT = 36,
	AT_BUILT_ORIGINALS = 40,
	AT_BUILT_TRANSLATIONS = 44,
	BUILT_HEADER = 48,
	ENTRY = 8,
};

struct pair {
	const char *original, *translation;
};

struct catalog {
	struct buf file;
	bool swapped; /* made on a machine of the other byte order */
	bool bad;     /* a place outside of the file was asked for */
	struct pair *pairs;
	size_t n;
	struct arena built;
};

static uint32_t word(struct catalog *c, size_t at)
{
	uint32_t v;

	if (at > c->file.len || c->file.len - at < sizeof(v)) {
		c->bad = true;
		return 0;
	}
	memcpy(&v, c->file.data + at, sizeof(v));
	return c->swapped ? __builtin_bswap32(v) : v;
}

/* The string that the table entry (length, place) at `at` tells; it ends with NUL inside of the
 * file. */
static const char *string_at(struct catalog *c, size_t at)
{
	size_t len = word(c, at), place = word(c, at + 4);

	if (place >= c->file.len || len >= c->file.len - place || c->file.data[place + len]) {
		c->bad = true;
		return "";
	}
	return c->file.data + place;
}

/* Value of the part whose table entry is at `at`: here the length counts the final NUL. NULL: not
 * known. */
static const char *part_value(struct catalog *c, size_t at)
{
	static const char *const values[][2] = {{"PRId64", PRId64}, {"PRIi64", PRIi64},
		{"PRIu64", PRIu64}, {"PRIx64", PRIx64}, {"PRIX64", PRIX64}, {"PRIo64", PRIo64},
		{"PRId32", PRId32}, {"PRIu32", PRIu32}, {"PRIx32", PRIx32}};
	size_t len = word(c, at), place = word(c, at + 4);

	for (size_t i = 0; i < COUNT(values) && place <= c->file.len && len <= c->file.len - place;
		i++)
		if (len == strlen(values[i][0]) + 1 &&
			memcmp(c->file.data + place, values[i][0], len) == 0)
			return values[i][1];
	return NULL;
}

/* Puts a string of parts together: place of the first bytes, then (bytes, number of the part that
 * follows). */
static const char *build(struct catalog *c, size_t at)
{
	AUTO(buf_fini) struct buf text = {0};
	size_t from = word(c, at);

	for (size_t pair = at + 4; !c->bad; pair += ENTRY) {
		size_t len = word(c, pair), part = word(c, pair + 4);

		if (from > c->file.len || len > c->file.len - from) {
			c->bad = true;
			break;
		}
		buf_add(&text, c->file.data + from, len);
		from += len;
		if (part == UINT32_MAX)
			return arena_strdup(&c->built, buf_str(&text));
		if (part >= word(c, AT_PARTS))
			return NULL;
		const char *value = part_value(c, word(c, AT_PART_TABLE) + part * ENTRY);
		if (!value)
			return NULL;
		buf_adds(&text, value);
	}
	return NULL;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->original, ((const struct pair *)b)->original);
}

static void add(struct catalog *c, const char *original, const char *translation)
{
	if (original && translation && *original && *translation)
		c->pairs[c->n++] = (struct pair){original, translation};
}

static bool take(struct catalog *c)
{
	size_t plain, built = 0;

	if (c->file.len < HEADER)
		return false;
	c->swapped = word(c, AT_MAGIC) != MAGIC;
	if (word(c, AT_MAGIC) != MAGIC)
		return false;
	plain = word(c, AT_COUNT);
	if (word(c, AT_REVISION) & 0xffff)
		built = c->file.len < BUILT_HEADER ? SIZE_MAX : word(c, AT_BUILT_COUNT);
	if (plain > c->file.len / ENTRY || built > c->file.len / ENTRY)
		return false;
	c->pairs = x_calloc(plain + built + 1, sizeof(*c->pairs));
	for (size_t i = 0; i < plain && !c->bad; i++)
		add(c, string_at(c, word(c, AT_ORIGINALS) + i * ENTRY),
			string_at(c, word(c, AT_TRANSLATIONS) + i * ENTRY));
	for (size_t i = 0; i < built && !c->bad; i++)
		add(c, build(c, word(c, word(c, AT_BUILT_ORIGINALS) + i * 4)),
			build(c, word(c, word(c, AT_BUILT_TRANSLATIONS) + i * 4)));
	qsort(c->pairs, c->n, sizeof(*c->pairs), compare);
	return !c->bad;
}

struct catalog *catalog_open(const char *path)
{
	struct catalog *c = X_NEW(struct catalog);
	struct err ignored = {0};

	if (path_read(path, CATALOG_MAX, &c->file, &ignored) == 0 && take(c))
		return c;
	catalog_free(c);
	return NULL;
}

void catalog_free(struct catalog *c)
{
	if (!c)
		return;
	free(c->pairs);
	arena_drop(&c->built);
	buf_fini(&c->file);
	free(c);
}

const char *catalog_find(const struct catalog *c, const char *original)
{
	struct pair key = {.original = original};
	const struct pair *found = bsearch(&key, c->pairs, c->n, sizeof(*c->pairs), compare);

	return found ? found->translation : NULL;
}

size_t catalog_count(const struct catalog *c)
{
	return c ? c->n : 0;
}

const char *catalog_pair(const struct catalog *c, size_t i, const char **translation)
{
	*translation = c->pairs[i].translation;
	return c->pairs[i].original;
}
