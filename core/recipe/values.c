/* SPDX-License-Identifier: Apache-2.0 */
#include "core/recipe/values.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/recipe/decode.h"
#include "core/recipe/recipe.h"
#include "core/recipe/rule.h"

static const char *const words[] = {
#define X(name, word) [name] = word,
	VALUE_ORIGINS(X)
#undef X
};

const char *value_origin_word(enum value_origin o)
{
	return words[o];
}

const char *value_origin_text(enum value_origin o)
{
	static const char *const texts[] = {
		[VALUE_NONE] = N_("not set"),
		[VALUE_DERIVED] = N_("derived"),
		[VALUE_DEFAULT] = N_("default"),
		[VALUE_DISCOVERED] = N_("found in the account"),
		[VALUE_GCLOUD] = N_("from gcloud"),
		[VALUE_ENV] = N_("from the environment"),
		[VALUE_TYPED] = N_("typed"),
		[VALUE_SET] = N_("given by --set"),
	};

	return _(texts[o]);
}

enum value_origin value_origin_of(const char *word)
{
	for (size_t i = 0; i < COUNT(words); i++) {
		if (!strcmp(words[i], word))
			return (enum value_origin)i;
	}
	return VALUE_NONE;
}

static void drop(struct value *v)
{
	if (v->secret)
		x_wipe_free(v->value);
	else
		free(v->value);
	v->value = NULL;
}

void values_fini(struct values *v)
{
	for (size_t i = 0; i < v->n; i++) {
		drop(&v->items[i]);
		free(v->items[i].name);
	}
	free(v->items);
	memset(v, 0, sizeof(*v));
}

void values_copy(struct values *to, const struct values *from)
{
	for (size_t i = 0; i < from->n; i++) {
		struct value *v = VEC_PUSH(to);

		*v = from->items[i];
		v->name = x_strdup(v->name);
		v->value = x_strdup(v->value);
	}
}

const struct value *values_find(const struct values *v, const char *name)
{
	for (size_t i = 0; v && i < v->n; i++) {
		if (!strcmp(v->items[i].name, name))
			return &v->items[i];
	}
	return NULL;
}

const char *values_get(const struct values *v, const char *name)
{
	const struct value *x = values_find(v, name);

	return x && x->value && *x->value ? x->value : NULL;
}

bool values_put(struct values *v, const char *name, const char *value, enum value_origin origin,
	bool secret)
{
	struct value *x = (struct value *)(uintptr_t)values_find(v, name);

	if (!*value && origin < VALUE_TYPED)
		return false;
	if (x && x->origin > origin)
		return false;
	if (x && x->value && !strcmp(x->value, value)) {
		x->origin = origin;
		return true;
	}
	if (!x) {
		x = VEC_PUSH(v);
		x->name = x_strdup(name);
	}
	drop(x);
	x->value = x_strdup(value);
	x->origin = origin;
	x->secret = secret;
	if (secret)
		redact_add(value, "$HF_TOKEN");
	return true;
}

void values_unset(struct values *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++) {
		if (strcmp(v->items[i].name, name))
			continue;
		drop(&v->items[i]);
		free(v->items[i].name);
		memmove(&v->items[i], &v->items[i + 1], (v->n - i - 1) * sizeof(*v->items));
		v->n--;
		return;
	}
}

static void put_number(struct values *v, const char *name, uint32_t n)
{
	AUTO_FREE char *s = n ? x_asprintf("%u", n) : NULL;

	if (s)
		values_put(v, name, s, VALUE_DERIVED, false);
}

static void derive_platform(struct values *v, const struct recipe_variable *var)
{
	struct utsname u;
	AUTO_FREE char *key = NULL;

	if (uname(&u))
		return;
	key = x_asprintf("%s-%s", u.sysname, u.machine);
	for (size_t i = 0; i < var->platforms.n; i++) {
		const struct recipe_pair *p = &var->platforms.items[i];
		AUTO(strvec_fini) struct strvec keys = {0};

		strvec_split(&keys, p->name, "|");
		if (strvec_find(&keys, key) >= 0)
			values_put(v, var->name, p->value, VALUE_DERIVED, false);
	}
}

static void derive(struct values *v, const struct recipe *r, const struct recipe_variable *var)
{
	const char *zone = values_get(v, "ZONE"), *topology = values_get(v, "TOPOLOGY");
	uint32_t chips = topology ? rule_chips(topology) : 0;
	char region[64];

	switch (var->derive) {
	case DERIVE_REGION:
		if (zone && rule_region_of(zone, region, sizeof(region)))
			values_put(v, var->name, region, VALUE_DERIVED, false);
		break;
	case DERIVE_CHIPS:
		put_number(v, var->name, chips);
		break;
	case DERIVE_HOSTS:
		put_number(v, var->name, r->chips.per_host ? chips / r->chips.per_host : 0);
		break;
	case DERIVE_PLATFORM:
		derive_platform(v, var);
		break;
	case DERIVE_STEP:
	case DERIVE_FIXED:
	case DERIVE_NONE:
		break;
	}
}

void values_derive(struct values *v, const struct recipe *r)
{
	for (size_t i = 0; i < r->variables.n; i++)
		derive(v, r, &r->variables.items[i]);
}

void values_start(struct values *v, const struct recipe *r, char *(*lookup)(const char *name))
{
	for (size_t i = 0; i < r->variables.n; i++) {
		const struct recipe_variable *var = &r->variables.items[i];
		bool shown = var->derived_only && var->derive != DERIVE_NONE;
		const char *given = lookup && !shown ? lookup(var->name) : NULL;
		char *clean = given ? text_trim(given, strlen(given)) : NULL;

		if (var->dflt)
			values_put(v, var->name, var->dflt, VALUE_DEFAULT, var->secret);
		if (clean)
			values_put(v, var->name, clean, VALUE_ENV, var->secret);
		x_wipe_free(clean);
	}
	values_derive(v, r);
}

