/* SPDX-License-Identifier: Apache-2.0 */
/* What steers, at every question. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cli/now.h"
#include "core/cli/wizard_in.h"
#include "core/run/folder.h"
#include "core/run/inquire.h"

struct inquire *wizard_cloud(struct wizard *w)
{
	if (!w->inquire)
		w->inquire = inquire_open(w->run);
	return w->inquire;
}

void wizard_help(void)
{
	static const char *const lines[] = {
		N_(":back   to the question before"),
		N_(":list   what the account offers for this one"),
		N_(":save   says where everything is kept; every answer is kept at once"),
		N_(":quit   leave; the next start goes on here"),
		N_("The first letter is enough. An empty answer keeps the value."),
		N_("Lines like export NAME=value are taken as well."),
	};

	for (size_t i = 0; i < COUNT(lines); i++)
		printf("  %s\n", _(lines[i]));
}

static void list_reservations(const struct state *s)
{
	for (size_t i = 0; i < s->reservations.n; i++) {
		const struct reservation *r = &s->reservations.items[i].r;
		AUTO_FREE char *name = text_clean_dup(r->full_name);

		printf("  %s  %s  %" PRId64 "/%" PRId64 "\n", name, r->zone, reservation_free(r),
			r->total);
	}
	if (s->reservations.error && *s->reservations.error)
		printf("  %s\n", s->reservations.error);
	else if (!s->reservations.n)
		printf("  %s\n", _("nothing found"));
}

static void list_offers(const struct state_offers *o)
{
	for (size_t i = 0; o && i < o->n; i++) {
		AUTO_FREE char *value = text_clean_dup(o->items[i].value);
		AUTO_FREE char *note = text_clean_dup(o->items[i].note ? o->items[i].note : "");

		printf("  %s  %s\n", value, note);
	}
	if (o && o->error && *o->error)
		printf("  %s\n", o->error);
	else if (!o || !o->n)
		printf("  %s\n", _("nothing found"));
}

static void list(struct wizard *w, const char *name)
{
	const struct recipe_variable *v = name ? recipe_variable(w->run->recipe, name) : NULL;
	const struct state *s;

	if (!v || !v->discover) {
		printf("  %s\n", _("there is no list for this"));
		return;
	}
	printf("  %s\n", _("asking the account…"));
	fflush(stdout);
	inquire_offers(wizard_cloud(w), name);
	s = inquire_state(w->inquire);
	if (strcmp(v->discover, "reservation") == 0)
		list_reservations(s);
	else
		list_offers(state_offers_find(s, name));
}

enum way wizard_steered(struct wizard *w, enum answer a, const char *name)
{
	switch (a) {
	case ANSWER_BACK:
		return WAY_BACK;
	case ANSWER_QUIT:
		return WAY_LEAVE;
	case ANSWER_END:
		return WAY_END;
	case ANSWER_EMPTY:
		return WAY_ON;
	case ANSWER_LIST:
		list(w, name);
		break;
	case ANSWER_SAVE:
		printf(_("  kept in %s\n"), w->run->dir);
		break;
	case ANSWER_LONG:
		printf("  %s\n", _("too long for a value: nothing of it was taken"));
		break;
	case ANSWER_UNKNOWN:
	case ANSWER_HELP:
	case ANSWER_TEXT:
		wizard_help();
		break;
	}
	return WAY_AGAIN;
}
