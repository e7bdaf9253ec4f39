/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All checks, what fails first; the chosen one with its cause and its cure. Live: checks change
 * while one looks, the selection stays with its check.
 */
#include "core/base/recorded.h"
#include "core/base/text.h"
#include "core/run/checks_admin.h"
#include "tui/layout.h"
#include "tui/term.h"
#include "tui/widget/list.h"
#include "views/common.h"
#include "views/cure.h"
#include "views/views.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BESIDE_FROM 108
#define DETAIL_W    46
#define RUN_WORD    12 /* bytes of "run: " in any language, at most */

/* In the order in which they are shown. */
static const struct {
	const char *word, *text;
	enum role role;
	enum glyph glyph;
} kinds[] = {
	{"blocking", N_("blocking"), ROLE_BAD, GLYPH_FAILED},
	{"unknown", N_("unknown"), ROLE_UNKNOWN, GLYPH_UNKNOWN},
	{"warning", N_("warning"), ROLE_WARN, GLYPH_WARN},
	{"ok", N_("ok"), ROLE_OK, GLYPH_DONE},
};

struct preflight {
	struct list list;
	const struct state_check **order;
	size_t n;
	struct cure cure;
	bool moved; /* by the person: until then the first one is chosen, what fails stands there */
};

static size_t kind_of(const struct state_check *c)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (strcmp(kinds[i].word, c->state) == 0)
			return i;
	return 1;
}

/* What fails first, otherwise in the order of the recipe. */
static void preflight_sort(struct preflight *p, const struct state *s)
{
	p->order = x_realloc(p->order, (s->checks.n + 1) * sizeof(*p->order));
	p->n = 0;
	for (size_t kind = 0; kind < COUNT(kinds); kind++)
		for (size_t i = 0; i < s->checks.n; i++)
			if (kind_of(&s->checks.items[i]) == kind)
				p->order[p->n++] = &s->checks.items[i];
}

static const char *check_id(const void *arg, size_t i)
{
	return ((const struct preflight *)arg)->order[i]->id;
}

static void check_row(const void *arg, size_t i, struct surface *row, bool selected)
{
	const struct state_check *c = ((const struct preflight *)arg)->order[i];
	size_t kind = kind_of(c);
	int id = row->w >= 76 ? 28 : 24;
	if (selected)
		surface_put(row, 0, 0, ROLE_SELECTED, glyph(GLYPH_CURSOR));
	surface_put(row, 0, 1, kinds[kind].role, glyph(kinds[kind].glyph));
	surface_cut(
		row, 0, 3, id - 1, kind == COUNT(kinds) - 1 ? ROLE_DIM : kinds[kind].role, c->id);
	AUTO_FREE char *question = recorded_text(c->question);
	surface_cut(row, 0, 3 + id, row->w - 4 - id, ROLE_TEXT, question);
}

static struct list_source preflight_source(const struct preflight *p)
{
	return (struct list_source){.arg = p, .n = p->n, .id = check_id, .draw = check_row};
}

static const char *who_text(const char *who)
{
	if (strcmp(who, "administrator") == 0)
		return _("an administrator of the project can cure it");
	if (strcmp(who, "google") == 0)
		return _("only Google can cure it");
	return _("you can cure it");
}

static void cure_text(const struct state_check *c, struct buf *out)
{
	for (size_t i = 0; i < c->cure_argv.n; i++)
		buf_addf(out, "%s%s", i ? " " : "", c->cure_argv.items[i]);
}

/* The command is always seen whole where there is room for it: a long cause is cut instead. */
static void preflight_detail(const struct state_check *c, struct surface *s)
{
	AUTO(buf_fini) struct buf line = {0};
	size_t kind = kind_of(c);
	bool who = kind != COUNT(kinds) - 1 && *c->who;
	AUTO_FREE char *question = recorded_text(c->question);
	AUTO_FREE char *cause = recorded_text(c->cause);
	AUTO_FREE char *advice = recorded_text(c->cure);
	int y = 0, below;
	surface_rule(s, 0, c->id, _(kinds[kind].text));
	struct surface in = surface_sub(s, 1, 1, s->h - 1, s->w - 2);
	if (c->cure_argv.n)
		buf_adds(&line, "$ ");
	cure_text(c, &line);
	/* "run: COMMAND" says nothing beside the command. */
	const char *cure = line.len && text_ends(advice, buf_str(&line) + 2) &&
					   strlen(advice) < line.len + RUN_WORD
				   ? ""
				   : advice;
	below = who + (*cure ? wrap_rows(cure, in.w) : 0) +
		(line.len ? wrap_rows(buf_str(&line), in.w) : 0);
	y += surface_wrap(&in, y, 0, in.h - y, in.w, ROLE_TEXT, question);
	if (*cause)
		y += surface_wrap(&in, y, 0, in.h - y - below > 1 ? in.h - y - below : 1, in.w,
			kinds[kind].role, cause);
	if (*cure)
		y += surface_wrap(&in, y, 0, in.h - y, in.w, ROLE_TEXT, cure);
	if (line.len)
		y += surface_wrap(&in, y, 0, in.h - y, in.w, ROLE_CODE, buf_str(&line));
	if (who)
		surface_wrap(&in, y, 0, in.h - y, in.w, ROLE_DIM, who_text(c->who));
}

static void preflight_counts(const struct state *s, struct buf *out)
{
	size_t n[COUNT(kinds)] = {0};
	for (size_t i = 0; i < s->checks.n; i++)
		n[kind_of(&s->checks.items[i])]++;
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (n[i])
			buf_addf(out, "%s%zu %s", out->len ? "  " : "", n[i], _(kinds[i].text));
}

