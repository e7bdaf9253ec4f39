/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/glyph.h"

#include "core/base/text.h"

static bool ascii;

static const struct {
	uint32_t unicode;
	char twin;
} glyphs[GLYPH_COUNT] = {
#define X(name, u, a) [name] = {u, a},
	GLYPHS(X)
#undef X
};

void glyph_ascii(bool on)
{
	ascii = on;
}

bool glyph_is_ascii(void)
{
	return ascii;
}

uint32_t glyph(enum glyph g)
{
	return ascii ? (uint32_t)glyphs[g].twin : glyphs[g].unicode;
}

const char *glyph_str(enum glyph g)
{
	static char strings[GLYPH_COUNT][5];
	strings[g][text_encode(glyph(g), strings[g])] = '\0';
	return strings[g];
}

uint32_t glyph_eighth(int n)
{
	static const char twins[] = " ..::||##";
	if (n <= 0)
		return ' ';
	if (n > 8)
		n = 8;
	return ascii ? (uint32_t)twins[n] : 0x2580 + (uint32_t)n;
}