/* The variable (or none, for a parameter) when `text` may stand for `name`; -1 with the reason. */
static int find_checked(const struct values *v, const struct recipe *r, const char *name,
	const char *text, const struct recipe_variable **var, struct err *e)
{
	const struct recipe_param *p = recipe_parameter(r, name);
	AUTO(buf_fini) struct buf why = {0};

	*var = recipe_variable(r, name);
	if (!*var && (!p || !p->editable))
		return err_set(e, ERR_USAGE, _("`rlpilot plan` lists all of them"),
			p ? _("the parameter %s is fixed by this recipe")
			  : _("there is no variable or parameter called %s"),
			name);
	if (*var && (*var)->derived_only &&
		((*var)->derive == DERIVE_CHIPS || (*var)->derive == DERIVE_HOSTS ||
			(*var)->derive == DERIVE_PLATFORM || (*var)->derive == DERIVE_FIXED))
		return err_set(
			e, ERR_USAGE, _("leave it out"), _("%s follows from other values"), name);
	if (*var ? rule_variable(r, *var, text, v, &why) : rule_parameter(p, text, &why))
		return 0;
	return err_set(e, ERR_USAGE, _("give another value"), "%s: %s", name, buf_str(&why));
}

int values_put_checked(struct values *v, const struct recipe *r, const char *name, const char *text,
	enum value_origin origin, struct err *e)
{
	const struct recipe_variable *var;
	char *clean = text_trim(text, strlen(text));
	int rc = find_checked(v, r, name, clean, &var, e);

	if (!rc) {
		values_put(v, name, clean, origin, var && var->secret);
		values_derive(v, r);
	}
	x_wipe_free(clean);
	return rc;
}

/* REGION of another zone than the one that a person has just given. */
static void drop_stale(struct values *v, const struct recipe *r)
{
	for (size_t i = 0; i < r->variables.n; i++) {
		const struct recipe_variable *var = &r->variables.items[i];
		const char *now = values_get(v, var->name);

		if (var->derive == DERIVE_REGION && now && !rule_variable(r, var, now, v, NULL))
			values_unset(v, var->name);
	}
}

int values_take(struct values *v, const struct recipe *r, const char *name, const char *text,
	enum value_origin origin, struct err *e)
{
	const struct recipe_variable *var;
	char *clean = text_trim(text, strlen(text));
	int rc = find_checked(v, r, name, clean, &var, e);

	if (!rc) {
		values_unset(v, name);
		values_put(v, name, clean, origin, var && var->secret);
		if (var && var->derive == DERIVE_NONE)
			drop_stale(v, r);
		values_derive(v, r);
	}
	x_wipe_free(clean);
	return rc;
}

const char *values_missing(const struct values *v, const struct recipe *r)
{
	for (size_t i = 0; i < r->variables.n; i++) {
		const struct recipe_variable *var = &r->variables.items[i];

		if (!var->optional && !var->derived_only && !values_get(v, var->name))
			return var->name;
	}
	return NULL;
}

int values_check(const struct values *v, const struct recipe *r, struct err *e)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct value *x = &v->items[i];
		const struct recipe_variable *var = recipe_variable(r, x->name);
		const struct recipe_param *p = recipe_parameter(r, x->name);
		AUTO(buf_fini) struct buf why = {0};

		if (!x->value || (!var && !p))
			continue;
		if (var ? rule_variable(r, var, x->value, v, &why)
			: rule_parameter(p, x->value, &why))
			continue;
		return err_set(e, ERR_PERSON, _("correct the value"), _("%s (%s): %s"), x->name,
			value_origin_word(x->origin), buf_str(&why));
	}
	return 0;
}

static int expand(
	const struct values *v, const char *tmpl, bool names, struct buf *out, struct err *e)
{
	struct template_ref t;

	while (template_next(tmpl, &t)) {
		AUTO_FREE char *name = x_strndup(t.name, t.name_n);
		const struct value *x = values_find(v, name);
		const char *value = values_get(v, name);

		buf_add(out, tmpl, (size_t)(t.at - tmpl));
		if (value && !(names && x->secret))
			buf_adds(out, value);
		else if (t.dflt && !names)
			buf_add(out, t.dflt, t.dflt_n);
		else if (names)
			buf_addf(out, "${%s}", name);
		else
			return err_set(e, ERR_PERSON, _("export it, or give --set NAME=VALUE"),
				_("%s has no value"), name);
		tmpl = t.at + t.len;
	}
	buf_adds(out, tmpl);
	return 0;
}

int values_expand(const struct values *v, const char *tmpl, struct buf *out, struct err *e)
{
	return expand(v, tmpl, false, out, e);
}

/* "${key}" of a training parameter, or NULL. */
static const struct recipe_param *whole_parameter(const struct recipe *r, const char *tmpl)
{
	size_t n = strlen(tmpl);
	AUTO_FREE char *key = n > 3 && text_starts(tmpl, "${") && tmpl[n - 1] == '}'
				      ? x_strndup(tmpl + 2, n - 3)
				      : NULL;

	return key ? recipe_parameter(r, key) : NULL;
}

int values_expand_fact(const struct values *v, const struct recipe *r, const char *tmpl,
	struct buf *out, struct err *e)
{
	const struct recipe_param *p = whole_parameter(r, tmpl);
	const char *set = p ? values_get(v, p->key) : NULL;

	return values_expand(v, set ? set : p && p->value ? p->value : tmpl, out, e);
}

void values_show(const struct values *v, const char *tmpl, struct buf *out)
{
	expand(v, tmpl, true, out, NULL);
}
