/* SPDX-License-Identifier: Apache-2.0 */
#include "core/recipe/builtin.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/fmt/shell.h"
#include "core/recipe/command.h"
#include "core/recipe/word.h"

const char builtin_wait_function[] =
	"# Waits until the JobSet $1 has completed; its failure, or its absence for five minutes, "
	"is an error.\n"
	"wait_for_job() {\n"
	"  local missing=0\n"
	"  until kubectl wait --for=condition=Completed \"jobset/$1\" --timeout=60s >/dev/null "
	"2>&1; do\n"
	"    if kubectl wait --for=condition=Failed \"jobset/$1\" --timeout=1s >/dev/null 2>&1; "
	"then\n"
	"      echo \"the job $1 has failed\" >&2\n"
	"      return 1\n"
	"    fi\n"
	"    kubectl get \"jobset/$1\" >/dev/null || missing=$((missing + 1))\n"
	"    if [ \"$missing\" -ge 20 ]; then\n"
	"      return 1\n"
	"    fi\n"
	"    sleep 15\n"
	"  done\n"
	"}\n";

static void need_tools(const struct strvec *argv, struct buf *out)
{
	AUTO(buf_fini) struct buf must = {0};
	AUTO(buf_fini) struct buf may = {0};

	for (size_t i = 1; i < argv->n; i++) {
		const char *s = argv->items[i];
		struct buf *to = *s == '?' ? &may : &must;

		buf_addc(to, ' ');
		shell_quote(to, *s == '?' ? s + 1 : s);
	}
	buf_addf(out,
		"for tool in%s; do\n"
		"  command -v \"$tool\" >/dev/null || { echo \"missing: $tool\" >&2; exit 1; }\n"
		"done",
		buf_str(&must));
	if (may.len)
		buf_addf(out,
			"\nfor tool in%s; do\n"
			"  command -v \"$tool\" >/dev/null || echo \"not found: $tool\" >&2\n"
			"done",
			buf_str(&may));
}

static void detect_bundle(const struct render *o, const char *name, struct buf *out)
{
	const struct recipe_variable *v = recipe_variable(o->recipe, name);

	if (!v)
		return;
	buf_adds(out, "case \"$(uname -s)-$(uname -m)\" in\n");
	for (size_t i = 0; i < v->platforms.n; i++)
		buf_addf(out, "  %s) %s=\"%s\" ;;\n", v->platforms.items[i].name, name,
			v->platforms.items[i].value);
	buf_addf(out,
		"  *) %s=\"\"; echo \"Unsupported platform: $(uname -s)-$(uname -m)\" >&2 ;;\n"
		"esac",
		name);
}

static void awk_string(struct buf *out, const char *s)
{
	buf_addc(out, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_addc(out, '\\');
		buf_addc(out, *s);
	}
	buf_addc(out, '"');
}

static void awk_edit(const struct recipe_edit *x, size_t i, struct buf *out)
{
	buf_adds(out, "index($0, ");
	awk_string(out, x->find ? x->find : x->after);
	buf_addf(out, ") { n[%zu]++; ", i + 1);
	if (x->find) {
		buf_adds(out, "$0 = swap($0, ");
		awk_string(out, x->find);
		buf_adds(out, ", ");
		awk_string(out, x->replace);
		buf_adds(out, ") }\n");
	} else {
		buf_adds(out, "more = more \"\\n\" ");
		awk_string(out, x->add);
		buf_adds(out, " }\n");
	}
}

void command_edit_script(const struct recipe_command *c, struct buf *out)
{
	buf_adds(out, "function swap(s, from, to,    at) {\n"
		      "  at = index(s, from)\n"
		      "  return substr(s, 1, at - 1) to substr(s, at + length(from))\n"
		      "}\n"
		      "{ more = \"\" }\n");
	for (size_t i = 0; i < c->edits.n; i++)
		awk_edit(&c->edits.items[i], i, out);
	buf_adds(out, "{ print $0 more }\nEND {\n");
	for (size_t i = 0; i < c->edits.n; i++) {
		const struct recipe_edit *x = &c->edits.items[i];

		buf_addf(out, "  if (n[%zu] != %zu) { print \"edit %zu: \" n[%zu] + 0 ", i + 1,
			x->count, i + 1, i + 1);
		buf_addf(out, "\" lines instead of %zu\" > \"/dev/stderr\"; bad = 1 }\n", x->count);
	}
	buf_adds(out, "  exit bad\n}\n");
}

static void edit_by_awk(const struct recipe_command *c, struct buf *out)
{
	AUTO(buf_fini) struct buf program = {0};
	AUTO(buf_fini) struct buf file = {0};

	command_edit_script(c, &program);
	shell_quote(&file, c->edit_target);
	buf_adds(out, "cp ");
	shell_quote(out, c->edit_source);
	buf_addf(out, " %s\nif [ -s %s ]; then\n  awk ", buf_str(&file), buf_str(&file));
	shell_quote(out, buf_str(&program));
	buf_addf(out, " %s >%s.new\n  mv %s.new %s\nfi", buf_str(&file), buf_str(&file),
		buf_str(&file), buf_str(&file));
}

static void edit_by_sed(const struct recipe_command *c, struct buf *out)
{
	buf_adds(out, "TMP_DIR=$(mktemp -d)\nBLUEPRINT_FILE=\"${TMP_DIR}/");
	shell_inside_double(out, c->edit_target, strlen(c->edit_target));
	buf_adds(out, "\"\ncp ");
	shell_quote(out, c->edit_source);
	buf_adds(out, " \"${BLUEPRINT_FILE}\"");
	for (size_t i = 0; i < c->edits.n; i++) {
		const struct recipe_edit *x = &c->edits.items[i];
		AUTO(buf_fini) struct buf program = {0};

		if (x->find)
			buf_addf(&program, "s/%s/%s/", x->find, x->replace);
		else
			buf_addf(&program, "/%s/a \\%s", x->after, x->add);
		if (strchr(buf_str(&program), '$'))
			buf_adds(out, "\n# shellcheck disable=SC2016");
		buf_adds(out, "\nsed -i ");
		shell_quote(out, buf_str(&program));
		buf_adds(out, " \"${BLUEPRINT_FILE}\"");
	}
}

void builtin_script(const struct render *o, const struct recipe_command *c,
	const struct strvec *argv, const char *words, struct buf *out)
{
	const char *name = c->builtin;

	if (!strcmp(name, "need-tools"))
		need_tools(argv, out);
	else if (!strcmp(name, "make-folder"))
		buf_addf(out, "mkdir -p%s", words);
	else if (!strcmp(name, "remove-folder"))
		buf_addf(out, "rm -rf%s", words);
	else if (!strcmp(name, "wait-job"))
		buf_addf(out, "wait_for_job%s", words);
	else if (!strcmp(name, "detect-bundle") && argv->n > 1)
		detect_bundle(o, argv->items[1], out);
	else if (!strcmp(name, "edit-blueprint") && render_when(o, "edits-in-c"))
		edit_by_awk(c, out);
	else if (!strcmp(name, "edit-blueprint"))
		edit_by_sed(c, out);
}
