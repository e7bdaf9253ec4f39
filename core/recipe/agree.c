/* SPDX-License-Identifier: Apache-2.0 */
#include "core/recipe/agree.h"

#include <string.h>
#include <strings.h>

#include "core/base/buf.h"
#include "core/base/text.h"
#include "core/recipe/recipe.h"

struct agree {
	const struct recipe *r;
	const char *scan_layers; /* the first value that was seen */
	struct buf *place, *why;
};

static bool has_flag(const struct recipe_command *c, const char *flag)
{
	for (size_t i = 0; i < c->args.n; i++)
		if (c->args.items[i].flag && strcmp(c->args.items[i].flag, flag) == 0)
			return true;
	return false;
}

static const char *value_of(const struct recipe_params *p, const char *key)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->items[i].key, key) == 0)
			return p->items[i].value ? p->items[i].value : "";
	return NULL;
}

/* A checkpoint is read back only by the layout that it was written with. */
static int one_layout(struct agree *a, const struct recipe_params *p)
{
	const char *value = value_of(p, "scan_layers");

	if (!value)
		return 0;
	if (!a->scan_layers)
		a->scan_layers = value;
	if (strcasecmp(a->scan_layers, value) == 0)
		return 0;
	buf_addf(a->why, _("scan_layers is %s here and %s elsewhere: all commands need the same"),
		value, a->scan_layers);
	return -1;
}

/* within: only paths that hold it; a key may stand there once for each switch. */
static int path_ends(
	struct agree *a, const struct recipe_params *p, const char *within, const char *end)
{
	for (size_t i = 0; i < p->n; i++) {
		const char *value = p->items[i].value;

		if (strcmp(p->items[i].key, "load_parameters_path") != 0 || !value || !*value ||
			!strstr(value, within) || text_ends(value, end))
			continue;
		buf_addf(a->why, _("load_parameters_path must end with %s"), end);
		return -1;
	}
	return 0;
}

/* Pods that convert have TPU hosts, but no slice that starts as one. */
static int conversion(struct agree *a, const struct recipe_params *p)
{
	const char *hardware = value_of(p, "hardware");
	const char *skip = value_of(p, "skip_jax_distributed_system");

	if (path_ends(a, p, "/checkpoints/actor/", "/model_params/"))
		return -1;
	if (hardware && strcmp(hardware, "cpu") == 0 && skip && strcasecmp(skip, "true") == 0)
		return 0;
	buf_adds(a->why, _("a conversion needs hardware=cpu and skip_jax_distributed_system=true"));
	return -1;
}

static int container(struct agree *a, const struct recipe_container *c)
{
	for (size_t i = 0; i < c->steps.n; i++) {
		const struct recipe_step *s = &c->steps.items[i];

		if (one_layout(a, &s->params))
			return -1;
		if (s->module && text_starts(s->module, "maxtext.checkpoint_conversion.") &&
			conversion(a, &s->params))
			return -1;
	}
	return 0;
}

static int command(struct agree *a, const struct recipe_command *c)
{
	if (has_flag(c, "--pathways") && has_flag(c, "--restart-on-exit-codes")) {
		buf_adds(a->why, _("--restart-on-exit-codes together with --pathways: the workers "
				   "are refused and never appear"));
		return -1;
	}
	for (size_t i = 0; i < c->args.n; i++)
		if (c->args.items[i].container && container(a, c->args.items[i].container))
			return -1;
	return 0;
}

static int parameters(struct agree *a)
{
	for (size_t i = 0; i < a->r->parameters.n; i++) {
		struct recipe_params p = {.items = a->r->parameters.items + i, .n = 1};

		if (!one_layout(a, &p) && !path_ends(a, &p, "", "/items/"))
			continue;
		buf_addf(a->place, "parameters[%zu]", i);
		return -1;
	}
	return 0;
}

int agree_check(const struct recipe *r, struct buf *place, struct buf *why)
{
	struct agree a = {.r = r, .place = place, .why = why};

	if (parameters(&a))
		return -1;
	for (size_t i = 0; i < r->stages.n; i++)
		for (size_t k = 0; k < r->stages.items[i].commands.n; k++)
			if (command(&a, &r->stages.items[i].commands.items[k])) {
				buf_addf(place, "stages[%zu].commands[%zu]", i, k);
				return -1;
			}
	return 0;
}
