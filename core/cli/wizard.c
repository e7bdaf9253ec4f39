/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/wizard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cli/answer.h"
#include "core/cli/check.h"
#include "core/cli/cli.h"
#include "core/cli/now.h"
#include "core/recipe/import.h"
#include "core/run/drafts.h"
#include "core/run/folder.h"
#include "core/run/inquire.h"
#include "core/run/token.h"

/* Where an answer leads to. */
enum way { WAY_ON, WAY_AGAIN, WAY_BACK, WAY_LEAVE, WAY_END };

struct wizard {
	struct run *run;
	struct inquire *inquire; /* opened when something is asked of the account */
	size_t at, furthest;     /* questions: where one is, where one has been */
};

static const char *in_language(const struct recipe_text *t)
{
	const char *s = text_lang() == LANG_KO ? t->ko : t->en;

	return s ? s : "";
}

static int no_answer(const char *what, struct err *e)
{
	return err_set(e, ERR_PERSON, _("start it in a terminal, or export the value"),
		_("an answer is needed: %s"), what);
}

static struct inquire *cloud_of(struct wizard *w)
{
	if (!w->inquire)
		w->inquire = inquire_open(w->run);
	return w->inquire;
}

/* --- what steers, at every question */

static void help(void)
{
	static const char *const lines[] = {
		N_(":back   to the question before"),
		N_(":list   what the account offers for this one"),
		N_(":save   says where everything is kept; every answer is kept at once"),
		N_(":quit   leave; the next start goes on here"),
		N_("The first letter is enough. An empty answer keeps the value."),
		N_("Lines like export NAME=value are taken as well."),
	};

	for (size_t i = 0; i < COUNT(lines); i++)
		printf("  %s\n", _(lines[i]));
}

static void list_reservations(const struct state *s)
{
	for (size_t i = 0; i < s->reservations.n; i++) {
		const struct reservation *r = &s->reservations.items[i].r;
		AUTO_FREE char *name = text_clean_dup(r->full_name);

		printf("  %s  %s  %" PRId64 "/%" PRId64 "\n", name, r->zone, reservation_free(r),
			r->total);
	}
	if (s->reservations.error && *s->reservations.error)
		printf("  %s\n", s->reservations.error);
	else if (!s->reservations.n)
		printf("  %s\n", _("nothing found"));
}

static void list_offers(const struct state_offers *o)
{
	for (size_t i = 0; o && i < o->n; i++) {
		AUTO_FREE char *value = text_clean_dup(o->items[i].value);
		AUTO_FREE char *note = text_clean_dup(o->items[i].note ? o->items[i].note : "");

		printf("  %s  %s\n", value, note);
	}
	if (o && o->error && *o->error)
		printf("  %s\n", o->error);
	else if (!o || !o->n)
		printf("  %s\n", _("nothing found"));
}

static void list(struct wizard *w, const char *name)
{
	const struct recipe_variable *v = name ? recipe_variable(w->run->recipe, name) : NULL;
	const struct state *s;

	if (!v || !v->discover) {
		printf("  %s\n", _("there is no list for this"));
		return;
	}
	printf("  %s\n", _("asking the account…"));
	fflush(stdout);
	inquire_offers(cloud_of(w), name);
	s = inquire_state(w->inquire);
	if (strcmp(v->discover, "reservation") == 0)
		list_reservations(s);
	else
		list_offers(state_offers_find(s, name));
}

/* Everything but a text; name: of the variable that is asked for, NULL = none. */
static enum way steered(struct wizard *w, enum answer a, const char *name)
{
	switch (a) {
	case ANSWER_BACK:
		return WAY_BACK;
	case ANSWER_QUIT:
		return WAY_LEAVE;
	case ANSWER_END:
		return WAY_END;
	case ANSWER_EMPTY:
		return WAY_ON;
	case ANSWER_LIST:
		list(w, name);
		break;
	case ANSWER_SAVE:
		printf(_("  kept in %s\n"), w->run->dir);
		break;
	case ANSWER_LONG:
		printf("  %s\n", _("too long for a value: nothing of it was taken"));
		break;
	case ANSWER_UNKNOWN:
	case ANSWER_HELP:
	case ANSWER_TEXT:
		help();
		break;
	}
	return WAY_AGAIN;
}

