/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A one-line editor for UTF-8: the cursor stands between characters, combining marks stay with
 * theirs, long text scrolls. Masked fields show one mark a character and are wiped. A paste is
 * taken whole without line ends, or not at all. Validation is the owner's; a field never refuses to
 * be left.
 */
#ifndef RLPILOT_TUI_WIDGET_FIELD_H
#define RLPILOT_TUI_WIDGET_FIELD_H

#include "core/base/buf.h"
#include "tui/input.h"
#include "tui/surface.h"

#include <stdbool.h>

#define FIELD_MAX 4096

/* Why the last key or paste was not taken. */
enum field_trouble {
	FIELD_FINE,
	FIELD_TOO_LONG, /* more than FIELD_MAX bytes: nothing of it was taken */
	FIELD_CONTROL,  /* a paste with control characters: nothing of it was taken */
};

struct field {
	struct buf text;
	size_t at;    /* byte offset of the cursor, on a character */
	size_t shift; /* byte offset of the first character shown */
	bool masked;  /* a secret: blanks and line ends inside of a paste go too */
	enum field_trouble trouble;
	const char *placeholder; /* borrowed, may be NULL */
};

void field_fini(struct field *f);
void field_set(struct field *f, const char *text); /* cursor at the end */
const char *field_text(const struct field *f);
/* True when the key was used; *changed (may be NULL) tells whether the text is another one. */
bool field_key(struct field *f, const struct key *k, bool *changed);
/* One row; shows the cursor when focused. */
void field_draw(
	struct field *f, struct surface *s, int y, int x, int w, bool focused, enum role role);

#endif
