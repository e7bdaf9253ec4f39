/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/theme.h"

#include "core/base/mem.h"

static const struct {
	const char *word;
	char letter;
} roles[ROLE_COUNT] = {
#define X(name, w, l, flags) [name] = {w, l},
	ROLES(X)
#undef X
};

#define X(name, word, letter, flags) [name] = {-1, -1, flags},
const struct theme theme_plain = {
	.name = "plain",
	.styles =
		{
			[THEME_256] = {ROLES(X)},
			[THEME_16] = {ROLES(X)},
			[THEME_MONO] = {ROLES(X)},
		},
};
#undef X

enum theme_form theme_form(int colors)
{
	return colors >= 256 ? THEME_256 : colors >= 8 ? THEME_16 : THEME_MONO;
}

const char *role_word(enum role r)
{
	return roles[r].word;
}

char role_letter(enum role r)
{
	return roles[r].letter;
}