/* --- values */

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
static bool take_lines(struct wizard *w, const char *text)
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

/* One question until it has an answer; also parameters by their key. */
static enum way ask(struct wizard *w, const char *name)
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
			way = steered(w, a, name);
		else if (take_lines(w, text))
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

static size_t question_before(const struct wizard *w, size_t at)
{
	size_t i = at;

	while (i > 0)
		if (is_asked(w, --i))
			return i;
	printf("  %s\n", _("this is the first question"));
	return at;
}

static enum way ask_values(struct wizard *w)
{
	size_t n = w->run->recipe->variables.n;

	while ((w->at = next_question(w, w->at)) < n) {
		enum way way = ask(w, w->run->recipe->variables.items[w->at].name);

		if (w->at + 1 > w->furthest)
			w->furthest = w->at + 1;
		if (way == WAY_BACK)
			w->at = question_before(w, w->at);
		else if (way == WAY_ON)
			w->at++;
		else
			return way;
	}
	return WAY_ON;
}

static void show_values(const struct run *r)
{
	printf("\n%s\n", _("Values of this run"));
	for (size_t i = 0; i < r->values.n; i++) {
		const struct value *v = &r->values.items[i];

		if (v->value && *v->value)
			printf("  %-24s %s  [%s]\n", v->name, v->secret ? "********" : v->value,
				value_origin_text(v->origin));
	}
}

/* --- the questions after the values */

/* A text: a name to be changed, or shell lines. */
static void change(struct wizard *w, const char *text)
{
	const struct recipe *r = w->run->recipe;
	const struct recipe_param *p = recipe_parameter(r, text);

	if (recipe_variable(r, text) || (p && p->editable))
		(void)ask(w, text);
	else if (!take_lines(w, text))
		printf(_("  there is no variable or parameter called %s\n"), text);
}

/* Enter goes on, back is the way back. */
static enum way ask_change(struct wizard *w, const char *prompt)
{
	for (;;) {
		char *text = NULL;
		enum answer a = answer_read(prompt, false, &text);
		enum way way = a == ANSWER_TEXT ? WAY_AGAIN : steered(w, a, NULL);

		if (a == ANSWER_TEXT)
			change(w, text);
		free(text);
		if (way != WAY_AGAIN)
			return way;
	}
}

static enum way review(struct wizard *w)
{
	enum way way;

	show_values(w->run);
	if (!isatty(STDIN_FILENO))
		return WAY_ON;
	way = ask_change(w, _("Enter goes on to the checks; a name changes its value"));
	if (way == WAY_BACK)
		w->at = question_before(w, w->run->recipe->variables.n);
	return way;
}

/* WAY_AGAIN: a value was changed, or the checks are to be asked again. */
static enum way check(struct wizard *w, struct err *e)
{
	int code;

	printf("\n%s\n", _("Checks"));
	fflush(stdout);
	if (inquire_checks(cloud_of(w), e) != 0)
		return WAY_END;
	code = cli_check_lines(inquire_state(w->inquire), w->run->recipe);
	if (code != 1)
		return WAY_ON;
	if (!isatty(STDIN_FILENO)) {
		err_set(e, ERR_BLOCKED, _("run the cures above, then start again"),
			_("a check blocks"));
		return WAY_END;
	}
	printf("\n%s\n",
		_("A check blocks. Run its cure in another terminal, or change a value here."));
	code = (int)ask_change(w, _("Enter asks again; a name changes its value"));
	return code == WAY_ON ? WAY_AGAIN : (enum way)code;
}

