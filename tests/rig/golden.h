/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Screens as text files that a reviewer can read in a diff: the characters framed by bars, then
 * one letter per theme role (with the rig's theme, whose roles have a background each), then cursor
 * and title. GENERATE=1 in the environment rewrites them.
 */
#ifndef RLPILOT_TESTS_RIG_GOLDEN_H
#define RLPILOT_TESTS_RIG_GOLDEN_H

#include <stdbool.h>

struct buf;
struct theme;
struct vt;

/* A theme in which every role can be told from the emulator's cells. */
void golden_theme(struct theme *t);
void golden_dump(const struct vt *v, bool roles, struct buf *out);
/* Compares text with the file; with GENERATE=1 writes it and answers true. On a difference prints
 * the rows that differ on stderr and leaves FILE's base name + ".actual" in the working folder. */
bool golden_compare(const char *file, const char *text);
/* Same without a word: is it equal right now? */
bool golden_equal(const char *file, const char *text);
bool golden_generating(void);

/* The screen as a picture. */
void svg_dump(const struct vt *v, const char *title, struct buf *out);

#endif
