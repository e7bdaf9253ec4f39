/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a deploy or destroy is, from terraform's JSON event lines or, where there are none, from
 * its text. Counts resources that are complete of those planned. Pure.
 */
#ifndef RLPILOT_RUN_DEPLOY_H
#define RLPILOT_RUN_DEPLOY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct deploy {
	int64_t done, total; /* resources; total 0 = plan not known yet */
	char at[160];        /* the one begun last */
	bool json;           /* JSON lines have been seen: text no longer counts */
};

/* One line of either kind; true when something has changed. */
bool deploy_line(struct deploy *d, const char *line, size_t n);

#endif
