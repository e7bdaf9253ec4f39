/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a stage: it starts, ends, is stopped, is undone. */
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/cli/plain_in.h"
#include "core/fmt/time.h"
#include "core/run/last_words.h"

static void stage_line(
	const struct state *s, int64_t at, enum stage_id id, const char *word, const char *rest)
{
	char clock[TIME_SIZE];

	time_format_clock(s->opened ? at - s->opened : 0, clock);
	plain_say("[%d/%d] %-8s %-7s %s%s%s", (int)id + 1, STAGE_COUNT, stage_word(id), word, clock,
		rest && *rest ? " " : "", rest ? rest : "");
}

static void stage_json(
	struct plain *p, const struct state *s, const struct event *ev, const char *event)
{
	const struct state_stage *st = &s->stages[ev->u.stage.id];
	struct plain_told t = plain_nothing;

	t.event = event;
	t.stage = stage_word(st->id);
	t.state = stage_state_word(st->state);
	t.attempt = st->attempt;
	t.text = *st->cause ? st->cause : st->note;
	t.exit = st->exit_code;
	t.cause = *st->cause_id ? st->cause_id : st->cause;
	t.cure = st->cure;
	plain_json(p, ev->at, &t);
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
		plain_say("  %.*s", (int)n, note);
	}
}

void plain_stage(struct plain *p, const struct state *s, const struct event *ev)
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
		plain_say("  %s %s", move == MOVE_UNDO ? "undo of" : "undone:", stage_word(st->id));
	if (!p->opts->json && move == MOVE_UNDO_REFUSED)
		plain_say("  undo of %s refused: %s\n  cure: %s", stage_word(st->id), st->cause,
			st->cure);
	if (!p->opts->json && stop_words[move])
		plain_say("  stop of %s %s%s%s", stage_word(st->id), stop_words[move],
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
		if (move == MOVE_FAILED)
			last_words_once(why, st->note);
		stage_line(s, ev->at, st->id, words[move].word, why);
		if (*st->cure)
			plain_say("  cure: %s", st->cure);
		if (move == MOVE_FAILED)
			log_lines(st->note);
	}
}
