/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labelled fields below each other, one of them in focus. The owner keeps the values, judges them
 * and is told of every change; the form never keeps anybody inside: Tab, Esc and every other action
 * work from any state, valid or not.
 */
#ifndef RLPILOT_TUI_WIDGET_FORM_H
#define RLPILOT_TUI_WIDGET_FORM_H

#include "tui/widget/field.h"
#include "tui/widget/list.h"

struct form_row {
	const char *id, *label;
	const char *value; /* as shown when not edited */
	const char *note;  /* beside the value: origin or reason; may be NULL */
	enum role note_role;
	enum role value_role;
	bool fixed; /* shown, not editable */
	bool masked;
};

struct form {
	struct list list;   /* the row in focus */
	struct field field; /* its editor, while editing */
	bool editing;
	char edited[LIST_ID]; /* id of the row being edited */
	int label_w;          /* cells of the labels, 0 = 22 */
};

struct form_source {
	const void *arg;
	size_t n;
	void (*row)(const void *arg, size_t i, struct form_row *out);
};

enum form_event {
	FORM_IGNORED, /* not for the form */
	FORM_USED,
	FORM_BEGIN,   /* editing of the focused row begins: set form->field */
	FORM_CHANGED, /* text changed, judge it */
	FORM_TAKE,    /* Enter, Tab, Up, Down: keep field_text(); editing is over */
	FORM_DROP,    /* Esc: leave the value as it was; editing is over */
};

void form_fini(struct form *f);
void form_draw(struct form *f, const struct form_source *src, struct surface *s);
enum form_event form_act(
	struct form *f, const struct form_source *src, enum action a, const struct key *k);
/* Index of the focused row, (size_t)-1 = none. */
size_t form_focus(struct form *f, const struct form_source *src);

#endif
