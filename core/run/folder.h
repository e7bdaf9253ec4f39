/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a run: run.yaml (format 1: recipe, values without secrets, deviations,
 * environment), its lock, and where runs live. Opening reads and never writes; who wants to write
 * takes the lock first. Opening a run that names an environment file applies that file to this
 * process.
 */
#ifndef RLPILOT_RUN_FOLDER_H
#define RLPILOT_RUN_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/recipe/command.h"
#include "core/recipe/recipe.h"
#include "core/recipe/values.h"

struct err;
struct strvec;

#define RUN_FORMAT 1

/* What keeps others from working on a run: its file `lock`, and the folder itself. */
struct run_hold {
	int file, folder; /* descriptors, -1 = not held */
};

struct run {
	char *dir, *name;
	char *label;       /* RLPILOT_LABEL when it was made, "" = none */
	char *environment; /* file of shell exports, NULL = none */
	char *recipe_name; /* id or file as given */
	struct recipe *recipe;
	struct values values;
	struct deviations deviations;
	bool frozen; /* values stay as they are, see core/run/frozen.h */
	struct run_hold lock;
	char *moved_from; /* machine whose engine held the lock before, NULL = this one */
};

struct run_new {
	const char *name;        /* NULL: prefix-N, the next free one */
	const char *prefix;      /* "run", "demo" */
	const char *recipe;      /* id or file; NULL = the tutorial's */
	const char *environment; /* file of exports, NULL = none; applied before values are read */
	const struct run *like;  /* what was typed and switched there is taken over, NULL = nothing;
				  * never a secret */
};

#define RUN_NAME_MAX 64 /* bytes */

/* May a run be called so? ASCII letters, digits, dots, hyphens and underscores, a letter or digit
 * first: it stands in lines, links and addresses. */
bool run_name_good(const char *name);

/* Run time: after that without a sign an engine of another machine counts as gone. */
#define RUN_ELSEWHERE_MS   120000
#define RUN_RECIPE_DEFAULT "gemma4-26b-v6e"

/* $XDG_STATE_HOME/rlpilot/runs or …/demo/runs; the caller's. Ask before an environment is applied.
 */
int run_root(bool demo, char **out, struct err *e);
/* Makes the folder, reads defaults and environment, writes run.yaml and `current`. */
int run_create(const char *root, const struct run_new *n, struct run **out, struct err *e);
/* Removes a run that was just made and has not begun, and gives `current` back to `before` (name,
 * NULL = none). One that has begun stays. */
void run_discard(const struct run *r, const char *before);
/* Name that `current` of a root holds; the caller's, NULL = none. */
char *run_current_name(const char *root);
/* ERR_BAD_FILE with place when run.yaml is not of this format. */
int run_open(const char *dir, struct run **out, struct err *e);
void run_close(struct run *r);
/* Writes run.yaml; the lock must be held. */
int run_save(const struct run *r, struct err *e);

/* Folder of a run by name or path; NULL: the one `current` names, of real runs before rehearsals.
 * The caller's; ERR_FAILED when there is none. */
int run_find(const char *name, char **dir, struct err *e);
/* The run that `current` of one root names; the caller's. -1 when there is none. */
int run_current(const char *root, char **dir);
/* Folders of all runs of a root, by name. */
int run_list(const char *root, struct strvec *dirs, struct err *e);

/* Nobody else works on the folder until run_let_go; ERR_LOCKED names who does. For what needs no
 * more of the run than that. */
int run_seize(const char *dir, struct run_hold *h, struct err *e);
void run_let_go(struct run_hold *h);
/* ERR_LOCKED names who holds it; 0 when we hold it already. */
int run_lock(struct run *r, struct err *e);
/* After run_lock: reads the run again; whoever held it before has written since it was opened. */
int run_reopen(struct run **r, struct err *e);
/* Is it held by a living engine? *pid and host (size bytes) as the holder wrote; may be NULL. */
bool run_locked(const char *dir, int64_t *pid, char *host, size_t size);

#endif
