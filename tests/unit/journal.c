/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal and its records: cut at any byte, foreign lines in it, a clock that goes back; series
 * and logs that come back.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/run/event.h"
#include "core/run/journal.h"
#include "core/run/record.h"
#include "tests/unit/dir_rig.h"

static void fill_journal(struct buf *whole)
{
	static const enum stage_move moves[] = {MOVE_GATE, MOVE_BLOCKED, MOVE_GATE, MOVE_START,
		MOVE_EXIT, MOVE_UNKNOWN, MOVE_VERIFY, MOVE_FAILED, MOVE_START, MOVE_CANCEL,
		MOVE_SKIP};
	AUTO_FREE char *file = path_join(dir, "journal.jsonl");
	struct err e = {0};
	struct journal *j = journal_open(dir, &e);
	struct event mode = {.kind = EV_MODE, .on = true};
	struct event pool = {.kind = EV_POOL};

	assert_non_null(j);
	for (size_t i = 0; i < COUNT(moves); i++) {
		struct event ev = event_stage(STAGE_CONVERT, moves[i], 1 + (int)i / 8);
		ev.u.stage.note = "a \"note\" with \xea\xb0\x80 and \\";
		ev.u.stage.cause = moves[i] == MOVE_FAILED ? "why" : NULL;
		assert_int_equal(journal_append(j, &ev, &e), 0);
	}
	pool.u.pool.chips = 32;
	pool.u.pool.since = 1790000000000;
	assert_int_equal(journal_append(j, &mode, &e), 0);
	assert_int_equal(journal_append(j, &pool, &e), 0);
	assert_int_equal(journal_note(j, "intent", STAGE_NONE, "a note", &e), 0);
	journal_close(j);
	assert_int_equal(path_read(file, 65536, whole, NULL), 0);
}

struct seen {
	struct state state;
	int events;
	enum stage_id last;
};

static void apply(void *arg, const struct event *ev)
{
	struct seen *s = arg;

	s->events++;
	if (ev->kind == EV_STAGE)
		s->last = ev->u.stage.id;
	run_apply(&s->state, ev);
}

static void replay(struct seen *s, int64_t *at, int64_t *seq)
{
	*at = *seq = 0;
	memset(s, 0, sizeof(*s));
	state_init(&s->state);
	assert_int_equal(journal_replay(dir, at, apply, s, seq, NULL), 0);
	for (unsigned i = 0; i < STAGE_COUNT; i++)
		assert_in_range(s->state.stages[i].state, ST_TODO, ST_UNKNOWN);
	state_fini(&s->state);
}

static void append(const char *text)
{
	AUTO_FREE char *file = path_join(dir, "journal.jsonl");

	assert_int_equal(path_append(file, text, strlen(text), NULL), 0);
}

static void put_stage(enum stage_id id)
{
	struct err e = {0};
	struct journal *j = journal_open(dir, &e);
	struct event ev = event_stage(id, MOVE_START, 1);

	assert_non_null(j);
	assert_int_equal(journal_append(j, &ev, &e), 0);
	journal_close(j);
}

static void a_torn_journal_line_is_cut_off(void **state)
{
	struct seen s;
	int64_t at, seq;

	(void)state;
	put_stage(STAGE_TOOLS);
	append("{\"v\":1,\"seq\":2,\"ev\":\"stage-st");
	put_stage(STAGE_BUCKET);
	replay(&s, &at, &seq);
	assert_int_equal(s.events, 2);
	assert_int_equal(seq, 2);
	assert_int_equal(s.last, STAGE_BUCKET);
}

static void lines_go_on_behind_foreign_ones(void **state)
{
	struct seen s;
	int64_t at, seq;

	(void)state;
	put_stage(STAGE_TOOLS);
	append("nonsense\n{\"v\":2,\"ev\":\"stage-start\"}\n"
	       "{\"v\":1,\"ev\":\"stage-start\",\"stage\":\"moon\"}\n");
	put_stage(STAGE_CONVERT);
	replay(&s, &at, &seq);
	assert_int_equal(s.events, 2);
	/* Reading on from there gives nothing again. */
	assert_int_equal(journal_replay(dir, &at, apply, &s, NULL, NULL), 0);
	assert_int_equal(s.events, 2);
}

