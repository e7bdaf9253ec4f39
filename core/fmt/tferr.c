/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/tferr.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/fmt/ansi.h"
#include "core/fmt/time.h"

#define SUMMARY_CELLS 160 /* beside a known meaning */

/* --- the list */

/* Line ends stay, everything else that steers a terminal goes. */
static char *safe_text(const char *s)
{
	AUTO(buf_fini) struct buf clean = {0};

	while (*s && clean.len < TFERR_DETAIL_MAX) {
		size_t n = strcspn(s, "\n");

		text_clean(&clean, s, n);
		s += n;
		if (*s == '\n') {
			buf_addc(&clean, '\n');
			s++;
		}
	}
	while (clean.len && isspace((unsigned char)clean.data[clean.len - 1]))
		clean.data[--clean.len] = '\0';
	return redact_dup(buf_str(&clean));
}

static void find_cause(struct tferr *t)
{
	AUTO_FREE char *all = x_asprintf("%s\n%s", t->summary, t->detail);

	if (!cause_find(&t->hit, all, strlen(all)))
		return;
	cause_put(&t->hit, "tf_resource", t->resource);
}

static void tferr_free(struct tferr *t)
{
	free(t->summary);
	free(t->resource);
	free(t->detail);
	*t = (struct tferr){0};
}

static struct tferr *same(struct tferr_list *l, const struct tferr *t)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->items[i].summary, t->summary) &&
			(!*l->items[i].resource || !*t->resource ||
				!strcmp(l->items[i].resource, t->resource)))
			return &l->items[i];
	return NULL;
}

/* Text and event tell the same: the one that says more stays. */
static bool add(struct tferr_list *l, bool warning, const char *summary, const char *resource,
	const char *detail)
{
	struct tferr t = {.summary = safe_text(summary),
		.resource = safe_text(resource),
		.detail = safe_text(detail),
		.warning = warning};
	struct tferr *was = same(l, &t);

	if (!*t.summary || (!was && l->n == TFERR_MAX) ||
		(was && strlen(was->detail) + strlen(was->resource) >=
				strlen(t.detail) + strlen(t.resource))) {
		tferr_free(&t);
		return false;
	}
	find_cause(&t);
	if (was)
		tferr_free(was);
	else
		was = &l->items[l->n++];
	*was = t;
	return true;
}

void tferr_fini(struct tferr_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		tferr_free(&l->items[i]);
	buf_fini(&l->summary);
	buf_fini(&l->resource);
	buf_fini(&l->detail);
	*l = (struct tferr_list){0};
}

/* --- events */

bool tferr_event(struct tferr_list *l, const json_t *event)
{
	const char *severity = json_path_str(event, "diagnostic.severity");
	const char *summary = json_path_str(event, "diagnostic.summary");

	if (strcmp(json_path_str_or(event, "type", ""), "diagnostic"))
		return false;
	if (!severity)
		severity = json_path_str_or(event, "@level", "error");
	if (!summary)
		summary = json_path_str_or(event, "@message", "");
	if (text_starts(summary, "Error: "))
		summary += strlen("Error: ");
	return add(l, strcmp(severity, "error") != 0, summary,
		json_path_str_or(event, "diagnostic.address", ""),
		json_path_str_or(event, "diagnostic.detail", ""));
}

/* --- text */

static const struct {
	const char *mark;
	bool warning;
} marks[] = {
	{"Error: ", false},
	{"ERROR: ", false},
	{"error: ", false},
	{"Warning: ", true},
};

/* "2026-09-10T08:00:00Z " and "2026-09-10T08:00:00Z: " of gcluster. */
static const char *skip_stamp(const char *s)
{
	size_t n = strcspn(s, " ");
	AUTO_FREE char *stamp = x_strndup(s, n && s[n - 1] == ':' ? n - 1 : n);

	return n >= 20 && time_parse_ms(stamp) != TIME_NONE && s[n] ? s + n + 1 : s;
}

/* Frames the terminal version draws around an error. */
static const char *skip_frame(const char *s, bool *box, bool *end)
{
	static const char *const frames[] = {"│", "╷", "╵"};

	for (size_t i = 0; i < COUNT(frames); i++) {
		if (!text_starts(s, frames[i]))
			continue;
		*box = true;
		*end = i > 0;
		s += strlen(frames[i]);
		return *s == ' ' ? s + 1 : s;
	}
	return s;
}

