/* SPDX-License-Identifier: Apache-2.0 */
#include "core/recipe/import.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/shell.h"
#include "core/recipe/recipe.h"

bool import_placeholder(const char *value)
{
	return text_starts(value, "YOUR_") || text_starts(value, "<YOUR_");
}

/* Is it judged by other values, so that those must be there first? */
static bool agrees_with_others(const struct recipe_variable *v)
{
	return v->derive != DERIVE_NONE || (v->rule && strcmp(v->rule, "tpu-type") == 0);
}

static void name(struct import_names *names, const char *s)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->items[i], s) == 0)
			return;
	*VEC_PUSH(names) = x_strdup(s);
}

/* A later line for the same name counts, as in a shell. Takes the value over. */
static void put(struct import *m, const struct recipe_variable *v, char *value, size_t at)
{
	struct import_item *item = NULL;

	for (size_t i = 0; i < m->n && !item; i++)
		if (m->items[i].variable == v)
			item = &m->items[i];
	if (item)
		x_wipe_free(item->value);
	else
		item = VEC_PUSH(m);
	*item = (struct import_item){v, value, at};
}

static void take(struct import *m, const struct recipe *r, const char *var, char *value, size_t at)
{
	const struct recipe_variable *v = recipe_variable(r, var);

	if (!v)
		name(&m->unknown, var);
	else if (import_placeholder(value))
		name(&m->placeholders, var);
	else {
		put(m, v, value, at);
		return;
	}
	x_wipe_free(value);
}

/* Past what a person copies along: a fence of a text, a prompt. */
static const char *past_frame(const char *s)
{
	for (;;) {
		s += strspn(s, " \t\r\n");
		if (text_starts(s, "```"))
			s += strcspn(s, "\n");
		else
			return text_starts(s, "$ ") ? s + 2 : s;
	}
}

static void order(struct import *m)
{
	AUTO_FREE struct import_item *all = x_calloc(m->n + 1, sizeof(*all));
	size_t n = 0;

	for (int last = 0; last < 2; last++)
		for (size_t i = 0; i < m->n; i++)
			if (agrees_with_others(m->items[i].variable) == (last == 1))
				all[n++] = m->items[i];
	if (n)
		memcpy(m->items, all, n * sizeof(*all));
}

void import_read(const struct recipe *r, const char *text, struct import *out)
{
	const char *s = text;

	*out = (struct import){0};
	for (;;) {
		AUTO_FREE char *var = NULL;
		char *value = NULL;
		const char *line = past_frame(s);
		int rc;

		s = line;
		rc = shell_assignment(&s, &var, &value);
		if (rc == 0)
			break;
		if (rc > 0) {
			take(out, r, var, value, (size_t)(line - text));
			continue;
		}
		if (!out->faults++)
			out->fault = (size_t)(s - text);
		s += strcspn(s, "\n");
	}
	order(out);
}

bool import_any(const struct import *m)
{
	return m->n || m->placeholders.n;
}

static void names_fini(struct import_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->items[i]);
	free(names->items);
}

void import_fini(struct import *m)
{
	for (size_t i = 0; i < m->n; i++)
		x_wipe_free(m->items[i].value);
	free(m->items);
	names_fini(&m->placeholders);
	names_fini(&m->unknown);
	*m = (struct import){0};
}
