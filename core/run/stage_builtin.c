/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of a recipe that the engine carries out itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/fmt/blueprint.h"
#include "core/run/engine_in.h"
#include "core/run/tfstate.h"

#define BLUEPRINT_MAX ((size_t)4 << 20)

static char *in_folder(const struct engine *en, const struct command *c, const char *name)
{
	AUTO_FREE char *cwd = path_join(en->toolkit, c->cwd && *c->cwd ? c->cwd : ".");

	return *name == '/' ? x_strdup(name) : path_join(cwd, name);
}

static int need_tools(struct engine *en, const struct command *c, struct err *e)
{
	AUTO(buf_fini) struct buf missing = {0};

	(void)en;
	for (size_t i = 1; i < c->argv.n; i++) {
		const char *name = c->argv.items[i];
		AUTO_FREE char *found = NULL;
		if (*name == '?')
			continue;
		found = path_find_program(name, getenv("PATH"));
		if (!found)
			buf_addf(&missing, "%s%s", missing.len ? ", " : "", name);
	}
	if (!missing.len)
		return 0;
	return err_set(e, ERR_BLOCKED, _("install them, then retry this stage"),
		_("missing on PATH: %s"), buf_str(&missing));
}

static int make_folder(struct engine *en, const struct command *c, struct err *e)
{
	for (size_t i = 1; i < c->argv.n; i++) {
		AUTO_FREE char *dir = in_folder(en, c, c->argv.items[i]);
		if (path_mkdirs(dir, e) != 0)
			return -1;
	}
	return 0;
}

static int detect_bundle(struct engine *en, const struct command *c, struct err *e)
{
	const char *name = c->argv.n > 1 ? c->argv.items[1] : "BUNDLE";

	if (values_get(&en->run->values, name))
		return 0;
	return err_set(e, ERR_BLOCKED, _("use Linux or macOS on x86-64 or arm64"),
		_("there is no toolkit bundle for this platform"));
}

static int keep_blueprint(struct engine *en, const struct command *c, const struct buf *was,
	const struct buf *now, struct err *e)
{
	AUTO_FREE char *copy = path_join(en->run->dir, "blueprint.yaml");
	AUTO_FREE char *diff = path_join(en->run->dir, "blueprint.diff");
	AUTO(buf_fini) struct buf text = {0};

	blueprint_diff(
		c->source->edit_source, buf_str(was), c->source->edit_target, buf_str(now), &text);
	if (path_write(copy, buf_str(now), now->len, e) != 0)
		return -1;
	return path_write(diff, buf_str(&text), text.len, e);
}

static int edit_blueprint(struct engine *en, const struct command *c, struct err *e)
{
	AUTO_FREE char *source = in_folder(en, c, c->source->edit_source);
	AUTO_FREE char *target = in_folder(en, c, c->source->edit_target);
	AUTO(buf_fini) struct buf was = {0};
	AUTO(buf_fini) struct buf now = {0};
	struct blueprint_edit edits[16];
	size_t n = 0;

	if (path_read(source, BLUEPRINT_MAX, &was, e) != 0)
		return -1;
	for (; n < c->source->edits.n && n < COUNT(edits); n++) {
		const struct recipe_edit *x = &c->source->edits.items[n];
		edits[n] = (struct blueprint_edit){x->find ? BLUEPRINT_REPLACE : BLUEPRINT_APPEND,
			x->find ? x->find : x->after, x->find ? x->replace : x->add, (int)x->count};
	}
	if (blueprint_edit(buf_str(&was), was.len, edits, n, &now, e) != 0) {
		AUTO_FREE char *what = x_strdup(e->what);
		(void)snprintf(e->what, sizeof(e->what), "%s: %s", c->source->edit_source, what);
		return -1;
	}
	if (path_write(target, buf_str(&now), now.len, e) != 0)
		return -1;
	return keep_blueprint(en, c, &was, &now, e);
}

/* By its words: below the toolkit's folder, without a way up. */
static bool below_toolkit(const struct engine *en, const char *path)
{
	size_t n = strlen(en->toolkit);
	AUTO(strvec_fini) struct strvec parts = {0};

	if (!text_starts(path, en->toolkit) || path[n] != '/')
		return false;
	strvec_split(&parts, path + n, "/");
	return parts.n && strvec_find(&parts, "..") < 0 &&
	       strcmp(parts.items[parts.n - 1], ".") != 0;
}

static int remove_folder(struct engine *en, const struct command *c, struct err *e)
{
	for (size_t i = 1; i < c->argv.n; i++) {
		AUTO_FREE char *path = in_folder(en, c, c->argv.items[i]);
		if (!below_toolkit(en, path))
			return err_set(e, ERR_FAILED, "", _("%s is outside the run folder"), path);
		if (!en->proven && tfstate_within(path))
			return err_set(e, ERR_BLOCKED, _("clean up first"),
				_("%s holds terraform's state, the only key to what was made"),
				path);
		if (path_remove_tree(path, e) != 0)
			return -1;
	}
	return 0;
}

static const struct {
	const char *name;
	int (*act)(struct engine *en, const struct command *c, struct err *e);
} builtins[] = {
	{"need-tools", need_tools},
	{"make-folder", make_folder},
	{"detect-bundle", detect_bundle},
	{"edit-blueprint", edit_blueprint},
	{"remove-folder", remove_folder},
};

int builtin_run(struct engine *en, const struct command *c, struct err *e)
{
	for (size_t i = 0; i < COUNT(builtins); i++)
		if (strcmp(builtins[i].name, c->builtin) == 0)
			return builtins[i].act(en, c, e);
	return err_set(
		e, ERR_FAILED, _("use a newer rlpilot"), _("unknown built-in %s"), c->builtin);
}
