/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/state_form.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"

static void offers_fini(struct state_offers *o)
{
	for (size_t i = 0; i < o->n; i++) {
		free(o->items[i].value);
		free(o->items[i].note);
	}
	free(o->items);
	free(o->name);
	free(o->error);
	strvec_fini(&o->unreachable);
	memset(o, 0, sizeof(*o));
}

static void offers_clear(struct state *s)
{
	for (size_t i = 0; i < s->offers.n; i++)
		offers_fini(&s->offers.items[i]);
	s->offers.n = 0;
}

static void drafts_clear(struct state *s)
{
	for (size_t i = 0; i < s->drafts.n; i++) {
		free(s->drafts.items[i].name);
		free(s->drafts.items[i].text);
	}
	s->drafts.n = 0;
}

void state_form_fini(struct state *s)
{
	offers_clear(s);
	drafts_clear(s);
	free(s->offers.items);
	free(s->drafts.items);
}

static void offers_read(struct state_offers *o, const char *name, const json_t *list)
{
	const json_t *one;
	size_t i;

	o->name = x_strdup(name);
	o->at = json_path_i64(list, "at", 0);
	o->asking = json_path_bool(list, "asking", false);
	o->incomplete = json_path_bool(list, "incomplete", false);
	o->error = text_clean_dup(json_path_str_or(list, "error", ""));
	json_array_foreach(json_path(list, "unreachable"), i, one)
	{
		AUTO_FREE char *place = text_clean_dup(json_path_str_or(one, "", ""));

		strvec_push(&o->unreachable, place);
	}
	json_array_foreach(json_path(list, "items"), i, one)
	{
		struct state_offer *to = VEC_PUSH(o);

		to->value = text_clean_dup(json_path_str_or(one, "value", ""));
		to->note = text_clean_dup(json_path_str_or(one, "note", ""));
		to->fits = json_path_bool(one, "fits", true);
	}
}

void state_offers_set(struct state *s, const json_t *lists)
{
	const char *name;
	json_t *list;

	offers_clear(s);
	json_object_foreach((json_t *)(uintptr_t)lists, name, list)
	{
		struct state_offers *o = VEC_PUSH(&s->offers);

		memset(o, 0, sizeof(*o));
		offers_read(o, name, list);
	}
}

void state_drafts_set(struct state *s, const json_t *drafts)
{
	const char *name;
	json_t *one;

	drafts_clear(s);
	json_object_foreach((json_t *)(uintptr_t)drafts, name, one)
	{
		struct state_draft *d = VEC_PUSH(&s->drafts);

		d->name = x_strdup(name);
		d->text = x_strdup(json_path_str_or(one, "", ""));
	}
}

const struct state_offers *state_offers_find(const struct state *s, const char *name)
{
	for (size_t i = 0; i < s->offers.n; i++)
		if (strcmp(s->offers.items[i].name, name) == 0)
			return &s->offers.items[i];
	return NULL;
}

const char *state_draft(const struct state *s, const char *name)
{
	for (size_t i = 0; i < s->drafts.n; i++)
		if (strcmp(s->drafts.items[i].name, name) == 0)
			return s->drafts.items[i].text;
	return NULL;
}
