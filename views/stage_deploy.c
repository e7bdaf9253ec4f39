/* SPDX-License-Identifier: Apache-2.0 */
#include "views/stage_deploy.h"

#include "core/base/clock.h"
#include "core/base/text.h"

#define AGE_W       7
#define OUTPUT_ROWS 5 /* kept for the output */

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
		surface_cut(s, y + 1 + i, AGE_W + 1, s->w - AGE_W - 1,
			i == 0 ? ROLE_TEXT : ROLE_DIM, b->name);
	}
	return n + 1;
}
