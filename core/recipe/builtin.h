/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program does itself during a stage, as shell text for a script. Internal to recipe/.
 */
#ifndef RLPILOT_RECIPE_BUILTIN_H
#define RLPILOT_RECIPE_BUILTIN_H

struct buf;
struct recipe_command;
struct render;
struct strvec;

/* argv: name and words with values; words: the same words as shell text, with a leading blank. */
void builtin_script(const struct render *o, const struct recipe_command *c,
	const struct strvec *argv, const char *words, struct buf *out);
/* Text of the shell function that wait-job calls. */
extern const char builtin_wait_function[];

#endif
