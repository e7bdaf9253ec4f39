/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/cause.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/match.h"
#include "core/base/mem.h"
#include "core/fmt/cause_rows.h"

#define GROUPS_MAX 10
#define TIMES_MAX  8 /* places of one text that words are taken from */
/* Text beyond it is not looked at: dumps of models come on one line. */
#define LOOK_MAX ((size_t)16384)

static const char harmless_text[] =
	"Type mismatch on|No mapping for flat state|oneDNN custom operations are on|"
	"Failed to import from vllm\\._C|WandbBackend skipped|Using v0 "
	"ocp\\.CheckpointManagerOptions is deprecated|'hf_access_token' via command-line";

static const struct cause *const parts[] = {
	cause_log_rows, cause_tool_rows, cause_google_rows, cause_own_rows, cause_kube_rows};

/* All rows in order, added ones first; patterns beside them. */
static struct {
	struct {
		const struct cause *cause;
		struct match *match;
	} * rows;
	size_t n, added;
	struct match *any, *harmless;
	const struct cause *extra;
	size_t extra_n;
	const char *extra_noise;
	const char *(*tell)(const void *own, bool cure);
} table;

static struct match *must(const char *pattern)
{
	struct match *m = match_new(pattern, false, NULL);

	if (!m)
		die("cause pattern does not compile: %s", pattern);
	return m;
}

static void add_row(struct buf *any, const struct cause *c)
{
	table.rows = x_realloc(table.rows, (table.n + 1) * sizeof(*table.rows));
	table.rows[table.n].cause = c;
	table.rows[table.n].match = NULL;
	if (c->kind == CAUSE_TEXT) {
		table.rows[table.n].match = must(c->match);
		buf_addf(any, "%s(?:%s)", any->len ? "|" : "", c->match);
	}
	table.n++;
}

/* One alternation of all texts: most lines hold none of them. */
static void need_table(void)
{
	AUTO(buf_fini) struct buf any = {0};
	AUTO(buf_fini) struct buf noise = {0};

	if (table.any)
		return;
	for (size_t i = 0; i < table.extra_n; i++)
		add_row(&any, &table.extra[i]);
	table.added = table.n;
	for (size_t p = 0; p < COUNT(parts); p++)
		for (const struct cause *c = parts[p]; c->id; c++)
			add_row(&any, c);
	buf_addf(&noise, "%s%s%s", harmless_text, table.extra_noise ? "|" : "",
		table.extra_noise ? table.extra_noise : "");
	table.any = must(buf_str(&any));
	table.harmless = must(buf_str(&noise));
}

void cause_extend(const struct cause *rows, size_t n, const char *noise,
	const char *(*tell)(const void *own, bool cure))
{
	for (size_t i = 0; i < table.n; i++)
		match_free(table.rows[i].match);
	free(table.rows);
	match_free(table.any);
	match_free(table.harmless);
	memset(&table, 0, sizeof(table));
	table.extra = rows;
	table.extra_n = n;
	table.extra_noise = noise;
	table.tell = tell;
}

bool cause_is_noise(const char *s, size_t n)
{
	struct match_span at[1];

	need_table();
	return match_find(table.harmless, s, n < LOOK_MAX ? n : LOOK_MAX, 0, at, 1);
}

/* The name of a group: the n-th of "a b c". */
static bool group_name(const char *words, size_t g, char *out, size_t size)
{
	for (; words && g > 0; g--) {
		words = strchr(words, ' ');
		words = words ? words + 1 : NULL;
	}
	if (!words)
		return false;
	snprintf(out, size, "%.*s", (int)strcspn(words, " "), words);
	return true;
}

/* A further item beside those that are there: "CPUS, IN_USE_ADDRESSES". */
static void join_word(struct cause_hit *hit, const char *name, const char *value)
{
	const char *was = cause_word(hit, name);
	AUTO_FREE char *both = NULL;

	if (!was) {
		cause_put(hit, name, value);
		return;
	}
	both = x_asprintf("%s, %s", was, value);
	cause_put(hit, name, both);
}

