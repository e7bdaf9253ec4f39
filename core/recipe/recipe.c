/* SPDX-License-Identifier: Apache-2.0 */
#include "core/recipe/recipe.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/map.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/recipe/agree.h"
#include "core/recipe/causes.h"
#include "core/recipe/schema.h"

#define FIND(list, member, wanted)                                                                 \
	for (size_t i_ = 0; i_ < (list).n; i_++) {                                                 \
		if (!strcmp((list).items[i_].member, wanted))                                      \
			return &(list).items[i_];                                                  \
	}                                                                                          \
	return NULL

const struct recipe_stage *recipe_stage(const struct recipe *r, const char *id)
{
	FIND(r->stages, id, id);
}

static const char *thing(const struct recipe_fact *f)
{
	for (size_t i = 0; i < f->args.n; i++)
		if (strcmp(f->args.items[i].name, "uri") == 0 ||
			strcmp(f->args.items[i].name, "name") == 0)
			return f->args.items[i].value;
	return "";
}

const struct recipe_stage *recipe_maker(
	const struct recipe *r, const struct recipe_stage *of, const struct recipe_fact *wanted)
{
	const struct recipe_stage *found = NULL;

	for (size_t i = 0; i < r->stages.n && &r->stages.items[i] != of; i++) {
		const struct recipe_stage *st = &r->stages.items[i];
		for (size_t k = 0; k < st->verify.n; k++)
			if (strcmp(st->verify.items[k].id, wanted->id) == 0 &&
				strcmp(thing(&st->verify.items[k]), thing(wanted)) == 0)
				found = st;
	}
	return found;
}

const struct recipe_variable *recipe_variable(const struct recipe *r, const char *name)
{
	FIND(r->variables, name, name);
}

const struct recipe_param *recipe_parameter(const struct recipe *r, const char *key)
{
	FIND(r->parameters, key, key);
}

const struct recipe_deviation *recipe_deviation(const struct recipe *r, const char *id)
{
	FIND(r->deviations, id, id);
}

const struct recipe_tree *recipe_tree(const struct recipe *r, const char *id)
{
	FIND(r->watch.trees, id, id);
}

const char *recipe_text(const struct recipe_text *t)
{
	const char *s = text_lang() == LANG_KO && t->ko ? t->ko : t->en;

	return s ? s : "";
}

static bool ref_known(const struct recipe *r, const struct ref *ref)
{
	switch (ref->kind) {
	case REF_VARIABLE:
		return recipe_variable(r, ref->name);
	case REF_DEVIATION:
		return recipe_deviation(r, ref->name);
	case REF_STAGE:
		return recipe_stage(r, ref->name);
	case REF_NONE:
		break;
	}
	return true;
}

static const char *const ref_hints[] = {
	[REF_VARIABLE] = N_("add it to `variables`, or correct the name"),
	[REF_DEVIATION] = N_("add it to `deviations`, or correct the name"),
	[REF_STAGE] = N_("add it to `stages`, or correct the name"),
};

static int check_refs(const struct recipe *r, struct decode *d)
{
	for (size_t i = 0; i < d->refs.n; i++) {
		const struct ref *ref = &d->refs.items[i];

		if (ref_known(r, ref))
			continue;
		err_set(d->e, ERR_BAD_FILE, _(ref_hints[ref->kind]),
			_("\"%s\" is named here, but defined nowhere"), ref->name);
		return err_at(d->e, r->file, ref->line, ref->column);
	}
	return 0;
}

static int twice(struct decode *d, const char *list, size_t i, const char *id)
{
	buf_clear(&d->path);
	buf_addf(&d->path, "%s[%zu]", list, i);
	return decode_error(
		d, _("give every entry its own name"), _("\"%s\" stands here twice"), id);
}

#define UNIQUE(list, name, member)                                                                 \
	for (size_t i_ = 0; i_ < (list).n; i_++) {                                                 \
		for (size_t k_ = 0; k_ < i_; k_++) {                                               \
			if (!strcmp((list).items[i_].member, (list).items[k_].member))             \
				return twice(d, name, i_, (list).items[i_].member);                \
		}                                                                                  \
	}

static int check_unique(const struct recipe *r, struct decode *d)
{
	UNIQUE(r->variables, "variables", name)
	UNIQUE(r->parameters, "parameters", key)
	UNIQUE(r->checks, "checks", id)
	UNIQUE(r->stages, "stages", id)
	UNIQUE(r->deviations, "deviations", id)
	UNIQUE(r->causes, "causes", id)
	UNIQUE(r->watch.trees, "watch.trees", id)
	UNIQUE(r->watch.series, "watch.series", id)
	return 0;
}

