/* SPDX-License-Identifier: Apache-2.0 */
#include "core/recipe/word.h"

#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/shell.h"
#include "core/recipe/decode.h"
#include "core/recipe/values.h"

void word_fini(struct word *w)
{
	if (w->value.data)
		explicit_bzero(w->value.data, w->value.len);
	buf_fini(&w->value);
	buf_fini(&w->script);
}

static void word_bytes(struct word *w, const char *s, size_t n)
{
	buf_add(&w->value, s, n);
	shell_inside_double(&w->script, s, n);
}

void word_text(struct word *w, const char *s)
{
	word_bytes(w, s, strlen(s));
}

int word_template(struct word *w, const struct render *o, const char *tmpl, struct err *e)
{
	struct template_ref t;

	while (template_next(tmpl, &t)) {
		AUTO_FREE char *name = x_strndup(t.name, t.name_n);
		const char *value = values_get(o->values, name);

		word_bytes(w, tmpl, (size_t)(t.at - tmpl));
		w->refs = true;
		if (t.dflt)
			buf_addf(&w->script, "${%s:-%.*s}", name, (int)t.dflt_n, t.dflt);
		else
			buf_addf(&w->script, "${%s:?}", name);
		if (value)
			buf_adds(&w->value, value);
		else if (t.dflt)
			buf_add(&w->value, t.dflt, t.dflt_n);
		else if (o->names)
			buf_addf(&w->value, "${%s}", name);
		else
			return err_set(e, ERR_PERSON, _("export it, or give --set NAME=VALUE"),
				_("%s has no value"), name);
		tmpl = t.at + t.len;
	}
	word_text(w, tmpl);
	return 0;
}

void word_break(struct word *w)
{
	buf_addc(&w->value, ' ');
	buf_adds(&w->script, " \\\n");
	w->refs = true;
}

void word_shell(const struct word *w, struct buf *out)
{
	if (w->refs)
		buf_addf(out, "\"%s\"", buf_str(&w->script));
	else
		shell_quote(out, buf_str(&w->value));
}

void word_raw(const char *tmpl, struct buf *out)
{
	struct template_ref t;

	while (template_next(tmpl, &t)) {
		buf_add(out, tmpl, (size_t)(t.at - tmpl));
		if (t.dflt)
			buf_add(out, t.at, t.len);
		else
			buf_addf(out, "${%.*s:?}", (int)t.name_n, t.name);
		tmpl = t.at + t.len;
	}
	buf_adds(out, tmpl);
}

bool render_when(const struct render *o, const char *when)
{
	bool off;

	if (!when)
		return true;
	off = *when == '!';
	return (!o->as_written && deviation_on(o->recipe, o->deviations, when + off)) != off;
}

static int item_word(struct word *w, const struct render *o, const struct recipe_item *x,
	char quote, struct err *e)
{
	const char q[2] = {quote, '\0'};

	if (x->value) {
		word_text(w, x->raw ? "" : q);
		if (word_template(w, o, x->value, e))
			return -1;
		word_text(w, x->raw ? "" : q);
		return 0;
	}
	word_text(w, x->list ? "[" : "{");
	for (size_t i = 0; i < x->n; i++) {
		if (i)
			word_text(w, ", ");
		if (!x->list) {
			word_text(w, q);
			word_text(w, x->items[i].key);
			word_text(w, q);
			word_text(w, ": ");
		}
		if (item_word(w, o, &x->items[i], quote, e))
			return -1;
	}
	word_text(w, x->list ? "]" : "}");
	return 0;
}

static int param_word(
	struct word *w, const struct render *o, const struct recipe_param *p, struct err *e)
{
	static const char *const marks[] = {"", "'", "\""};
	const char *mark = marks[p->quote];
	const char *given = p->editable && !o->as_written ? values_get(o->values, p->key) : NULL;

	word_break(w);
	word_text(w, p->key);
	if (!p->value && !p->object)
		return 0;
	word_text(w, "=");
	word_text(w, mark);
	if (p->object) {
		if (item_word(w, o, p->object, p->quote == QUOTE_SINGLE ? '"' : '\'', e))
			return -1;
	} else if (given) {
		word_text(w, given);
	} else if (word_template(w, o, p->value, e)) {
		return -1;
	}
	word_text(w, mark);
	return 0;
}

static int params_word(
	struct word *w, const struct render *o, const struct recipe_params *p, struct err *e)
{
	for (size_t i = 0; i < p->n; i++) {
		if (render_when(o, p->items[i].when) && param_word(w, o, &p->items[i], e))
			return -1;
	}
	return 0;
}

static void patch_word(struct word *w, const struct recipe_step *s)
{
	word_text(w, "python3 -c \"import pathlib, re; p = pathlib.Path('");
	word_text(w, s->patch_file);
	word_text(w, "'); p.write_text(re.sub('");
	word_text(w, s->patch_pattern);
	word_text(w, "', '");
	word_text(w, s->patch_replacement);
	word_text(w, "', p.read_text()))\"");
}

static int step_word(
	struct word *w, const struct render *o, const struct recipe_step *s, struct err *e)
{
	if (s->export_name) {
		word_text(w, "export ");
		word_text(w, s->export_name);
		word_text(w, "=");
		return word_template(w, o, s->value ? s->value : "", e);
	}
	if (s->patch_file) {
		patch_word(w, s);
		return 0;
	}
	for (size_t i = 0; i < s->env.n; i++) {
		word_text(w, s->env.items[i].name);
		word_text(w, "=");
		if (word_template(w, o, s->env.items[i].value, e))
			return -1;
		if (i + 1 < s->env.n)
			word_text(w, " ");
		else
			word_break(w);
	}
	word_text(w, "python3 -m ");
	word_text(w, s->module);
	if (params_word(w, o, &s->params, e))
		return -1;
	return s->parameters ? params_word(w, o, &o->recipe->parameters, e) : 0;
}

int container_word(
	struct word *w, const struct render *o, const struct recipe_container *c, struct err *e)
{
	if (c->only_index) {
		word_text(w, "[ \"$JOB_COMPLETION_INDEX\" != \"");
		word_text(w, c->only_index);
		word_text(w, "\" ] ||");
		word_break(w);
	}
	for (size_t i = 0; i < c->steps.n; i++) {
		if (i) {
			word_text(w, " &&");
			word_break(w);
		}
		if (step_word(w, o, &c->steps.items[i], e))
			return -1;
	}
	return 0;
}
