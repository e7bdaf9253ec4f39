/* SPDX-License-Identifier: Apache-2.0 */
#include "views/stage_deploy.h"

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "tui/glyph.h"

#include <string.h>

#define AGE_W       7
#define OUTPUT_ROWS 5 /* kept for the output */

/* The middle goes: the ends tell it apart from its neighbours. The caller's. */
static char *without_middle(const char *text, int cells)
{
	int head = (cells - 1) / 2, over = text_width(text) - (cells - head - 1);

	if (text_width(text) <= cells || head < 1)
		return x_strdup(text);
	return x_asprintf("%.*s%s%s", (int)text_fit(text, head, NULL), text, glyph_str(GLYPH_MORE),
		text + text_fit(text, over, NULL));
}

/* "module: type.name" of a resource; where there is no room, without the folders of the module and
 * what all types of the provider begin with. The caller's. */
static char *busy_text(const char *name, int cells)
{
	static const char *const prefixes[] = {"google_container_", "google_compute_", "google_"};
	const char *colon = strstr(name, ": "), *module = name, *type;

	if (!colon || text_width(name) <= cells)
		return without_middle(name, cells);
	for (const char *p = name; p < colon; p++)
		if (*p == '/')
			module = p + 1;
	type = colon + 2;
	for (size_t i = 0; i < COUNT(prefixes) && type == colon + 2; i++)
		if (text_starts(type, prefixes[i]))
			type += strlen(prefixes[i]);
	AUTO_FREE char *text = x_asprintf("%.*s: %s", (int)(colon - module), module, type);
	return without_middle(text, cells);
}

int stage_deploy_draw(const struct state_stage *st, struct surface *s, int y)
{
	const struct state_progress *g = &st->progress;
	char age[SPAN_SIZE];
	int room = s->h - y - 1 - OUTPUT_ROWS, n = (int)g->n_busy < room ? (int)g->n_busy : room;
	if (st->state != ST_RUNNING || n <= 0)
		return 0;
	size_t more = g->more + g->n_busy - (size_t)n;
	AUTO_FREE char *hint = more ? x_asprintf(_("%zu more"), more) : NULL;
	struct surface rule = surface_sub(s, y, 0, 1, s->w);
	surface_rule(&rule, 0, _("at work, slowest first"), hint);
	for (int i = 0; i < n; i++) {
		const struct deploy_busy *b = &g->busy[i];
		enum role role = i == 0 ? ROLE_BUSY : ROLE_DIM;
		surface_right(
			s, y + 1 + i, AGE_W, AGE_W, role, span_clock(clock_now() - b->since, age));
		AUTO_FREE char *text = busy_text(b->name, s->w - AGE_W - 1);
		surface_cut(s, y + 1 + i, AGE_W + 1, s->w - AGE_W - 1,
			i == 0 ? ROLE_TEXT : ROLE_DIM, text);
	}
	return n + 1;
}
