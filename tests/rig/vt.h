/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A terminal emulator (libvterm) as tests see it: bytes in, cells out. What is looked at is the
 * rendered screen, never the bytes.
 */
#ifndef RLPILOT_TESTS_RIG_VT_H
#define RLPILOT_TESTS_RIG_VT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct vt;

struct vt_cell {
	char text[32]; /* UTF-8, " " when empty, "" for the right half of a wide one */
	int width;     /* 1, 2; 0 right half */
	int fg, bg;    /* palette index, -1 = default, -2 = true colour */
	uint8_t fg_rgb[3], bg_rgb[3];
	bool bold, underline, reverse, italic;
};

struct vt *vt_new(int rows, int cols);
void vt_free(struct vt *v);
void vt_feed(struct vt *v, const char *data, size_t n);
void vt_resize(struct vt *v, int rows, int cols);
int vt_rows(const struct vt *v);
int vt_cols(const struct vt *v);
void vt_cell(const struct vt *v, int y, int x, struct vt_cell *out);
void vt_cursor(const struct vt *v, int *y, int *x, bool *visible);
const char *vt_title(const struct vt *v);
bool vt_alternate(const struct vt *v);      /* the alternate screen is shown */
unsigned long vt_bytes(const struct vt *v); /* fed since the start */
/* What the terminal answers (to queries); taken away. */
size_t vt_answers(struct vt *v, char *out, size_t size);
/* One row without trailing blanks. */
void vt_row(const struct vt *v, int y, struct buf *out);
/* Any row holds that text. */
bool vt_has(const struct vt *v, const char *text);

#endif
