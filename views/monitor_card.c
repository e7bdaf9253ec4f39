/* SPDX-License-Identifier: Apache-2.0 */
/* One alert, event or pod in full below its list: what is so, what it means, what to do. */
#include "views/monitor.h"

#include "core/base/mem.h"
#include "core/base/recorded.h"
#include "core/base/text.h"
#include "core/fmt/cause.h"
#include "core/run/why.h"

#include <string.h>

#define CARD_ROWS 8
#define CARD_X    8 /* below the texts of the rows */

static int wrapped(struct surface *s, int y, enum role role, const char *text)
{
	return y < s->h ? surface_wrap(s, y, CARD_X, s->h - y, s->w - CARD_X, role, text) : 0;
}

int card_cure(struct surface *s, int y, const char *cure)
{
	if (!cure || !*cure || y >= s->h)
		return 0;
	AUTO_FREE char *text = recorded_text(cure);
	surface_put(s, y, CARD_X - 2, ROLE_DIM, glyph(GLYPH_ARROW));
	return wrapped(s, y, ROLE_DIM, text);
}

struct surface card_split(struct surface *s)
{
	int h = s->h < 12 ? s->h / 2 : CARD_ROWS;
	struct surface card = surface_sub(s, s->h - h, 0, h, s->w);

	*s = surface_sub(s, 0, 0, s->h - h, s->w);
	for (int x = 0; x < card.w && h > 0; x++)
		surface_put(&card, 0, x, ROLE_DIM, glyph(GLYPH_HRULE));
	return card;
}

/* What an alert means, by the names that its text and the run hold; the caller's. */
static char *alert_meaning(const struct state *st, const struct state_alert *a)
{
	const struct cause *known = cause_by_id(a->cause);
	struct cause_hit hit;

	if (!cause_find(&hit, a->text, strlen(a->text)) || hit.cause != known)
		hit = (struct cause_hit){.cause = known};
	why_words_known(&hit, st);
	return cause_meaning(&hit);
}

void card_alert(struct surface *card, const struct state *st, const struct state_alert *a)
{
	AUTO_FREE char *meaning = alert_meaning(st, a);
	AUTO_FREE char *text = recorded_text(a->text);
	int y = 1;

	y += wrapped(card, y, ROLE_TEXT, text);
	if (*meaning && !strstr(text, meaning))
		y += wrapped(card, y, ROLE_TEXT, meaning);
	if (strcmp(a->state, "cleared") != 0)
		card_cure(card, y, a->cure);
}

void card_words(struct surface *card, const struct state *st, const char *said, const char *reason,
	const char *pod)
{
	struct cause_hit hit;
	AUTO_FREE char *meaning = NULL;
	AUTO_FREE char *cure = NULL;
	int y = 1;

	if (!cause_find(&hit, said, strlen(said)))
		(void)cause_find_reason(&hit, reason);
	cause_put(&hit, "pod", pod);
	why_words_known(&hit, st);
	meaning = cause_meaning(&hit);
	cure = cause_cure(&hit);
	if (*meaning)
		y += wrapped(card, y, ROLE_TEXT, meaning);
	y += card_cure(card, y, cure);
	wrapped(card, y, *meaning ? ROLE_DIM : ROLE_TEXT, *said ? said : reason);
}
