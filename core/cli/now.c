/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/now.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/io/child.h"
#include "core/io/loop.h"
#include "core/run/folder.h"
#include "core/run/intent.h"
#include "core/run/person.h"

#define ANSWER_MAX 1024 /* bytes */

/* One line, NULL at the end of input. */
static bool answer(const char *question, char line[ANSWER_MAX])
{
	printf("%s ", question);
	fflush(stdout);
	if (!fgets(line, ANSWER_MAX, stdin))
		return false;
	line[strcspn(line, "\r\n")] = '\0';
	return true;
}

static void shell_over(void *loop, int code)
{
	(void)code;
	loop_stop(loop);
}

static void ignore(void *arg)
{
	(void)arg;
}

/* ^C is the shell's while it has the terminal. */
static void shell(struct run *r, const struct plain_end *end)
{
	struct loop *l = loop_new();
	struct loop_signal *sigint = loop_signal(l, SIGINT, ignore, NULL);
	AUTO_FREE char *folder = person_folder(r->dir);
	const char *argv[] = {person_shell(), NULL};
	struct child_spec spec = {.argv = argv,
		.cwd = folder,
		.on_terminal = true,
		.env = (const char *const *)end->env.items,
		.on_exit = shell_over,
		.arg = l};
	struct err e = {0};
	struct child *c;

	printf(_("a shell in %s; exit goes back\n"), folder);
	fflush(stdout);
	c = child_start(l, &spec, &e);
	if (c)
		loop_run(l);
	else
		err_print(&e);
	loop_signal_stop(&sigint);
	loop_free(l);
}

/* What deletes is called by its name. */
static bool undo(struct run *r, const struct plain_end *end, struct err *e)
{
	char line[ANSWER_MAX];

	if (*end->undo_refused) {
		printf("%s\n", end->undo_refused);
		return false;
	}
	for (size_t i = 0; i < end->undo.n; i++)
		printf("$ %s\n", end->undo.items[i]);
	if (end->undo_word) {
		AUTO_FREE char *ask = x_asprintf(_("Type %s to go on:"), end->undo_word);
		if (!answer(ask, line))
			return false;
		if (strcmp(line, end->undo_word) != 0) {
			printf("%s\n", _("not the same name; nothing was done"));
			return false;
		}
	}
	return intent_post(r->dir, INTENT_UNDO, end->stage, NULL, end->undo_word, e) == 0;
}

static bool skip(struct run *r, const struct plain_end *end, const char *reason, struct err *e)
{
	char line[ANSWER_MAX];

	reason += strspn(reason, " ");
	if (!*reason) {
		if (!answer(_("Because:"), line))
			return false;
		reason = line;
	}
	if (!*reason) {
		printf("%s\n", _("a reason is needed"));
		return false;
	}
	return intent_post(r->dir, INTENT_SKIP, end->stage, NULL, reason, e) == 0;
}

/* True: the run goes on; false: the person leaves. */
static bool ask(struct run *r, const struct plain_end *end, struct err *e)
{
	char line[ANSWER_MAX];
	AUTO_FREE char *question =
		x_asprintf(end->undo_failed ? _("undo of stage %s: what now? undo, retry (makes it "
						"anew), skip REASON, shell, leave:")
					    : _("stage %s: what now? retry, skip REASON, undo, "
						"shell, leave:"),
			stage_word(end->stage));

	while (answer(question, line)) {
		if (strcmp(line, "retry") == 0)
			return true;
		if (strcmp(line, "leave") == 0)
			return false;
		if (strcmp(line, "shell") == 0)
			shell(r, end);
		else if (strcmp(line, "undo") == 0 && undo(r, end, e))
			return true;
		else if ((text_starts(line, "skip ") || strcmp(line, "skip") == 0) &&
			 skip(r, end, line + strlen("skip"), e))
			return true;
		if (e->code)
			return false;
	}
	printf("\n");
	return false;
}

static bool over(const struct plain_end *end, int code)
{
	return code > 128 || end->stage == STAGE_NONE || (code == 0 && !end->undone) ||
	       !isatty(STDIN_FILENO);
}

int now_run(struct run *r, struct plain_opts *o, struct err *e)
{
	for (;;) {
		struct plain_end end = {.stage = STAGE_NONE};
		struct err why = {0};
		int code;

		o->end = &end;
		code = plain_run(r, o, NULL, NULL, &why);
		o->end = NULL;
		if (over(&end, code)) {
			plain_end_fini(&end);
			*e = why;
			return code;
		}
		if (code)
			err_print(&why);
		if (!ask(r, &end, e)) {
			plain_end_fini(&end);
			if (!e->code)
				*e = why;
			return e->code ? err_exit_code(e->code) : code;
		}
		plain_end_fini(&end);
	}
}
