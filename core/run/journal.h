/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a run, journal.jsonl: what has been decided, one object a line, appended and
 * fsynced before the effect it announces. A torn last line is cut off at the next append, a foreign
 * line is skipped with a log entry. Sequence numbers grow by one. Holds no secret.
 */
#ifndef RLPILOT_RUN_JOURNAL_H
#define RLPILOT_RUN_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "core/run/event.h"

struct err;
struct journal;

/* Opens for appending; creates the file. */
struct journal *journal_open(const char *run_dir, struct err *e);
void journal_close(struct journal *j);
/* Appends the event and syncs; kinds without a journal form are refused by returning 1. */
int journal_append(struct journal *j, const struct event *ev, struct err *e);
/* Appends {"ev":ev,"text":…}: run facts that are no events (digest of the bundle, an intent). */
int journal_note(
	struct journal *j, const char *ev, enum stage_id stage, const char *text, struct err *e);
/* Number of the last line written or read. */
int64_t journal_seq(const struct journal *j);

/* Calls fn for each event from byte *offset on and moves *offset behind the last whole line. An
 * absent file is an empty one. *seq (may be NULL) gets the last number. A run has the name of its
 * folder, whatever it was called when the line was written. */
int journal_replay(const char *run_dir, int64_t *offset,
	void (*fn)(void *arg, const struct event *ev), void *arg, int64_t *seq, struct err *e);

/* The JSON form of an event, or NULL when its kind has none; used by the records too. */
char *journal_event_line(const struct event *ev, int64_t seq);
/* Reads one line; 1 = event filled (strings valid until the next call), 0 = a note or foreign. *seq
 * (may be NULL) stays as it is where the line has no number that an engine can have written. */
int journal_event_parse(const char *line, size_t n, struct event *ev, int64_t *seq);

#endif