bool tferr_bad_line(const char *line)
{
	bool box = false, end = false;
	const char *s = skip_frame(skip_stamp(line), &box, &end);
	const struct cause *c;

	for (size_t i = 0; i < COUNT(marks); i++)
		if (!marks[i].warning && text_starts(s, marks[i].mark))
			return true;
	c = cause_of_text(line, strlen(line));
	return c && c->fatal;
}

static bool begin(struct tferr_list *l, const char *s)
{
	for (size_t i = 0; i < COUNT(marks); i++) {
		if (!text_starts(s, marks[i].mark))
			continue;
		tferr_end(l);
		l->open = true;
		l->warning = marks[i].warning;
		buf_adds(&l->summary, s + strlen(marks[i].mark));
		return true;
	}
	return false;
}

/* "  with RESOURCE," and "  on main.tf line 3, in …:" stand before the detail. */
static bool place_line(struct tferr_list *l, const char *s)
{
	const char *p = s + strspn(s, " ");

	if (text_starts(p, "with ") && text_ends(p, ",") && strchr(p, '.') && !l->resource.len) {
		buf_add(&l->resource, p + 5, strlen(p) - 6);
		return true;
	}
	return text_starts(p, "on ") && strstr(p, " line ") && !l->in_detail;
}

static void add_detail(struct tferr_list *l, const char *s)
{
	if (!*s && !l->in_detail)
		return;
	if (place_line(l, s))
		return;
	l->in_detail = true;
	if (l->detail.len + strlen(s) < TFERR_DETAIL_MAX)
		buf_addf(&l->detail, "%s\n", s);
}

bool tferr_line(struct tferr_list *l, const char *line, size_t n)
{
	AUTO(buf_fini) struct buf seen = {0};
	bool box = false, end = false;
	const char *s, *bare;

	for (size_t i = 0; i < n; i++)
		if (line[i] == '\0')
			n = i;
	ansi_visible(&seen, line, n);
	bare = skip_stamp(buf_str(&seen));
	s = skip_frame(bare, &box, &end);
	if (begin(l, s)) {
		l->box = box;
		return true;
	}
	if (!l->open)
		return false;
	/* A box ends with its frame; plain text with the next line that has a time of its own. */
	if (l->box ? end || !box : bare != buf_str(&seen)) {
		tferr_end(l);
		return true;
	}
	add_detail(l, s);
	return false;
}

void tferr_end(struct tferr_list *l)
{
	if (l->open)
		(void)add(l, l->warning, buf_str(&l->summary), buf_str(&l->resource),
			buf_str(&l->detail));
	l->open = l->box = l->in_detail = false;
	buf_clear(&l->summary);
	buf_clear(&l->resource);
	buf_clear(&l->detail);
}

/* --- telling */

static int rank(const struct tferr *t)
{
	return (t->warning ? 0 : 4) + (t->hit.cause ? 1 : 0) +
	       (t->hit.cause && t->hit.cause->fatal ? 2 : 0);
}

const struct tferr *tferr_main(const struct tferr_list *l)
{
	const struct tferr *best = NULL;

	for (size_t i = 0; i < l->n; i++)
		if (!best || rank(&l->items[i]) > rank(best))
			best = &l->items[i];
	return best;
}

char *tferr_told(const struct tferr *t)
{
	AUTO_FREE char *meaning = cause_meaning(&t->hit);
	AUTO_FREE char *first = x_strndup(t->detail, strcspn(t->detail, "\n"));
	AUTO_FREE char *summary =
		*meaning ? text_cut(t->summary, SUMMARY_CELLS) : x_strdup(t->summary);
	struct buf out = {0};

	if (*meaning)
		buf_adds(&out, meaning);
	if (*meaning && *t->resource)
		buf_addf(&out, " (%s)", t->resource);
	if (*meaning)
		buf_adds(&out, ": ");
	buf_adds(&out, summary);
	if (!*meaning && *t->resource)
		buf_addf(&out, " (%s)", t->resource);
	if (!*meaning && *first)
		buf_addf(&out, ": %s", first);
	return buf_take(&out);
}
