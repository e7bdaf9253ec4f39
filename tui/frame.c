/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/frame.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "tui/host.h"

#include <stdio.h>
#include <string.h>

#define ROWS_BELOW 2 /* alert line, footer */

void frame_init(struct frame *f)
{
	*f = (struct frame){.grid = {.cursor_y = -1, .cursor_x = -1}};
}

void frame_fini(struct frame *f)
{
	grid_fini(&f->grid);
	buf_fini(&f->alert);
	buf_fini(&f->toast);
	buf_fini(&f->note);
}

void frame_begin(struct frame *f, int rows, int cols)
{
	grid_reset(&f->grid, rows, cols);
	f->n_hot = 0;
}

static bool frame_tiny(const struct frame *f)
{
	return f->grid.rows < FRAME_MIN_ROWS || f->grid.cols < FRAME_MIN_COLS;
}

struct surface frame_body(struct frame *f)
{
	struct surface s = grid_surface(&f->grid);
	return frame_tiny(f) ? s : surface_sub(&s, 0, 0, s.h - ROWS_BELOW, s.w);
}

/* One key with its word at x; returns the column after it, or -1 when it does not fit. */
static int frame_key(struct frame *f, struct surface *s, int x, int end, const struct view_key *k)
{
	char name[32];
	const char *word = k->word ? k->word : action_help(k->action);
	action_key(k->action, name, sizeof(name));
	int w = text_width(name) + 1 + text_width(word);
	if (x + w > end)
		return -1;
	if (f->n_hot < COUNT(f->hot)) {
		f->hot[f->n_hot].x = x;
		f->hot[f->n_hot].w = w;
		f->hot[f->n_hot++].action = k->action;
	}
	x += surface_text(s, 0, x, -1, ROLE_KEY, name);
	x += surface_text(s, 0, x, -1, ROLE_FOOTER, " ");
	return x + surface_text(s, 0, x, -1, ROLE_FOOTER, word);
}

static void frame_footer(struct frame *f, struct surface *s, const struct view *v, bool overlay)
{
	const struct view_key in_overlay[] = {{ACT_BACK, _("close")}};
	const struct view_key always[] = {{ACT_HELP, _("help")}, {ACT_QUIT, _("quit (safe)")}};
	const struct view_key *keys = overlay ? in_overlay : v ? v->keys : NULL;
	size_t n = overlay ? COUNT(in_overlay) : v ? v->n_keys : 0;
	bool alone = overlay || (v && (v->typing || v->modal));
	int room = 1, x = 1, end = s->w;
	char name[32];
	surface_fill(s, 0, 0, 1, s->w, ROLE_FOOTER);
	for (size_t i = 0; i < COUNT(always) && !alone; i++)
		room += 3 + text_width(action_key(always[i].action, name, sizeof(name))) +
			text_width(always[i].word);
	for (size_t i = 0; i < n; i++) {
		int next = frame_key(f, s, x, end - room, &keys[i]);
		if (next >= 0)
			x = next + 2;
	}
	for (size_t i = 0; i < COUNT(always) && !alone; i++) {
		int next = frame_key(f, s, x, end, &always[i]);
		if (next >= 0)
			x = next + 2;
	}
}

void frame_finish(struct frame *f, const struct view *v, bool overlay)
{
	struct surface all = grid_surface(&f->grid);
	if (frame_tiny(f))
		return;
	struct surface line = surface_sub(&all, all.h - 2, 0, 1, all.w);
	struct surface footer = surface_sub(&all, all.h - 1, 0, 1, all.w);
	const struct buf *text = f->toast_until ? &f->toast : &f->alert;
	enum role role = f->toast_until ? f->toast_role : f->alert_role;
	if (f->note.len > 0)
		line.w -= surface_right(
				  &line, 0, line.w, line.w / 2, f->note_role, buf_str(&f->note)) +
			  1;
	if (text->len > 0) {
		surface_fill(&line, 0, 0, 1, line.w, role);
		surface_cut(&line, 0, 1, line.w - 2, role, buf_str(text));
	}
	frame_footer(f, &footer, v, overlay);
}

void frame_toast(struct frame *f, enum role role, const char *text, int64_t until)
{
	buf_clear(&f->toast);
	text_clean(&f->toast, text, strlen(text));
	f->toast_role = role;
	f->toast_until = until;
}

bool frame_toast_over(struct frame *f, int64_t now)
{
	if (!f->toast_until || f->toast_until > now)
		return false;
	f->toast_until = 0;
	return true;
}

void frame_note(struct frame *f, enum role role, const char *text)
{
	buf_clear(&f->note);
	text_clean(&f->note, text, strlen(text));
	f->note_role = role;
}

bool frame_alert(struct frame *f, enum role role, const char *text)
{
	if (!text)
		text = "";
	AUTO(buf_fini) struct buf clean = {0};
	text_clean(&clean, text, strlen(text));
	if (role == f->alert_role && strcmp(buf_str(&clean), buf_str(&f->alert)) == 0)
		return false;
	buf_clear(&f->alert);
	buf_add(&f->alert, buf_str(&clean), clean.len);
	f->alert_role = role;
	return true;
}

enum action frame_action_at(const struct frame *f, int y, int x)
{
	if (frame_tiny(f) || y != f->grid.rows - 1)
		return ACT_NONE;
	for (size_t i = 0; i < f->n_hot; i++)
		if (x >= f->hot[i].x && x < f->hot[i].x + f->hot[i].w)
			return f->hot[i].action;
	return ACT_NONE;
}
