/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/plain.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/map.h"
#include "core/base/mem.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "core/fmt/quantity.h"
#include "core/fmt/time.h"
#include "core/io/loop.h"
#include "core/io/tty.h"
#include "core/run/folder.h"
#include "core/run/person.h"
#include "core/run/undo.h"

struct bar {
	int64_t done, total;
	char unit[16];
};

struct plain {
	const struct plain_opts *opts;
	struct loop *loop;
	int64_t seq;
	bool begun;
	int64_t step; /* last step told */
	int64_t eval; /* step of the last evaluation told, -1 = none */
	struct bar bars[STAGE_COUNT];
	struct map trees; /* checkpoints told as complete, and files told */
	int caught;       /* signal */
	bool lent;        /* a login has the terminal */
	struct tty tty;   /* before that */
	bool undone;
	const struct run *run;
	int done;
	int64_t elapsed;
};

/* What a line of `run --json` may hold; NULL and -1 are null. */
struct told {
	const char *event, *stage, *state, *unit, *text, *cause, *cure;
	int64_t attempt, done, total, exit;
};

static const struct told nothing = {.attempt = -1, .done = -1, .total = -1, .exit = -1};

static json_t *str_or_null(const char *s)
{
	AUTO_FREE char *clean = s && *s ? text_clean_dup(s) : NULL; /* of several lines one */
	AUTO_FREE char *safe = clean && *clean ? redact_dup(clean) : NULL;

	return safe ? json_from_str(safe) : json_null();
}

static json_t *int_or_null(int64_t n)
{
	return n >= 0 ? json_integer(n) : json_null();
}

static void tell_json(struct plain *p, int64_t at, const struct told *t)
{
	AUTO(json_auto) json_t *j = json_object();
	AUTO_FREE char *line = NULL;
	char when[TIME_SIZE];

	json_object_set_new(j, "v", json_integer(1));
	json_object_set_new(j, "seq", json_integer(++p->seq));
	json_object_set_new(j, "t", json_string(time_format_ms(at, when)));
	json_object_set_new(j, "event", json_from_str(t->event));
	json_object_set_new(j, "stage", str_or_null(t->stage));
	json_object_set_new(j, "attempt", int_or_null(t->attempt));
	json_object_set_new(j, "state", str_or_null(t->state));
	json_object_set_new(j, "done", int_or_null(t->done));
	json_object_set_new(j, "total", int_or_null(t->total));
	json_object_set_new(j, "unit", str_or_null(t->unit));
	json_object_set_new(j, "text", str_or_null(t->text));
	json_object_set_new(j, "exit", int_or_null(t->exit));
	json_object_set_new(j, "cause", str_or_null(t->cause));
	json_object_set_new(j, "cure", str_or_null(t->cure));
	line = json_line(j);
	puts(line);
	fflush(stdout);
}

/* A line of data for people; without control characters and secrets. */
static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *fmt, ...)
{
	AUTO_FREE char *text = NULL;
	AUTO_FREE char *clean = NULL;
	AUTO_FREE char *safe = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = x_vasprintf(fmt, ap);
	va_end(ap);
	clean = text_clean_dup(text);
	safe = redact_dup(clean);
	puts(safe);
	fflush(stdout);
}

static void progress(struct plain *p, int64_t at, enum stage_id id, int64_t done, int64_t total,
	const char *unit, const char *text)
{
	struct told t = nothing;

	t.event = "progress";
	t.stage = stage_word(id);
	t.done = done;
	t.total = total > 0 ? total : -1;
	t.unit = unit;
	t.text = text;
	tell_json(p, at, &t);
}

/* --- stages */

static void stage_line(
	const struct state *s, int64_t at, enum stage_id id, const char *word, const char *rest)
{
	char clock[TIME_SIZE];

	time_format_clock(s->opened ? at - s->opened : 0, clock);
	say("[%d/%d] %-8s %-7s %s%s%s", (int)id + 1, STAGE_COUNT, stage_word(id), word, clock,
		rest && *rest ? " " : "", rest ? rest : "");
}

static void stage_json(
	struct plain *p, const struct state *s, const struct event *ev, const char *event)
{
	const struct state_stage *st = &s->stages[ev->u.stage.id];
	struct told t = nothing;

	t.event = event;
	t.stage = stage_word(st->id);
	t.state = stage_state_word(st->state);
	t.attempt = st->attempt;
	t.text = *st->cause ? st->cause : st->note;
	t.exit = st->exit_code;
	t.cause = *st->cause_id ? st->cause_id : st->cause;
	t.cure = st->cure;
	tell_json(p, ev->at, &t);
}

