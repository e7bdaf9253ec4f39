/* SPDX-License-Identifier: Apache-2.0 */
/* The whole walk as one bash script. */
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/shell.h"
#include "core/recipe/builtin.h"
#include "core/recipe/command.h"
#include "core/recipe/values.h"
#include "core/recipe/word.h"

struct writer {
	const struct render *o;
	struct buf *out;
	const char *cwd;
	const char *confirm; /* variable of the open if-block */
};

static void comment(struct buf *out, const char *text)
{
	AUTO_FREE char *clean = text_clean_dup(text);

	buf_addf(out, "# %s\n", clean);
}

/* A variable that nobody is asked for, but that somebody has set. */
static bool given(const struct values *values, const struct recipe_variable *v)
{
	const struct value *x = values_find(values, v->name);

	return v->derive == DERIVE_NONE && x && x->value && *x->value && x->origin > VALUE_DEFAULT;
}

/* The variables: what must be there, with the values of this run as defaults, secrets never. */
static void header(const struct render *o, bool waits, struct buf *out)
{
	buf_adds(out, "#!/usr/bin/env bash\n");
	comment(out, recipe_text(&o->recipe->title));
	comment(out,
		o->as_written
			? _("Exactly the tutorial's commands. Export its fourteen variables first.")
			: _("The tutorial's commands as rlpilot runs them. Secrets come from the "
			    "environment."));
	buf_adds(out, "set -euo pipefail\n");
	if (o->as_written)
		return;
	buf_adds(out, "umask 077 # gcluster writes the token into files that all could read\n");
	for (size_t i = 0; i < o->recipe->variables.n; i++) {
		const struct recipe_variable *v = &o->recipe->variables.items[i];
		const char *value = values_get(o->values, v->name);
		AUTO(buf_fini) struct buf word = {0};

		if (v->derived_only && !given(o->values, v))
			continue;
		if (value && !v->secret) {
			shell_inside_double(&word, value, strlen(value));
			buf_addf(out, ": \"${%s:=%s}\"\n", v->name, buf_str(&word));
		} else {
			buf_addf(out, ": \"${%s%s}\"\n", v->name, v->optional ? ":=" : ":?");
		}
	}
	if (render_when(o, "own-kubeconfig"))
		buf_adds(out, "export KUBECONFIG=\"$PWD/kubeconfig\"\n");
	if (waits)
		buf_addf(out, "\n%s", builtin_wait_function);
}

static void confirm_close(struct writer *w)
{
	if (w->confirm)
		buf_addf(w->out, "else\n  echo \"left out: set %s to confirm\" >&2\nfi\n",
			w->confirm);
	w->confirm = NULL;
}

static void confirm_open(struct writer *w, const struct recipe_command *c)
{
	const char *env = w->o->as_written ? NULL : c->confirm_env;

	if (w->confirm && (!env || strcmp(w->confirm, env)))
		confirm_close(w);
	if (!env || w->confirm)
		return;
	buf_addf(w->out, "if [ \"${%s:-}\" = \"", env);
	word_raw(c->confirm_value, w->out);
	buf_adds(w->out, "\" ]; then\n");
	w->confirm = env;
}

static void one(struct writer *w, const struct command *c)
{
	const char *why = recipe_text(&c->source->why);

	if (strcmp(c->cwd, w->cwd)) {
		confirm_close(w);
		buf_addf(w->out, "cd %s\n", c->cwd);
		w->cwd = c->cwd;
	}
	confirm_open(w, c->source);
	if (!w->o->as_written && *why)
		comment(w->out, why);
	buf_addf(w->out, "%s\n", c->script);
}

static int stage(struct writer *w, const struct recipe_stage *s, struct err *e)
{
	struct command_list list = {0};
	int rc = command_render(w->o, s, &list, e);

	if (!rc && list.n) {
		buf_adds(w->out, "\n");
		buf_addf(w->out, "# --- %s: ", s->id);
		text_clean(w->out, recipe_text(&s->title), strlen(recipe_text(&s->title)));
		buf_addc(w->out, '\n');
	}
	for (size_t i = 0; !rc && i < list.n; i++)
		one(w, &list.items[i]);
	confirm_close(w);
	command_list_fini(&list);
	return rc;
}

static bool waits(const struct render *o, const struct recipe_stage *s)
{
	for (size_t i = 0; i < s->commands.n; i++) {
		const struct recipe_command *c = &s->commands.items[i];

		if (c->builtin && !strcmp(c->builtin, "wait-job") && render_when(o, c->when))
			return true;
	}
	return false;
}

int command_script(
	const struct render *o, const struct recipe_stage *only, struct buf *out, struct err *e)
{
	struct render names = *o;
	struct writer w = {.o = &names, .out = out, .cwd = "."};
	bool any_wait = false;

	names.names = true;
	for (size_t i = 0; i < o->recipe->stages.n; i++) {
		const struct recipe_stage *s = &o->recipe->stages.items[i];

		any_wait = any_wait || ((!only || s == only) && waits(&names, s));
	}
	header(&names, any_wait, out);
	for (size_t i = 0; i < o->recipe->stages.n; i++) {
		const struct recipe_stage *s = &o->recipe->stages.items[i];

		if ((!only || s == only) && stage(&w, s, e))
			return -1;
	}
	return 0;
}
