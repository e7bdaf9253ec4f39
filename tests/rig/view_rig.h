/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views in this process: the real curses draws into a file, an emulator reads it. No terminal, no
 * child, no waiting. The rig's theme makes roles readable.
 */
#ifndef RLPILOT_TESTS_RIG_VIEW_RIG_H
#define RLPILOT_TESTS_RIG_VIEW_RIG_H

#include "tui/host.h"

#include <stdbool.h>

struct view_rig;
struct vt;

/* lang "en" or "ko"; theme NULL: the one with letters. options: state, tabs, context. */
struct view_rig *view_rig_open(int cols, int rows, const char *lang, const struct host_options *o,
	const struct theme *theme);
void view_rig_close(struct view_rig *r);
struct host *view_rig_host(struct view_rig *r);
struct vt *view_rig_vt(struct view_rig *r);
/* Draws what is due and lets the emulator have it. */
void view_rig_frame(struct view_rig *r);
/* Keys as in keys.h, a frame after each. */
void view_rig_keys(struct view_rig *r, const char *keys);
void view_rig_paste(struct view_rig *r, const char *text);
void view_rig_resize(struct view_rig *r, int cols, int rows);
/* Compares with $srcdir/NAME; the test program's working folder gets the actual one. */
bool view_rig_golden(struct view_rig *r, const char *name);

#endif
