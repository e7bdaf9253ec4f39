/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/host.h"

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/text.h"
#include "tui/frame.h"
#include "tui/overlay.h"
#include "tui/term.h"
#include "tui/theme.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STACK_MAX  8
#define FRAME_MS   50
#define TOAST_MS   4000
#define WHEEL_ROWS 3

struct host {
	struct host_options o;
	struct view *stack[STACK_MAX];
	size_t depth;
	struct overlay *overlay; /* help or palette, NULL = none */
	struct frame frame;
	bool dirty, urgent, quit, rung;
	int64_t last_frame, typed;
	int frame_fd;
	unsigned long frames;
};

struct host *host_new(const struct host_options *o)
{
	struct host *h = X_NEW(struct host);
	const char *fd = getenv("RLPILOT_FRAME_FD");
	int64_t n;
	h->o = *o;
	if (!h->o.theme)
		h->o.theme = &theme_plain;
	h->frame_fd = fd && text_to_i64(fd, 0, 1 << 20, &n) == 0 ? (int)n : -1;
	h->dirty = h->urgent = true;
	h->typed = clock_wall();
	frame_init(&h->frame);
	return h;
}

static void view_free(struct view *v)
{
	if (v->ops->close)
		v->ops->close(v);
	free(v->data);
	free(v);
}

void host_free(struct host *h)
{
	if (!h)
		return;
	while (h->depth > 0)
		view_free(h->stack[--h->depth]);
	overlay_free(h->overlay);
	frame_fini(&h->frame);
	free(h);
}

struct view *host_top(struct host *h)
{
	return h->depth ? h->stack[h->depth - 1] : NULL;
}

const struct state *host_state(const struct host *h)
{
	return h->o.state;
}

const void *host_context(const struct host *h)
{
	return h->o.context;
}

void host_set_state(struct host *h, const struct state *s)
{
	h->o.state = s;
	host_redraw(h);
}

void host_set_theme(struct host *h, const struct theme *t)
{
	h->o.theme = t;
	host_redraw(h);
}

void host_redraw(struct host *h)
{
	h->dirty = h->urgent = true;
}

int host_push(struct host *h, const struct view_ops *ops)
{
	if (h->depth == STACK_MAX)
		die("more than %d views on top of each other", STACK_MAX);
	struct view *v = X_NEW(struct view);
	v->ops = ops;
	v->host = h;
	v->data = x_calloc(1, ops->size ? ops->size : 1);
	h->stack[h->depth++] = v;
	host_redraw(h);
	if (ops->open && ops->open(v, h->o.state) != 0) {
		h->depth--;
		view_free(v);
		return -1;
	}
	return 0;
}

int host_show(struct host *h, const struct view_ops *ops)
{
	struct view *top = host_top(h);
	if (top && top->ops == ops && h->depth == 1)
		return 0;
	while (h->depth > 0)
		view_free(h->stack[--h->depth]);
	return host_push(h, ops);
}

void host_pop(struct host *h)
{
	if (h->depth < 2)
		return;
	view_free(h->stack[--h->depth]);
	host_redraw(h);
}

void host_quit(struct host *h)
{
	if (h->quit)
		return;
	h->quit = true;
	if (h->o.quit)
		h->o.quit(h->o.arg);
}

static void host_switch_language(struct host *h)
{
	text_language(text_lang() == LANG_KO ? "en" : "ko", h->o.localedir);
	host_redraw(h);
}

/* Actions that the host itself does in every view. */
static bool host_own(struct host *h, enum action a)
{
	switch (a) {
	case ACT_HELP:
		h->overlay = overlay_help(host_top(h));
		return true;
	case ACT_PALETTE:
		h->overlay = overlay_palette();
		return true;
	case ACT_LANGUAGE:
		host_switch_language(h);
		return true;
	case ACT_REPAINT:
		term_repaint();
		return true;
	case ACT_SUSPEND:
		term_suspend();
		return true;
	case ACT_QUIT:
		host_quit(h);
		return true;
	case ACT_BACK:
		host_pop(h);
		return true;
	default:
		return false;
	}
}

/* What the view on top does not know. */
static bool host_act(struct host *h, enum action a)
{
	if (host_own(h, a))
		return true;
	for (const struct host_tab *t = h->o.tabs; t && t->ops; t++)
		if (a != ACT_NONE && t->action == a)
			return host_show(h, t->ops) == 0;
	if (a != ACT_NONE && h->o.other)
		h->o.other(h->o.arg, a);
	return false;
}

bool host_do(struct host *h, enum action a)
{
	static const struct key no_key;
	struct view *v = host_top(h);
	host_redraw(h);
	if (v && v->ops->act && v->ops->act(v, a, &no_key))
		return true;
	return host_act(h, a);
}

static void host_overlay_key(struct host *h, enum action a, const struct key *k)
{
	enum action chosen = ACT_NONE;
	if (overlay_act(h->overlay, a, k, &chosen))
		return;
	overlay_free(h->overlay);
	h->overlay = NULL;
	if (chosen != ACT_NONE)
		host_do(h, chosen);
}

static enum action host_mouse(struct host *h, const struct key *k)
{
	if (k->mouse == MOUSE_PRESS)
		return frame_action_at(&h->frame, k->y, k->x);
	return ACT_NONE;
}

static void host_wheel(struct host *h, const struct key *k)
{
	enum action a = k->mouse == MOUSE_WHEEL_UP ? ACT_UP : ACT_DOWN;
	static const struct key no_key;
	for (int i = 0; i < WHEEL_ROWS; i++) {
		if (h->overlay)
			host_overlay_key(h, a, &no_key);
		else
			host_do(h, a);
	}
}

