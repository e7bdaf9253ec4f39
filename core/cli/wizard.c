/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/wizard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cli/cli.h"
#include "core/cli/plain.h"
#include "core/run/folder.h"

#define ANSWER_MAX 4096 /* bytes; a pasted novel is not a value */

static const char *in_language(const struct recipe_text *t)
{
	const char *s = text_lang() == LANG_KO ? t->ko : t->en;

	return s ? s : "";
}

/* One line from the terminal without its end, NULL at the end of input. Not shown while typed when
 * secret. The caller's; wipe a secret. */
static char *read_answer(bool secret)
{
	struct termios was, quiet;
	bool hide = secret && tcgetattr(STDIN_FILENO, &was) == 0;
	char *line = x_malloc(ANSWER_MAX);

	if (hide) {
		quiet = was;
		quiet.c_lflag &= ~(tcflag_t)ECHO;
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
	}
	if (!fgets(line, ANSWER_MAX, stdin)) {
		x_wipe_free(line);
		line = NULL;
	} else {
		line[strcspn(line, "\r\n")] = '\0';
	}
	if (hide) {
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &was);
		putchar('\n');
	}
	return line;
}

static int no_answer(const char *what, struct err *e)
{
	return err_set(e, ERR_PERSON, _("start it in a terminal, or export the value"), _("an answer is needed: %s"), what);
}

static void explain(const struct recipe_variable *v)
{
	printf("\n%s (%s)\n  %s\n", in_language(&v->label), v->name, in_language(&v->why));
	for (size_t i = 0; i < v->how.n; i++)
		printf("  %zu. %s\n", i + 1, in_language(&v->how.items[i]));
	if (v->how_link)
		printf("  %s\n", v->how_link);
}

static int ask_variable(struct run *r, const struct recipe_variable *v, struct err *e)
{
	explain(v);
	for (;;) {
		char *answer;
		struct err wrong = {0};
		int rc;

		printf("%s: ", v->name);
		fflush(stdout);
		answer = read_answer(v->secret);
		if (!answer)
			return no_answer(v->name, e);
		rc = values_put_checked(&r->values, r->recipe, v->name, answer, VALUE_TYPED, &wrong);
		x_wipe_free(answer);
		if (rc == 0)
			break;
		printf("  %s\n  %s\n", wrong.what, wrong.hint);
	}
	values_derive(&r->values, r->recipe);
	return run_save(r, e);
}

static int ask_what_is_missing(struct run *r, struct err *e)
{
	const char *missing;

	while ((missing = values_missing(&r->values, r->recipe))) {
		const struct recipe_variable *v = NULL;

		for (size_t i = 0; i < r->recipe->variables.n; i++)
			if (strcmp(r->recipe->variables.items[i].name, missing) == 0)
				v = &r->recipe->variables.items[i];
		if (!v || !isatty(STDIN_FILENO))
			return no_answer(missing, e);
		if (ask_variable(r, v, e) != 0)
			return -1;
	}
	return values_check(&r->values, r->recipe, e);
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

/* The checks, then the one question before money is spent. 0 = go. */
static int last_question(const struct cli_globals *g, struct err *e)
{
	char *argv[] = {"check", NULL};
	char *answer;
	bool go;

	printf("\n%s\n", _("Checks"));
	if (cli_check(1, argv, g) == 1)
		return err_set(e, ERR_BLOCKED, _("run the cures above, then start again"), _("a check blocks"));
	printf("\n%s\n", _("From the cluster stage on this costs money. Type go to run everything to the end of export, "
			   "or anything else to leave."));
	fflush(stdout);
	answer = isatty(STDIN_FILENO) ? read_answer(false) : NULL;
	if (!answer)
		return no_answer("go", e);
	go = strcmp(answer, "go") == 0;
	free(answer);
	return go ? 0 : err_set(e, ERR_CANCELLED, _("start rlpilot again when you are ready"), _("nothing was started"));
}

static int walk(struct run *r, const struct cli_globals *g, struct err *e)
{
	struct plain_opts o = {
		.engine = {.from = STAGE_TOOLS, .to = STAGE_EXPORT, .to_end = true, .terminal = isatty(STDIN_FILENO)}};
	struct cli_globals here = *g;

	here.run = r->dir;
	if (run_lock(r, e) != 0 || ask_what_is_missing(r, e) != 0)
		return -1;
	show_values(r);
	if (last_question(&here, e) != 0)
		return -1;
	return plain_run(r, &o, NULL, NULL, e) == 0 ? 0 : -1;
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
		rc = walk(r, g, &e);
	run_close(r);
	return rc == 0 ? 0 : cli_fail(&e);
}