/* What a parameter or variable is called in `needs` of a check, and limits that contradict. */
static int check_rest(const struct recipe *r, struct decode *d)
{
	for (size_t i = 0; i < r->checks.n; i++) {
		const struct recipe_check *c = &r->checks.items[i];

		for (size_t k = 0; k < c->needs.n; k++) {
			const char *name = c->needs.items[k];

			if (recipe_variable(r, name) || recipe_parameter(r, name))
				continue;
			buf_clear(&d->path);
			buf_addf(&d->path, "checks[%zu].needs[%zu]", i, k);
			return decode_error(d, _("name a variable or a parameter"),
				_("\"%s\" is named here, but defined nowhere"), name);
		}
	}
	for (size_t i = 0; i < r->stages.n; i++) {
		const struct recipe_stage *s = &r->stages.items[i];

		if (!s->tree || recipe_tree(r, s->tree))
			continue;
		buf_clear(&d->path);
		buf_addf(&d->path, "stages[%zu].tree", i);
		return decode_error(d, _("name one of watch.trees"),
			_("\"%s\" is named here, but defined nowhere"), s->tree);
	}
	if (r->deviations.n > 32) {
		buf_clear(&d->path);
		buf_adds(&d->path, "deviations");
		return decode_error(d, "", _("more than 32 deviations"));
	}
	return 0;
}

static int check_agree(const struct recipe *r, struct decode *d)
{
	AUTO(buf_fini) struct buf why = {0};

	buf_clear(&d->path);
	if (agree_check(r, &d->path, &why) == 0)
		return 0;
	return decode_error(d, _("make the commands agree"), "%s", buf_str(&why));
}

static void keep_texts(struct recipe *r, struct decode *d)
{
	size_t size = d->texts.n * sizeof(*d->texts.items);
	struct text_pair *all = decode_alloc(d, size);

	if (size)
		memcpy(all, d->texts.items, size);
	r->texts.items = all;
	r->texts.n = d->texts.n;
}

int recipe_load(const char *path, struct recipe **out, struct err *e)
{
	struct recipe *r = X_NEW(struct recipe);
	struct decode d = {.arena = &r->arena, .e = e};
	struct yaml_doc *doc = yaml_read(path, e);
	int rc = -1;

	d.doc = doc;
	r->file = arena_strdup(&r->arena, path);
	if (doc)
		rc = decode_table(&d, &recipe_schema, yaml_root(doc), r);
	if (!rc)
		rc = check_unique(r, &d) || check_refs(r, &d) || check_rest(r, &d) ||
				     check_agree(r, &d)
			     ? -1
			     : 0;
	keep_texts(r, &d);
	decode_fini(&d);
	yaml_close(doc);
	if (rc) {
		recipe_free(r);
		return -1;
	}
	*out = r;
	return 0;
}

void recipe_free(struct recipe *r)
{
	struct arena a;

	if (!r)
		return;
	recipe_causes_drop(r);
	a = r->arena;
	free(r);
	arena_drop(&a);
}

/* recipes/ID.yaml below the user's configuration. */
static char *in_config(const char *id)
{
	AUTO_FREE char *root = NULL;

	if (path_config_root(&root, NULL))
		return NULL;
	return x_asprintf("%s/recipes/%s.yaml", root, id);
}

/* assets/recipes/ID.yaml in one of the three folders above the running program: a build tree. */
static char *beside_build(const char *id)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n <= 0)
		return NULL;
	exe[n] = '\0';
	for (int up = 0; up < 4; up++) {
		char *slash = strrchr(exe, '/');
		char *file;

		if (!slash || slash == exe)
			return NULL;
		*slash = '\0';
		file = x_asprintf("%s/assets/recipes/%s.yaml", exe, id);
		if (path_exists(file))
			return file;
		free(file);
	}
	return NULL;
}

static char *installed(const char *id)
{
	return x_asprintf("%s/recipes/%s.yaml", PKGDATADIR, id);
}

int recipe_find(const char *id_or_file, struct recipe **out, struct err *e)
{
	char *(*const places[])(const char *) = {in_config, beside_build, installed};

	if (strchr(id_or_file, '/') || text_ends(id_or_file, ".yaml"))
		return recipe_load(id_or_file, out, e);
	for (size_t i = 0; i < COUNT(places); i++) {
		AUTO_FREE char *file = places[i](id_or_file);

		if (file && path_exists(file))
			return recipe_load(file, out, e);
	}
	return err_set(e, ERR_BAD_FILE,
		_("give the path of a .yaml file, or put it into recipes/ of the configuration"),
		_("there is no recipe \"%s\""), id_or_file);
}
