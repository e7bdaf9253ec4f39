/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a value must look like, and the arithmetic behind training parameters. Pure functions with
 * the reason as text for people. Sources: naming rules of the services, MaxText's own assertions.
 * Must not ask anything outside.
 */
#ifndef RLPILOT_RECIPE_RULE_H
#define RLPILOT_RECIPE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct deviations;
struct recipe;
struct recipe_variable;
struct recipe_param;
struct values;

/* True when `text` may stand for the variable; else the reason is appended to `why` (may be NULL).
 * `others` are used where variables must agree (ZONE and REGION, TOPOLOGY and TPU_TYPE). */
bool rule_variable(const struct recipe *r, const struct recipe_variable *v, const char *text,
	const struct values *others, struct buf *why);
bool rule_parameter(const struct recipe_param *p, const char *text, struct buf *why);
/* One rule by its name (project region zone cluster job bucket … cidr); the reason goes to `why`.
 */
bool rule_named(const char *rule, const char *text, struct buf *why);
/* Is there a rule of that name? */
bool rule_exists(const char *name);

/* "4x8" -> 32; 0 when malformed or over 2^20. */
uint32_t rule_chips(const char *topology);
/* "us-east5-b" -> "us-east5" into out; false when it is no zone. */
bool rule_region_of(const char *zone, char *out, size_t size);

/* One finding about the training parameters. */
struct rule_finding {
	const char *check; /* train.rollout trainer heads batch lengths generations; static */
	bool blocking;     /* else a warning */
	char *text;        /* the caller's */
	char *says;        /* what the trainer itself would say, in its own words; "" = nothing */
};

struct rule_findings {
	struct rule_finding *items;
	size_t n, cap;
};

void rule_findings_fini(struct rule_findings *f);
/* Judges all training parameters as the values, the deviations (NULL: the recipe's own) and the
 * recipe give them: everything that MaxText, Tunix and vLLM assert and that can be known before. */
void rule_training(const struct recipe *r, const struct values *v, const struct deviations *d,
	struct rule_findings *out);

#endif
