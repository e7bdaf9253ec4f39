/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What surrounds a view: above, its own rows; below, the alert line (or a toast) and the footer
 * with the keys that work now. Below 60x16 the view has the whole screen for its one line.
 */
#ifndef RLPILOT_TUI_FRAME_H
#define RLPILOT_TUI_FRAME_H

#include "core/base/buf.h"
#include "tui/keymap.h"
#include "tui/surface.h"

#include <stdbool.h>
#include <stdint.h>

#define FRAME_MIN_ROWS 16
#define FRAME_MIN_COLS 60

struct view;

struct frame {
	struct grid grid;
	struct buf alert, toast;
	enum role alert_role, toast_role;
	int64_t toast_until; /* clock_wall, 0 = no toast */
	struct buf note;     /* at the end of the alert line, beside either */
	enum role note_role;
	struct {
		int x, w;
		enum action action;
	} hot[20]; /* keys of the footer, for the mouse */
	size_t n_hot;
};

void frame_init(struct frame *f);
void frame_fini(struct frame *f);
void frame_begin(struct frame *f, int rows, int cols);
struct surface frame_body(struct frame *f);
/* Draws alert line and footer for the view (may be NULL). */
void frame_finish(struct frame *f, const struct view *v, bool overlay);
void frame_toast(struct frame *f, enum role role, const char *text, int64_t until);
/* True once when the toast has been there long enough; takes it away. */
bool frame_toast_over(struct frame *f, int64_t now);
/* True when that is another alert than before. */
bool frame_alert(struct frame *f, enum role role, const char *text);
/* Short, beside alert and toast; "" = none. */
void frame_note(struct frame *f, enum role role, const char *text);
/* What a click there means. */
enum action frame_action_at(const struct frame *f, int y, int x);

#endif
