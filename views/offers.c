/* SPDX-License-Identifier: Apache-2.0 */
#include "views/offers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/recorded.h"
#include "core/base/text.h"

static const char *value_of(const struct state *s, const char *name)
{
	const struct state_value *v = state_value_find(s, name);

	return v && v->present ? v->value : "";
}

enum reservation_verdict offers_verdict(
	const struct state *s, const struct reservation *r, char **why)
{
	int64_t hosts = 0;

	if (text_to_i64(value_of(s, "HOSTS"), 0, 1 << 20, &hosts) != 0)
		hosts = 0;
	return reservation_judge(r, NULL, value_of(s, "COMPUTE_TYPE"), hosts, clock_now(), why);
}

bool offers_incomplete(bool incomplete, const struct strvec *unreachable, struct buf *out)
{
	AUTO(buf_fini) struct buf places = {0};

	if (!incomplete)
		return false;
	for (size_t i = 0; i < unreachable->n; i++)
		buf_addf(&places, "%s%s", i ? ", " : "", unreachable->items[i]);
	if (places.len)
		buf_addf(out, _("list incomplete: no answer from %s"), buf_str(&places));
	else
		buf_adds(out, _("list incomplete: not every zone has answered"));
	return true;
}

static void status(struct pick *p, bool asking, const char *error, int64_t at)
{
	if (asking) {
		p->busy = true;
		buf_adds(&p->status, _("asking the account…"));
	} else if (error && *error) {
		AUTO_FREE char *text = recorded_text(error);
		buf_adds(&p->status, text);
		p->status_role = ROLE_WARN;
	} else if (at && !p->n) {
		buf_adds(&p->status, _("nothing found"));
	}
}

static void fill_reservations(struct pick *p, const struct state *s, const char *filter)
{
	const struct state_reservations *all = &s->reservations;

	for (size_t i = 0; i < all->n; i++) {
		const struct reservation *r = &all->items[i].r;
		AUTO_FREE char *why = NULL;
		bool fits = offers_verdict(s, r, &why) == RESERVATION_OK;
		AUTO_FREE char *note = NULL;

		if (r->shape == RESERVATION_COMING)
			continue;
		note = r->shape == RESERVATION_SHUT ? x_strdup("?")
						    : x_asprintf("%s %" PRId64 "/%" PRId64, r->zone,
							      reservation_free(r), r->total);
		pick_add(p, filter, r->full_name, note, r->zone, fits);
	}
	if (!all->asking && offers_incomplete(all->incomplete, &all->unreachable, &p->status))
		p->status_role = ROLE_WARN;
	else
		status(p, all->asking, all->error, all->at);
}

static void fill_discovered(
	struct pick *p, const struct state *s, const char *name, const char *filter)
{
	const struct state_offers *all = state_offers_find(s, name);

	if (!all)
		return;
	for (size_t i = 0; i < all->n; i++)
		pick_add(p, filter, all->items[i].value, all->items[i].note, NULL,
			all->items[i].fits);
	if (!all->asking && offers_incomplete(all->incomplete, &all->unreachable, &p->status))
		p->status_role = ROLE_WARN;
	else
		status(p, all->asking, all->error, all->at);
}

static void fill_choices(struct pick *p, const struct recipe_param *param, const char *filter)
{
	static const char *const truth[] = {"True", "False"};

	for (size_t i = 0; i < param->choices.n; i++)
		pick_add(p, filter, param->choices.items[i], "", NULL, true);
	for (size_t i = 0; param->type && !strcmp(param->type, "bool") && i < COUNT(truth); i++)
		pick_add(p, filter, truth[i], "", NULL, true);
}

void offers_fill(struct pick *p, const struct state *s, const struct recipe_variable *variable,
	const struct recipe_param *param, const char *filter)
{
	pick_begin(p);
	if (param)
		fill_choices(p, param, filter);
	else if (variable->discover && strcmp(variable->discover, "reservation") == 0)
		fill_reservations(p, s, filter);
	else if (variable->discover)
		fill_discovered(p, s, variable->name, filter);
	pick_end(p);
}
