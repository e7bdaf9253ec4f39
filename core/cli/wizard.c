/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/wizard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cli/check.h"
#include "core/cli/cli.h"
#include "core/cli/now.h"
#include "core/cli/wizard_in.h"
#include "core/run/folder.h"
#include "core/run/inquire.h"

static int no_answer(const char *what, struct err *e)
{
	return err_set(e, ERR_PERSON, _("start it in a terminal, or export the value"),
		_("an answer is needed: %s"), what);
}

/* --- the questions after the values */

/* A text: a name to be changed, or shell lines. */
static void change(struct wizard *w, const char *text)
{
	const struct recipe *r = w->run->recipe;
	const struct recipe_param *p = recipe_parameter(r, text);

	if (recipe_variable(r, text) || (p && p->editable))
		(void)wizard_ask(w, text);
	else if (!wizard_take_lines(w, text))
		printf(_("  there is no variable or parameter called %s\n"), text);
}

/* Enter goes on, back is the way back. */
static enum way ask_change(struct wizard *w, const char *prompt)
{
	for (;;) {
		char *text = NULL;
		enum answer a = answer_read(prompt, false, &text);
		enum way way = a == ANSWER_TEXT ? WAY_AGAIN : wizard_steered(w, a, NULL);

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

	wizard_show_values(w->run);
	if (!isatty(STDIN_FILENO))
		return WAY_ON;
	way = ask_change(w, _("Enter goes on to the checks; a name changes its value"));
	if (way == WAY_BACK)
		w->at = wizard_question_before(w, w->run->recipe->variables.n);
	return way;
}

/* WAY_AGAIN: a value was changed, or the checks are to be asked again. */
static enum way check(struct wizard *w, struct err *e)
{
	int code;

	printf("\n%s\n", _("Checks"));
	fflush(stdout);
	if (inquire_checks(wizard_cloud(w), e) != 0)
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
		enum way way = a == ANSWER_TEXT ? WAY_LEAVE : wizard_steered(w, a, NULL);
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
		return wizard_ask_values(w);
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
		wizard_help();
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
				       .chooses = true,
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
