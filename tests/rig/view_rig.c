/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/rig/view_rig.h"

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "tests/rig/golden.h"
#include "tests/rig/keys.h"
#include "tests/rig/vt.h"
#include "tui/glyph.h"
#include "tui/term.h"
#include "tui/theme.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct view_rig {
	struct host *host;
	struct vt *vt;
	FILE *in, *out;
	off_t read;
	struct theme theme;
};

/* A file has no size to ask for; curses must not take the terminal type's own 24 lines, else it
 * sets a scroll region that the wanted size does not have. */
static enum term_answer rig_open(const struct term_options *t, char *note, size_t size)
{
	char number[24];
	enum term_answer mode;
	snprintf(number, sizeof(number), "%d", t->rows);
	setenv("LINES", number, 1);
	snprintf(number, sizeof(number), "%d", t->cols);
	setenv("COLUMNS", number, 1);
	unsetenv("NO_COLOR"); /* goldens tell roles by their colours */
	mode = term_open(t, note, size);
	unsetenv("LINES");
	unsetenv("COLUMNS");
	return mode;
}

struct view_rig *view_rig_open(int cols, int rows, const char *lang, const struct host_options *o,
	const struct theme *theme)
{
	struct view_rig *r = X_NEW(struct view_rig);
	struct host_options options = *o;
	const char *build = getenv("builddir");
	AUTO_FREE char *locale = x_asprintf("%s/locale", build ? build : ".");
	char note[256];
	text_language(lang, locale);
	glyph_ascii(false);
	r->in = fopen("/dev/null", "r");
	r->out = tmpfile();
	if (!r->in || !r->out)
		die("view rig: no file for the terminal");
	struct term_options t = {.type = "xterm-256color",
		.in = r->in,
		.out = r->out,
		.rows = rows,
		.cols = cols,
		.accept_non_tty = true};
	if (rig_open(&t, note, sizeof(note)) != TERM_SCREEN)
		die("view rig: %s", note);
	if (theme)
		r->theme = *theme;
	else
		golden_theme(&r->theme);
	options.theme = &r->theme;
	options.localedir = NULL;
	r->vt = vt_new(rows, cols);
	r->host = host_new(&options);
	return r;
}

void view_rig_close(struct view_rig *r)
{
	host_free(r->host);
	term_close();
	vt_free(r->vt);
	fclose(r->in);
	fclose(r->out);
	free(r);
}

struct host *view_rig_host(struct view_rig *r)
{
	return r->host;
}

struct vt *view_rig_vt(struct view_rig *r)
{
	return r->vt;
}

void view_rig_frame(struct view_rig *r)
{
	char chunk[8192];
	ssize_t n;
	host_redraw(r->host);
	host_frame(r->host);
	fflush(r->out);
	while ((n = pread(fileno(r->out), chunk, sizeof(chunk), r->read)) > 0) {
		vt_feed(r->vt, chunk, (size_t)n);
		r->read += n;
	}
}

void view_rig_keys(struct view_rig *r, const char *keys)
{
	struct rig_key k;
	while (rig_key_next(&keys, &k)) {
		struct key key;
		if (key_parse(k.word, strlen(k.word), &key) != 0)
			die("view rig: no such key: %s", k.word);
		host_key(r->host, &key);
		view_rig_frame(r);
	}
}

void view_rig_paste(struct view_rig *r, const char *text)
{
	struct key key = {.code = K_PASTE, .text = text, .len = strlen(text)};
	host_key(r->host, &key);
	view_rig_frame(r);
}

void view_rig_resize(struct view_rig *r, int cols, int rows)
{
	term_resize(rows, cols);
	vt_resize(r->vt, rows, cols);
	view_rig_frame(r);
}

bool view_rig_golden(struct view_rig *r, const char *name)
{
	AUTO(buf_fini) struct buf text = {0};
	const char *src = getenv("srcdir");
	AUTO_FREE char *file = x_asprintf("%s/%s", src ? src : ".", name);
	view_rig_frame(r);
	golden_dump(r->vt, true, &text);
	return golden_compare(file, buf_str(&text));
}
