/* SPDX-License-Identifier: Apache-2.0 */
#include "core/recipe/command.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/recipe/builtin.h"
#include "core/recipe/word.h"

struct deviations deviation_defaults(const struct recipe *r)
{
	struct deviations d = {0};

	for (size_t i = 0; i < r->deviations.n; i++)
		d.on |= r->deviations.items[i].dflt ? 1U << i : 0;
	return d;
}

bool deviation_on(const struct recipe *r, struct deviations d, const char *id)
{
	const struct recipe_deviation *x = recipe_deviation(r, id);

	return x && (d.on >> (x - r->deviations.items) & 1);
}

int deviation_switch(
	const struct recipe *r, struct deviations *d, const char *id, bool on, struct err *e)
{
	const struct recipe_deviation *x = recipe_deviation(r, id);
	uint32_t bit;

	if (!x)
		return err_set(e, ERR_USAGE, _("`rlpilot plan` lists them"),
			_("there is no deviation called %s"), id);
	bit = 1U << (x - r->deviations.items);
	d->on = on ? d->on | bit : d->on & ~bit;
	return 0;
}

static void wipe(struct strvec *v)
{
	for (size_t i = 0; i < v->n; i++)
		explicit_bzero(v->items[i], strlen(v->items[i]));
	strvec_fini(v);
}

void command_list_fini(struct command_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		wipe(&l->items[i].argv);
		wipe(&l->items[i].pipe);
		wipe(&l->items[i].env);
		free(l->items[i].script);
	}
	free(l->items);
	memset(l, 0, sizeof(*l));
}

static int pairs_word(
	struct word *w, const struct render *o, const struct recipe_pairs *p, struct err *e)
{
	for (size_t i = 0; i < p->n; i++) {
		if (i)
			word_text(w, ",");
		word_text(w, p->items[i].name);
		word_text(w, "=");
		if (word_template(w, o, p->items[i].value, e))
			return -1;
	}
	return 0;
}

static int value_word(
	struct word *w, const struct render *o, const struct recipe_arg *a, struct err *e)
{
	if (a->container)
		return container_word(w, o, a->container, e);
	if (a->pairs.n)
		return pairs_word(w, o, &a->pairs, e);
	return word_template(w, o, a->value, e);
}

/* A word is a line of its own when it begins with a dash and the command is long. */
static void separate(struct buf *script, bool own_line)
{
	buf_adds(script, own_line ? " \\\n  " : " ");
}

static int arg_word(const struct render *o, const struct recipe_arg *a, bool long_command,
	struct strvec *argv, struct buf *script, struct err *e)
{
	AUTO(word_fini) struct word w = {0};
	bool alone = a->flag && !a->value && !a->pairs.n && !a->container;

	if (a->word || alone) {
		if (word_template(&w, o, a->word ? a->word : a->flag, e))
			return -1;
		separate(script, long_command && *buf_str(&w.value) == '-');
		word_shell(&w, script);
		strvec_push(argv, buf_str(&w.value));
		return 0;
	}
	separate(script, long_command);
	buf_addf(script, "%s%s", a->flag, a->apart ? " " : "=");
	if (value_word(&w, o, a, e))
		return -1;
	word_shell(&w, script);
	if (a->apart)
		strvec_push(argv, a->flag);
	strvec_pushf(
		argv, "%s%s%s", a->apart ? "" : a->flag, a->apart ? "" : "=", buf_str(&w.value));
	return 0;
}

static int args_words(const struct render *o, const struct recipe_args *args, struct strvec *argv,
	struct buf *script, struct err *e)
{
	size_t flags = 0;

	for (size_t i = 0; i < args->n; i++)
		flags += args->items[i].flag && render_when(o, args->items[i].when);
	for (size_t i = 0; i < args->n; i++) {
		if (render_when(o, args->items[i].when) &&
			arg_word(o, &args->items[i], flags > 3, argv, script, e))
			return -1;
	}
	return 0;
}

static int env_words(const struct render *o, const struct recipe_pairs *env, struct strvec *out,
	struct buf *script, struct err *e)
{
	for (size_t i = 0; i < env->n; i++) {
		AUTO(word_fini) struct word w = {0};

		if (word_template(&w, o, env->items[i].value, e))
			return -1;
		buf_addf(script, "%s=", env->items[i].name);
		word_shell(&w, script);
		buf_addc(script, ' ');
		strvec_pushf(out, "%s=%s", env->items[i].name, buf_str(&w.value));
	}
	return 0;
}

/* The program, its guards and its redirections as shell text. */
static int program_script(const struct render *o, const struct recipe_command *rc,
	struct command *c, struct buf *script, struct err *e)
{
	const char *skip = o->as_written ? NULL : rc->skip_script;

	if (skip) {
		word_raw(skip, script);
		buf_adds(script, " ||\n  ");
	}
	if (env_words(o, &rc->env, &c->env, script, e))
		return -1;
	buf_adds(script, rc->program);
	strvec_push(&c->argv, rc->program);
	if (args_words(o, &rc->args, &c->argv, script, e))
		return -1;
	if (rc->pipe.n) {
		AUTO(buf_fini) struct buf reader = {0};

		if (args_words(o, &rc->pipe, &c->pipe, &reader, e))
			return -1;
		buf_addf(script, " \\\n  |%s", buf_str(&reader));
	}
	if (c->stdin_closed)
		buf_adds(script, " </dev/null");
	if (rc->or_script) {
		buf_adds(script, " ||\n  ");
		word_raw(rc->or_script, script);
	}
	return 0;
}

static int render_one(
	const struct render *o, const struct recipe_command *rc, struct command *c, struct err *e)
{
	AUTO(buf_fini) struct buf script = {0};
	AUTO(buf_fini) struct buf words = {0};
	int rc_;

	c->kind = rc->kind;
	c->source = rc;
	c->builtin = rc->builtin;
	c->cwd = rc->cwd;
	c->interactive = rc->interactive;
	c->may_fail = rc->or_script != NULL;
	c->stdin_closed = rc->kind == RECIPE_RUN && !rc->interactive && !rc->pipe.n &&
			  render_when(o, "stdin-closed");
	if (!rc->builtin) {
		rc_ = program_script(o, rc, c, &script, e);
	} else {
		strvec_push(&c->argv, rc->builtin);
		rc_ = args_words(o, &rc->args, &c->argv, &words, e);
		builtin_script(o, rc, &c->argv, buf_str(&words), &script);
	}
	c->script = buf_take(&script);
	return rc_;
}

static bool wanted(const struct render *o, const struct recipe_command *c)
{
	if (c->written == (o->as_written ? WRITTEN_NEVER : WRITTEN_ONLY))
		return false;
	return render_when(o, c->when);
}

static int render_all(const struct render *o, const struct recipe_commands *from,
	struct command_list *out, struct err *e)
{
	for (size_t i = 0; i < from->n; i++) {
		if (!wanted(o, &from->items[i]))
			continue;
		if (render_one(o, &from->items[i], VEC_PUSH(out), e))
			return -1;
	}
	return 0;
}

int command_render(const struct render *o, const struct recipe_stage *s, struct command_list *out,
	struct err *e)
{
	return render_all(o, &s->commands, out, e);
}

int command_render_undo(const struct render *o, const struct recipe_stage *s,
	struct command_list *out, struct err *e)
{
	return render_all(o, &s->undo, out, e);
}