/* The one question before money is spent. WAY_ON = go. */
static enum way last_question(struct wizard *w)
{
	printf("\n%s\n", _("From the cluster stage on this costs money. Type go to run everything "
			   "to the end of export, "
			   "or anything else to leave."));
	for (;;) {
		char *text = NULL;
		enum answer a = isatty(STDIN_FILENO) ? answer_read("go", false, &text) : ANSWER_END;
		enum way way = a == ANSWER_TEXT ? WAY_LEAVE : steered(w, a, NULL);
		bool go = text && strcmp(text, "go") == 0;

		free(text);
		if (go)
			return WAY_ON;
		if (a == ANSWER_EMPTY)
			return WAY_LEAVE;
		if (way != WAY_AGAIN)
			return way;
	}
}

static enum way values_hold(struct wizard *w, struct err *e)
{
	if (values_check(&w->run->values, w->run->recipe, e) == 0)
		return WAY_ON;
	if (!isatty(STDIN_FILENO))
		return WAY_END;
	printf("\n  %s\n  %s\n", e->what, e->hint);
	err_clear(e);
	return WAY_AGAIN;
}

enum step { STEP_VALUES, STEP_REVIEW, STEP_CHECKS, STEP_LAST, STEP_GO };

static enum way one_step(struct wizard *w, enum step step, struct err *e)
{
	enum way way;

	switch (step) {
	case STEP_VALUES:
		return ask_values(w);
	case STEP_REVIEW:
		way = review(w);
		return way == WAY_ON ? values_hold(w, e) : way;
	case STEP_CHECKS:
		return check(w, e);
	case STEP_LAST:
	case STEP_GO:
		break;
	}
	return last_question(w);
}

/* 0 = go; otherwise e says why not. */
static int converse(struct wizard *w, struct err *e)
{
	enum step step = STEP_VALUES;

	if (isatty(STDIN_FILENO))
		help();
	while (step != STEP_GO) {
		const char *missing = values_missing(&w->run->values, w->run->recipe);
		enum way way = missing && !isatty(STDIN_FILENO) ? WAY_END : one_step(w, step, e);

		missing = values_missing(&w->run->values, w->run->recipe);
		if (way == WAY_LEAVE)
			return err_set(e, ERR_CANCELLED,
				_("start rlpilot again when you are ready"),
				_("nothing was started"));
		if (way == WAY_END)
			return e->code ? -1 : no_answer(missing ? missing : "go", e);
		if (way == WAY_ON)
			step++;
		else if (way == WAY_BACK)
			step = step == STEP_REVIEW ? STEP_VALUES : STEP_REVIEW;
	}
	return 0;
}

static int walk(struct run **rp, struct err *e)
{
	struct plain_opts o = {.engine = {.from = STAGE_TOOLS,
				       .to = STAGE_EXPORT,
				       .to_end = true,
				       .terminal = isatty(STDIN_FILENO)}};
	struct wizard w = {0};
	int rc;

	if (run_lock(*rp, e) != 0 || run_reopen(rp, e) != 0)
		return -1;
	w.run = *rp;
	answer_begin();
	rc = converse(&w, e);
	inquire_close(&w.inquire);
	if (rc != 0)
		return -1;
	return now_run(*rp, &o, e) == 0 ? 0 : -1;
}

int cli_wizard(int argc, char **argv, const struct cli_globals *g)
{
	struct run_new fresh = {.name = g->run, .prefix = "run", .recipe = g->recipe};
	AUTO_FREE char *dir = NULL;
	AUTO_FREE char *root = NULL;
	struct run *r = NULL;
	struct err e = {0};
	int rc;

	(void)argc;
	(void)argv;
	if (run_find(g->run, &dir, NULL) == 0)
		rc = run_open(dir, &r, &e);
	else if ((rc = run_root(false, &root, &e)) == 0)
		rc = run_create(root, &fresh, &r, &e);
	if (rc == 0)
		rc = walk(&r, &e);
	run_close(r);
	return rc == 0 ? 0 : cli_fail(&e);
}
