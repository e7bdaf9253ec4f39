/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drawing characters, each with an ASCII twin of the same width. Every drawing character on the
 * screen comes from here, so that --ascii and non-UTF-8 locales show the same layout.
 */
#ifndef RLPILOT_TUI_GLYPH_H
#define RLPILOT_TUI_GLYPH_H

#include <stdbool.h>
#include <stdint.h>

/* enum name, Unicode, ASCII */
#define GLYPHS(X)                                                                                  \
	X(GLYPH_HRULE, 0x2500, '-')                                                                \
	X(GLYPH_VRULE, 0x2502, '|')                                                                \
	X(GLYPH_TEE_DOWN, 0x252C, '+')                                                             \
	X(GLYPH_TEE_UP, 0x2534, '+')                                                               \
	X(GLYPH_TEE_RIGHT, 0x251C, '+')                                                            \
	X(GLYPH_TEE_LEFT, 0x2524, '+')                                                             \
	X(GLYPH_CORNER, 0x2514, '+')                                                               \
	X(GLYPH_FULL, 0x2588, '#')                                                                 \
	X(GLYPH_REST, 0x2591, '.')                                                                 \
	X(GLYPH_POINT, 0x25CF, 'o')                                                                \
	X(GLYPH_DONE, 0x2713, 'x')                                                                 \
	X(GLYPH_RUNNING, 0x25B6, '>')                                                              \
	X(GLYPH_TODO, 0x00B7, '.')                                                                 \
	X(GLYPH_FAILED, 0x2717, '!')                                                               \
	X(GLYPH_SKIPPED, 0x2212, '-')                                                              \
	X(GLYPH_WARN, '!', '!')                                                                    \
	X(GLYPH_UNKNOWN, '?', '?')                                                                 \
	X(GLYPH_CURSOR, 0x25B8, '>')                                                               \
	X(GLYPH_BAR, 0x258C, '|')                                                                  \
	X(GLYPH_MASK, 0x2022, '*')                                                                 \
	X(GLYPH_MORE, 0x2026, '~')                                                                 \
	X(GLYPH_UP, 0x2191, '^')                                                                   \
	X(GLYPH_DOWN, 0x2193, 'v')                                                                 \
	X(GLYPH_ARROW, 0x2192, '>')                                                                \
	X(GLYPH_DOT, 0x00B7, '*')                                                                  \
	X(GLYPH_DASH, 0x2013, '-')

enum glyph {
#define X(name, unicode, ascii) name,
	GLYPHS(X)
#undef X
		GLYPH_COUNT
};

void glyph_ascii(bool on);
bool glyph_is_ascii(void);
uint32_t glyph(enum glyph g);
/* The same as a string; static. */
const char *glyph_str(enum glyph g);
/* A column filled to n eighths (0 … 8) from below: ▁ … █, in ASCII . : | #. */
uint32_t glyph_eighth(int n);

#endif
