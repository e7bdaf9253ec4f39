/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/plain.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cli/plain_in.h"
#include "core/io/loop.h"
#include "core/run/folder.h"
#include "core/run/person.h"
#include "core/run/undo.h"

static void on_alert(struct plain *p, const struct event *ev)
{
	struct plain_told t = plain_nothing;

	if (!p->opts->json) {
		plain_say("  alert %s %s: %s", ev->u.alert->state, ev->u.alert->id,
			ev->u.alert->text);
		return;
	}
	t.event = "alert";
	t.state = ev->u.alert->state;
	t.text = ev->u.alert->text;
	t.cause = ev->u.alert->id;
	t.cure = ev->u.alert->cure;
	plain_json(p, ev->at, &t);
}

static void on_run(struct plain *p, const struct state *s, const struct event *ev)
{
	struct plain_told t = plain_nothing;
	const struct series *sr = series_find(&s->series, SERIES_EVAL);

	if (p->begun)
		return;
	p->begun = true;
	p->step = state_training(s)->step;
	p->eval = sr && sr->n ? sr->items[sr->n - 1].step : -1;
	if (p->opts->json) {
		t.event = "run-start";
		t.text = s->name;
		plain_json(p, ev->at, &t);
	} else {
		plain_say("run %s%s%s", s->name, *s->label ? ", " : "", s->label);
	}
}

static void fill_end(const struct plain *p, const struct state *s, struct plain_end *end)
{
	const struct recipe *r = p->run->recipe;

	end->stage = s->current;
	if (s->current == STAGE_NONE)
		return;
	end->state = s->stages[s->current].state;
	end->undone = p->undone;
	end->undo_failed = undo_failed(s, s->current);
	(void)undo_possible(r, s, s->current, &end->undo_refused);
	end->undo_word = x_strdup(undo_word(r, s, s->current));
	for (size_t i = 0; i < s->stages[s->current].undo_commands.n; i++)
		strvec_push(&end->undo, s->stages[s->current].undo_commands.items[i]);
	person_environment(s, p->run->dir, &end->env);
}

void plain_end_fini(struct plain_end *end)
{
	free(end->undo_word);
	strvec_fini(&end->undo);
	strvec_fini(&end->env);
	*end = (struct plain_end){.stage = STAGE_NONE};
}

static void on_end(struct plain *p, const struct state *s, const struct event *ev)
{
	struct plain_told t = plain_nothing;

	if (p->opts->end)
		fill_end(p, s, p->opts->end);

	for (unsigned i = 0; i < STAGE_COUNT; i++)
		p->done += stage_state_over(s->stages[i].state);
	p->elapsed = s->opened ? ev->at - s->opened : 0;
	if (!p->opts->json)
		return;
	t.event = "run-end";
	t.exit = p->caught ? 128 + p->caught : ev->number;
	plain_json(p, ev->at, &t);
}

static void on_event(void *arg, const struct state *s, const struct event *ev)
{
	struct plain *p = arg;

	switch (ev->kind) {
	case EV_RUN:
		on_run(p, s, ev);
		break;
	case EV_STAGE:
		plain_stage(p, s, ev);
		break;
	case EV_PROGRESS:
		plain_bar(p, s, ev, ev->u.progress.id);
		break;
	case EV_OUTPUT:
		if (ev->u.output.ours)
			plain_text(p, ev->at, ev->u.output.id, ev->u.output.line);
		break;
	case EV_TRAINLOG:
		plain_bar(p, s, ev, ev->u.log.id);
		plain_steps(p, s, ev);
		plain_evals(p, s, ev);
		break;
	case EV_CHECKPOINTS:
		plain_checkpoints(p, s, ev);
		break;
	case EV_TOKEN_FILES:
		plain_token_files(p, s, ev);
		break;
	case EV_CLEANUP:
		plain_text(p, ev->at, STAGE_CLEANUP, ev->text);
		break;
	case EV_ALERT:
		on_alert(p, ev);
		break;
	case EV_END:
		on_end(p, s, ev);
		break;
	default:
		break;
	}
}

/* A login may leave the terminal as it likes it, with ^C in it above all. */
static void lend(void *arg, bool lent)
{
	struct plain *p = arg;

	if (lent) {
		tty_keep(&p->tty, STDIN_FILENO);
	} else {
		tty_restore(&p->tty, STDIN_FILENO);
		puts(""); /* it may have ended in the middle of a line */
	}
	p->lent = lent;
}

/* ^C and ^\ while a login has the terminal are for that. */
static void on_key(struct plain *p, int signo)
{
	if (p->lent)
		return;
	p->caught = signo;
	loop_stop(p->loop);
}

static void on_int(void *arg)
{
	on_key(arg, SIGINT);
}

static void on_quit(void *arg)
{
	on_key(arg, SIGQUIT);
}

static void on_term(void *arg)
{
	struct plain *p = arg;

	p->caught = SIGTERM;
	loop_stop(p->loop);
}

int plain_run(
	struct run *r, const struct plain_opts *o, int *done, int64_t *elapsed_ms, struct err *e)
{
	struct plain p = {.opts = o, .loop = loop_new(), .run = r};
	struct engine_opts engine = o->engine;
	struct loop_signal *sigint = loop_signal(p.loop, SIGINT, on_int, &p);
	struct loop_signal *sigquit = loop_signal(p.loop, SIGQUIT, on_quit, &p);
	struct loop_signal *sigterm = loop_signal(p.loop, SIGTERM, on_term, &p);
	int code;

	engine.on_event = on_event;
	engine.lend = lend;
	engine.arg = &p;
	code = engine_run(p.loop, r, &engine, e);
	loop_signal_stop(&sigint);
	loop_signal_stop(&sigquit);
	loop_signal_stop(&sigterm);
	loop_free(p.loop);
	map_fini(&p.trees);
	if (done)
		*done = p.done;
	if (elapsed_ms)
		*elapsed_ms = p.elapsed;
	if (p.caught) {
		err_set(e, ERR_CANCELLED,
			_("start it again: it goes on where it is; to stop the stage itself: "
			  "rlpilot, then x on the page of stages"),
			_("the engine was stopped; what runs detached goes on"));
		return 128 + p.caught;
	}
	return code;
}
