/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A choice of a few lines, and a question that wants a name typed before something is lost. Both
 * lie over a view; the safe answer is always the first. The owner keeps them and does what they
 * say.
 */
#ifndef RLPILOT_TUI_WIDGET_MENU_H
#define RLPILOT_TUI_WIDGET_MENU_H

#include "tui/widget/field.h"
#include "tui/widget/list.h"

struct menu_item {
	const char *id, *text, *detail; /* text and detail translated, detail may be NULL */
};

struct menu {
	const char *title, *body; /* borrowed while open */
	const struct menu_item *items;
	size_t n;
	struct list list;
	bool open;
};

void menu_open(struct menu *m, const char *title, const char *body, const struct menu_item *items,
	size_t n);
void menu_close(struct menu *m);
void menu_draw(struct menu *m, struct surface *s);
/* True while it takes the keys; *chosen gets the id when one was chosen, then it is closed. Esc and
 * q close without a choice. */
bool menu_act(struct menu *m, enum action a, const struct key *k, const char **chosen);

struct dialog {
	char *title, *body, *word; /* word: what must be typed, NULL = Enter is enough */
	struct field field;
	bool free; /* any text that is not empty will do */
	bool open, wrong;
};

/* Copies its texts. */
void dialog_open(struct dialog *d, const char *title, const char *body, const char *word);
/* Asks for a text of one's own. */
void dialog_ask(struct dialog *d, const char *title, const char *body);
void dialog_close(struct dialog *d);
void dialog_draw(struct dialog *d, struct surface *s);
/* True while it takes the keys; *yes is set on Enter when the word was typed exactly; the typed
 * text is field_text(&d->field) until dialog_close. */
bool dialog_act(struct dialog *d, enum action a, const struct key *k, bool *yes);

#endif