int64_t host_idle_ms(const struct host *h)
{
	return clock_wall() - h->typed;
}

void host_typed(struct host *h, int64_t wall)
{
	h->typed = wall;
}

void host_key(struct host *h, const struct key *k)
{
	struct view *v = host_top(h);
	host_typed(h, clock_wall());
	host_redraw(h);
	if (k->code == K_MOUSE && (k->mouse == MOUSE_WHEEL_UP || k->mouse == MOUSE_WHEEL_DOWN)) {
		host_wheel(h, k);
		return;
	}
	bool typing = h->overlay ? overlay_typing(h->overlay) : v && v->typing;
	enum action a = k->code == K_MOUSE ? host_mouse(h, k)
					   : keymap_find(typing ? &keymap_edit : &keymap_normal, k);
	if (a == ACT_SUSPEND || a == ACT_REPAINT) /* whatever is being asked */
		(void)host_own(h, a);
	else if (h->overlay)
		host_overlay_key(h, a, k);
	else if (!v || !v->ops->act || !v->ops->act(v, a, k))
		(void)host_act(h, a);
}

void host_input(struct host *h)
{
	struct key k;
	while (!h->quit && !term_is_lent() && input_next(&k))
		host_key(h, &k);
	if (input_gone())
		host_quit(h);
}

void host_resize(struct host *h)
{
	/* Also at the same size: it may have been another one for a moment, and the terminal has
	 * cut. */
	term_resize(0, 0);
	term_repaint();
	host_redraw(h);
}

void host_changed(struct host *h, unsigned topics)
{
	const struct view *v = host_top(h);
	if (v && v->ops->topics & topics)
		h->dirty = true;
}

void host_lend(struct host *h)
{
	term_lend();
	h->dirty = false;
}

void host_take_back(struct host *h)
{
	term_take_back();
	host_redraw(h);
}

unsigned long host_frames(const struct host *h)
{
	return h->frames;
}

static void host_draw(struct host *h)
{
	struct view *v = host_top(h);
	frame_begin(&h->frame, term_rows(), term_cols());
	if (v) {
		v->wake_at = 0;
		v->n_keys = 0;
		v->modal = false;
		struct surface body = frame_body(&h->frame);
		v->ops->draw(v, h->o.state, &body);
	}
	if (h->overlay) {
		struct surface body = frame_body(&h->frame);
		overlay_draw(h->overlay, &body);
	}
	frame_finish(&h->frame, v, h->overlay != NULL);
	grid_show(&h->frame.grid, h->o.theme, theme_form(term_colors()));
}

void host_frame(struct host *h)
{
	int64_t now = clock_wall();
	const struct view *v = host_top(h);
	if (!term_is_open() || term_is_lent() || h->quit)
		return;
	if (input_deadline() >= 0 && input_deadline() <= now)
		host_input(h);
	if ((v && v->wake_at && v->wake_at <= now) || frame_toast_over(&h->frame, now))
		h->dirty = true;
	if (!h->dirty || (!h->urgent && now - h->last_frame < FRAME_MS))
		return;
	h->dirty = h->urgent = false;
	h->last_frame = now;
	host_draw(h);
	h->frames++;
	if (h->frame_fd >= 0 && write(h->frame_fd, "f", 1) != 1)
		h->frame_fd = -1;
}

static void sooner(int64_t *best, int64_t at)
{
	if (at >= 0 && (*best < 0 || at < *best))
		*best = at;
}

int64_t host_wait_ms(const struct host *h)
{
	int64_t now = clock_wall(), best = -1;
	const struct view *v = h->depth ? h->stack[h->depth - 1] : NULL;
	if (h->quit || term_is_lent())
		return -1;
	if (h->dirty)
		sooner(&best, h->urgent ? now : h->last_frame + FRAME_MS);
	if (v && v->wake_at)
		sooner(&best, v->wake_at);
	if (h->frame.toast_until)
		sooner(&best, h->frame.toast_until);
	sooner(&best, input_deadline());
	return best < 0 ? -1 : best > now ? best - now : 0;
}

void host_toast(struct host *h, enum role role, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	AUTO_FREE char *text = x_vasprintf(fmt, ap);
	va_end(ap);
	frame_toast(&h->frame, role, text, clock_wall() + TOAST_MS);
	host_redraw(h);
}

void host_alert(struct host *h, enum role role, const char *text)
{
	if (frame_alert(&h->frame, role, text))
		h->dirty = true;
}

void host_note(struct host *h, enum role role, const char *text, bool ring)
{
	frame_note(&h->frame, role, text);
	if (ring && !h->rung)
		term_bell();
	h->rung = ring;
}

void view_keys(struct view *v, const struct view_key *keys, size_t n)
{
	v->n_keys = n < COUNT(v->keys) ? n : COUNT(v->keys);
	memcpy(v->keys, keys, v->n_keys * sizeof(*keys));
}

void view_typing(struct view *v, bool on)
{
	v->typing = on;
}

void view_modal(struct view *v)
{
	v->modal = true;
}

void view_wake(struct view *v, int64_t ms)
{
	int64_t at = clock_wall() + ms;
	if (!v->wake_at || at < v->wake_at)
		v->wake_at = at;
}

bool view_is_tiny(const struct surface *s)
{
	return s->grid->rows < FRAME_MIN_ROWS || s->grid->cols < FRAME_MIN_COLS;
}
