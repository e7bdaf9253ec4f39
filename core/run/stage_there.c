/* SPDX-License-Identifier: Apache-2.0 */
/* The attempt of a stage on another machine: what it needs from the engine, what its looks mean. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/run/engine_in.h"

#define NEVER_MS 3000 /* wall: a claim without a script is believed dead after that */

static void tell(struct engine *en, const char *line)
{
	struct event ev = {.kind = EV_OUTPUT};

	log_line("run", "stage %s: %s", stage_word(en->stage), line);
	ev.u.output.id = en->stage;
	ev.u.output.line = line;
	ev.u.output.ours = true;
	engine_emit(en, &ev);
}

static void environment(void *arg, struct strvec *env)
{
	act_values(arg, env);
}

static void on_look(void *arg, const struct attempt_look *seen)
{
	struct engine *en = arg;
	struct attempt_look look = *seen;

	if (look.state == ATTEMPT_EXITED || look.state == ATTEMPT_LOST) {
		there_close(&en->there);
		(void)try_judge(en, &look);
	} else if (look.state != ATTEMPT_NEVER) {
		en->never_since = 0;
	} else if (!en->never_since) {
		en->never_since = clock_wall();
	} else if (clock_wall() - en->never_since > NEVER_MS) {
		there_give_up(en->there);
	}
}

static void on_given_up(void *arg, bool given)
{
	struct engine *en = arg;

	if (!given)
		return;
	there_close(&en->there);
	try_never(en);
}

static void on_link(void *arg, const struct err *e)
{
	struct engine *en = arg;
	AUTO_FREE char *line = e ? x_asprintf(_("%s; tried again until it is there"), e->what)
				 : x_asprintf(_("the connection to %s is there again"), en->remote);

	tell(en, line);
}

static void on_note(void *arg, const char *text)
{
	tell(arg, text);
}

/* What may be at work there stays in the journal as running: the next engine finds it again. */
static void on_failed(void *arg, const struct err *why, bool begun)
{
	struct engine *en = arg;
	struct err e = *why;

	there_close(&en->there);
	if (begun || e.code == ERR_CANNOT_WRITE)
		engine_end(en, err_exit_code(e.code), &e);
	else if (e.code == ERR_PERSON)
		stage_blocked(en, e.what, e.hint, ERR_PERSON);
	else
		stage_failed(en, e.what, e.hint);
}

static int make_attempt(struct engine *en, struct err *e)
{
	AUTO_FREE char *script = NULL;

	if (!there_is(en->attempt_dir) &&
		there_mark(en->run->dir, en->attempt_dir, en->remote, e) != 0)
		return -1;
	free(en->remote);
	en->remote = there_address(en->attempt_dir);
	script = act_script(en);
	return attempt_prepare(en->attempt_dir, script, e);
}

void stage_there(struct engine *en)
{
	struct there_spec spec = {.loop = en->loop,
		.environment = environment,
		.on_look = on_look,
		.on_given_up = on_given_up,
		.on_link = on_link,
		.on_note = on_note,
		.on_failed = on_failed,
		.arg = en};
	struct attempt_look look;
	struct err e = {0};

	if (make_attempt(en, &e) != 0) {
		engine_end(en, err_exit_code(e.code), &e);
		return;
	}
	try_follow(en);
	look = attempt_look(en->attempt_dir);
	if (look.state == ATTEMPT_EXITED) { /* its end is here already */
		(void)try_judge(en, &look);
		return;
	}
	spec.dir = en->attempt_dir;
	en->there = there_open(&spec, &e);
	if (!en->there)
		engine_end(en, err_exit_code(e.code), &e);
}

void stage_there_why(const struct engine *en, struct why *w)
{
	const struct strvec *out = &en->state.stages[en->stage].output;
	const char *last = out->n ? out->items[out->n - 1] : "";
	char *cause;

	if (!en->remote)
		return;
	if (text_ends(last, ": command not found") || text_ends(last, ": not found")) {
		w->id = "exit-missing";
		cause = x_asprintf(_("%s lacks a program of the stage: %s"), en->remote, last);
		free(w->cure);
		w->cure =
			x_strdup(_("install it on that machine, and have it on the PATH of logins "
				   "without a terminal: rlpilot needs bash, curl, tar and gcloud "
				   "there"));
	} else {
		cause = x_asprintf(_("on %s: %s"), en->remote, w->cause);
	}
	free(w->cause);
	w->cause = cause;
}

bool stage_there_in_way(struct engine *en)
{
	for (int n = en->attempt - 1; n > 0; n--) {
		AUTO_FREE char *dir = attempt_dir(en->run->dir, en->stage, n);
		AUTO_FREE char *where = there_is(dir) ? there_address(dir) : NULL;
		AUTO_FREE char *cause = NULL;
		AUTO_FREE char *cure = NULL;

		if (!where || there_ended(dir) || (en->remote && strcmp(where, en->remote) == 0))
			continue;
		cause = x_asprintf(
			_("attempt %d of this stage may still be at work on %s"), n, where);
		cure = x_asprintf(_("go on there: rlpilot --remote %s run --stage %s; or, when "
				    "nothing runs there any "
				    "more, make an empty file %s/ended"),
			where, stage_word(en->stage), dir);
		stage_failed(en, cause, cure);
		return true;
	}
	return false;
}