static void end_line(const struct state *s, const struct event *ev, const char *word)
{
	const struct state_stage *st = &s->stages[ev->u.stage.id];
	char took[TIME_SIZE];
	AUTO(buf_fini) struct buf rest = {0};

	if (st->started && st->ended > st->started)
		buf_addf(&rest, "took %s",
			time_format_duration((st->ended - st->started) / 1000 * 1000, took));
	if (*st->note)
		buf_addf(&rest, "%s%s", rest.len ? ", " : "", st->note);
	stage_line(s, ev->at, st->id, word, buf_str(&rest));
}

/* Where the log of what failed is kept, and its last lines. */
static void log_lines(const char *note)
{
	for (size_t n; *note; note += n + (note[n] == '\n')) {
		n = strcspn(note, "\n");
		say("  %.*s", (int)n, note);
	}
}

static void on_stage(struct plain *p, const struct state *s, const struct event *ev)
{
	static const struct {
		const char *word, *event;
	} words[MOVE_COUNT] = {
		[MOVE_START] = {"started", "stage-start"},
		[MOVE_DONE] = {"done", "stage-end"},
		[MOVE_SKIP] = {"skipped", "stage-end"},
		[MOVE_FAILED] = {"failed", "stage-end"},
		[MOVE_BLOCKED] = {"blocked", "stage-end"},
		[MOVE_CANCEL] = {"failed", "stage-end"},
	};
	static const char *const stop_words[MOVE_COUNT] = {
		[MOVE_STOP_ASKED] = "in a moment",
		[MOVE_STOP_SENT] = "told",
		[MOVE_STOP_WITHDRAWN] = "withdrawn",
		[MOVE_STOP_REFUSED] = "refused",
	};
	enum stage_move move = ev->u.stage.move;
	const struct state_stage *st = &s->stages[ev->u.stage.id];

	p->undone = move == MOVE_UNDONE;
	if (!p->opts->json && (move == MOVE_UNDO || move == MOVE_UNDONE))
		say("  %s %s", move == MOVE_UNDO ? "undo of" : "undone:", stage_word(st->id));
	if (!p->opts->json && stop_words[move])
		say("  stop of %s %s%s%s", stage_word(st->id), stop_words[move],
			*st->stop_why ? ": " : "", st->stop_why);
	if (!words[move].word)
		return;
	if (move == MOVE_START && st->id == STAGE_TRAIN) {
		p->step = 0;
		p->eval = -1;
	}
	if (p->opts->json) {
		stage_json(p, s, ev, words[move].event);
		return;
	}
	if (move == MOVE_START) {
		stage_line(s, ev->at, st->id, words[move].word, st->note);
	} else if (move == MOVE_DONE || move == MOVE_SKIP) {
		end_line(s, ev, words[move].word);
	} else {
		AUTO_FREE char *why = x_asprintf("%s%s%s", move == MOVE_CANCEL ? "cancelled" : "",
			move == MOVE_CANCEL && *st->cause ? ": " : "", st->cause);
		stage_line(s, ev->at, st->id, words[move].word, why);
		if (*st->cure)
			say("  cure: %s", st->cure);
		if (move == MOVE_FAILED)
			log_lines(st->note);
	}
}

/* --- progress */

/* A tenth further, or the end, or another bar. */
static bool worth_telling(struct bar *b, int64_t done, int64_t total, const char *unit)
{
	bool fresh = strcmp(b->unit, unit) != 0 || b->total != total || done < b->done;

	if (!fresh && done == b->done)
		return false;
	if (!fresh && done < total && done - b->done < (total + 9) / 10)
		return false;
	(void)snprintf(b->unit, sizeof(b->unit), "%s", unit);
	b->done = done;
	b->total = total;
	return true;
}

static void bar(struct plain *p, const struct state *s, const struct event *ev, enum stage_id id)
{
	const struct state_progress *pr = &s->stages[id].progress;

	if (pr->total <= 0 || !*pr->unit || strcmp(pr->unit, "step") == 0 ||
		!worth_telling(&p->bars[id], pr->done, pr->total, pr->unit))
		return;
	if (p->opts->json)
		progress(p, ev->at, id, pr->done, pr->total, pr->unit, pr->text);
	else
		say("  %ss %lld/%lld", pr->unit, (long long)pr->done, (long long)pr->total);
}

static void steps(struct plain *p, const struct state *s, const struct event *ev)
{
	const struct training *t = state_training(s);
	double reward = state_reward(s);

	while (p->step < t->step) {
		AUTO_FREE char *text =
			isfinite(reward) ? x_asprintf(" reward %.2f", reward) : x_strdup("");
		p->step++;
		if (p->opts->json)
			progress(p, ev->at, STAGE_TRAIN, p->step, t->steps, "step", text + !!*text);
		else
			say("  step %lld/%lld%s", (long long)p->step, (long long)t->steps, text);
	}
}

