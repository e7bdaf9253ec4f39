/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/yaml.h"
#include "core/recipe/causes.h"
#include "core/run/environment.h"
#include "core/run/gcloud_config.h"
#include "core/run/token.h"

int run_root(bool demo, char **out, struct err *e)
{
	char *root;

	if (path_state_root(&root, e) != 0)
		return -1;
	*out = path_join(root, demo ? "demo/runs" : "runs");
	free(root);
	return 0;
}

void run_close(struct run *r)
{
	if (!r)
		return;
	run_let_go(&r->lock);
	values_fini(&r->values);
	recipe_free(r->recipe);
	free(r->recipe_name);
	free(r->environment);
	free(r->label);
	free(r->name);
	free(r->moved_from);
	free(r->dir);
	free(r);
}

static struct run *run_alloc(const char *dir)
{
	struct run *r = X_NEW(struct run);
	const char *slash;

	r->dir = x_strdup(dir);
	slash = strrchr(r->dir, '/');
	r->name = x_strdup(slash ? slash + 1 : dir);
	r->label = x_strdup("");
	r->lock = (struct run_hold){-1, -1};
	return r;
}

static json_t *values_json(const struct run *r)
{
	json_t *all = json_object();

	for (size_t i = 0; i < r->values.n; i++) {
		const struct value *v = &r->values.items[i];
		json_t *one;
		if (v->secret)
			continue;
		one = json_object();
		json_object_set_new(one, "value", json_from_str(v->value ? v->value : ""));
		json_object_set_new(one, "origin", json_string(value_origin_word(v->origin)));
		json_object_set_new(all, v->name, one);
	}
	return all;
}

int run_save(const struct run *r, struct err *e)
{
	AUTO(json_auto) json_t *j = json_object();
	AUTO(buf_fini) struct buf b = {0};
	AUTO_FREE char *file = path_join(r->dir, "run.yaml");
	json_t *deviations = json_object();

	json_object_set_new(j, "format", json_string("1"));
	json_object_set_new(j, "recipe", json_from_str(r->recipe_name));
	if (*r->label)
		json_object_set_new(j, "label", json_from_str(r->label));
	if (r->environment)
		json_object_set_new(j, "environment", json_from_str(r->environment));
	json_object_set_new(j, "frozen", json_string(r->frozen ? "true" : "false"));
	json_object_set_new(j, "values", values_json(r));
	for (size_t i = 0; i < r->recipe->deviations.n; i++) {
		const char *id = r->recipe->deviations.items[i].id;
		bool on = deviation_on(r->recipe, r->deviations, id);
		json_object_set_new(deviations, id, json_string(on ? "on" : "off"));
	}
	json_object_set_new(j, "deviations", deviations);
	yaml_dump(j, &b);
	return path_write(file, buf_str(&b), b.len, e);
}

static int read_values(struct run *r, const json_t *root, struct err *e)
{
	const char *name;
	json_t *one;
	char *(*env)(const char *) = getenv;
	struct values saved = {0};

	values_start(&r->values, r->recipe, env);
	token_find(&r->values, r->recipe, r->dir);
	gcloud_config_values(&r->values, r->recipe);
	values_copy(&saved, &r->values);
	json_object_foreach(json_path(root, "values"), name, one)
	{
		const char *text = json_path_str_or(one, "value", "");
		enum value_origin origin = value_origin_of(json_path_str_or(one, "origin", ""));
		const struct value *now = values_find(&saved, name);
		if (now && now->secret)
			continue;
		if (r->frozen)
			values_unset(&r->values, name);
		else if (now && now->origin == VALUE_ENV && origin <= VALUE_ENV)
			continue;
		values_put(&r->values, name, text, origin, false);
	}
	values_fini(&saved);
	values_derive(&r->values, r->recipe);
	r->deviations = deviation_defaults(r->recipe);
	json_object_foreach(json_path(root, "deviations"), name,
		one) if (json_is_string(one) &&
			 deviation_switch(r->recipe, &r->deviations, name,
				 strcmp(json_string_value(one), "on") == 0, e) != 0) return -1;
	return 0;
}

