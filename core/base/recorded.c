/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/recorded.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/catalog.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"

#define ARGS_MAX    16
#define LETTERS_MIN 8 /* fixed letters below which an original says nothing about its origin */
#define STEPS_MAX                                                                                  \
	200000       /* of one text over all originals: about a millisecond, a hostile line too */
#define DEPTH_MAX  4 /* texts in the places of texts, and behind others */
#define JOINTS_MAX 8

/* --- places of an original */

enum hole_kind { HOLE_NONE, HOLE_TEXT, HOLE_NUMBER, HOLE_WORD };

struct hole {
	enum hole_kind kind;
	size_t len;   /* bytes in the original */
	size_t place; /* of "%2$s", from 1; 0 = the next one */
	char name[24];
};

static struct hole hole_word(const char *p)
{
	struct hole h = {0};
	size_t n = strspn(p + 1, "abcdefghijklmnopqrstuvwxyz_");

	if (!n || n >= sizeof(h.name) || p[n + 1] != '}')
		return h;
	h.kind = HOLE_WORD;
	h.len = n + 2;
	memcpy(h.name, p + 1, n);
	return h;
}

static struct hole hole_at(const char *p)
{
	struct hole h = {0};
	char *end;
	size_t n = 1;
	unsigned long place;

	if (*p == '{')
		return hole_word(p);
	if (*p != '%' || p[1] == '%')
		return h;
	place = strtoul(p + 1, &end, 10);
	if (*end == '$') {
		h.place = place;
		n = (size_t)(end - p) + 1;
	}
	n += strspn(p + n, "0123456789+-# .*lzjht");
	if (!p[n] || !strchr("sdiufgxXc", p[n]))
		return h;
	h.kind = p[n] == 's' || p[n] == 'c' ? HOLE_TEXT : HOLE_NUMBER;
	h.len = n + 1;
	return h;
}

/* The end of a part in brackets that holds a {word}; NULL: these brackets are text. */
static const char *part_end(const char *p)
{
	const char *close = *p == '[' ? strchr(p, ']') : NULL;

	return close && memchr(p, '{', (size_t)(close - p)) ? close : NULL;
}

/* --- originals with places, most fixed letters first */

struct original {
	struct text_pair pair;
	size_t letters;
	const char *fixed; /* its longest piece between places: stands in every text from it */
	size_t fixed_n;
};

static struct {
	struct {
		struct original *items;
		size_t n, cap;
	} all;
	const struct text_pair *pairs;
	size_t n_pairs;
	const struct catalog *from;
	bool made;
	int steps; /* left for the text that is at work */
} known;

static size_t letters_of(const char *p)
{
	size_t n = 0;

	for (; *p; p++) {
		struct hole h = hole_at(p);

		if (h.kind)
			p += h.len - 1;
		else
			n += isalpha((unsigned char)*p) != 0;
	}
	return n;
}

static void find_fixed(struct original *o)
{
	const char *from = o->pair.en, *p = from;

	for (;; p++) {
		struct hole h = hole_at(p);
		bool ends = !*p || h.kind || strchr("[]%", *p);

		if (ends && (size_t)(p - from) > o->fixed_n) {
			o->fixed = from;
			o->fixed_n = (size_t)(p - from);
		}
		if (!*p)
			return;
		if (h.kind)
			p += h.len - 1;
		if (ends)
			from = p + 1;
	}
}

static bool has_place(const char *p)
{
	for (; *p; p++)
		if (hole_at(p).kind || (*p == '%' && p[1] == '%'))
			return true;
	return false;
}

static void add(const char *en, const char *ko)
{
	struct original o = {.pair = {en, ko}, .letters = letters_of(en)};

	find_fixed(&o);
	if (has_place(en) && o.letters >= LETTERS_MIN)
		*VEC_PUSH(&known.all) = o;
}

static int by_letters(const void *a, const void *b)
{
	const struct original *x = a, *y = b;

	return x->letters < y->letters   ? 1
	       : x->letters > y->letters ? -1
					 : strcmp(x->pair.en, y->pair.en);
}