static void evals(struct plain *p, const struct state *s, const struct event *ev)
{
	const struct series *sr = series_find(&s->series, SERIES_EVAL);
	int64_t step = ev->u.log.line->step;

	if (ev->u.log.line->kind != TRAINLOG_EVAL || !sr)
		return;
	for (size_t i = 0; i < sr->n; i++) {
		const struct series_point *at = &sr->items[i];
		AUTO_FREE char *text =
			x_asprintf("eval %lld mean_reward %.4f", (long long)at->step, at->value);
		if (at->step <= p->eval || (step >= 0 && at->step > step))
			continue;
		p->eval = at->step;
		if (p->opts->json)
			progress(p, ev->at, STAGE_TRAIN, state_training(s)->step,
				state_training(s)->steps, "step", text);
		else
			say("  %s", text);
	}
}

static void checkpoints(struct plain *p, const struct state *s, const struct event *ev)
{
	for (size_t i = 0; i < s->checkpoints.n; i++) {
		const struct checkpoint *c = &s->checkpoints.items[i];
		AUTO(buf_fini) struct buf text = {0};
		char size[QUANTITY_SIZE];
		if (c->state != CHECKPOINT_COMPLETE || map_get(&p->trees, c->uri))
			continue;
		map_set(&p->trees, c->uri, p);
		buf_addf(&text, "tree %s", checkpoint_tree_name(c->tree));
		if (c->step >= 0)
			buf_addf(&text, " step %lld", (long long)c->step);
		buf_addf(&text, " complete %s", quantity_human(c->bytes, size));
		if (p->opts->json)
			progress(p, ev->at, s->current, c->objects, c->objects, "object",
				buf_str(&text));
		else
			say("  %s", buf_str(&text));
	}
}

static void on_alert(struct plain *p, const struct event *ev)
{
	struct told t = nothing;

	if (!p->opts->json) {
		say("  alert %s %s: %s", ev->u.alert->state, ev->u.alert->id, ev->u.alert->text);
		return;
	}
	t.event = "alert";
	t.state = ev->u.alert->state;
	t.text = ev->u.alert->text;
	t.cause = ev->u.alert->id;
	t.cure = ev->u.alert->cure;
	tell_json(p, ev->at, &t);
}

static void on_run(struct plain *p, const struct state *s, const struct event *ev)
{
	struct told t = nothing;
	const struct series *sr = series_find(&s->series, SERIES_EVAL);

	if (p->begun)
		return;
	p->begun = true;
	p->step = state_training(s)->step;
	p->eval = sr && sr->n ? sr->items[sr->n - 1].step : -1;
	if (p->opts->json) {
		t.event = "run-start";
		t.text = s->name;
		tell_json(p, ev->at, &t);
	} else {
		say("run %s%s%s", s->name, *s->label ? ", " : "", s->label);
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
	struct told t = nothing;

	if (p->opts->end)
		fill_end(p, s, p->opts->end);

	for (unsigned i = 0; i < STAGE_COUNT; i++)
		p->done += stage_state_over(s->stages[i].state);
	p->elapsed = s->opened ? ev->at - s->opened : 0;
	if (!p->opts->json)
		return;
	t.event = "run-end";
	t.exit = p->caught ? 128 + p->caught : ev->number;
	tell_json(p, ev->at, &t);
}

/* Of the stage that has just written it. */
static void token_files(struct plain *p, const struct state *s, const struct event *ev)
{
	for (size_t i = 0; i < ev->u.files->n; i++) {
		const char *file = ev->u.files->items[i];
		AUTO_FREE char *text =
			x_asprintf("token in %s, readable by you alone; the clean-up "
				   "deletes it",
				file);
		if (map_get(&p->trees, file))
			continue;
		map_set(&p->trees, file, p);
		if (p->opts->json)
			progress(p, ev->at, s->current, -1, -1, NULL, text);
		else
			say("  %s", text);
	}
}

static void on_event(void *arg, const struct state *s, const struct event *ev)
{
	struct plain *p = arg;

	switch (ev->kind) {
	case EV_RUN:
		on_run(p, s, ev);
		break;
	case EV_STAGE:
		on_stage(p, s, ev);
		break;
	case EV_PROGRESS:
		bar(p, s, ev, ev->u.progress.id);
		break;
	case EV_OUTPUT:
		if (!ev->u.output.ours)
			break;
		if (p->opts->json)
			progress(p, ev->at, ev->u.output.id, -1, -1, NULL, ev->u.output.line);
		else
			say("  %s", ev->u.output.line);
		break;
	case EV_TRAINLOG:
		bar(p, s, ev, ev->u.log.id);
		steps(p, s, ev);
		evals(p, s, ev);
		break;
	case EV_CHECKPOINTS:
		checkpoints(p, s, ev);
		break;
	case EV_TOKEN_FILES:
		token_files(p, s, ev);
		break;
	case EV_CLEANUP:
		if (p->opts->json)
			progress(p, ev->at, STAGE_CLEANUP, -1, -1, NULL, ev->text);
		else
			say("  %s", ev->text);
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