static void preflight_page(struct preflight *p, const struct state *s, struct surface *out)
{
	AUTO(buf_fini) struct buf counts = {0};
	struct surface body = surface_sub(out, 1, 0, out->h - 1, out->w), parts[2];
	bool beside = out->w >= BESIDE_FROM;
	const struct split cols[] = {{.weight = 1, .min = 40}, {.fixed = DETAIL_W}};
	const struct split rows[] = {{.weight = 1, .min = 5}, {.fixed = out->h >= 20 ? 8 : 6}};
	struct list_source src = preflight_source(p);
	preflight_counts(s, &counts);
	head_draw(out, s, _("checks"), buf_str(&counts), NULL);
	if (beside)
		layout_cols(&body, cols, 2, parts);
	else
		layout_rows(&body, rows, 2, parts);
	struct surface list = surface_sub(&parts[0], 1, 0, parts[0].h - 1, parts[0].w);
	if (p->n == 0)
		surface_wrap(&list, 0, 1, 2, list.w - 2, ROLE_DIM,
			_("asking; the first answers come in seconds"));
	list_draw(&p->list, &src, &list, true);
	size_t i = list_selected(&p->list, &src), shown = p->list.top + (size_t)list.h;
	AUTO_FREE char *more = shown < p->n ? x_asprintf(_("%zu more below"), p->n - shown) : NULL;
	surface_rule(&parts[0], 0, _("before money is spent"), more);
	if (beside) {
		surface_vrule(&parts[1], 0);
		surface_put(&parts[1], 0, 0, ROLE_RULE, glyph(GLYPH_TEE_DOWN));
	}
	struct surface detail = surface_sub(&parts[1], 0, beside ? 1 : 0, parts[1].h, parts[1].w);
	if (i < p->n)
		preflight_detail(p->order[i], &detail);
}

static void preflight_draw(struct view *v, const struct state *s, struct surface *out)
{
	struct preflight *p = v->data;
	preflight_sort(p, s);
	if (cure_worked(&p->cure, s))
		p->moved = false;
	if (!p->moved)
		list_select(&p->list, "");
	head_alert(v, s);
	VIEW_KEYS(v, {ACT_CURE, _("cure")}, {ACT_RETRY, _("ask again")}, {ACT_RUN, _("ask all")},
		{ACT_COPY, _("copy")}, {ACT_SEE_VARIABLES, _("variables")},
		{ACT_SEE_STAGES, _("stages")});
	if (view_is_tiny(out))
		head_tiny(out, s);
	else
		preflight_page(p, s, out);
	if (cure_open(&p->cure)) {
		VIEW_KEYS(v, {ACT_OPEN, _("yes")}, {ACT_BACK, _("no")});
		view_modal(v);
		cure_draw(&p->cure, out);
	}
}

/* A page without answers asks for them. */
static int preflight_open(struct view *v, const struct state *s)
{
	if (s->checks.n == 0 && view_may_act(v))
		view_post(v, INTENT_RERUN_CHECK, STAGE_NONE, NULL, "");
	return 0;
}

/* What only an administrator can cure goes into one message; otherwise the cure of the chosen
 * check. */
static void preflight_copy(struct view *v, const struct state_check *c)
{
	AUTO_FREE char *message = checks_admin_message(host_state(v->host));
	AUTO_FREE char *advice = recorded_text(c->cure);
	AUTO(buf_fini) struct buf cure = {0};
	if (message && term_copy(message, strlen(message))) {
		host_toast(v->host, ROLE_TOAST, _("copied: a message for the administrator"));
		return;
	}
	cure_text(c, &cure);
	if (!cure.len)
		buf_adds(&cure, advice);
	if (cure.len && term_copy(buf_str(&cure), cure.len))
		host_toast(v->host, ROLE_TOAST, _("copied: the cure of %s"), c->id);
	else
		host_toast(v->host, ROLE_WARN, _("%s has no cure to copy"), c->id);
}

static bool preflight_act(struct view *v, enum action a, const struct key *k)
{
	struct preflight *p = v->data;
	if (cure_act(&p->cure, a, k))
		return true;
	preflight_sort(p, host_state(v->host));
	struct list_source src = preflight_source(p);
	size_t i = list_selected(&p->list, &src);
	if (list_act(&p->list, &src, a, k))
		return p->moved = true;
	if (a == ACT_RUN)
		return view_post(v, INTENT_RERUN_CHECK, STAGE_NONE, NULL, ""), true;
	if (i >= p->n)
		return false;
	if (a == ACT_RETRY)
		return view_post(v, INTENT_RERUN_CHECK, STAGE_NONE, NULL, p->order[i]->id), true;
	if (a == ACT_CURE || a == ACT_OPEN)
		return cure_begin(&p->cure, v, p->order[i]), true;
	if (a != ACT_COPY)
		return false;
	preflight_copy(v, p->order[i]);
	return true;
}

static void preflight_close(struct view *v)
{
	struct preflight *p = v->data;
	list_fini(&p->list);
	cure_close(&p->cure);
	free(p->order);
}

const struct view_ops view_preflight = {
	.name = N_("checks"),
	.topics = TOPIC_BIT(TOPIC_RUN) | TOPIC_BIT(TOPIC_CHECKS) | TOPIC_BIT(TOPIC_ALERTS),
	.size = sizeof(struct preflight),
	.open = preflight_open,
	.draw = preflight_draw,
	.act = preflight_act,
	.close = preflight_close,
};
