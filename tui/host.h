/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows views: a stack of them, keys to actions to the view on top, frames when something changed,
 * help, palette, toasts, the alert line. A view is a function of the state onto cells: it calls
 * no network and no child. The host waits for nothing: main.c watches term_fd() and calls in.
 * Frames caused by keys are drawn at once, others at most 20 a second; an idle host draws nothing.
 */
#ifndef RLPILOT_TUI_HOST_H
#define RLPILOT_TUI_HOST_H

#include "core/base/mem.h"
#include "tui/keymap.h"
#include "tui/surface.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct state;
struct host;
struct err;

/* A key of the footer: an action and what it does here; word NULL = the action's own help. */
struct view_key {
	enum action action;
	const char *word;
};

/* What a view is told by the host, and tells it. */
struct view {
	const struct view_ops *ops;
	void *data; /* ops->size bytes, zeroed */
	struct host *host;
	struct view_key keys[16]; /* what works now, for the footer; set by VIEW_KEYS */
	size_t n_keys;
	bool typing;     /* the edit map is in front */
	bool modal;      /* a question is open: the footer names its keys alone */
	int64_t wake_at; /* clock_wall of a wanted redraw, 0 = none */
};

struct view_ops {
	const char *name; /* tab, help page, golden file */
	unsigned topics;  /* parts of the state that wake this view */
	size_t size;      /* private data, zeroed by the host */
	int (*open)(struct view *, const struct state *);
	void (*draw)(struct view *, const struct state *, struct surface *);
	bool (*act)(struct view *, enum action, const struct key *);
	void (*close)(struct view *);
};

struct host_options {
	const struct state *state;
	const struct theme *theme; /* NULL: built in mono; borrowed, like the state */
	/* Views that the SEE actions open: pairs; NULL ends. */
	const struct host_tab {
		enum action action;
		const struct view_ops *ops;
	} * tabs;
	const void *context;     /* what main.c wants its views to know, borrowed */
	const char *localedir;   /* for text_language on L */
	void (*quit)(void *arg); /* the person leaves, or the terminal has gone */
	/* An action that neither the view nor the host knows; may be NULL. */
	void (*other)(void *arg, enum action a);
	void *arg;
};

struct host *host_new(const struct host_options *o);
void host_free(struct host *h);

int host_push(struct host *h, const struct view_ops *ops); /* on top */
int host_show(struct host *h, const struct view_ops *ops); /* instead of all */
void host_pop(struct host *h);                             /* the last one stays */
struct view *host_top(struct host *h);
const struct state *host_state(const struct host *h);
const void *host_context(const struct host *h);
void host_set_state(struct host *h, const struct state *s);
void host_set_theme(struct host *h, const struct theme *t);

/* Wall time since the person did something here; host_typed sets when that was (keys and the mouse
 * do it by themselves). */
int64_t host_idle_ms(const struct host *h);
void host_typed(struct host *h, int64_t wall);

/* For the loop: */
void host_input(struct host *h);                    /* the terminal is readable */
void host_key(struct host *h, const struct key *k); /* one key, as if typed */
void host_resize(struct host *h);                   /* SIGWINCH */
void host_changed(struct host *h, unsigned topics); /* state changed */
void host_redraw(struct host *h);                   /* wake whatever the topics */
void host_frame(struct host *h);                    /* end of a turn: draw if due */
/* Wall ms until host_frame wants to be called although nothing happened; -1 = never. */
int64_t host_wait_ms(const struct host *h);
void host_lend(struct host *h);      /* a child gets the terminal … */
void host_take_back(struct host *h); /* … and gives it back */
unsigned long host_frames(const struct host *h);

/* For views: */
void host_toast(struct host *h, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The alert line stays until it is set again; NULL or "" takes it away. */
/* A short note at the end of the alert line; ring: a bell, once until a note that does not ring. */
void host_note(struct host *h, enum role role, const char *text, bool ring);
void host_alert(struct host *h, enum role role, const char *text);
/* Does what the key of an action would do. */
bool host_do(struct host *h, enum action a);
void host_quit(struct host *h);

/* Names the keys that work now, most important first: VIEW_KEYS(v, {ACT_OPEN, _("start")}, …). The
 * host adds help and quit. Words are borrowed until the next call. */
#define VIEW_KEYS(v, ...)                                                                          \
	view_keys(v, (const struct view_key[]){__VA_ARGS__},                                       \
		COUNT(((const struct view_key[]){__VA_ARGS__})))
void view_keys(struct view *v, const struct view_key *keys, size_t n);
void view_typing(struct view *v, bool on);
void view_modal(struct view *v); /* for this frame */
/* Draw again in so many wall ms even if nothing changes (an age on screen); called from draw. */
void view_wake(struct view *v, int64_t ms);

/* The rows a view gets at sizes that cannot hold it: true when it should draw its one line. */
bool view_is_tiny(const struct surface *s);

#endif
