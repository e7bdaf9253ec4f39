/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values out of shell lines: the tutorial's block of `export NAME="value"` lines as it is pasted,
 * or a file of them. Placeholders of the tutorial (YOUR_PROJECT_ID) are no values. Nothing is
 * expanded and nothing is judged here; values that agree with others come after those. Pure.
 */
#ifndef RLPILOT_RECIPE_IMPORT_H
#define RLPILOT_RECIPE_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

struct recipe;
struct recipe_variable;

struct import_item {
	const struct recipe_variable *variable;
	char *value; /* wiped at the end */
	size_t at;   /* where its line begins, bytes */
};

struct import {
	struct import_item *items;
	size_t n, cap;
	struct import_names {
		char **items;
		size_t n, cap;
	} placeholders, unknown;
	size_t fault; /* offset of the first line that is something else; only when faults > 0 */
	size_t faults;
};

/* Reads all lines. Fences (```) and a prompt ("$ ") before a line are passed over. */
void import_read(const struct recipe *r, const char *text, struct import *out);
/* Does it hold anything for this recipe: is it worth a question when it is pasted? */
bool import_any(const struct import *m);
void import_fini(struct import *m);
/* "YOUR_PROJECT_ID" and the like. */
bool import_placeholder(const char *value);

#endif