/* Numbers that no engine has written: nobody counts up to them, or beyond. */
static void numbers_out_of_reach_are_not_taken(void **state)
{
	static const char line[] = "{\"v\":1,\"seq\":9223372036854775807,\"ev\":\"stage-start\","
				   "\"stage\":\"train\",\"attempt\":%s,\"undo\":%s,\"exit\":%s}";
	static const char *const numbers[] = {
		"2147483647", "-1", "4294967297", "9223372036854775807", "100001"};

	(void)state;
	for (size_t i = 0; i < COUNT(numbers); i++) {
		AUTO(buf_fini) struct buf b = {0};
		struct event ev;
		int64_t seq = 7;

		for (const char *p = line; *p; p++)
			if (*p == '%')
				buf_adds(&b, numbers[i]), p++;
			else
				buf_addc(&b, *p);
		assert_int_equal(journal_event_parse(buf_str(&b), b.len, &ev, &seq), 1);
		assert_int_equal(ev.u.stage.attempt, 0);
		assert_int_equal(ev.u.stage.undo, 0);
		assert_int_equal(ev.u.stage.exit, -1);
		assert_int_equal(seq, 7);
	}
}

static void a_journal_that_is_a_link_is_not_written_through(void **state)
{
	AUTO_FREE char *link = path_join(dir, "journal.jsonl");
	AUTO_FREE char *letter = path_join(dir, "letter");
	AUTO(buf_fini) struct buf b = {0};
	struct err e = {0};

	(void)state;
	dir_put_text("letter", "no line end: it would be cut off as a torn line");
	assert_int_equal(symlink("letter", link), 0);
	assert_null(journal_open(dir, &e));
	assert_int_equal(e.code, ERR_CANNOT_WRITE);
	assert_int_equal(path_read(letter, 100, &b, NULL), 0);
	assert_string_equal(buf_str(&b), "no line end: it would be cut off as a torn line");
}

static void notes_are_lines_but_no_events(void **state)
{
	struct err e = {0};
	struct journal *j = journal_open(dir, &e);
	struct seen s;
	int64_t at, seq;

	(void)state;
	assert_int_equal(journal_note(j, "intent", STAGE_TRAIN, "retry", &e), 0);
	assert_int_equal(journal_seq(j), 1);
	journal_close(j);
	replay(&s, &at, &seq);
	assert_int_equal(s.events, 0);
	assert_int_equal(seq, 1);
}

static int lines_in(const char *text, size_t n)
{
	int lines = 0;

	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	return lines;
}

/* Every beginning of a journal is a journal: whole lines count, and the next one follows on them.
 */
static void a_journal_cut_at_any_byte_goes_on(void **state)
{
	AUTO(buf_fini) struct buf whole = {0};

	(void)state;
	fill_journal(&whole);
	for (size_t n = 0; n <= whole.len; n++) {
		int64_t lines = lines_in(buf_str(&whole), n), at, seq;
		struct event ev = event_stage(STAGE_TRAIN, MOVE_START, 1);
		struct err e = {0};
		struct journal *j;
		struct seen before, after;

		dir_put("journal.jsonl", buf_str(&whole), n);
		replay(&before, &at, &seq);
		assert_int_equal(seq, lines);
		assert_true(at <= (int64_t)n);
		j = journal_open(dir, &e);
		assert_non_null(j);
		assert_int_equal(journal_append(j, &ev, &e), 0);
		journal_close(j);
		replay(&after, &at, &seq);
		assert_int_equal(seq, lines + 1);
		assert_int_equal(after.events, before.events + 1);
	}
}

static void foreign_lines_change_nothing(void **state)
{
	static const char *const foreign[] = {
		"",
		"hello",
		"{",
		"[]",
		"null",
		"{\"v\":2,\"ev\":\"stage-done\",\"stage\":\"train\"}",
		"{\"v\":1}",
		"{\"v\":1,\"ev\":\"stage-done\",\"stage\":\"moon\"}",
		"{\"v\":1,\"ev\":7,\"stage\":[]}",
		"{\"v\":1,\"ev\":\"party\",\"seq\":\"x\"}",
		"\xff\xfe\x01",
		"{\"v\":1,\"ev\":\"stage-done\",\"stage\":\"train\"} tail",
	};
	AUTO(buf_fini) struct buf whole = {0};
	struct seen plain, mixed;
	int64_t at, seq;

	(void)state;
	fill_journal(&whole);
	replay(&plain, &at, &seq);
	for (size_t i = 0; i < COUNT(foreign); i++) {
		AUTO(buf_fini) struct buf text = {0};
		const char *first = strchr(buf_str(&whole), '\n') + 1;

		buf_add(&text, buf_str(&whole), (size_t)(first - buf_str(&whole)));
		buf_addf(&text, "%s\n%s", foreign[i], first);
		dir_put("journal.jsonl", buf_str(&text), text.len);
		replay(&mixed, &at, &seq);
		assert_int_equal(mixed.events, plain.events);
		assert_int_equal(at, (int64_t)text.len);
	}
}

