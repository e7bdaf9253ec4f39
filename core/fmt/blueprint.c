/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/blueprint.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"

#define CONTEXT 3

const struct blueprint_edit blueprint_tutorial[BLUEPRINT_EDITS] = {
	{BLUEPRINT_REPLACE, "n2-standard-8", "e2-standard-8", 1},
	{BLUEPRINT_APPEND, "system_node_pool_machine_type",
		"system_node_pool_zones: [$(vars.zone)]", 1},
	{BLUEPRINT_REPLACE, "- storage.objectViewer", "- storage.admin", 1},
};

static int hits(const char *text, const char *what)
{
	int n = 0;

	for (const char *p = strstr(text, what); p; p = strstr(p + strlen(what), what))
		n++;
	return n;
}

static void replace(const char *text, const struct blueprint_edit *ed, struct buf *out)
{
	const char *p;

	while ((p = strstr(text, ed->find)) != NULL) {
		buf_add(out, text, (size_t)(p - text));
		buf_adds(out, ed->with);
		text = p + strlen(ed->find);
	}
	buf_adds(out, text);
}

/* The line to add, without the indentation that a recipe may write for sed. */
static const char *line_of(const struct blueprint_edit *ed)
{
	return ed->with + strspn(ed->with, " \t");
}

static void append(const char *text, const struct blueprint_edit *ed, struct buf *out)
{
	const char *p;

	while ((p = strstr(text, ed->find)) != NULL) {
		const char *start = p;
		const char *end = p + strcspn(p, "\n");
		bool returns = end[-1] == '\r';

		while (start > text && start[-1] != '\n')
			start--;
		buf_add(out, text, (size_t)(end - text));
		buf_addc(out, '\n');
		buf_add(out, start, strspn(start, " \t"));
		buf_adds(out, line_of(ed));
		if (returns)
			buf_addc(out, '\r');
		text = end;
	}
	buf_adds(out, text);
}

static int check(const char *text, const struct blueprint_edit *ed, size_t number, struct err *e)
{
	int found = hits(text, ed->find);
	bool done = ed->action == BLUEPRINT_APPEND
			    ? hits(text, line_of(ed)) > 0
			    : found == 0 && hits(text, ed->with) == ed->count;

	if (done)
		return err_set(e, ERR_BAD_FILE,
			_("the file seems to have been edited: unpack a fresh copy of it"),
			_("edit %zu of the blueprint: '%s' is there already, '%s' was found %d "
			  "times"),
			number, ed->with, ed->find, found);
	if (found != ed->count)
		return err_set(e, ERR_BAD_FILE,
			_("the blueprint is of another version than the recipe expects: nothing "
			  "was "
			  "changed; compare it by hand"),
			_("edit %zu of the blueprint: '%s' was found %d times, expected %d"),
			number, ed->find, found, ed->count);
	return 0;
}

int blueprint_edit(const char *text, size_t len, const struct blueprint_edit *edits, size_t n,
	struct buf *out, struct err *e)
{
	struct buf now = {0};

	if (memchr(text, 0, len))
		return err_set(e, ERR_BAD_FILE, _("unpack a fresh copy of it"),
			_("the blueprint is not a text file"));
	buf_add(&now, text, len);
	for (size_t i = 0; i < n; i++) {
		struct buf next = {0};

		if (check(buf_str(&now), &edits[i], i + 1, e)) {
			buf_fini(&now);
			return -1;
		}
		if (edits[i].action == BLUEPRINT_REPLACE)
			replace(buf_str(&now), &edits[i], &next);
		else
			append(buf_str(&now), &edits[i], &next);
		buf_fini(&now);
		now = next;
	}
	buf_add(out, buf_str(&now), now.len);
	buf_fini(&now);
	return 0;
}

struct lines {
	const char **start;
	size_t *len; /* with the line feed, which the last line may lack */
	size_t n;
};