void recorded_pairs(const struct text_pair *pairs, size_t n)
{
	known.pairs = pairs;
	known.n_pairs = n;
	known.made = false;
}

static void make(void)
{
	const struct catalog *c = text_catalog();

	if (known.made && known.from == c)
		return;
	known.all.n = 0;
	for (size_t i = 0; i < catalog_count(c); i++) {
		const char *ko, *en = catalog_pair(c, i, &ko);

		add(en, ko);
	}
	for (size_t i = 0; i < known.n_pairs; i++)
		add(known.pairs[i].en, known.pairs[i].ko);
	if (known.all.n)
		qsort(known.all.items, known.all.n, sizeof(*known.all.items), by_letters);
	known.from = c;
	known.made = true;
}

/* --- does a text come from an original? */

/* Texts put together stand with ": ", "; ", " (" or a line's end between them. */
static size_t joint_len(const char *p)
{
	if (*p == '\n')
		return 1;
	return ((*p == ':' || *p == ';') && p[1] == ' ') || (*p == ' ' && p[1] == '(') ? 2 : 0;
}

struct arg {
	struct hole hole;
	const char *at;
	size_t n;
};

struct match {
	struct arg args[ARGS_MAX];
	size_t n;
	bool strict; /* a {word} is one word, a text one text: what is behind may be another */
};

static bool match(struct match *m, const char *t, const char *s, bool in_part);

static bool match_hole(struct match *m, const char *t, const char *s, bool in_part)
{
	struct hole h = hole_at(t);
	size_t mine = m->n;

	if (mine == ARGS_MAX)
		return false;
	for (const char *end = s;; end++) {
		m->args[mine] = (struct arg){h, s, (size_t)(end - s)};
		m->n = mine + 1;
		if ((end > s || h.kind == HOLE_TEXT) && match(m, t + h.len, end, in_part))
			return true;
		if (m->strict && (joint_len(end) || (h.kind == HOLE_WORD && *end == ' ')))
			break;
		if (!*end || (h.kind == HOLE_NUMBER && !strchr("0123456789.+-", *end)))
			break;
	}
	m->n = mine;
	return false;
}

static bool match(struct match *m, const char *t, const char *s, bool in_part)
{
	for (; *t; t++, s++) {
		const char *close = in_part ? NULL : part_end(t);

		if (known.steps-- <= 0)
			return false;
		if (close) {
			size_t mine = m->n;

			if (match(m, t + 1, s, true))
				return true;
			m->n = mine;
			return match(m, close + 1, s, false);
		}
		if (in_part && *t == ']')
			return match(m, t + 1, s, false);
		if (hole_at(t).kind)
			return match_hole(m, t, s, in_part);
		if (*t == '%' && t[1] == '%')
			t++;
		if (*t != *s)
			return false;
	}
	return *s == '\0';
}

/* --- and what it is in Korean */

static char *translate(const char *text, int depth);
static char *whole(const char *text, int depth, bool strict);

static const struct arg *arg_for(const struct match *m, const struct hole *h, size_t *next)
{
	size_t place = h->place ? h->place - 1 : (*next)++;

	if (h->kind != HOLE_WORD)
		return place < m->n ? &m->args[place] : NULL;
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->args[i].hole.name, h->name) == 0)
			return &m->args[i];
	return NULL;
}

/* "a b, c d": each piece that is known; NULL when none is. */
static char *pieces(const char *list, int depth)
{
	AUTO(buf_fini) struct buf out = {0};
	bool any = false;

	for (const char *p = list, *end; p; p = end ? end + 2 : NULL) {
		end = strstr(p, ", ");
		AUTO_FREE char *piece = end ? x_strndup(p, (size_t)(end - p)) : x_strdup(p);
		AUTO_FREE char *mine = strchr(piece, ' ') ? whole(piece, depth, true) : NULL;

		any |= mine != NULL;
		buf_addf(&out, "%s%s", mine ? mine : piece, end ? ", " : "");
	}
	return any ? x_strdup(buf_str(&out)) : NULL;
}