static void a_clock_that_goes_back_is_taken(void **state)
{
	struct seen s;
	int64_t at, seq;

	(void)state;
	dir_put_text("journal.jsonl", "{\"v\":1,\"seq\":1,\"t\":\"2026-09-10T08:00:00Z\",\"ev\":"
				      "\"stage-start\",\"stage\":\"train\",\"attempt\":1}\n"
				      "{\"v\":1,\"seq\":2,\"t\":\"2026-09-10T07:00:00Z\",\"ev\":"
				      "\"stage-done\",\"stage\":\"train\",\"attempt\":1}\n");
	at = seq = 0;
	memset(&s, 0, sizeof(s));
	state_init(&s.state);
	assert_int_equal(journal_replay(dir, &at, apply, &s, &seq, NULL), 0);
	assert_int_equal(s.state.stages[STAGE_TRAIN].state, ST_DONE);
	state_fini(&s.state);
}

static void keep(void *arg, const struct event *ev)
{
	run_apply(arg, ev);
}

static void a_run_is_called_as_its_folder_is(void **state)
{
	struct state s;
	int64_t at = 0;

	(void)state;
	dir_put_text("journal.jsonl", "{\"v\":1,\"seq\":1,\"t\":\"2026-09-10T08:00:00Z\",\"ev\":"
				      "\"run-open\",\"run\":\"old\",\"recipe\":\"r\"}\n");
	state_init(&s);
	assert_int_equal(journal_replay(dir, &at, keep, &s, NULL, NULL), 0);
	assert_string_equal(s.name, strrchr(dir, '/') + 1);
	assert_string_equal(s.recipe, "r");
	state_fini(&s);
}

/* --- records */

static void points_come_back_each_source_for_itself(void **state)
{
	struct state s, back;
	struct record_series r;
	struct event ev = {.kind = EV_POINT};
	int64_t at = 0;

	(void)state;
	state_init(&s);
	state_init(&back);
	record_series_init(&r, &s);
	ev.u.point.series = SERIES_LOSS;
	ev.u.point.at = (struct series_point){1, 0.5, 1000, SERIES_LOG};
	run_apply(&s, &ev);
	assert_int_equal(record_series_write(&r, dir, &s, NULL), 0);
	ev.u.point.at = (struct series_point){1, 0.25, 1000, SERIES_EVENT};
	run_apply(&s, &ev);
	assert_int_equal(record_series_write(&r, dir, &s, NULL), 0);
	assert_int_equal(record_series_write(&r, dir, &s, NULL), 0);
	assert_int_equal(record_series_read(dir, &at, keep, &back, NULL), 0);
	assert_true(series_find(&back.series, SERIES_LOSS)->items[0].value == 0.25);
	assert_int_equal(series_find(&back.series, SERIES_LOSS)->items[0].source, SERIES_EVENT);
	record_series_fini(&r);
	state_fini(&s);
	state_fini(&back);
}

static void spool_lines_have_a_stamp(void **state)
{
	static const char line[] = "2026-09-10T08:00:00.5Z hello";
	size_t n;
	int64_t ms;

	(void)state;
	assert_true(record_spool_split(line, sizeof(line) - 1, &n, &ms));
	assert_string_equal(line + n + 1, "hello");
	assert_int_equal(ms % 1000, 500);
	assert_false(record_spool_split("no stamp", 8, &n, &ms));
	assert_null(record_spool_open(dir, "../up", "c", NULL));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, dir_setup, dir_teardown)
	const struct CMUnitTest tests[] = {
		T(a_torn_journal_line_is_cut_off),
		T(lines_go_on_behind_foreign_ones),
		T(numbers_out_of_reach_are_not_taken),
		T(a_journal_that_is_a_link_is_not_written_through),
		T(notes_are_lines_but_no_events),
		T(a_journal_cut_at_any_byte_goes_on),
		T(foreign_lines_change_nothing),
		T(a_clock_that_goes_back_is_taken),
		T(a_run_is_called_as_its_folder_is),
		T(points_come_back_each_source_for_itself),
		T(spool_lines_have_a_stamp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
