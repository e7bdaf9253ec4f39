/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tutorial's three edits of the Cluster Toolkit blueprint, each with an exact count: a pattern
 * that is found another number of times than expected stops everything. Pure: text in, text out.
 */
#ifndef RLPILOT_FMT_BLUEPRINT_H
#define RLPILOT_FMT_BLUEPRINT_H

#include <stddef.h>

struct err;
struct buf;

enum blueprint_action {
	BLUEPRINT_REPLACE, /* `find` becomes `with`, within a line */
	BLUEPRINT_APPEND,  /* the line `with` follows the line that holds `find`, with that line's
			      indentation in place of its own, and its line end */
};

struct blueprint_edit {
	enum blueprint_action action;
	const char *find;
	const char *with;
	int count; /* how many hits there must be, all edited */
};

/* The tutorial's three: e2-standard-8, system_node_pool_zones, storage.admin. */
#define BLUEPRINT_EDITS 3
extern const struct blueprint_edit blueprint_tutorial[BLUEPRINT_EDITS];

/* Applies n edits in order to text and appends the result to out. ERR_BAD_FILE names the edit, the
 * count found and the count expected; then out is untouched. An already edited text is recognised
 * by that error's hint. */
int blueprint_edit(const char *text, size_t len, const struct blueprint_edit *edits, size_t n,
	struct buf *out, struct err *e);
/* Unified diff (three lines of context) of two texts, names in its head; empty when equal. */
void blueprint_diff(const char *old_name, const char *old_text, const char *new_name,
	const char *new_text, struct buf *out);

#endif
