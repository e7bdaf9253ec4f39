/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a deploy or destroy is, from terraform's JSON event lines or, where there are none, from
 * its text. Counts resources that are complete of those planned, and knows which are at work and
 * since when, the longest first. What is read only (data sources) is at work but counts nothing.
 * Pure.
 */
#ifndef RLPILOT_RUN_DEPLOY_H
#define RLPILOT_RUN_DEPLOY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEPLOY_BUSY 32 /* terraform works on ten at a time */

struct deploy_busy {
	char name[160];
	int64_t since; /* run time */
};

struct deploy {
	int64_t done, total;                  /* resources; total 0 = plan not known yet */
	struct deploy_busy busy[DEPLOY_BUSY]; /* by address; the one begun first is the first */
	size_t n;
	bool json; /* JSON lines have been seen: text no longer counts */
};

/* One line of either kind, read at `now` (used where the line bears no time); true when something
 * has changed. */
bool deploy_line(struct deploy *d, const char *line, size_t n, int64_t now);
/* An address for people: "module.a.module.b.type.name[0]" is "a/b: type.name[0]". */
void deploy_name(const char *address, char *out, size_t size);

#endif
