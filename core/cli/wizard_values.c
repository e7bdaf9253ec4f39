/* SPDX-License-Identifier: Apache-2.0 */
/* The values, one question each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cli/wizard_in.h"
#include "core/recipe/import.h"
#include "core/run/drafts.h"
#include "core/run/folder.h"
#include "core/run/token.h"

static const char *in_language(const struct recipe_text *t)
{
	const char *s = text_lang() == LANG_KO ? t->ko : t->en;

	return s ? s : "";
}

static bool is_secret(const struct wizard *w, const char *name)
{
	const struct recipe_variable *v = recipe_variable(w->run->recipe, name);

	return v && v->secret;
}

/* What cannot be used is kept as a draft. */
static bool take(struct wizard *w, const char *name, const char *text)
{
	struct run *r = w->run;
	struct err e = {0};
	bool good = values_take(&r->values, r->recipe, name, text, VALUE_TYPED, &e) == 0;

	if (!good)
		printf("  %s\n  %s\n", e.what, e.hint);
	if (!is_secret(w, name))
		(void)drafts_put(r->dir, name, good ? NULL : text, NULL);
	if (good && run_save(r, &e) != 0)
		printf("  %s\n", e.what);
	return good;
}

/* Shell lines as they are pasted, one or more; false: it is none. */
bool wizard_take_lines(struct wizard *w, const char *text)
{
	struct import m;
	bool any;

	import_read(w->run->recipe, text, &m);
	any = !m.faults && (import_any(&m) || m.unknown.n);
	for (size_t i = 0; any && i < m.n; i++)
		if (take(w, m.items[i].variable->name, m.items[i].value))
			printf("  %s\n", m.items[i].variable->name);
	for (size_t i = 0; any && i < m.placeholders.n; i++)
		printf(_("  %s is still a placeholder of the tutorial, left out\n"),
			m.placeholders.items[i]);
	for (size_t i = 0; any && i < m.unknown.n; i++)
		printf(_("  %s is not a variable of this recipe; ignored\n"), m.unknown.items[i]);
	import_fini(&m);
	return any;
}

/* Written nowhere unless the person says so. */
static void offer_to_keep(struct wizard *w, const char *name)
{
	char *text = NULL;
	struct err e = {0};

	if (answer_read(_("Keep it for this run, in a file that only you can read? Type yes, or "
			  "Enter for no"),
		    false, &text) == ANSWER_TEXT &&
		strcmp(text, "yes") == 0) {
		if (token_keep(w->run->dir, values_get(&w->run->values, name), &e) == 0)
			printf(_("  kept in %s/token\n"), w->run->dir);
		else
			printf("  %s\n  %s\n", e.what, e.hint);
	}
	free(text);
}

static void explain(const struct recipe_variable *v)
{
	printf("\n%s (%s)\n  %s\n", in_language(&v->label), v->name, in_language(&v->why));
	for (size_t i = 0; i < v->how.n; i++)
		printf("  %zu. %s\n", i + 1, in_language(&v->how.items[i]));
	if (v->how_link)
		printf("  %s\n", v->how_link);
}

static void show_now(const struct wizard *w, const char *name)
{
	const struct value *v = values_find(&w->run->values, name);
	AUTO(json_auto) json_t *drafts = drafts_read(w->run->dir);
	const char *draft = json_path_str(json_object_get(drafts, name), "");
	AUTO_FREE char *clean = draft ? text_clean_dup(draft) : NULL;

	if (v && v->value && *v->value)
		printf("  %s [%s]\n", v->secret ? "********" : v->value,
			value_origin_text(v->origin));
	if (clean)
		printf(_("  kept, but not used: %s\n"), clean);
}

enum way wizard_ask(struct wizard *w, const char *name)
{
	const struct recipe_variable *v = recipe_variable(w->run->recipe, name);

	if (v)
		explain(v);
	for (;;) {
		enum way way = WAY_AGAIN;
		char *text = NULL;
		enum answer a;

		show_now(w, name);
		a = answer_read(name, is_secret(w, name), &text);
		if (a != ANSWER_TEXT)
			way = wizard_steered(w, a, name);
		else if (wizard_take_lines(w, text))
			way = values_get(&w->run->values, name) ? WAY_ON : WAY_AGAIN;
		else if (take(w, name, text))
			way = WAY_ON;
		if (a == ANSWER_TEXT && way == WAY_ON && is_secret(w, name))
			offer_to_keep(w, name);
		x_wipe_free(text);
		if (way != WAY_AGAIN)
			return way;
	}
}

/* REGION follows from ZONE and is not asked. */
static bool is_asked(const struct wizard *w, size_t i)
{
	const struct recipe_variable *v = &w->run->recipe->variables.items[i];

	return !v->derived_only && v->derive == DERIVE_NONE;
}

static bool is_missing(const struct wizard *w, size_t i)
{
	const struct recipe_variable *v = &w->run->recipe->variables.items[i];

	return is_asked(w, i) && !v->optional && !values_get(&w->run->values, v->name);
}

/* The question after this one: the next that lacks an answer, or that was left by going back. */
static size_t next_question(const struct wizard *w, size_t from)
{
	size_t n = w->run->recipe->variables.n;

	while (from < n && !is_missing(w, from) && !(from < w->furthest && is_asked(w, from)))
		from++;
	return from;
}

size_t wizard_question_before(const struct wizard *w, size_t at)
{
	size_t i = at;

	while (i > 0)
		if (is_asked(w, --i))
			return i;
	printf("  %s\n", _("this is the first question"));
	return at;
}

enum way wizard_ask_values(struct wizard *w)
{
	size_t n = w->run->recipe->variables.n;

	while ((w->at = next_question(w, w->at)) < n) {
		enum way way = wizard_ask(w, w->run->recipe->variables.items[w->at].name);

		if (w->at + 1 > w->furthest)
			w->furthest = w->at + 1;
		if (way == WAY_BACK)
			w->at = wizard_question_before(w, w->at);
		else if (way == WAY_ON)
			w->at++;
		else
			return way;
	}
	return WAY_ON;
}

void wizard_show_values(const struct run *r)
{
	printf("\n%s\n", _("Values of this run"));
	for (size_t i = 0; i < r->values.n; i++) {
		const struct value *v = &r->values.items[i];

		if (v->value && *v->value)
			printf("  %-24s %s  [%s]\n", v->name, v->secret ? "********" : v->value,
				value_origin_text(v->origin));
	}
}
