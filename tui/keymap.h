/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Actions and the keys that mean them. One table drives dispatch, footers, the help page and the
 * manual; a key means the same in every view. While a person types text, the edit map stands in
 * front: characters are text there, and what it does not bind goes to its parent only if it is no
 * character.
 */
#ifndef RLPILOT_TUI_KEYMAP_H
#define RLPILOT_TUI_KEYMAP_H

#include "tui/input.h"

#include <stdbool.h>
#include <stddef.h>

/* enum name, word (for :commands and tests), help, keys of the normal map, group */
#define ACTIONS(X)                                                                                 \
	X(ACT_UP, "up", N_("one up"), "Up k", MOVE)                                                \
	X(ACT_DOWN, "down", N_("one down"), "Down j", MOVE)                                        \
	X(ACT_LEFT, "left", N_("left"), "Left h", MOVE)                                            \
	X(ACT_RIGHT, "right", N_("right"), "Right", MOVE)                                          \
	X(ACT_PAGE_UP, "page-up", N_("one page up"), "PgUp C-b", MOVE)                             \
	X(ACT_PAGE_DOWN, "page-down", N_("one page down"), "PgDn C-f", MOVE)                       \
	X(ACT_FIRST, "first", N_("to the first"), "Home g", MOVE)                                  \
	X(ACT_LAST, "last", N_("to the last"), "End G", MOVE)                                      \
	X(ACT_NEXT, "next", N_("next field or pane"), "Tab", MOVE)                                 \
	X(ACT_PREV, "prev", N_("previous field or pane"), "S-Tab", MOVE)                           \
	X(ACT_OPEN, "open", N_("open, choose, go on"), "Enter", DO)                                \
	X(ACT_MARK, "mark", N_("mark"), "Space", DO)                                               \
	X(ACT_BACK, "back", N_("back"), "Esc", DO)                                                 \
	X(ACT_FILTER, "filter", N_("filter or search"), "/", LOOK)                                 \
	X(ACT_FIND_NEXT, "find-next", N_("next match"), "n", LOOK)                                 \
	X(ACT_FIND_PREV, "find-prev", N_("previous match"), "N", LOOK)                             \
	X(ACT_FOLLOW, "follow", N_("follow the newest"), "F", LOOK)                                \
	X(ACT_WRAP, "wrap", N_("wrap long lines"), "w", LOOK)                                      \
	X(ACT_WHOLE, "whole", N_("the whole command"), "v", LOOK)                                  \
	X(ACT_DESCRIBE, "describe", N_("describe"), "d", LOOK)                                     \
	X(ACT_ZOOM_1, "pane-1", N_("one pane alone (1 … 6)"), "1", LOOK)                           \
	X(ACT_ZOOM_2, "pane-2", "", "2", LOOK)                                                     \
	X(ACT_ZOOM_3, "pane-3", "", "3", LOOK)                                                     \
	X(ACT_ZOOM_4, "pane-4", "", "4", LOOK)                                                     \
	X(ACT_ZOOM_5, "pane-5", "", "5", LOOK)                                                     \
	X(ACT_ZOOM_6, "pane-6", "", "6", LOOK)                                                     \
	X(ACT_RUN, "run", N_("run what is next"), "R", DO)                                         \
	X(ACT_CANCEL, "cancel", N_("stop it (asks first)"), "x", DO)                               \
	X(ACT_CURE, "cure", N_("cure it (shows how first)"), "f", DO)                              \
	X(ACT_RETRY, "retry", N_("ask or try again"), "r", DO)                                     \
	X(ACT_SKIP, "skip", N_("skip (asks why)"), "S", DO)                                        \
	X(ACT_UNDO, "undo", N_("undo it (shows how first)"), "U", DO)                              \
	X(ACT_SHELL, "shell", N_("a shell in its folder"), "!", DO)                                \
	X(ACT_MODE, "mode", N_("go on alone / stop after each"), "A", DO)                          \
	X(ACT_TODAY, "today", N_("stop for today (shows prices)"), "T", DO)                        \
	X(ACT_ENGINE, "engine", N_("start the engine again"), "E", DO)                             \
	X(ACT_ACK, "acknowledge", N_("acknowledge the alert"), "a", DO)                            \
	X(ACT_TYPE, "type", N_("type a name"), "i", DO)                                            \
	X(ACT_COPY, "copy", N_("copy"), "y", DO)                                                   \
	X(ACT_SAVE, "save", N_("save to a file"), "W", DO)                                         \
	X(ACT_WHY, "why", N_("why this is asked"), "F1", LOOK)                                     \
	X(ACT_SEE_STAGES, "stages", N_("stages"), "s F2", GO)                                      \
	X(ACT_SEE_MONITOR, "monitor", N_("monitor"), "m F3", GO)                                   \
	X(ACT_SEE_VARIABLES, "variables", N_("variables"), "e F4", GO)                             \
	X(ACT_SEE_CHECKS, "checks", N_("checks"), "c F5", GO)                                      \
	X(ACT_SEE_RESERVATIONS, "reservations", N_("reservations"), "o F6", GO)                    \
	X(ACT_SEE_PLAN, "plan", N_("plan"), "p F8", GO)                                            \
	X(ACT_SEE_WELCOME, "welcome", N_("first page"), "H F7", GO)                                \
	X(ACT_NEW_RUN, "new-run", N_("a new run with these values"), "C", GO)                      \
	X(ACT_REHEARSE, "rehearse", N_("rehearse in a pretend cloud"), "P", GO)                    \
	X(ACT_PALETTE, "palette", N_("all actions by name"), "C-p :", PROGRAM)                     \
	X(ACT_LANGUAGE, "language", N_("Korean / English"), "L", PROGRAM)                          \
	X(ACT_HELP, "help", N_("this help"), "?", PROGRAM)                                         \
	X(ACT_REPAINT, "repaint", N_("repaint the screen"), "C-l", PROGRAM)                        \
	X(ACT_SUSPEND, "suspend", N_("suspend"), "C-z", PROGRAM)                                   \
	X(ACT_QUIT, "quit", N_("leave the screen (work goes on)"), "q C-c", PROGRAM)

enum action {
	ACT_NONE, /* no binding: the key itself is the news (text, paste, mouse) */
#define X(name, word, help, keys, group) name,
	ACTIONS(X)
#undef X
		ACT_COUNT
};

/* Groups of the help page, in its order. */
enum action_group { GROUP_MOVE, GROUP_LOOK, GROUP_DO, GROUP_GO, GROUP_PROGRAM, GROUP_COUNT };

struct keymap; /* bindings and a parent */
extern const struct keymap keymap_normal, keymap_edit;

enum action keymap_find(const struct keymap *m, const struct key *k);
const char *action_word(enum action a);
const char *action_help(enum action a); /* translated */
enum action_group action_group(enum action a);
const char *action_group_title(enum action_group g); /* translated */
enum action action_by_word(const char *word);        /* ACT_NONE if there is none */
/* First key of an action in the normal map as a person reads it ("Enter", "^P"); returns buf. */
const char *action_key(enum action a, char *buf, size_t size);
/* All of them, separated by blanks. */
const char *action_keys(enum action a, char *buf, size_t size);

#endif
