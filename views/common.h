/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all screens share: what main.c tells them, the head line, words and marks of states, times
 * as text, and the one way to post an intent. Must not keep anything of its own.
 */
#ifndef RLPILOT_VIEWS_COMMON_H
#define RLPILOT_VIEWS_COMMON_H

#include "core/recipe/recipe.h"
#include "core/run/intent.h"
#include "core/run/state.h"
#include "tui/glyph.h"
#include "tui/host.h"

#include <stdbool.h>
#include <stdint.h>

#define SPAN_SIZE 32

struct err;

/* A program that gets the real terminal, while the screen steps aside. Borrowed for the call. */
struct view_program {
	const char *title;       /* translated, above its output */
	const char *const *argv; /* shown as it runs: never a secret; NULL ends */
	const char *const *env;  /* NULL = own */
	const char *cwd;         /* NULL = own */
	/* Its exit code, 128 + signal, once the screen is back; may be NULL. */
	void (*done)(void *arg, int code);
	void *arg;
};

/* Given to the host as its context. */
struct views_context {
	const struct recipe *recipe; /* NULL for a job that no recipe describes */
	const char *run_dir;         /* NULL: nothing to post to */
	bool read_only;
	/* Called after an intent was posted: somebody must be there to take it. May be NULL. */
	void (*posted)(void *arg);
	void *arg;
	const char *program; /* path of this one; NULL = not known */
	/* Runs a program on the terminal; NULL: this screen has none to give. */
	int (*run)(void *terminal, const struct view_program *p, struct err *e);
	void *terminal;
};

const struct recipe *view_recipe(const struct view *v); /* or NULL */
bool view_may_act(const struct view *v);
/* Posts; says on the toast line what was posted or why it could not be. */
bool view_post(struct view *v, enum intent_kind kind, enum stage_id stage, const char *name,
	const char *text);
/* The same about one attempt of a stage, as the person saw it. */
bool view_post_for(
	struct view *v, enum intent_kind kind, enum stage_id stage, int attempt, const char *text);

/* Runs a program on the terminal; says on the toast line why it could not. */
bool view_run(struct view *v, const struct view_program *p);

/* Row 0: program, where one is, and at the right the label of the run. `what` is cut first. */
void head_draw(struct surface *s, const struct state *st, const char *name, const char *what,
	const char *right);
/* The alert line under everything: a vanished engine, a question, the newest raised alert, or
 * nothing; and the window's title. */
void head_alert(struct view *v, const struct state *st);
/* One line for screens that are too small. */
void head_tiny(struct surface *s, const struct state *st);

/* Translated words of states. */
const char *stage_state_text(enum stage_state st);
bool stage_being_undone(const struct state_stage *st);
/* Its state, or that it is being undone. */
const char *stage_moment_text(const struct state_stage *st);
const char *jobset_phase_text(enum jobset_phase p);
const char *checkpoint_state_text(enum checkpoint_state s);
const char *training_phase_text(enum training_phase p); /* "" for none */
enum role stage_state_role(enum stage_state st);
enum glyph stage_state_glyph(enum stage_state st);
const char *stage_title(const struct view *v, enum stage_id id); /* in the language of the screen */

/* "0:38", "11:42", "1:32:10": a running time. Negative: "–". Returns out. */
const char *span_clock(int64_t ms, char out[SPAN_SIZE]);
/* "2s", "6m", "1h32m", "3d": an age or an estimate, coarse. Negative: "–". */
const char *span_text(int64_t ms, char out[SPAN_SIZE]);
/* "14:09" of a run time, local. 0 or TIME_NONE: "–". */
const char *time_text(int64_t at, char out[SPAN_SIZE]);
/* What became of the JobSet that is gone, the caller's; NULL: none was seen. */
char *jobset_past_text(const struct state *st);
/* How long a stage ran or runs; -1 when it never started. */
int64_t stage_took(const struct state_stage *s);

#endif
