/* SPDX-License-Identifier: Apache-2.0 */
#include "views/cure.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/recorded.h"
#include "core/base/text.h"
#include "core/fmt/shell.h"

/* Where a person changes what a check found wrong, when no command cures it. First fit. */
static const struct {
	const char *prefix;
	enum action page;
} pages[] = {
	{"reservation.", ACT_SEE_RESERVATIONS},
	{"train.", ACT_SEE_PLAN},
	{"net.authorized-cidr", ACT_SEE_PLAN},
	{"bucket.", ACT_SEE_VARIABLES},
	{"collision.", ACT_SEE_VARIABLES},
	{"name.cluster", ACT_SEE_VARIABLES},
	{"place.", ACT_SEE_VARIABLES},
	{"project.exists", ACT_SEE_VARIABLES},
	{"hf.token", ACT_SEE_VARIABLES},
	{"hf.kind", ACT_SEE_VARIABLES},
	{"tool.gcluster", ACT_SEE_VARIABLES},
};

/* Does it wait for a value that nobody has given? */
static bool lacks_value(const struct view *v, const char *id)
{
	const struct recipe *r = view_recipe(v);

	for (size_t i = 0; r && i < r->checks.n; i++) {
		const struct recipe_names *needs = &r->checks.items[i].needs;

		if (strcmp(r->checks.items[i].id, id) != 0)
			continue;
		for (size_t k = 0; k < needs->n; k++) {
			const struct recipe_variable *var = recipe_variable(r, needs->items[k]);
			const struct state_value *value =
				state_value_find(host_state(v->host), needs->items[k]);

			if (var && !var->optional && !(value && value->present))
				return true;
		}
	}
	return false;
}

static enum action page_of(const struct view *v, const char *id)
{
	if (lacks_value(v, id))
		return ACT_SEE_VARIABLES;
	for (size_t i = 0; i < COUNT(pages); i++)
		if (text_starts(id, pages[i].prefix))
			return pages[i].page;
	return ACT_NONE;
}

static void ask_to_run(struct cure *q, const struct state_check *c, struct buf *body)
{
	bool administrator = strcmp(c->who, "administrator") == 0;
	AUTO_FREE char *title = x_asprintf(_("Cure %s?"), c->id);

	for (size_t i = 0; i < c->cure_argv.n; i++)
		strvec_push(&q->argv, c->cure_argv.items[i]);
	buf_adds(body, "$ ");
	shell_words(body, q->argv.items, q->argv.n);
	if (administrator)
		buf_addf(body, "\n%s",
			_("Only an administrator of the project can run this. Esc, then y copies a "
			  "message "
			  "for one. If you are one yourself, run it here."));
	else
		buf_addf(body, "\n%s",
			_("It runs on this terminal, and you see what it says. Then everything is "
			  "asked "
			  "again."));
	dialog_open(&q->dialog, title, buf_str(body), administrator ? "run" : NULL);
}

static void ask_to_go(struct cure *q, const struct state_check *c, struct buf *body)
{
	static const struct {
		enum action page;
		const char *text;
	} ways[] = {
		{ACT_SEE_VARIABLES, N_("Enter opens the page of the variables.")},
		{ACT_SEE_RESERVATIONS, N_("Enter opens the page of the reservations.")},
		{ACT_SEE_PLAN, N_("Enter opens the plan.")},
		{ACT_NONE, N_("rlpilot cannot do this for you. Enter asks again once it is done.")},
	};

	if (strcmp(c->who, "administrator") == 0)
		buf_addf(body, "\n%s",
			_("An administrator of the project can do it; y copies a message for "
			  "one."));
	else if (strcmp(c->who, "google") == 0)
		buf_addf(body, "\n%s", _("Only Google can cure it."));
	for (size_t i = 0; i < COUNT(ways); i++)
		if (ways[i].page == q->go)
			buf_addf(body, "\n%s", _(ways[i].text));
	dialog_open(&q->dialog, c->id, buf_str(body), NULL);
}

void cure_begin(struct cure *q, struct view *v, const struct state_check *c)
{
	AUTO_FREE char *cause = recorded_text(c->cause);
	AUTO_FREE char *advice = recorded_text(c->cure);
	AUTO(buf_fini) struct buf body = {0};

	q->view = v;
	if (strcmp(c->state, "ok") == 0) {
		host_toast(v->host, ROLE_TOAST, _("%s is ok: there is nothing to cure"), c->id);
		return;
	}
	if (!view_may_act(v)) {
		host_toast(v->host, ROLE_WARN, "%s", _("this screen is read-only"));
		return;
	}
	cure_close(q);
	q->id = x_strdup(c->id);
	if (!c->cure_argv.n)
		buf_addf(&body, "%s\n", cause);
	q->go = c->cure_argv.n ? ACT_NONE : page_of(v, c->id);
	if (!c->cure_argv.n && *c->cure && !lacks_value(v, c->id))
		buf_addf(&body, "%s\n", advice);
	if (c->cure_argv.n)
		ask_to_run(q, c, &body);
	else
		ask_to_go(q, c, &body);
	view_typing(v, q->dialog.word != NULL);
}

bool cure_worked(struct cure *q, const struct state *s)
{
	const struct state_check *c = q->ran ? state_check_find(s, q->id) : NULL;

	if (!c || strcmp(c->state, "ok") != 0)
		return false;
	q->ran = false;
	host_toast(q->view->host, ROLE_TOAST, _("%s is ok now"), c->id);
	return true;
}

bool cure_open(const struct cure *q)
{
	return q->dialog.open;
}

void cure_draw(struct cure *q, struct surface *s)
{
	if (q->dialog.open)
		dialog_draw(&q->dialog, s);
}

static void ask_all(struct view *v)
{
	view_post(v, INTENT_RERUN_CHECK, STAGE_NONE, NULL, "");
}

static void cured(void *arg, int code)
{
	struct cure *q = arg;

	q->ran = true;
	if (code)
		host_toast(q->view->host, ROLE_WARN, _("the cure ended with code %d; asking again"),
			code);
	ask_all(q->view);
}

static void confirmed(struct cure *q)
{
	AUTO_FREE char *title = x_strdup(q->dialog.title);
	struct view_program p = {.title = title,
		.argv = (const char *const *)q->argv.items,
		.done = cured,
		.arg = q};

	dialog_close(&q->dialog);
	if (q->go != ACT_NONE)
		host_do(q->view->host, q->go);
	else if (q->argv.n)
		view_run(q->view, &p);
	else
		ask_all(q->view);
}

bool cure_act(struct cure *q, enum action a, const struct key *k)
{
	bool yes;

	if (!dialog_act(&q->dialog, a, k, &yes))
		return false;
	view_typing(q->view, !yes && q->dialog.open && q->dialog.word);
	if (yes)
		confirmed(q); /* the view may be gone then */
	return true;
}

void cure_close(struct cure *q)
{
	dialog_close(&q->dialog);
	strvec_fini(&q->argv);
	free(q->id);
	q->id = NULL;
	q->ran = false;
}
