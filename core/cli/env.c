/* SPDX-License-Identifier: Apache-2.0 */
/* rlpilot env: the variables; --export as lines for a shell, --import FILE back into a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/cli/cli.h"
#include "core/cli/context.h"
#include "core/fmt/shell.h"
#include "core/recipe/import.h"
#include "core/recipe/recipe.h"
#include "core/run/folder.h"
#include "core/run/frozen.h"

static void export_one(const struct recipe_variable *v, const char *value, struct buf *out)
{
	if (v->secret) {
		buf_addf(out, "# %s: %s\n", v->name,
			value ? _("set, and never written") : _("not set"));
	} else if (value) {
		buf_addf(out, "export %s=", v->name);
		shell_quote(out, value);
		buf_addc(out, '\n');
	} else {
		buf_addf(out, "# export %s=\n", v->name);
	}
}

static void list_one(const struct recipe_variable *v, const struct value *x, struct buf *out)
{
	AUTO_FREE char *clean = x && x->value && !x->secret ? text_clean_dup(x->value) : NULL;

	buf_addf(out, "%-24s ", v->name);
	text_pad(out, x ? value_origin_text(x->origin) : "-", 20);
	buf_addf(out, " %s\n", clean ? clean : x && x->value && *x->value ? "********" : "");
}

static void show(const struct cli_context *c, bool as_exports, struct buf *out)
{
	for (size_t i = 0; i < c->recipe->variables.n; i++) {
		const struct recipe_variable *v = &c->recipe->variables.items[i];

		if (v->derived_only)
			continue;
		if (as_exports)
			export_one(v, values_get(&c->values, v->name), out);
		else
			list_one(v, values_find(&c->values, v->name), out);
	}
}

static void place_of(const char *text, const char *at, size_t *line, size_t *column)
{
	*line = 1;
	*column = 1;
	for (; text < at; text++) {
		*column = *text == '\n' ? 1 : *column + 1;
		*line += *text == '\n';
	}
}

static int bad_line(const char *file, const char *text, const char *at, struct err *e)
{
	size_t line, column;

	place_of(text, at, &line, &column);
	if (!*e->what)
		err_set(e, ERR_BAD_FILE, _("write NAME=value or export NAME=value, nothing else"),
			_("this is not a plain assignment"));
	e->code = ERR_BAD_FILE;
	return err_at(e, file, line, column);
}

static void tell_left_out(const char *file, const struct import *m)
{
	for (size_t i = 0; i < m->unknown.n; i++)
		fprintf(stderr, _("rlpilot: %s: %s is not a variable of this recipe; ignored\n"),
			file, m->unknown.items[i]);
	for (size_t i = 0; i < m->placeholders.n; i++)
		fprintf(stderr,
			_("rlpilot: %s: %s is still a placeholder of the tutorial, left out\n"),
			file, m->placeholders.items[i]);
	for (size_t i = 0; i < m->n; i++)
		if (m->items[i].variable->secret)
			fprintf(stderr, _("rlpilot: %s is not kept: export it in your shell\n"),
				m->items[i].variable->name);
}

/* All of the file or nothing; what the recipe does not know is passed over with a message. */
static int take_file(const char *file, const char *text, struct cli_context *c, struct err *e)
{
	struct import m;
	int rc = 0;

	import_read(c->recipe, text, &m);
	if (m.faults)
		rc = bad_line(file, text, text + m.fault, e);
	for (size_t i = 0; !rc && i < m.n; i++)
		if (values_put_checked(&c->values, c->recipe, m.items[i].variable->name,
			    m.items[i].value, VALUE_TYPED, e))
			rc = bad_line(file, text, text + m.items[i].at, e);
	if (!rc)
		tell_left_out(file, &m);
	import_fini(&m);
	return rc;
}

static int read_file(const char *file, struct cli_context *c, struct err *e)
{
	AUTO(buf_fini) struct buf b = {0};

	return path_read(file, 64 << 10, &b, e) || take_file(file, buf_str(&b), c, e) ? -1 : 0;
}

/* Nobody else writes the run from here on, and it is as it was left. */
static int hold(struct cli_context *c, struct err *e)
{
	if (run_lock(c->run, e) || run_reopen(&c->run, e))
		return -1;
	c->recipe = c->run->recipe;
	values_fini(&c->values);
	values_copy(&c->values, &c->run->values);
	return 0;
}

static int import(const char *file, struct cli_context *c, struct err *e)
{
	const char *changed;

	if (hold(c, e) || read_file(file, c, e))
		return -1;
	changed = frozen_change(c->run, &c->values);
	if (changed)
		return err_set(e, ERR_USAGE, _("start another run with --run NAME"),
			_("%s can no longer be changed: the run has begun"), changed);
	values_fini(&c->run->values);
	values_copy(&c->run->values, &c->values);
	return run_save(c->run, e);
}

/* Without --run, what was imported becomes a new run. */
static int import_new(
	const struct cli_globals *g, const char *file, struct cli_context *c, struct err *e)
{
	const struct run_new n = {.prefix = "run", .recipe = g->recipe};
	AUTO_FREE char *root = NULL;
	struct values given = {0};
	int rc;

	if (read_file(file, c, e))
		return -1;
	if (run_root(false, &root, e) || run_create(root, &n, &c->run, e))
		return -1;
	given = c->values;
	memset(&c->values, 0, sizeof(c->values));
	values_fini(&c->run->values);
	c->run->values = given;
	rc = run_lock(c->run, e) || run_save(c->run, e) ? -1 : 0;
	if (!rc)
		printf(_("run %s\n"), c->run->name);
	return rc;
}

int cli_env(int argc, char **argv, const struct cli_globals *g)
{
	AUTO(cli_context_close) struct cli_context c = {0};
	AUTO(buf_fini) struct buf out = {0};
	const char *file = NULL;
	bool as_exports = false;
	struct err e = {0};
	const struct cli_option options[] = {
		{"--export", CLI_FLAG, &as_exports},
		{"--import", CLI_TEXT, &file},
	};

	if (cli_parse(options, COUNT(options), &argc, argv, &e))
		return cli_fail(&e);
	if (argc > 1 || (file && as_exports)) {
		err_set(&e, ERR_USAGE, _("usage: rlpilot env [--export | --import FILE]"),
			_("env takes one of its two options"));
		return cli_fail(&e);
	}
	if ((file && cli_may_change(g, &e)) || cli_context_open(g, NULL, NULL, NULL, &c, &e))
		return cli_fail(&e);
	if (file) {
		int rc = g->run ? import(file, &c, &e) : import_new(g, file, &c, &e);

		return rc ? cli_fail(&e) : 0;
	}
	show(&c, as_exports, &out);
	(void)fwrite(buf_str(&out), 1, out.len, stdout);
	return 0;
}