/* Single words are names more often than texts: they stay. */
static void put_arg(struct buf *out, const struct arg *a, int depth)
{
	AUTO_FREE char *raw = a ? x_strndup(a->at, a->n) : x_strdup("");
	AUTO_FREE char *list = strstr(raw, ", ") ? pieces(raw, depth) : NULL;
	AUTO_FREE char *text = !list && strchr(raw, ' ') ? translate(raw, depth + 1) : NULL;

	buf_adds(out, list ? list : text ? text : raw);
}

static bool part_known(const struct match *m, const char *p, const char *close)
{
	size_t none = 0;

	for (; p < close; p++) {
		struct hole h = hole_at(p);

		if (h.kind == HOLE_WORD && !arg_for(m, &h, &none))
			return false;
	}
	return true;
}

static char *carry(const struct match *m, const char *ko, int depth)
{
	struct buf out = {0};
	size_t next = 0;
	const char *end = NULL; /* of the part that is open */

	for (const char *p = ko; *p; p++) {
		const char *close = part_end(p);
		struct hole h = hole_at(p);

		if (close && !part_known(m, p, close))
			p = close;
		else if (close)
			end = close;
		else if (h.kind) {
			put_arg(&out, arg_for(m, &h, &next), depth);
			p += h.len - 1;
		} else if (p == end)
			end = NULL;
		else {
			p += *p == '%' && p[1] == '%';
			buf_addc(&out, *p);
		}
	}
	return buf_take(&out);
}

static char *whole(const char *text, int depth, bool strict)
{
	struct match m = {.strict = strict};
	const char *same = text_translate(text);
	size_t len = strlen(text);

	if (same != text)
		return x_strdup(same);
	for (size_t i = 0; i < known.n_pairs; i++)
		if (strcmp(known.pairs[i].en, text) == 0)
			return x_strdup(known.pairs[i].ko);
	for (size_t i = 0; i < known.all.n && known.steps > 0; i++) {
		const struct original *o = &known.all.items[i];

		m.n = 0;
		if (memmem(text, len, o->fixed, o->fixed_n) && match(&m, o->pair.en, text, false))
			return carry(&m, o->pair.ko, depth);
	}
	return NULL;
}

/* The longest known beginning, then the rest. */
static char *known_first(const char *text, int depth, bool strict)
{
	size_t tries = 0;

	for (const char *p = text + strlen(text); p > text && tries < JOINTS_MAX; p--) {
		size_t n = joint_len(p);
		AUTO_FREE char *left = n ? x_strndup(text, (size_t)(p - text)) : NULL;
		AUTO_FREE char *mine = n ? whole(left, depth, strict) : NULL;
		AUTO_FREE char *rest = mine ? translate(p + n, depth + 1) : NULL;

		tries += n > 0;
		if (mine)
			return x_asprintf("%s%.*s%s", mine, (int)n, p, rest);
	}
	return NULL;
}

/* Words of others, then the rest. */
static char *foreign_first(const char *text, int depth)
{
	const char *p = text;

	while (*p && !joint_len(p))
		p++;
	if (!*p)
		return x_strdup(text);
	p += joint_len(p);
	AUTO_FREE char *rest = translate(p, depth + 1);
	return x_asprintf("%.*s%s", (int)(p - text), text, rest);
}

static char *translate(const char *text, int depth)
{
	char *found = NULL;

	if (!*text || depth == DEPTH_MAX)
		return x_strdup(text);
	found = whole(text, depth, true);
	if (!found)
		found = known_first(text, depth, true);
	if (!found)
		found = whole(text, depth, false);
	if (!found)
		found = known_first(text, depth, false);
	return found ? found : foreign_first(text, depth);
}

char *recorded_text(const char *english)
{
	if (text_lang() != LANG_KO)
		return x_strdup(english);
	make();
	known.steps = STEPS_MAX;
	return translate(english, 0);
}