static void split(const char *text, struct lines *l)
{
	size_t count = (size_t)hits(text, "\n") + 1;

	l->n = 0;
	l->start = x_calloc(count, sizeof(*l->start));
	l->len = x_calloc(count, sizeof(*l->len));
	while (*text) {
		size_t len = strcspn(text, "\n");

		len += text[len] == '\n';
		l->start[l->n] = text;
		l->len[l->n++] = len;
		text += len;
	}
}

static bool same(const struct lines *a, size_t i, const struct lines *b, size_t j)
{
	return a->len[i] == b->len[j] && !memcmp(a->start[i], b->start[j], a->len[i]);
}

/* What happens to one line, in the order of the output. */
struct step {
	char mark;
	size_t a, b; /* indices before the step */
};

/* Longest common subsequence; both texts are a few hundred lines. */
static struct step *walk(const struct lines *a, const struct lines *b, size_t *n)
{
	size_t w = b->n + 1;
	uint32_t *t = x_calloc((a->n + 1) * w, sizeof(*t));
	struct step *steps = x_calloc(a->n + b->n + 1, sizeof(*steps));
	size_t i = 0, j = 0;

	for (size_t x = a->n; x-- > 0;)
		for (size_t y = b->n; y-- > 0;) {
			uint32_t down = t[(x + 1) * w + y], right = t[x * w + y + 1];

			t[x * w + y] = same(a, x, b, y) ? t[(x + 1) * w + y + 1] + 1
				       : down > right   ? down
							: right;
		}
	*n = 0;
	while (i < a->n || j < b->n) {
		struct step *s = &steps[(*n)++];

		*s = (struct step){' ', i, j};
		if (i < a->n && j < b->n && same(a, i, b, j)) {
			i++;
			j++;
		} else if (i < a->n && (j == b->n || t[(i + 1) * w + j] >= t[i * w + j + 1])) {
			s->mark = '-';
			i++;
		} else {
			s->mark = '+';
			j++;
		}
	}
	free(t);
	return steps;
}

static size_t hunk_end(const struct step *s, size_t n, size_t from)
{
	size_t last = from;

	for (size_t k = from; k < n && k <= last + 2 * CONTEXT; k++)
		if (s[k].mark != ' ')
			last = k;
	return last + CONTEXT + 1 < n ? last + CONTEXT + 1 : n;
}

static void hunk(const struct lines *a, const struct lines *b, const struct step *s, size_t from,
	size_t to, struct buf *out)
{
	size_t olds = 0, news = 0;

	for (size_t k = from; k < to; k++) {
		olds += s[k].mark != '+';
		news += s[k].mark != '-';
	}
	buf_addf(out, "@@ -%zu,%zu +%zu,%zu @@\n", s[from].a + (olds > 0), olds,
		s[from].b + (news > 0), news);
	for (size_t k = from; k < to; k++) {
		const struct lines *l = s[k].mark == '+' ? b : a;
		size_t at = s[k].mark == '+' ? s[k].b : s[k].a;

		buf_addc(out, s[k].mark);
		buf_add(out, l->start[at], l->len[at]);
		if (l->start[at][l->len[at] - 1] != '\n')
			buf_adds(out, "\n\\ No newline at end of file\n");
	}
}

static void lines_fini(struct lines *l)
{
	free(l->start);
	free(l->len);
}

void blueprint_diff(const char *old_name, const char *old_text, const char *new_name,
	const char *new_text, struct buf *out)
{
	AUTO(lines_fini) struct lines a = {0};
	AUTO(lines_fini) struct lines b = {0};
	struct step *s;
	size_t n;

	split(old_text, &a);
	split(new_text, &b);
	s = walk(&a, &b, &n);
	for (size_t k = 0, done = 0; k < n; k++) {
		size_t from, to;

		if (s[k].mark == ' ')
			continue;
		if (!done)
			buf_addf(out, "--- %s\n+++ %s\n", old_name, new_name);
		from = k > done + CONTEXT ? k - CONTEXT : done;
		to = hunk_end(s, n, k);
		hunk(&a, &b, s, from, to, out);
		done = to;
		k = to - 1;
	}
	free(s);
}
