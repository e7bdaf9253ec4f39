/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the host lays over a view: the help page and the palette, both built from the key table.
 */
#ifndef RLPILOT_TUI_OVERLAY_H
#define RLPILOT_TUI_OVERLAY_H

#include "tui/keymap.h"
#include "tui/surface.h"

#include <stdbool.h>

struct overlay;
struct view;

struct overlay *overlay_help(const struct view *v); /* v: whose keys stand first; borrowed now */
struct overlay *overlay_palette(void);
void overlay_free(struct overlay *o);
void overlay_draw(struct overlay *o, struct surface *s);
/* False when it is to be closed; *chosen then holds what to do. */
bool overlay_act(struct overlay *o, enum action a, const struct key *k, enum action *chosen);
bool overlay_typing(const struct overlay *o);

#endif
