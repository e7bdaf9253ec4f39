/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/load_shell.h"

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"

#include <stdlib.h>
#include <string.h>

/* Cuts the next simple command off *p into words, quotes taken off; false at the end of the text.
 */
static bool next_command(const char **p, struct strvec *words)
{
	struct buf word = {0};
	char quote = '\0';
	bool open = false;

	while (**p == ';' || **p == '&' || **p == '\n' || **p == ' ')
		++*p;
	if (!**p)
		return false;
	for (; **p; ++*p) {
		char c = **p;

		if (quote ? c == quote : c == '\'' || c == '"') {
			quote = quote ? '\0' : c;
			open = true;
		} else if (!quote && (c == ';' || c == '&' || c == '\n')) {
			break;
		} else if (!quote && c == ' ') {
			if (open)
				strvec_take(words, buf_take(&word));
			open = false;
		} else {
			buf_addc(&word, c);
			open = true;
		}
	}
	if (open)
		strvec_take(words, buf_take(&word));
	buf_fini(&word);
	return true;
}

static void echo(struct load *l, const struct strvec *w)
{
	AUTO(buf_fini) struct buf b = {0};

	for (size_t i = 1; i < w->n; i++)
		buf_addf(&b, "%s%s", i > 1 ? " " : "", w->items[i]);
	load_write(l, "%s\n", buf_str(&b));
}

/* The exit code of one command; -1: the script ends with *code. */
static int run(struct load *l, const struct strvec *w, int last, int *code)
{
	const char *name = w->items[0];
	int64_t n = 0;

	if (!strcmp(name, "echo")) {
		echo(l, w);
		return 0;
	}
	if (!strcmp(name, "sleep")) {
		if (w->n > 1 && !strcmp(w->items[1], "infinity"))
			n = 365 * 86400;
		else if (w->n > 1)
			text_to_i64(w->items[1], 0, 365 * 86400, &n);
		load_wait(l, n * 1000);
		return 0;
	}
	if (!strcmp(name, "true") || !strcmp(name, "false"))
		return !strcmp(name, "false");
	if (!strcmp(name, "exit")) {
		n = last;
		if (w->n > 1)
			text_to_i64(w->items[1], 0, 255, &n);
		*code = (int)n;
		return -1;
	}
	load_write(l, "/bin/bash: line 1: %s: command not found\n", name);
	return 127;
}

void load_shell(struct load *l)
{
	const char *p = load_job(l)->command;
	int last = 0, code = -1;

	load_wait(l, 200);
	for (;;) {
		AUTO(strvec_fini) struct strvec w = {0};
		int r;

		if (!next_command(&p, &w) || w.n == 0)
			break;
		r = run(l, &w, last, &code);
		if (r < 0)
			break;
		last = r;
		if (last != 0 && p[0] == '&')
			break;
	}
	load_wait(l, 100);
	load_exit(l, code >= 0 ? code : last, NULL);
}
