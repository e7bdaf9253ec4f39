/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/rig/golden.h"

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "tests/rig/vt.h"
#include "tui/theme.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_COLOR 16 /* the rig's background of the first role */
#define GOLDEN_MAX  ((size_t)4 << 20)

void golden_theme(struct theme *t)
{
	*t = theme_plain;
	for (int f = 0; f < THEME_FORMS; f++)
		for (int r = 0; r < ROLE_COUNT; r++)
			t->styles[f][r] = (struct style){
				-1, (int16_t)(r == ROLE_TEXT ? -1 : FIRST_COLOR + r), 0};
}

static char golden_role(const struct vt_cell *c)
{
	if (c->bg == -1)
		return role_letter(ROLE_TEXT);
	if (c->bg < FIRST_COLOR || c->bg >= FIRST_COLOR + ROLE_COUNT)
		return '?';
	return role_letter((enum role)(c->bg - FIRST_COLOR));
}

void golden_dump(const struct vt *v, bool roles, struct buf *out)
{
	int y, x;
	bool visible;
	struct vt_cell c;
	buf_addf(out, "%dx%d\n", vt_cols(v), vt_rows(v));
	for (y = 0; y < vt_rows(v); y++) {
		buf_adds(out, "│");
		for (x = 0; x < vt_cols(v); x++) {
			vt_cell(v, y, x, &c);
			buf_adds(out, c.text);
		}
		buf_adds(out, "│\n");
	}
	for (y = 0; roles && y < vt_rows(v); y++) {
		buf_addf(out, "%2d ", y);
		for (x = 0; x < vt_cols(v); x++) {
			vt_cell(v, y, x, &c);
			buf_addc(out, golden_role(&c));
		}
		buf_addc(out, '\n');
	}
	vt_cursor(v, &y, &x, &visible);
	if (visible)
		buf_addf(out, "cursor %d,%d\n", y, x);
	else
		buf_adds(out, "cursor hidden\n");
	if (*vt_title(v))
		buf_addf(out, "title %s\n", vt_title(v));
}

bool golden_generating(void)
{
	const char *g = getenv("GENERATE");
	return g && strcmp(g, "1") == 0;
}

/* The next line of *s, without its end; false at the end of the text. */
static bool next_line(const char **s, const char **line, size_t *n)
{
	if (!**s)
		return false;
	*line = *s;
	*n = strcspn(*s, "\n");
	*s += *n + ((*s)[*n] == '\n');
	return true;
}

static void golden_differences(const char *want, const char *got)
{
	const char *w = "", *g = "";
	size_t wn = 0, gn = 0;
	for (int i = 1;; i++) {
		bool more_w = next_line(&want, &w, &wn), more_g = next_line(&got, &g, &gn);
		if (!more_w && !more_g)
			return;
		if (!more_w)
			wn = 0;
		if (!more_g)
			gn = 0;
		if (wn != gn || memcmp(w, g, wn) != 0)
			fprintf(stderr, "line %d\n  want %.*s\n  got  %.*s\n", i, (int)wn, w,
				(int)gn, g);
	}
}

static bool golden_write(const char *file, const char *text)
{
	AUTO_FREE char *dir = x_strdup(file);
	char *slash = strrchr(dir, '/');
	if (slash) {
		*slash = '\0';
		if (path_mkdirs(dir, NULL) != 0)
			return false;
	}
	FILE *f = fopen(file, "w");
	if (!f)
		return false;
	bool ok = fputs(text, f) >= 0;
	return fclose(f) == 0 && ok;
}

bool golden_equal(const char *file, const char *text)
{
	AUTO(buf_fini) struct buf want = {0};
	if (path_read(file, GOLDEN_MAX, &want, NULL) != 0)
		return false;
	return strcmp(buf_str(&want), text) == 0;
}

bool golden_compare(const char *file, const char *text)
{
	AUTO(buf_fini) struct buf want = {0};
	const char *base = strrchr(file, '/');
	if (golden_generating())
		return golden_write(file, text);
	if (path_read(file, GOLDEN_MAX, &want, NULL) == 0 && strcmp(buf_str(&want), text) == 0)
		return true;
	AUTO_FREE char *actual = x_asprintf("%s.actual", base ? base + 1 : file);
	fprintf(stderr, "%s: the screen is another one; what it is now: %s\n", file, actual);
	golden_differences(buf_str(&want), text);
	golden_write(actual, text);
	return false;
}
