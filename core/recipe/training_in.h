/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the two files of the training rules: the values in force and the way to tell a finding.
 * Nothing else includes this.
 */
#ifndef RLPILOT_RECIPE_TRAINING_IN_H
#define RLPILOT_RECIPE_TRAINING_IN_H

#include "core/recipe/command.h"
#include "core/recipe/rule.h"

struct judge {
	const struct recipe *r;
	const struct values *v;
	struct deviations on;
	struct rule_findings *out;
	long chips;
};

struct rule_finding *judge_find(struct judge *j, const char *check, bool blocking, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));
/* The trainer's own words for the finding. */
void judge_says(struct rule_finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The value in force: given, of the recipe (if its condition holds), or the trainer's own default.
 */
const char *judge_text(const struct judge *j, const char *key, const char *dflt);
double judge_real(const struct judge *j, const char *key, double dflt);
long judge_whole(const struct judge *j, const char *key, long dflt);
bool judge_true(const struct judge *j, const char *key);
long judge_samplers(const struct judge *j);

/* What does not hang on the number of chips: paths, settings that must agree, memory. */
void judge_settings(struct judge *j);

#endif
