/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of a run beside its journal: series.jsonl (points of the curves), alerts.jsonl,
 * checks.json and the spool logs/POD/CONTAINER.log ("STAMP LINE" a line, secrets masked). Only the
 * engine writes. What is lost at a crash is at most the last line; readers pass over a torn one.
 */
#ifndef RLPILOT_RUN_RECORD_H
#define RLPILOT_RUN_RECORD_H

#include <stdint.h>
#include <stdio.h>

#include "core/run/event.h"

struct err;

/* Appends the points of state that are newer than what the file holds (kept in `done`, zeroed). */
struct record_series {
	struct map counted; /* source and name -> newest step written */
};
void record_series_init(struct record_series *r, const struct state *s);
void record_series_fini(struct record_series *r);
int record_series_write(
	struct record_series *r, const char *run_dir, const struct state *s, struct err *e);
/* Reads points from byte *offset on as EV_POINT. */
int record_series_read(const char *run_dir, int64_t *offset,
	void (*fn)(void *arg, const struct event *ev), void *arg, struct err *e);

int record_alert(const char *run_dir, const struct state_alert *a, int64_t at, struct err *e);
/* checks.json: the array of contract.md's `check --json`. */
json_t *record_checks_json(const struct state *s); /* new reference */
int record_checks(const char *run_dir, const struct state *s, struct err *e);
int record_checks_read(const char *run_dir, void (*fn)(void *arg, const struct event *ev),
	void *arg, struct err *e);

/* RUN/logs/POD/CONTAINER.log; the caller's. */
char *record_spool_path(const char *run_dir, const char *pod, const char *container);
/* Opens for appending, NULL with a message. */
FILE *record_spool_open(const char *run_dir, const char *pod, const char *container, struct err *e);
void record_spool_line(FILE *f, const char *stamp, const char *line, size_t n);
/* Splits a spool line: *stamp_n bytes of stamp, then the text. False when it is none. */
bool record_spool_split(const char *line, size_t n, size_t *stamp_n, int64_t *time_ms);

#endif
