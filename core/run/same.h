/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a job the same as the one that a stage would submit? The values after the name of the program
 * (`python3 -m MODULE key=value …`) are compared one by one, and the image; the shell around them
 * is not: gcluster wraps it in its own way. Secrets are masked on both sides. Pure.
 */
#ifndef RLPILOT_RUN_SAME_H
#define RLPILOT_RUN_SAME_H

#include "core/base/vec.h"
#include "core/recipe/command.h"
#include "core/recipe/values.h"

struct same {
	bool known;            /* both sides were found, so that they could be compared */
	size_t equal;          /* values that are the same */
	struct strvec differs; /* "num_batches: 100 there, 50 here", translated */
};

/* What the stage's pods would run, or NULL when it has no such command or a value is missing. The
 * caller's, masked. */
char *same_command(const struct recipe *r, const struct values *v, struct deviations d,
	const struct recipe_stage *stage);
/* The value of a key in it, the caller's; NULL = there is none. */
char *same_value(const char *command, const char *key);
/* there, here: commands as the shell gets them. */
void same_words(const char *there, const char *here, struct same *s);
/* args, image: of the job's main container, masked; here NULL: nothing is known. */
void same_job(const char *args, const char *image, const char *here, const struct values *v,
	struct same *s);
void same_fini(struct same *s);
/* The first few differences in one text, the caller's. */
char *same_text(const struct strvec *differs);

#endif
