/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of a walk as lines for people: what a stage does, its exact commands, every flag with
 * its reason, training parameters, and the difference to the tutorial's own text. One source for
 * `rlpilot plan` and the page of the plan. Pure; holds no value of a secret.
 */
#ifndef RLPILOT_RECIPE_PLAN_H
#define RLPILOT_RECIPE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/recipe/command.h"

struct buf;
struct err;

enum plan_kind {
	PLAN_TEXT,  /* what the stage does */
	PLAN_NOTE,  /* beside the point: cost, interactive, what happens with it */
	PLAN_WHY,   /* why a command is run; begins a command */
	PLAN_SHELL, /* a line of the command */
	PLAN_EDIT,  /* an edit of a file: name = place, text = what and why */
	PLAN_FLAG,  /* name = flag, text = reason */
	PLAN_TITLE, /* above the parameters */
	PLAN_PARAM, /* name = key=value, text = label */
	PLAN_MORE,  /* more about the line above */
};

struct plan_line {
	enum plan_kind kind;
	char *name; /* NULL: none */
	char *text;
};

struct plan_lines {
	struct plan_line *items;
	size_t n, cap;
};

void plan_lines_fini(struct plan_lines *l);
/* A stage, explained. -1: a value is missing and o->names is off. */
int plan_stage(const struct render *o, const struct recipe_stage *s, struct plan_lines *out,
	struct err *e);
/* Appends a line with its indentation, as plain text. */
void plan_line_text(const struct plan_line *l, struct buf *out);

/* Chips of the run: of its topology, else of the recipe. */
uint32_t plan_chips(const struct recipe *r, const struct values *v);
/* Chip-hours of so many seconds. */
double plan_chip_hours(uint32_t chips, uint32_t seconds);
/* "20 min - 1 h"; with equal ends once. */
void plan_span(uint32_t min_s, uint32_t max_s, struct buf *out);
/* "10.7 - 32 chip-hours" of a stage; nothing for one that holds no chips. */
void plan_stage_cost(const struct recipe_stage *s, uint32_t chips, struct buf *out);

/* Is the condition of a command, flag or parameter ("id" or "!id" of a deviation, NULL) fulfilled?
 */
bool plan_in_force(const struct render *o, const char *when);
/* The value of a parameter in force: given, else the recipe's; "" when the key stands alone. */
void plan_param_value(const struct render *o, const struct recipe_param *p, struct buf *out);

/* Unified diff from the tutorial's own commands to ours, all stages; empty when there is none. */
int plan_diff(const struct render *o, struct buf *out, struct err *e);

#endif
