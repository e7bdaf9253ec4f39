/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuts JOURNAL FOLDER: of a journal that a run has written, every beginning is a journal. FOLDER
 * (empty) is filled byte by byte. After each byte what is read are the whole lines, not one event
 * more; at each line's end and in its middle the state is the same as that of reading on, and an
 * engine that opens the journal there appends the line that comes next. Exit 0, or 1 with the
 * place.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/run/event.h"
#include "core/run/journal.h"

#define JOURNAL_MAX ((size_t)64 << 20)

struct seen {
	struct state state;
	int64_t at, seq, events;
};

static void apply(void *arg, const struct event *ev)
{
	struct seen *s = arg;

	s->events++;
	run_apply(&s->state, ev);
}

static void read_on(struct seen *s, const char *dir)
{
	if (journal_replay(dir, &s->at, apply, s, &s->seq, NULL) != 0)
		die("the journal cannot be read after %lld bytes", (long long)s->at);
}

/* What stages, mode, pool and alerts have come to. */
static char *summary(const struct state *s)
{
	struct buf out = {0};

	for (unsigned i = 0; i < STAGE_COUNT; i++)
		buf_addf(&out, "%u %d %d %lld %lld %s|%s\n", (unsigned)s->stages[i].state,
			s->stages[i].attempt, s->stages[i].exit_code,
			(long long)s->stages[i].started, (long long)s->stages[i].ended,
			s->stages[i].cause_id, s->stages[i].note);
	buf_addf(&out, "%d %d %u %lld %d\n", s->go_on_alone, s->stopped, (unsigned)s->current,
		(long long)s->cost.chips, state_alerts_raised(s));
	return buf_take(&out);
}

/* From the beginning, and as an engine that goes on from here. */
static void read_anew(const struct seen *until, const char *dir, int64_t lines)
{
	struct seen fresh = {0};
	struct event ev = event_stage(STAGE_TRAIN, MOVE_GATE, 1);
	struct journal *j;
	AUTO_FREE char *want = summary(&until->state);
	AUTO_FREE char *got = NULL;
	struct err e = {0};

	state_init(&fresh.state);
	read_on(&fresh, dir);
	got = summary(&fresh.state);
	if (strcmp(want, got) != 0 || fresh.seq != lines)
		die("line %lld: read anew it is\n%s, read on it was\n%s", (long long)lines, got,
			want);
	j = journal_open(dir, &e);
	if (!j || journal_append(j, &ev, &e) != 0 || journal_seq(j) != lines + 1)
		die("line %lld: an engine cannot go on: %s", (long long)lines, e.what);
	journal_close(j);
	read_on(&fresh, dir);
	if (fresh.seq != lines + 1)
		die("line %lld: the line behind it is lost", (long long)lines);
	state_fini(&fresh.state);
}

static void put_back(const char *file, const char *text, size_t n)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n)
		die("cannot write %s", file);
	close(fd);
}

int main(int argc, char **argv)
{
	AUTO(buf_fini) struct buf all = {0};
	struct seen on = {0};
	int64_t lines = 0;
	struct err e = {0};

	if (argc != 3 || path_read(argv[1], JOURNAL_MAX, &all, &e) != 0)
		die("cuts JOURNAL FOLDER: %s", e.what);
	AUTO_FREE char *file = path_join(argv[2], "journal.jsonl");
	state_init(&on.state);
	for (size_t n = 1, begin = 0; n <= all.len; n++) {
		bool whole = all.data[n - 1] == '\n';
		int64_t before = on.events;
		FILE *f = fopen(file, "ae");

		if (!f || fputc(all.data[n - 1], f) == EOF || fclose(f) != 0)
			die("cannot write %s", file);
		read_on(&on, argv[2]);
		if (whole ? on.at != (int64_t)n : on.at != (int64_t)begin || on.events != before)
			die("byte %zu: read up to %lld", n, (long long)on.at);
		lines += whole;
		if (whole || n == begin + 40) {
			read_anew(&on, argv[2], lines);
			put_back(file, all.data, n);
		}
		begin = whole ? n : begin;
	}
	printf("%zu bytes, %lld lines, %lld events\n", all.len, (long long)lines,
		(long long)on.events);
	state_fini(&on.state);
	return lines > 50 && on.events > 50 ? 0 : 1;
}