static int read_yaml(struct run *r, struct yaml_doc *doc, const char *file, struct err *e)
{
	/* The last one tells that the file is whole. */
	static const char *const needed[] = {"recipe", "values", "deviations"};
	const json_t *root = yaml_root(doc);
	int64_t format = json_path_i64(root, "format", 0);
	const char *environment = json_path_str(root, "environment");

	if (format != RUN_FORMAT) {
		err_set(e, ERR_BAD_FILE,
			format > RUN_FORMAT ? _("open it with the newer rlpilot that made it")
					    : _("move the folder away, or repair the file"),
			_("the run is of format %lld, this rlpilot reads format %d"),
			(long long)format, RUN_FORMAT);
		return format ? yaml_at(doc, "format", e) : err_at(e, file, 1, 1);
	}
	for (size_t i = 0; i < COUNT(needed); i++) {
		if (json_path(root, needed[i]))
			continue;
		err_set(e, ERR_BAD_FILE, _("move the folder away, or repair the file"),
			_("the run has no \"%s\": the file has been cut off"), needed[i]);
		return err_at(e, file, 1, 1);
	}
	free(r->label);
	r->label = x_strdup(json_path_str_or(root, "label", ""));
	r->recipe_name = x_strdup(json_path_str_or(root, "recipe", ""));
	r->environment = x_strdup(environment);
	r->frozen = json_path_bool(root, "frozen", false);
	if (environment && environment_apply(environment, e) != 0)
		return -1;
	if (recipe_find(r->recipe_name, &r->recipe, e) != 0)
		return -1;
	recipe_causes_use(r->recipe);
	return read_values(r, root, e);
}

int run_open(const char *dir, struct run **out, struct err *e)
{
	AUTO_FREE char *file = path_join(dir, "run.yaml");
	struct yaml_doc *doc = yaml_read(file, e);
	struct run *r;
	int rc;

	if (!doc)
		return -1;
	r = run_alloc(dir);
	rc = read_yaml(r, doc, file, e);
	yaml_close(doc);
	if (rc == 0)
		*out = r;
	else
		run_close(r);
	return rc;
}

static int make_dir(const char *root, const struct run_new *n, char **dir, struct err *e)
{
	if (path_mkdirs(root, e) != 0)
		return -1;
	for (int i = 1; i < 100000; i++) {
		char *path = n->name ? path_join(root, n->name)
				     : x_asprintf("%s/%s-%d", root, n->prefix, i);
		if (mkdir(path, 0700) == 0) {
			*dir = path;
			return 0;
		}
		if (errno != EEXIST || n->name) {
			err_errno(e, ERR_CANNOT_WRITE, errno,
				_("give another --run name, or free some space"),
				_("cannot make the run folder %s"), path);
			free(path);
			return -1;
		}
		free(path);
	}
	return err_set(e, ERR_CANNOT_WRITE, _("delete old runs"), _("too many runs in %s"), root);
}

static void set_current(const char *root, const char *name)
{
	AUTO_FREE char *link = path_join(root, "current");
	AUTO_FREE char *fresh = path_join(root, "current.new");

	(void)unlink(fresh);
	if (symlink(name, fresh) == 0)
		(void)rename(fresh, link);
}

static void take_over(struct run *r, const struct run *from)
{
	for (size_t i = 0; i < from->values.n; i++) {
		const struct value *v = &from->values.items[i];

		if (v->origin >= VALUE_DISCOVERED && !v->secret)
			values_put(&r->values, v->name, v->value, v->origin, false);
	}
	r->deviations = from->deviations;
}

static int fill_new(struct run *r, const struct run_new *n, struct err *e)
{
	const char *label;

	r->recipe_name = x_strdup(n->recipe ? n->recipe : RUN_RECIPE_DEFAULT);
	if (n->environment) {
		char *real = realpath(n->environment, NULL);
		r->environment = real ? real : x_strdup(n->environment);
		if (environment_apply(r->environment, e) != 0)
			return -1;
	}
	label = getenv("RLPILOT_LABEL");
	free(r->label);
	r->label = x_strdup(label ? label : "");
	if (recipe_find(r->recipe_name, &r->recipe, e) != 0)
		return -1;
	recipe_causes_use(r->recipe);
	values_start(&r->values, r->recipe, getenv);
	token_find(&r->values, r->recipe, NULL);
	gcloud_config_values(&r->values, r->recipe);
	r->deviations = deviation_defaults(r->recipe);
	if (n->like)
		take_over(r, n->like);
	return run_save(r, e);
}

bool run_name_good(const char *name)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "-_.";

	return *name && !strchr("-_.", *name) && strspn(name, good) == strlen(name) &&
	       strlen(name) <= RUN_NAME_MAX && strcmp(name, "current") != 0 &&
	       !text_ends(name, ".new");
}

