/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/frozen.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"

bool frozen_by(enum stage_id id)
{
	return id >= STAGE_CLUSTER && id < STAGE_COUNT;
}

int frozen_begin(struct run *r, enum stage_id id, struct err *e)
{
	if (r->frozen || !frozen_by(id))
		return 0;
	r->frozen = true;
	return run_save(r, e);
}

const char *frozen_change(const struct run *r, const struct values *wanted)
{
	for (size_t i = 0; r->frozen && i < wanted->n; i++) {
		const struct value *v = &wanted->items[i];
		const char *ours = values_get(&r->values, v->name);

		if (!v->secret && strcmp(v->value ? v->value : "", ours ? ours : "") != 0)
			return v->name;
	}
	return NULL;
}

static bool from_outside(const struct recipe_variable *var)
{
	return !var->secret && !(var->derived_only && var->derive != DERIVE_NONE);
}

void frozen_differs(const struct run *r, char *(*lookup)(const char *name), struct strvec *out)
{
	for (size_t i = 0; r->frozen && i < r->recipe->variables.n; i++) {
		const struct recipe_variable *var = &r->recipe->variables.items[i];
		const char *now = from_outside(var) ? lookup(var->name) : NULL;
		const char *ours = values_get(&r->values, var->name);
		AUTO_FREE char *clean = now ? text_trim(now, strlen(now)) : NULL;

		if (clean && *clean && strcmp(clean, ours ? ours : "") != 0)
			strvec_pushf(out, _("%s is %s in the environment; the run keeps %s"),
				var->name, clean, ours ? ours : _("none"));
	}
}