static void take_words(struct cause_hit *hit, const char *s, const struct match_span *at)
{
	char name[sizeof(hit->words[0].name)];

	for (size_t g = 1; g < GROUPS_MAX; g++) {
		AUTO_FREE char *value = NULL;

		if (at[g].start == (size_t)-1 || !at[g].len ||
			!group_name(hit->cause->words, g - 1, name, sizeof(name)))
			continue;
		value = x_strndup(s + at[g].start, at[g].len);
		if (hit->cause->all)
			join_word(hit, name, value);
		else if (!cause_word(hit, name))
			cause_put(hit, name, value);
	}
}

static bool try_row(struct cause_hit *hit, size_t row, const char *s, size_t n)
{
	const struct cause *c = table.rows[row].cause;
	struct match_span at[GROUPS_MAX];
	size_t from = 0;
	int times = 0;

	if (!table.rows[row].match || !match_find(table.rows[row].match, s, n, 0, at, GROUPS_MAX))
		return false;
	hit->cause = c;
	do {
		take_words(hit, s, at);
		from = at[0].start + (at[0].len ? at[0].len : 1);
	} while (c->words && ++times < TIMES_MAX && from < n &&
		 match_find(table.rows[row].match, s, n, from, at, GROUPS_MAX));
	return true;
}

bool cause_find(struct cause_hit *hit, const char *s, size_t n)
{
	struct match_span at[1];

	*hit = (struct cause_hit){0};
	if (n > LOOK_MAX)
		n = LOOK_MAX;
	need_table();
	if (!match_find(table.any, s, n, 0, at, 1) || cause_is_noise(s, n))
		return false;
	for (size_t i = 0; i < table.n; i++)
		if (try_row(hit, i, s, n))
			return true;
	return false;
}

const struct cause *cause_of_text(const char *s, size_t n)
{
	struct match_span at[1];

	if (n > LOOK_MAX)
		n = LOOK_MAX;
	need_table();
	if (!match_find(table.any, s, n, 0, at, 1) || cause_is_noise(s, n))
		return NULL;
	for (size_t i = 0; i < table.n; i++)
		if (table.rows[i].match && match_find(table.rows[i].match, s, n, 0, at, 1))
			return table.rows[i].cause;
	return NULL;
}

static const struct cause *exact(enum cause_kind kind, const char *s)
{
	need_table();
	for (size_t i = 0; i < table.n; i++)
		if (table.rows[i].cause->kind == kind && !strcmp(table.rows[i].cause->match, s))
			return table.rows[i].cause;
	return NULL;
}

static const struct cause *numbered(enum cause_kind kind, int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	return exact(kind, text);
}

const struct cause *cause_of_reason(const char *reason)
{
	return reason ? exact(CAUSE_REASON, reason) : NULL;
}

bool cause_find_reason(struct cause_hit *hit, const char *reason)
{
	*hit = (struct cause_hit){.cause = cause_of_reason(reason)};
	return hit->cause != NULL;
}

const struct cause *cause_of_hub(const char *code, int status)
{
	const struct cause *c = code && *code ? exact(CAUSE_HUB, code) : NULL;

	return c ? c : numbered(CAUSE_HUB, status);
}

const struct cause *cause_of_exit(int code)
{
	return numbered(CAUSE_EXIT, code);
}

const struct cause *cause_of_http(int status)
{
	return numbered(CAUSE_HTTP, status);
}

const struct cause *cause_by_id(const char *id)
{
	need_table();
	for (size_t i = 0; id && i < table.n; i++)
		if (!strcmp(table.rows[i].cause->id, id))
			return table.rows[i].cause;
	return NULL;
}

const char *cause_who_name(enum cause_who who)
{
	static const char *const names[] = {"you", "administrator", "google"};

	return names[who];
}

const struct cause *cause_at(size_t i)
{
	need_table();
	return i < table.n - table.added ? table.rows[table.added + i].cause : NULL;
}

const char *cause_text(const struct cause *c, bool cure)
{
	if (c->own && table.tell)
		return table.tell(c->own, cure);
	if (cure)
		return c->cure && *c->cure ? _(c->cure) : "";
	return c->meaning && *c->meaning ? _(c->meaning) : "";
}