int run_create(const char *root, const struct run_new *n, struct run **out, struct err *e)
{
	AUTO_FREE char *dir = NULL;
	struct run *r;

	if (n->name && !run_name_good(n->name))
		return err_set(e, ERR_USAGE, _("use at most 64 letters, digits, dots and hyphens"),
			_("\"%s\" cannot name a run"), n->name);
	if (make_dir(root, n, &dir, e) != 0)
		return -1;
	r = run_alloc(dir);
	if (fill_new(r, n, e) != 0) {
		run_close(r);
		(void)path_remove_tree(dir, NULL);
		return -1;
	}
	set_current(root, r->name);
	*out = r;
	return 0;
}

char *run_current_name(const char *root)
{
	AUTO_FREE char *link = path_join(root, "current");
	char target[256];
	ssize_t n = readlink(link, target, sizeof(target) - 1);

	/* One that was not made by us may lead elsewhere. */
	return n > 0 && *target != '.' && !memchr(target, '/', (size_t)n)
		       ? x_strndup(target, (size_t)n)
		       : NULL;
}

void run_discard(const struct run *r, const char *before)
{
	AUTO_FREE char *journal = path_join(r->dir, "journal.jsonl");
	AUTO_FREE char *root = x_strndup(r->dir, (size_t)(strrchr(r->dir, '/') - r->dir));
	AUTO_FREE char *link = path_join(root, "current");
	AUTO_FREE char *name = run_current_name(root);

	if (path_exists(journal))
		return;
	if (name && strcmp(name, r->name) == 0) {
		if (before)
			set_current(root, before);
		else
			(void)unlink(link);
	}
	(void)path_remove_tree(r->dir, NULL);
}

static char *current_of(const char *root)
{
	AUTO_FREE char *name = run_current_name(root);
	char *dir;

	if (!name)
		return NULL;
	dir = path_join(root, name);
	if (path_is_dir(dir))
		return dir;
	free(dir);
	return NULL;
}

int run_current(const char *root, char **dir)
{
	*dir = current_of(root);
	return *dir ? 0 : -1;
}

/* A name of something else ("", ".", "..") must never lead to a folder: runs are deleted too. */
static char *named(const char *root, const char *name)
{
	char *dir;

	if (strcmp(name, "current") == 0)
		return current_of(root);
	if (!*name || *name == '.')
		return NULL;
	dir = path_join(root, name);
	if (path_is_dir(dir))
		return dir;
	free(dir);
	return NULL;
}

/* By its path, and only if it is the folder of a run. */
static char *at_path(const char *path)
{
	char *real = realpath(path, NULL);
	AUTO_FREE char *values = real ? path_join(real, "run.yaml") : NULL;
	AUTO_FREE char *journal = real ? path_join(real, "journal.jsonl") : NULL;

	if (real && (path_exists(values) || path_exists(journal)))
		return real;
	free(real);
	return NULL;
}

static bool any_there(void)
{
	bool there = false;

	for (int demo = 0; demo < 2 && !there; demo++) {
		AUTO(strvec_fini) struct strvec dirs = {0};
		AUTO_FREE char *root = NULL;

		there = run_root(demo != 0, &root, NULL) == 0 && path_is_dir(root) &&
			run_list(root, &dirs, NULL) == 0 && dirs.n > 0;
	}
	return there;
}

int run_find(const char *name, char **dir, struct err *e)
{
	*dir = NULL;
	if (name && strchr(name, '/'))
		*dir = at_path(name);
	for (int demo = 0; demo < 2 && !*dir && !(name && strchr(name, '/')); demo++) {
		AUTO_FREE char *root = NULL;
		if (run_root(demo != 0, &root, e) != 0)
			return -1;
		*dir = name ? named(root, name) : current_of(root);
	}
	if (*dir)
		return 0;
	if (name)
		return err_set(
			e, ERR_FAILED, _("see `rlpilot runs`"), _("there is no run \"%s\""), name);
	if (any_there())
		return err_set(e, ERR_FAILED,
			_("choose one with --run NAME; `rlpilot runs` lists them"),
			_("the run that was the last one is gone"));
	return err_set(e, ERR_FAILED, _("begin one with `rlpilot` or `rlpilot demo`"),
		_("there is no run yet"));
}

int run_list(const char *root, struct strvec *dirs, struct err *e)
{
	struct strvec names = {0};

	if (path_list(root, &names, e) != 0)
		return -1;
	for (size_t i = 0; i < names.n; i++) {
		AUTO_FREE char *dir = path_join(root, names.items[i]);
		AUTO_FREE char *file = path_join(dir, "run.yaml");
		if (strcmp(names.items[i], "current") != 0 && path_exists(file))
			strvec_push(dirs, dir);
	}
	strvec_fini(&names);
	return 0;
}
