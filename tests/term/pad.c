/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest program with a screen: a list, a field and what came in last, driven by poll. What
 * the terminal tests walk through, so that they test tui/ and nothing else.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "tui/glyph.h"
#include "tui/host.h"
#include "tui/term.h"
#include "tui/widget/field.h"
#include "tui/widget/list.h"

struct pad {
	struct list list;
	struct field field;
	char last[64];
	bool typing;
};

static volatile sig_atomic_t resized;
static bool over;

static const char *pad_id(const void *arg, size_t i)
{
	static char id[16];
	(void)arg;
	snprintf(id, sizeof(id), "item-%02zu", i);
	return id;
}

static void pad_row(const void *arg, size_t i, struct surface *row, bool selected)
{
	(void)selected;
	surface_textf(row, 0, 1, -1, ROLE_TEXT, "%s 한국어 %d", pad_id(arg, i), row->w);
}

static const struct list_source source = {.n = 40, .id = pad_id, .draw = pad_row};

static void pad_draw(struct view *v, const struct state *s, struct surface *out)
{
	struct pad *p = v->data;
	struct surface rows = surface_sub(out, 3, 0, out->h - 3, out->w);
	(void)s;
	if (view_is_tiny(out)) {
		surface_text(out, 0, 0, -1, ROLE_TEXT, "too small");
		return;
	}
	surface_rule(out, 0, "pad", "hint");
	surface_textf(out, 1, 1, -1, ROLE_STRONG, "%dx%d last: %s", out->grid->cols,
		out->grid->rows, p->last);
	field_draw(&p->field, out, 2, 1, out->w - 2, p->typing, ROLE_FIELD);
	list_draw(&p->list, &source, &rows, !p->typing);
	VIEW_KEYS(v, {ACT_OPEN, "type"}, {ACT_COPY, NULL});
}

static bool pad_act(struct view *v, enum action a, const struct key *k)
{
	struct pad *p = v->data;
	char name[32];
	if (k->code == K_PASTE)
		snprintf(p->last, sizeof(p->last), "paste of %zu bytes", k->len);
	else if (k->code == K_MOUSE)
		snprintf(p->last, sizeof(p->last), "mouse %d at %d,%d", (int)k->mouse, k->y, k->x);
	else
		snprintf(p->last, sizeof(p->last), "%s", key_label(k, name, sizeof(name)));
	if (a == ACT_OPEN || (p->typing && a == ACT_BACK)) {
		p->typing = a == ACT_OPEN && !p->typing;
		view_typing(v, p->typing);
		return true;
	}
	if (a == ACT_COPY) {
		term_copy("hello", 5);
		host_toast(v->host, ROLE_TOAST, "copied");
		return true;
	}
	if (p->typing || k->code == K_PASTE)
		return field_key(&p->field, k, NULL);
	return list_act(&p->list, &source, a, k);
}

static void pad_close(struct view *v)
{
	struct pad *p = v->data;
	list_fini(&p->list);
	field_fini(&p->field);
}

static const struct view_ops pad_ops = {
	.name = "pad",
	.size = sizeof(struct pad),
	.draw = pad_draw,
	.act = pad_act,
	.close = pad_close,
};

static void on_resize(int signo)
{
	(void)signo;
	resized = 1;
}

static void on_quit(void *arg)
{
	(void)arg;
	over = true;
}

int main(void)
{
	char note[256];
	struct term_options t = {0};
	struct host_options o = {.quit = on_quit};
	struct sigaction winch = {.sa_handler = on_resize};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t blocked, before;
	text_language("en", NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGWINCH);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	sigaction(SIGWINCH, &winch, NULL);
	sigaction(SIGHUP, &ignore, NULL);
	if (term_open(&t, note, sizeof(note)) != TERM_SCREEN) {
		printf("plain: %s\n", note);
		return 3;
	}
	glyph_ascii(!term_utf8());
	struct host *h = host_new(&o);
	host_push(h, &pad_ops);
	host_alert(h, ROLE_ALERT, note);
	term_title("pad");
	while (!over) {
		if (resized) {
			resized = 0;
			host_resize(h);
		}
		host_frame(h);
		int64_t ms = host_wait_ms(h);
		struct pollfd p = {.fd = term_fd(), .events = POLLIN};
		struct timespec wait = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
		if (ppoll(&p, 1, ms < 0 ? NULL : &wait, &before) > 0)
			host_input(h);
	}
	host_free(h);
	term_close();
	puts("bye");
	return 0;
}
