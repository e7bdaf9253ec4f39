/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of the page of variables: variables.c keeps rows and keys, variables_show.c draws. A text
 * in work is never lost: it becomes a value, a draft of the run, or (a secret that is none yet)
 * stays in this page's memory and is wiped with it.
 */
#ifndef RLPILOT_VIEWS_VARIABLES_IN_H
#define RLPILOT_VIEWS_VARIABLES_IN_H

#include "core/recipe/import.h"
#include "tui/widget/form.h"
#include "tui/widget/menu.h"
#include "views/common.h"
#include "views/pick.h"

#define ROWS_MAX 128
#define LABEL_W  24

/* One row: a variable or a training parameter of the recipe. */
struct row {
	const struct recipe_variable *variable;
	const struct recipe_param *param;
	char *pending;        /* posted, not yet in the state; NULL = none; "" for a secret */
	int64_t pending_wall; /* when it was posted */
	bool bad;             /* the value in use breaks its rule */
};

struct variables {
	struct form form;
	struct row rows[ROWS_MAX];
	size_t n, asked;   /* rows; of them variables that a person gives */
	struct buf reason; /* why what is typed cannot be, empty = it can */
	struct pick pick;
	bool touched; /* something was typed since the field was entered */
	char *secret; /* typed for a secret and not good enough; wiped */
	const struct row *secret_row;
	struct import import; /* pasted, while the question about it is open */
	struct dialog question;
	struct menu keep; /* the token in a file of the run, or not */
	uint64_t judged;  /* revision of the values that `bad` is for */
	const struct recipe *recipe;
	const struct state *state;
};

const char *row_name(const struct row *r);
const struct state_value *row_value(const struct variables *p, const struct row *r); /* or NULL */
bool row_secret(const struct row *r);
/* Shown, not asked: it follows from others. */
bool row_fixed(const struct variables *p, const struct row *r);
/* Can `text` stand there? The reason is appended. */
bool row_judge(const struct variables *p, const struct row *r, const char *text, struct buf *why);
struct form_source variables_source(const struct variables *p);
void variables_draw(struct view *v, const struct state *s, struct surface *out);

#endif
