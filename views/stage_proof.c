/* SPDX-License-Identifier: Apache-2.0 */
#include "views/stage_proof.h"

#include "core/base/recorded.h"
#include "core/base/text.h"

#include <string.h>

/* Lines of the proof begin with a word of the journal; what needs a look comes first. */
static const struct {
	const char *begins, *word;
	enum role role;
	enum glyph glyph;
} kinds[] = {
	{"there ", N_("there"), ROLE_BAD, GLYPH_FAILED},
	{"unknown ", N_("unknown"), ROLE_WARN, GLYPH_FAILED},
	{"kept ", N_("kept"), ROLE_OK, GLYPH_DONE},
	{"gone ", N_("gone"), ROLE_OK, GLYPH_DONE},
};

static size_t kind_of(const char *line)
{
	size_t k = 0;
	while (k < COUNT(kinds) - 1 && !text_starts(line, kinds[k].begins))
		k++;
	return k;
}

static void draw_line(const char *line, size_t kind, struct surface *out, int y)
{
	size_t skip = text_starts(line, kinds[kind].begins) ? strlen(kinds[kind].begins) : 0;
	AUTO_FREE char *what = recorded_text(line + skip);
	AUTO_FREE char *text = x_asprintf("%s %s", _(kinds[kind].word), what);
	surface_put(out, y, 0, kinds[kind].role, glyph(kinds[kind].glyph));
	surface_cut(out, y, 2, out->w - 2, ROLE_TEXT, text);
}

void stage_proof_draw(const struct state *s, struct surface *out)
{
	size_t n[COUNT(kinds)] = {0}, drawn = 0;
	for (size_t i = 0; i < s->cleanup.n; i++)
		n[kind_of(s->cleanup.items[i])]++;
	AUTO_FREE char *hint = x_asprintf(_("%zu gone, %zu left"), n[3], n[0] + n[1]);
	surface_rule(out, 0, _("proof"), hint);
	size_t rows = out->h > 1 ? (size_t)out->h - 1 : 0, all = s->cleanup.n;
	size_t fit = all <= rows ? all : rows > 0 ? rows - 1 : 0;
	for (size_t k = 0; k < COUNT(kinds); k++)
		for (size_t i = all; i-- > 0 && drawn < fit;)
			if (kind_of(s->cleanup.items[i]) == k)
				draw_line(s->cleanup.items[i], k, out, (int)++drawn);
	if (drawn < all && rows > 0) {
		AUTO_FREE char *more = x_asprintf(_("%zu more"), all - drawn);
		surface_cut(out, (int)rows, 2, out->w - 2, ROLE_DIM, more);
	}
}
